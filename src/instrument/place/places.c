#include "instrument/place/places.h"
#include "base/buffer.h"
#include "base/hash.h"
#include "base/memory.h"
#include "format/map/final.h"
#include "format/map/map.h"
#include "format/places/unit.h"
#include "instrument/place/positions.h"

#include <string.h>

struct places_function {
    const struct position_table *table;
    uint64_t final; /* key, or 0 */
    struct ARRAY_OF(uint64_t) keys;
    struct ARRAY_OF(struct place_loop) loops;
    struct ARRAY_OF(struct place_moved) moved;
    struct ARRAY_OF(
        uint32_t) stretches; /* where each begins, and where the last ends; empty if there is none */
    struct ARRAY_OF(struct place_count) counts;
    struct ARRAY_OF(uint32_t) edges; /* by stretch */
    struct ARRAY_OF(struct place_position) positions;
    struct ARRAY_OF(struct place_row) rows;
    struct hash_map function_of_key; /* key -> index + 1 */
    struct hash_map index_of_loop;   /* loop -> index + 1 */
    struct hash_map stretch_of;      /* number -> stretch */
    struct hash_map position_of;     /* (outer, number) -> position */
};

struct places_function *places_begin(const struct position_table *table, uint64_t final)
{
    struct places_function *f = ZALLOC(struct places_function, 1);
    f->table = table;
    f->final = final;
    return f;
}

static uint32_t function_index(struct places_function *f, uint64_t key)
{
    bool added;
    uint64_t *index = hash_map_put(&f->function_of_key, key, &added);
    if (added) {
        ARRAY_PUSH(&f->keys, key);
        *index = f->keys.count;
    }
    return (uint32_t)*index - 1;
}

/* The index of the loop, which has the counters of the loops around it, too; 0 for none. */
static uint32_t loop_index(struct places_function *f, uint32_t loop)
{
    if (!loop)
        return 0;
    bool added;
    uint64_t *index = hash_map_put(&f->index_of_loop, loop, &added);
    if (!added)
        return (uint32_t)*index;
    struct place_loop all = {.first = (uint32_t)f->moved.count};
    for (uint32_t at = loop; at; at = f->table->loops.items[at - 1].outer) {
        const struct moved_loop *l = &f->table->loops.items[at - 1];
        for (size_t i = 0; i < l->counters.count; i++) {
            const struct moved_counter *c = &l->counters.items[i];
            ARRAY_PUSH(&f->moved,
                       ((struct place_moved){
                           .key = function_index(f, c->key), .counter = c->counter, .most = c->most}));
        }
    }
    all.count = (uint32_t)f->moved.count - all.first;
    ARRAY_PUSH(&f->loops, all);
    return (uint32_t)(*index = f->loops.count);
}

static uint32_t stretch_index(struct places_function *f, uint32_t number)
{
    const struct stretch *s = stretch_at(f->table, number);
    if (!s)
        return 0;
    bool added;
    uint64_t *index = hash_map_put(&f->stretch_of, number, &added);
    if (added) {
        if (!f->stretches.count)
            ARRAY_PUSH(&f->stretches, 0);
        *index = f->stretches.count;
        for (size_t i = 0; i < s->count; i++)
            ARRAY_PUSH(&f->counts, ((struct place_count){.key = function_index(f, s->items[i].key),
                                                         .counter = s->items[i].counter,
                                                         .by = s->items[i].by,
                                                         .shared = s->items[i].shared}));
        ARRAY_PUSH(&f->stretches, (uint32_t)f->counts.count);
        ARRAY_PUSH(&f->edges, f->final ? stretch_edge(f->table, number) : 0);
    }
    return (uint32_t)*index;
}

/* The position of a chain of inlined calls; 0 when a position in the chain is not known. */
static uint32_t chain(struct places_function *f, const uint32_t *numbers, size_t depth)
{
    uint32_t outer = 0;
    for (size_t i = depth; i-- > 0;) {
        const struct position *p = position_at(f->table, numbers[i]);
        if (!p || p->counts)
            return 0;
        bool added;
        uint64_t *known = hash_map_put(&f->position_of, (uint64_t)outer << 32 | numbers[i], &added);
        if (added) {
            struct place_position position = {.outer = outer,
                                              .key = function_index(f, p->key),
                                              .block = p->block,
                                              .call = p->call,
                                              .lines = p->lines,
                                              .loop = loop_index(f, p->loop),
                                              .stretch = stretch_index(f, p->stretch),
                                              .point = f->final ? p->point : 0};
            if (position.stretch)
                position.passed = p->passed;
            ARRAY_PUSH(&f->positions, position);
            *known = f->positions.count;
        }
        outer = (uint32_t)*known;
    }
    return outer;
}

