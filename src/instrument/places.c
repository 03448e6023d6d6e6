#include "instrument/places.h"
#include "base/buffer.h"
#include "base/hash.h"
#include "base/memory.h"
#include "instrument/loop_table.h"
#include "instrument/positions.h"

struct places_function {
    struct buffer functions, loops, stretches, positions, rows;
    uint32_t function_count, loop_count, stretch_count, position_count;
    struct hash_map function_of_key;           /* key -> index + 1 */
    struct hash_map index_of_loop;             /* loop -> index + 1 */
    struct hash_map stretch_of;                /* number -> stretch */
    struct hash_map position_of;               /* (outer, number) -> position */
    struct ARRAY_OF(struct places_hole) holes; /* in rows */
};

struct places_function *places_begin(void)
{
    return ZALLOC(struct places_function, 1);
}

static uint32_t function_index(struct places_function *f, uint64_t key)
{
    bool added;
    uint64_t *index = hash_map_put(&f->function_of_key, key, &added);
    if (added) {
        buffer_add_u64(&f->functions, key);
        *index = ++f->function_count;
    }
    return (uint32_t)*index - 1;
}

/* 0 for none; with the counters of the loops around it. */
static uint32_t loop_index(struct places_function *f, uint32_t loop)
{
    if (!loop)
        return 0;
    bool added;
    uint64_t *index = hash_map_put(&f->index_of_loop, loop, &added);
    if (!added)
        return (uint32_t)*index;
    *index = ++f->loop_count;
    size_t total = 0, count;
    uint32_t outer;
    for (uint32_t at = loop; at; at = outer) {
        loop_table_counters(at, &count, &outer);
        total += count;
    }
    buffer_add_varint(&f->loops, total);
    for (uint32_t at = loop; at; at = outer) {
        const struct moved_counter *counters = loop_table_counters(at, &count, &outer);
        for (size_t i = 0; i < count; i++) {
            buffer_add_varint(&f->loops, function_index(f, counters[i].key));
            buffer_add_varint(&f->loops, counters[i].counter);
            buffer_add_varint(&f->loops, counters[i].most);
        }
    }
    return f->loop_count;
}

static uint32_t stretch_index(struct places_function *f, uint32_t number)
{
    const struct stretch *s = stretch_at(number);
    if (!s)
        return 0;
    bool added;
    uint64_t *index = hash_map_put(&f->stretch_of, number, &added);
    if (added) {
        *index = ++f->stretch_count;
        buffer_add_varint(&f->stretches, s->count);
        for (size_t i = 0; i < s->count; i++) {
            buffer_add_varint(&f->stretches, function_index(f, s->items[i].key));
            buffer_add_varint(&f->stretches, s->items[i].counter);
            buffer_add_varint(&f->stretches, s->items[i].by);
        }
    }
    return (uint32_t)*index;
}

/* The position of a chain of inlined calls; 0 when any link of it is not known. */
static uint32_t chain(struct places_function *f, const uint32_t *numbers, size_t depth)
{
    uint32_t outer = 0;
    for (size_t i = depth; i-- > 0;) {
        const struct position *p = position_at(numbers[i]);
        if (!p || p->counts)
            return 0;
        bool added;
        uint64_t *known = hash_map_put(&f->position_of, (uint64_t)outer << 32 | numbers[i], &added);
        if (added) {
            buffer_add_varint(&f->positions, outer);
            buffer_add_varint(&f->positions, function_index(f, p->key));
            buffer_add_varint(&f->positions, p->block);
            buffer_add_varint(&f->positions, p->call);
            buffer_add_varint(&f->positions, p->lines);
            buffer_add_varint(&f->positions, loop_index(f, p->loop));
            uint32_t stretch = stretch_index(f, p->stretch);
            buffer_add_varint(&f->positions, stretch);
            if (stretch)
                buffer_add_varint(&f->positions, p->passed);
            *known = ++f->position_count;
        }
        outer = (uint32_t)*known;
    }
    return outer;
}

static void add_hole(struct places_function *f, uint32_t label)
{
    ARRAY_PUSH(&f->holes, ((struct places_hole){.at = f->rows.length, .label = label}));
    buffer_add_u32(&f->rows, 0);
}

static void begin_row(struct places_function *f, enum place_kind kind, uint32_t label, uint64_t value)
{
    add_hole(f, label);
    buffer_add_varint(&f->rows, value * 8 + kind);
}

void places_row(struct places_function *f, enum place_kind kind, uint32_t label, const uint32_t *numbers,
                size_t depth)
{
    begin_row(f, kind, label, chain(f, numbers, depth));
}

