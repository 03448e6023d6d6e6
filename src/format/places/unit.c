/* The reader of `.cotree.positions`: format/places/unit.h. Every item of a list takes a byte of its
 * column, so no list is longer than the column. */
#include "format/places/unit.h"
#include "base/hash.h"
#include "format/packed.h"
#include "format/zigzag.h"

enum { LEAST_MOVED = 3, LEAST_LOOP = 1 + LEAST_MOVED }; /* bytes */

struct reader {
    struct cursor columns[PLACE_COLUMNS];
    const uint8_t *keys;
    uint64_t key_count;
};

static uint64_t next(struct reader *r, enum place_column column)
{
    return cursor_varint(&r->columns[column]);
}

static uint32_t next_below(struct reader *r, enum place_column column, uint64_t limit)
{
    struct cursor *c = &r->columns[column];
    uint64_t value = cursor_varint(c);
    if (value >= limit)
        c->failed = true;
    return c->failed ? 0 : (uint32_t)value;
}

static uint32_t next_change(struct reader *r, enum place_column column, uint32_t last, uint64_t limit)
{
    struct cursor *c = &r->columns[column];
    return unzigzag(c, last, cursor_varint(c), limit);
}

static uint32_t next_maybe(struct reader *r, enum place_column column, uint32_t *last, uint64_t limit)
{
    struct cursor *c = &r->columns[column];
    uint64_t coded = cursor_varint(c);
    if (!coded)
        return 0;
    *last = unzigzag(c, *last, coded - 1, limit);
    return *last;
}

/* Reads a number of items, each of which takes at least `least` bytes of the column. */
static uint32_t next_count(struct reader *r, enum place_column column, size_t least)
{
    return next_below(r, COLUMN_HEADS,
                      cursor_left(&r->columns[column]) / least < UINT32_MAX / 16
                          ? cursor_left(&r->columns[column]) / least + 1
                          : UINT32_MAX / 16);
}

static bool failed(const struct reader *r)
{
    for (int i = 0; i < PLACE_COLUMNS; i++)
        if (r->columns[i].failed)
            return true;
    return false;
}

static uint64_t key_at(const struct reader *r, uint32_t index)
{
    struct cursor c = cursor_over(r->keys + 8 * (size_t)index, r->key_count ? 8 : 0);
    return cursor_u64(&c);
}

static void read_keys(struct reader *r, struct place_code *code)
{
    uint32_t count = next_count(r, COLUMN_HEADS, 1);
    code->keys = ALLOC(uint64_t, count);
    for (; code->key_count < count; code->key_count++) {
        uint32_t index = next_below(r, COLUMN_HEADS, r->key_count);
        code->keys[code->key_count] = key_at(r, index);
    }
    uint32_t final = next_below(r, COLUMN_HEADS, r->key_count + 1);
    code->final = final ? key_at(r, final - 1) : 0;
}

static void read_loops(struct reader *r, struct place_code *code)
{
    uint32_t count = next_count(r, COLUMN_HEADS, LEAST_LOOP);
    code->loops = ALLOC(struct place_loop, count);
    for (; code->loop_count < count && !r->columns[COLUMN_HEADS].failed; code->loop_count++) {
        struct place_loop *loop = &code->loops[code->loop_count];
        *loop = (struct place_loop){.first = code->moved_count,
                                    .count = next_count(r, COLUMN_HEADS, LEAST_MOVED)};
        if (!loop->count)
            r->columns[COLUMN_HEADS].failed = true; /* such a loop would not be listed */
        RESIZE(code->moved, (size_t)code->moved_count + loop->count);
        for (uint32_t i = 0; i < loop->count; i++) {
            struct place_moved *moved = &code->moved[code->moved_count++];
            moved->key = next_below(r, COLUMN_HEADS, code->key_count);
            moved->counter = next_below(r, COLUMN_HEADS, UINT32_MAX);
            moved->most = next(r, COLUMN_HEADS);
        }
    }
}