void places_row(struct places_function *f, enum place_kind kind, const uint32_t *numbers, size_t depth)
{
    bool ended = kind == PLACE_ENDED_CALL;
    uint32_t value = chain(f, numbers, depth);
    ARRAY_PUSH(&f->rows,
               ((struct place_row){.kind = ended ? PLACE_CALL : kind, .value = value, .ended = ended}));
}

uint32_t places_row_count(const struct places_function *f)
{
    return (uint32_t)f->rows.count;
}

const uint64_t *places_keys(const struct places_function *f, size_t *count)
{
    *count = f->keys.count;
    return f->keys.items;
}

void places_target(struct places_function *f, uint32_t row, uint32_t target)
{
    f->rows.items[row].target = target;
}

bool places_is_of_counts(const struct position_table *t, uint32_t number)
{
    const struct position *p = position_at(t, number);
    return p && p->counts;
}

void places_increment(struct places_function *f, uint64_t key, uint64_t counter, uint64_t by, uint32_t number)
{
    struct place_row row = {
        .kind = PLACE_INCREMENT, .value = function_index(f, key), .counter = (uint32_t)counter, .by = by};
    if (places_is_of_counts(f->table, number))
        row.stretch = stretch_index(f, position_at(f->table, number)->stretch);
    ARRAY_PUSH(&f->rows, row);
}

void places_shared(struct places_function *f, uint32_t counter, uint32_t number)
{
    uint32_t stretch = places_is_of_counts(f->table, number)
                           ? position_at(f->table, number)->stretch
                           : stretch_of_counter(f->table, f->final, counter);
    ARRAY_PUSH(&f->rows, ((struct place_row){.kind = PLACE_SHARED, .stretch = stretch_index(f, stretch)}));
}

void places_event(struct places_function *f, uint32_t event)
{
    ARRAY_PUSH(&f->rows, ((struct place_row){.kind = PLACE_EVENT, .event = event}));
}

bool places_known(const struct position_table *t, const uint32_t *numbers, size_t depth)
{
    for (size_t i = 0; i < depth; i++) {
        const struct position *p = position_at(t, numbers[i]);
        if (!p || p->counts)
            return false;
    }
    return depth;
}

bool places_same(const struct position_table *t, const uint32_t *a, size_t a_depth, const uint32_t *b,
                 size_t b_depth)
{
    if (a_depth != b_depth)
        return false;
    for (size_t i = 0; i < a_depth; i++) {
        const struct position *p = position_at(t, a[i]), *q = position_at(t, b[i]);
        if (a[i] != b[i] && (i || !p || !q || p->key != q->key || p->block != q->block ||
                             p->call != q->call || p->lines != q->lines))
            return false;
    }
    return true;
}

int places_order(const struct position_table *t, const uint32_t *a, size_t a_depth, const uint32_t *b,
                 size_t b_depth)
{
    if (!places_known(t, a, a_depth) || !places_known(t, b, b_depth))
        return 0;
    const struct position *p = position_at(t, a[0]), *q = position_at(t, b[0]);
    if (p->stretch != q->stretch || p->point != q->point) /* another round, perhaps */
        return 0;
    if (p->passed != q->passed)
        return p->passed < q->passed ? -1 : 1;
    if (a_depth != b_depth || memcmp(a + 1, b + 1, (a_depth - 1) * sizeof *a) || p->key != q->key ||
        p->block != q->block)
        return 0;
    if (p->call != q->call)
        return p->call < q->call ? -1 : 1;
    return (p->lines > q->lines) - (p->lines < q->lines);
}

/* Compares them in the innermost activation that both are in. What is inside of a call comes before
 * what follows the call. */
int places_comes_after(const struct position_table *t, const uint32_t *a, size_t a_depth, const uint32_t *b,
                       size_t b_depth)
{
    if (!places_known(t, a, a_depth) || !places_known(t, b, b_depth))
        return 0;
    while (a_depth > 1 && b_depth > 1 && a[a_depth - 1] == b[b_depth - 1])
        a_depth--, b_depth--;
    const struct position *p = position_at(t, a[a_depth - 1]), *q = position_at(t, b[b_depth - 1]);
    if (p->key != q->key || p->block != q->block)
        return 0;
    if (a_depth == 1 && b_depth == 1 && p->stretch == q->stretch && p->passed != q->passed)
        return p->passed > q->passed ? 1 : -1;
    if (p->call != q->call)
        return p->call > q->call ? 1 : -1;
    if (a_depth > 1 || p->is_call)
        return b_depth > 1 ? 0 : -1;
    return b_depth > 1 || p->lines > q->lines ? 1 : -1;
}

