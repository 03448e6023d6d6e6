#include "format/profile/ways.h"

enum { WAY_FROM_ENTRY = 1, WAY_UNKNOWN = 2 };

void profile_ways_release(struct profile_ways *ways)
{
    for (size_t i = 0; i < ways->count; i++)
        free(ways->items[i].blocks);
    ARRAY_RELEASE(ways);
    hash_map_release(&ways->index);
    ways->indexed = 0;
}

static bool same(const struct profile_way *a, const struct profile_way *b)
{
    return a->unknown == b->unknown && a->from_entry == b->from_entry && a->lines == b->lines &&
           a->block_count == b->block_count &&
           !memcmp(a->blocks, b->blocks, a->block_count * sizeof *a->blocks);
}

/* Returns the index of an equal way, or enters the way in the index as number `next` and returns
 * that. Ways with the same hash stand under the next free numbers. */
static size_t number_of(struct profile_ways *ways, const struct profile_way *way, size_t next)
{
    const uint64_t more = (uint64_t)way->lines << 2 | (uint64_t)way->unknown << 1 | way->from_entry;
    uint64_t hash =
        hash_bytes(way->blocks, way->block_count * sizeof *way->blocks) ^ hash_bytes(&more, sizeof more);
    for (;; hash++) {
        bool added;
        uint64_t *found = hash_map_put(&ways->index, hash, &added);
        if (added)
            *found = next;
        if (added || same(&ways->items[*found], way))
            return (size_t)*found;
    }
}

void profile_ways_add(struct profile_ways *ways, const struct profile_way *way)
{
    for (; ways->indexed < ways->count; ways->indexed++)
        number_of(ways, &ways->items[ways->indexed], ways->indexed);
    size_t number = number_of(ways, way, ways->count);
    if (number < ways->count) {
        int64_t *count = &ways->items[number].count;
        *count = (int64_t)((uint64_t)*count + (uint64_t)way->count);
        return;
    }
    ways->indexed++;
    struct profile_way *to = ARRAY_ADD(ways);
    *to = *way;
    to->blocks = ALLOC(uint32_t, way->block_count);
    memory_copy(to->blocks, way->blocks, way->block_count * sizeof *to->blocks);
}

static int by_blocks(const void *left, const void *right)
{
    const struct profile_way *a = left, *b = right;
    for (uint32_t i = 0; i < a->block_count && i < b->block_count; i++)
        if (a->blocks[i] != b->blocks[i])
            return a->blocks[i] < b->blocks[i] ? -1 : 1;
    if (a->block_count != b->block_count)
        return a->block_count < b->block_count ? -1 : 1;
    if (a->lines != b->lines)
        return a->lines < b->lines ? -1 : 1;
    return 2 * ((int)a->unknown - (int)b->unknown) + (int)a->from_entry - (int)b->from_entry;
}

void profile_ways_sort(struct profile_ways *ways)
{
    hash_map_release(&ways->index);
    ways->indexed = 0;
    if (ways->count)
        qsort(ways->items, ways->count, sizeof *ways->items, by_blocks);
}

bool profile_ways_exist(const struct profile *p)
{
    for (size_t i = 0; i < p->functions.count; i++)
        if (p->functions.items[i].path_counts)
            return true;
    return false;
}

void profile_ways_write(struct buffer *b, const struct profile *p)
{
    for (size_t i = 0; i < p->functions.count; i++) {
        const struct profile_function *f = &p->functions.items[i];
        if (!f->path_counts)
            continue;
        buffer_add_varint(b, f->ways_known ? f->ways.count + 1 : 0);
        for (size_t k = 0; f->ways_known && k < f->ways.count; k++) {
            const struct profile_way *way = &f->ways.items[k];
            buffer_add_varint(b, way->block_count);
            buffer_add_varint(b, (way->from_entry ? WAY_FROM_ENTRY : 0) | (way->unknown ? WAY_UNKNOWN : 0));
            buffer_add_varint(b, way->lines);
            buffer_add_signed(b, way->count);
            for (uint32_t n = 0; n < way->block_count; n++)
                buffer_add_varint(b, way->blocks[n]);
        }
    }
}

static void read_way(struct cursor *c, struct profile_function *f)
{
    struct profile_way way = {0};
    size_t count = cursor_count(c, 1);
    uint64_t flags = cursor_varint(c), lines = cursor_varint(c);
    way.count = cursor_signed(c);
    uint32_t exit = graph_exit(&f->map.graph);
    if (!count || count > exit || flags > (WAY_FROM_ENTRY | WAY_UNKNOWN) || way.count <= 0)
        c->failed = true;
    if (c->failed)
        return;
    way.block_count = (uint32_t)count;
    way.blocks = ALLOC(uint32_t, count);
    way.from_entry = flags & WAY_FROM_ENTRY;
    way.unknown = flags & WAY_UNKNOWN;
    for (size_t i = 0; i < count; i++) {
        uint64_t block = cursor_varint(c);
        c->failed |= block >= exit;
        way.blocks[i] = (uint32_t)block;
    }
    c->failed |= c->failed || lines > f->map.blocks[way.blocks[count - 1]].line_count;
    way.lines = (uint32_t)lines;
    if (c->failed)
        free(way.blocks);
    else
        ARRAY_PUSH(&f->ways, way);
}

void profile_ways_read(struct cursor *c, struct profile *p)
{
    for (size_t i = 0; i < p->functions.count && !c->failed; i++) {
        struct profile_function *f = &p->functions.items[i];
        if (!f->path_counts)
            continue;
        uint64_t count = cursor_varint(c); /* 1 more than there are, or 0: not known */
        f->ways_known = count > 0;
        c->failed |= count > cursor_left(c) + UINT64_C(1);
        for (uint64_t k = 1; k < count && !c->failed; k++)
            read_way(c, f);
    }
}
