/*
 * Branches in a function's record (format/map/branches.h):
 *
 *     number of branches, each: block delta, entry of its lines + 1, column, number of ways,
 *     each: zigzag edge delta << 3 | kind, [case: zigzag value, more]
 *
 * Deltas run through the list and start from 0. Whatever the bytes were, blocks rise, and ways are
 * different edges that leave their block.
 */
#include "format/map/branches.h"
#include "base/memory.h"
#include "format/map/map.h"
#include "format/zigzag.h"

#include <inttypes.h>
#include <stdio.h>

const char *map_way_text(const struct map_way *way, char text[MAP_WAY_TEXT])
{
    static const char *const names[] = {"True", "False", "case", "default", "label"};
    if (way->kind != MAP_WAY_CASE)
        snprintf(text, MAP_WAY_TEXT, "%s", names[way->kind]);
    else if (way->more)
        snprintf(text, MAP_WAY_TEXT, "case %" PRId64 " and %" PRIu32 " more", way->value, way->more);
    else
        snprintf(text, MAP_WAY_TEXT, "case %" PRId64, way->value);
    return text;
}

static uint64_t zigzag_value(int64_t value)
{
    return ((uint64_t)value << 1) ^ (value < 0 ? UINT64_MAX : 0);
}

static int64_t unzigzag_value(uint64_t coded)
{
    return (int64_t)((coded >> 1) ^ (coded & 1 ? UINT64_MAX : 0));
}

void map_branches_write(struct buffer *out, const struct map_function *f)
{
    uint32_t block = 0, edge = 0;
    buffer_add_varint(out, f->branch_count);
    for (uint32_t i = 0; i < f->branch_count; i++) {
        const struct map_branch *branch = &f->branches[i];
        buffer_add_varint(out, branch->block - block);
        buffer_add_varint(out, branch->entry + 1u); /* MAP_BRANCH_NOWHERE gives 0 */
        buffer_add_varint(out, branch->column);
        buffer_add_varint(out, branch->way_count);
        block = branch->block;
        for (uint32_t k = 0; k < branch->way_count; k++) {
            const struct map_way *way = &branch->ways[k];
            buffer_add_varint(out, zigzag(edge, way->edge) << 3 | way->kind);
            edge = way->edge;
            if (way->kind == MAP_WAY_CASE) {
                buffer_add_varint(out, zigzag_value(way->value));
                buffer_add_varint(out, way->more);
            }
        }
    }
}

static uint32_t read_u32(struct cursor *c)
{
    uint64_t value = cursor_varint(c);
    if (value > UINT32_MAX)
        c->failed = true;
    return c->failed ? 0 : (uint32_t)value;
}

static void read_way(struct cursor *c, const struct map_function *f, struct map_branch *branch,
                     uint32_t *edge)
{
    uint64_t coded = cursor_varint(c);
    struct map_way way = {.edge = unzigzag(c, *edge, coded >> 3, f->graph.edge_count),
                          .kind = (enum map_way_kind)(coded & 7)};
    if (way.kind > MAP_WAY_LABEL || c->failed || f->graph.edges[way.edge].from != branch->block ||
        f->graph.edges[way.edge].kind == EDGE_VIRTUAL)
        c->failed = true;
    if (way.kind == MAP_WAY_CASE) {
        way.value = unzigzag_value(cursor_varint(c));
        way.more = read_u32(c);
    }
    *edge = way.edge;
    if (!c->failed)
        branch->ways[branch->way_count++] = way;
}

void map_branches_read(struct cursor *c, struct map_function *f)
{
    size_t count = cursor_count(c, 4);
    uint64_t block = 0;
    uint32_t edge = 0;
    if (count >= f->graph.vertex_count)
        c->failed = true;
    if (c->failed)
        return;
    bool *seen = ZALLOC(bool, f->graph.edge_count + 1);
    f->branches = ZALLOC(struct map_branch, count);
    while (f->branch_count < count && !c->failed) {
        struct map_branch *branch = &f->branches[f->branch_count];
        uint64_t more = cursor_varint(c);
        uint32_t entry = read_u32(c) - 1u, column = read_u32(c);
        size_t ways = cursor_count(c, 1);
        if ((f->branch_count && !more) || more >= f->graph.vertex_count ||
            (block += more) + 1 >= f->graph.vertex_count || ways < 2 || ways > f->graph.edge_count)
            c->failed = true;
        if (!c->failed && entry != MAP_BRANCH_NOWHERE && entry >= f->blocks[block].line_count)
            c->failed = true;
        if (c->failed)
            break;
        *branch = (struct map_branch){
            .block = (uint32_t)block, .entry = entry, .column = column, .ways = ALLOC(struct map_way, ways)};
        f->branch_count++;
        while (branch->way_count < ways && !c->failed) {
            read_way(c, f, branch, &edge);
            if (!c->failed && seen[edge])
                c->failed = true;
            seen[edge] = true;
        }
    }
    free(seen);
}

void map_branches_release(struct map_function *f)
{
    for (uint32_t i = 0; i < f->branch_count; i++)
        free(f->branches[i].ways);
    free(f->branches);
    f->branches = NULL;
    f->branch_count = 0;
}