bool places_is_of_counts(uint32_t number)
{
    const struct position *p = position_at(number);
    return p && p->counts;
}

void places_increment(struct places_function *f, uint32_t label, uint64_t key, uint64_t counter, uint64_t by,
                      uint32_t number)
{
    begin_row(f, PLACE_INCREMENT, label, function_index(f, key));
    buffer_add_varint(&f->rows, counter);
    buffer_add_varint(&f->rows, by);
    buffer_add_varint(&f->rows,
                      places_is_of_counts(number) ? stretch_index(f, position_at(number)->stretch) : 0);
}

void places_goto(struct places_function *f, uint32_t label, const uint32_t *numbers, size_t depth,
                 uint32_t target)
{
    begin_row(f, PLACE_GOTO, label, chain(f, numbers, depth));
    add_hole(f, target);
}

bool places_known(const uint32_t *numbers, size_t depth)
{
    for (size_t i = 0; i < depth; i++) {
        const struct position *p = position_at(numbers[i]);
        if (!p || p->counts)
            return false;
    }
    return depth;
}

bool places_same(const uint32_t *a, size_t a_depth, const uint32_t *b, size_t b_depth)
{
    if (a_depth != b_depth)
        return false;
    for (size_t i = 0; i < a_depth; i++) {
        const struct position *p = position_at(a[i]), *q = position_at(b[i]);
        if (a[i] != b[i] && (i || !p || !q || p->key != q->key || p->block != q->block ||
                             p->call != q->call || p->lines != q->lines))
            return false;
    }
    return true;
}

bool places_stretch_passed(uint32_t number)
{
    const struct position *p = position_at(number);
    const struct stretch *s = p ? stretch_at(p->stretch) : NULL;
    return s && p->passed == s->count;
}

enum place_kind places_call_kind(const uint32_t *numbers, size_t depth)
{
    const struct position *p = depth ? position_at(numbers[0]) : NULL;
    if (p && p->settled && places_known(numbers, depth))
        return PLACE_SETTLED;
    return !p || !p->is_call ? PLACE_LIBCALL : p->ended ? PLACE_ENDED_CALL : PLACE_CALL;
}

bool places_agree(const uint32_t *a, size_t a_depth, const uint32_t *b, size_t b_depth)
{
    if (a_depth != b_depth || !a_depth || !positions_share_line(a[0], b[0]))
        return false;
    for (size_t i = 1; i < a_depth; i++)
        if (a[i] != b[i])
            return false;
    return true;
}

bool places_end(struct places_function *f, uint32_t end, struct places_record *record)
{
    bool any = f->holes.count;
    struct buffer b = {0};
    ARRAY_PUSH(&f->holes, ((struct places_hole){.label = end}));
    buffer_add_u32(&b, PLACES_MAGIC);
    buffer_add_u32(&b, 0);
    record->address_at = b.length;
    buffer_add_u64(&b, 0);
    size_t size_at = b.length;
    buffer_add_u32(&b, 0);
    buffer_add_varint(&b, f->function_count);
    buffer_add(&b, f->functions.data, f->functions.length);
    buffer_add_varint(&b, f->loop_count);
    buffer_add(&b, f->loops.data, f->loops.length);
    buffer_add_varint(&b, f->stretch_count);
    buffer_add(&b, f->stretches.data, f->stretches.length);
    buffer_add_varint(&b, f->position_count);
    buffer_add(&b, f->positions.data, f->positions.length);
    for (size_t i = 0; i < f->holes.count; i++)
        f->holes.items[i].at += b.length;
    f->holes.items[f->holes.count - 1].at = size_at;
    buffer_add(&b, f->rows.data, f->rows.length);
    uint32_t length = (uint32_t)(b.length - 8);
    for (int i = 0; i < 4; i++)
        b.data[4 + i] = (uint8_t)(length >> 8 * i);
    record->bytes = b.data;
    record->length = b.length;
    record->holes = f->holes.items;
    record->hole_count = f->holes.count;
    buffer_release(&f->functions);
    buffer_release(&f->loops);
    buffer_release(&f->stretches);
    buffer_release(&f->positions);
    buffer_release(&f->rows);
    hash_map_release(&f->function_of_key);
    hash_map_release(&f->index_of_loop);
    hash_map_release(&f->stretch_of);
    hash_map_release(&f->position_of);
    free(f);
    if (!any)
        places_release(record);
    return any;
}

void places_release(struct places_record *record)
{
    free(record->bytes);
    free(record->holes);
}