bool places_in_stretch(const struct position_table *t, const uint32_t *numbers, size_t depth)
{
    const struct position *p = depth ? position_at(t, numbers[0]) : NULL;
    const struct stretch *s = p ? stretch_at(t, p->stretch) : NULL;
    return s && s->count;
}

bool places_stretch_passed(const struct position_table *t, uint32_t number)
{
    const struct position *p = position_at(t, number);
    const struct stretch *s = p ? stretch_at(t, p->stretch) : NULL;
    return s && s->count && p->passed == s->count;
}

enum place_kind places_call_kind(const struct position_table *t, const uint32_t *numbers, size_t depth)
{
    const struct position *p = depth ? position_at(t, numbers[0]) : NULL;
    if (p && p->settled && places_known(t, numbers, depth))
        return PLACE_SETTLED;
    return !p || !p->is_call ? PLACE_LIBCALL : p->ended ? PLACE_ENDED_CALL : PLACE_CALL;
}

bool places_agree(const struct position_table *t, const uint32_t *a, size_t a_depth, const uint32_t *b,
                  size_t b_depth)
{
    if (a_depth != b_depth || !a_depth || !positions_share_line(t, a[0], b[0]) ||
        position_at(t, a[0])->claims != position_at(t, b[0])->claims)
        return false;
    for (size_t i = 1; i < a_depth; i++)
        if (a[i] != b[i])
            return false;
    return true;
}

uint8_t *places_unit(struct places_function *const *functions, size_t count, size_t *length)
{
    struct place_code *codes = ZALLOC(struct place_code, count);
    const struct place_code **list = ALLOC(const struct place_code *, count);
    for (size_t i = 0; i < count; i++) {
        const struct places_function *f = functions[i];
        codes[i] = (struct place_code){
            .key_count = (uint32_t)f->keys.count,
            .loop_count = (uint32_t)f->loops.count,
            .moved_count = (uint32_t)f->moved.count,
            .stretch_count = f->stretches.count ? (uint32_t)f->stretches.count - 1 : 0,
            .position_count = (uint32_t)f->positions.count,
            .row_count = (uint32_t)f->rows.count,
            .keys = f->keys.items,
            .loops = f->loops.items,
            .moved = f->moved.items,
            .stretches = f->stretches.items,
            .counts = f->counts.items,
            .edges = f->edges.items,
            .final = f->final,
            .positions = f->positions.items,
            .rows = f->rows.items,
        };
        list[i] = &codes[i];
    }
    struct buffer record = {0};
    place_unit_write(&record, list, count);
    free(codes);
    free(list);
    *length = record.length;
    return record.data;
}

_Static_assert(!__builtin_strcmp(PLACES_FINALS_SECTION, MAP_SECTION), "it is part of the map");

uint8_t *places_finals(const struct position_table *t, const uint64_t *keys, size_t count, size_t *length)
{
    struct buffer payload = {0}, unit = {0};
    for (size_t i = 0; i < count; i++) {
        const struct buffer *record = positions_final(t, keys[i]);
        buffer_add(&payload, record->data, record->length);
    }
    final_write_unit(&unit, &payload);
    buffer_release(&payload);
    *length = unit.length;
    return unit.data;
}

uint32_t places_unit_tag(const uint8_t *record)
{
    struct cursor c = cursor_over(record + PLACE_UNIT_HASH_OFFSET, 8);
    return (uint32_t)cursor_u64(&c);
}

void places_release(struct places_function *f)
{
    ARRAY_RELEASE(&f->keys);
    ARRAY_RELEASE(&f->loops);
    ARRAY_RELEASE(&f->moved);
    ARRAY_RELEASE(&f->stretches);
    ARRAY_RELEASE(&f->counts);
    ARRAY_RELEASE(&f->edges);
    ARRAY_RELEASE(&f->positions);
    ARRAY_RELEASE(&f->rows);
    hash_map_release(&f->function_of_key);
    hash_map_release(&f->index_of_loop);
    hash_map_release(&f->stretch_of);
    hash_map_release(&f->position_of);
    free(f);
}