static void read_stretches(struct reader *r, struct place_code *code, uint32_t count)
{
    uint32_t counter = 0, edge = 0;
    size_t room = cursor_left(&r->columns[COLUMN_COUNT_KEYS]);
    code->stretches = ZALLOC(uint32_t, (size_t)count + 1);
    for (; code->stretch_count < count; code->stretch_count++) {
        uint32_t before = code->stretches[code->stretch_count];
        code->stretches[code->stretch_count + 1] = before + next_below(r, COLUMN_LENGTHS, room - before + 1);
    }
    uint32_t total = code->stretches[count];
    code->counts = ALLOC(struct place_count, total);
    for (uint32_t i = 0; i < total; i++) {
        code->counts[i].key = next_below(r, COLUMN_COUNT_KEYS, code->key_count);
        code->counts[i].counter = counter = next_change(r, COLUMN_COUNT_COUNTERS, counter, UINT32_MAX);
        uint64_t by = next(r, COLUMN_COUNT_BY);
        code->counts[i].by = by >> 1;
        code->counts[i].shared = by & 1;
    }
    if (!code->final)
        return;
    code->edges = ALLOC(uint32_t, count + 1);
    for (uint32_t i = 0; i < count; i++)
        code->edges[i] = next_maybe(r, COLUMN_EDGES, &edge, UINT32_MAX);
}

static uint32_t read_outer(struct reader *r, uint32_t same, uint32_t number)
{
    uint64_t coded = next_below(r, COLUMN_OUTER, (uint64_t)number + 1);
    return coded == 0 ? same : coded == 1 ? 0 : number - (uint32_t)(coded - 2) - 1;
}

static void read_positions(struct reader *r, struct place_code *code, uint32_t count)
{
    uint32_t *last = ZALLOC(uint32_t, (size_t)count + 1); /* outer -> position */
    uint32_t outer = 0, stretch = 0, point = 0;
    code->positions = ALLOC(struct place_position, count);
    for (; code->position_count < count; code->position_count++) {
        struct place_position *p = &code->positions[code->position_count];
        outer = p->outer = read_outer(r, outer, code->position_count + 1);
        const struct place_position *before = last[outer] ? &code->positions[last[outer] - 1] : NULL;
        uint32_t key = next_below(r, COLUMN_KEY, (uint64_t)code->key_count + 1);
        if (!key && !before)
            r->columns[COLUMN_KEY].failed = true;
        p->key = key ? key - 1 : before ? before->key : 0;
        if (before && before->key != p->key)
            before = NULL;
        p->block = next_change(r, COLUMN_BLOCK, before ? before->block : 0, UINT32_MAX);
        if (before && before->block != p->block)
            before = NULL;
        p->call = next_change(r, COLUMN_CALL, before ? before->call : 0, UINT32_MAX);
        p->lines = next_change(r, COLUMN_LINES, before ? before->lines : 0, UINT32_MAX);
        p->loop = next_below(r, COLUMN_LOOP, (uint64_t)code->loop_count + 1);
        p->stretch = next_maybe(r, COLUMN_STRETCH, &stretch, (uint64_t)code->stretch_count + 1);
        p->passed =
            p->stretch
                ? next_below(r, COLUMN_PASSED,
                             (uint64_t)code->stretches[p->stretch] - code->stretches[p->stretch - 1] + 1)
                : 0;
        p->point = point = code->final ? next_change(r, COLUMN_POINTS, point, UINT32_MAX) : 0;
        last[outer] = code->position_count + 1;
    }
    free(last);
}

static uint32_t read_value(struct reader *r, uint32_t *known, uint32_t *highest, uint64_t limit)
{
    struct cursor *c = &r->columns[COLUMN_VALUES];
    uint64_t coded = cursor_varint(c);
    if (!coded)
        return 0;
    uint64_t value = coded == 1   ? (uint64_t)*highest + 1
                     : coded == 2 ? *known
                                  : unzigzag(c, *known, coded - 3, limit);
    if (value >= limit) {
        c->failed = true;
        value = 0;
    }
    if (value)
        *known = (uint32_t)value;
    if (value > *highest)
        *highest = (uint32_t)value;
    return (uint32_t)value;
}

void place_unit_expect(const struct place_code *code, uint32_t stretch, uint32_t *seen, uint32_t *key,
                       uint32_t *counter)
{
    if (!stretch || code->stretches[stretch] == code->stretches[stretch - 1])
        return;
    uint32_t first = code->stretches[stretch - 1], length = code->stretches[stretch] - first;
    const struct place_count *count = &code->counts[first + seen[stretch]++ % length];
    *key = count->key;
    *counter = count->counter;
}

static void read_rows(struct reader *r, struct place_code *code, uint32_t count)
{
    uint32_t known = 0, highest = 0, key = 0, counter = 0, stretch = 0;
    uint32_t *seen = ZALLOC(uint32_t, (size_t)code->stretch_count + 1);
    code->rows = ZALLOC(struct place_row, count);
    for (; code->row_count < count; code->row_count++) {
        struct place_row *row = &code->rows[code->row_count];
        row->kind = (enum place_kind)next_below(r, COLUMN_KINDS, PLACE_KINDS);
        row->ended = row->kind == PLACE_ENDED_CALL;
        if (row->ended)
            row->kind = PLACE_CALL;
        if (row->kind == PLACE_INCREMENT) {
            row->stretch = next_maybe(r, COLUMN_ADD_STRETCH, &stretch, (uint64_t)code->stretch_count + 1);
            place_unit_expect(code, row->stretch, seen, &key, &counter);
            uint32_t coded = next_below(r, COLUMN_ADD_KEYS, (uint64_t)code->key_count + 1);
            row->value = key = coded ? coded - 1 : key;
            if (key >= code->key_count)
                r->columns[COLUMN_ADD_KEYS].failed = true;
            row->counter = counter = next_change(r, COLUMN_ADD_COUNTERS, counter, UINT32_MAX);
            row->by = next(r, COLUMN_ADD_BY);
            continue;
        }
        if (row->kind == PLACE_SHARED) {
            row->stretch = next_maybe(r, COLUMN_ADD_STRETCH, &stretch, (uint64_t)code->stretch_count + 1);
            continue;
        }
        if (row->kind == PLACE_EVENT) {
            row->event = next_below(r, COLUMN_EVENTS, UINT32_MAX);
            continue;
        }
        row->value = read_value(r, &known, &highest, (uint64_t)code->position_count + 1);
        if (row->value)
            key = code->positions[row->value - 1].key;
        if (row->kind == PLACE_GOTO)
            row->target = next_change(r, COLUMN_TARGETS, code->row_count, (uint64_t)count + 1);
    }
    free(seen);
}

static bool read_function(struct reader *r, struct place_code *code)
{
    read_keys(r, code);
    read_loops(r, code);
    uint32_t stretches = next_count(r, COLUMN_LENGTHS, 1), positions = next_count(r, COLUMN_OUTER, 1),
             rows = next_count(r, COLUMN_KINDS, 1);
    if (failed(r))
        return false;
    read_stretches(r, code, stretches);
    read_positions(r, code, positions);
    read_rows(r, code, rows);
    return !failed(r);
}

bool place_unit_read(struct place_unit *unit, const uint8_t *data, size_t length)
{
    struct cursor c = cursor_over(data, length);
    uint64_t hash = cursor_u64(&c);
    if (c.failed || hash != hash_bytes(c.at, cursor_left(&c)))
        return false;
    unit->tag = (uint32_t)hash;
    uint32_t unpacked = cursor_u32(&c);
    uint8_t *payload = c.failed ? NULL : packed_read(c.at, cursor_left(&c), unpacked);
    if (!payload)
        return false;
    struct reader r;
    size_t lengths[PLACE_COLUMNS];
    c = cursor_over(payload, unpacked);
    size_t count = cursor_count(&c, 1);
    for (int i = 0; i < PLACE_COLUMNS; i++)
        lengths[i] = cursor_count(&c, 1);
    for (int i = 0; i < PLACE_COLUMNS; i++) {
        const uint8_t *column = cursor_bytes(&c, lengths[i]);
        r.columns[i] = cursor_over(column ? column : payload, column ? lengths[i] : 0);
    }
    r.keys = r.columns[COLUMN_KEYS].at;
    r.key_count = cursor_left(&r.columns[COLUMN_KEYS]) / 8;
    bool ok = !c.failed && !cursor_left(&c) && cursor_left(&r.columns[COLUMN_KEYS]) % 8 == 0 &&
              count <= cursor_left(&r.columns[COLUMN_HEADS]);
    unit->codes = ZALLOC(struct place_code, ok ? count : 0);
    while (ok && unit->count < count)
        ok = read_function(&r, &unit->codes[unit->count++]);
    for (int i = 0; ok && i < PLACE_COLUMNS; i++)
        ok = i == COLUMN_KEYS || !cursor_left(&r.columns[i]);
    free(payload);
    if (!ok)
        place_unit_release(unit);
    return ok;
}

void place_unit_release(struct place_unit *unit)
{
    for (size_t i = 0; i < unit->count; i++)
        place_code_release(&unit->codes[i]);
    free(unit->codes);
    unit->codes = NULL;
    unit->count = 0;
}
