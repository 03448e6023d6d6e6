/* The writer of `.cotree.positions`: format/places/unit.h. */
#include "base/hash.h"
#include "format/packed.h"
#include "format/places/unit.h"
#include "format/zigzag.h"

struct writer {
    struct buffer columns[PLACE_COLUMNS];
    struct hash_map index_of_key; /* index + 1 */
};

static void add(struct writer *w, enum place_column column, uint64_t value)
{
    buffer_add_varint(&w->columns[column], value);
}

static void add_change(struct writer *w, enum place_column column, uint32_t *last, uint32_t value)
{
    add(w, column, zigzag(*last, value));
    *last = value;
}

static void add_maybe(struct writer *w, enum place_column column, uint32_t *last, uint32_t value)
{
    add(w, column, value ? 1 + zigzag(*last, value) : 0);
    if (value)
        *last = value;
}

static uint64_t key_index(struct writer *w, uint64_t key)
{
    bool added;
    uint64_t *index = hash_map_put(&w->index_of_key, key, &added);
    if (added) {
        *index = w->index_of_key.count;
        buffer_add_u64(&w->columns[COLUMN_KEYS], key);
    }
    return *index - 1;
}

static void write_head(struct writer *w, const struct place_code *code)
{
    add(w, COLUMN_HEADS, code->key_count);
    for (uint32_t i = 0; i < code->key_count; i++)
        add(w, COLUMN_HEADS, key_index(w, code->keys[i]));
    add(w, COLUMN_HEADS, code->final ? 1 + key_index(w, code->final) : 0);
    add(w, COLUMN_HEADS, code->loop_count);
    for (uint32_t i = 0; i < code->loop_count; i++) {
        const struct place_loop *loop = &code->loops[i];
        add(w, COLUMN_HEADS, loop->count);
        for (uint32_t k = loop->first; k < loop->first + loop->count; k++) {
            add(w, COLUMN_HEADS, code->moved[k].key);
            add(w, COLUMN_HEADS, code->moved[k].counter);
            add(w, COLUMN_HEADS, code->moved[k].most);
        }
    }
    add(w, COLUMN_HEADS, code->stretch_count);
    add(w, COLUMN_HEADS, code->position_count);
    add(w, COLUMN_HEADS, code->row_count);
}

static void write_stretches(struct writer *w, const struct place_code *code)
{
    uint32_t counter = 0, edge = 0, total = code->stretch_count ? code->stretches[code->stretch_count] : 0;
    for (uint32_t i = 0; i < code->stretch_count; i++)
        add(w, COLUMN_LENGTHS, code->stretches[i + 1] - code->stretches[i]);
    for (uint32_t i = 0; i < total; i++) {
        add(w, COLUMN_COUNT_KEYS, code->counts[i].key);
        add_change(w, COLUMN_COUNT_COUNTERS, &counter, code->counts[i].counter);
        add(w, COLUMN_COUNT_BY, code->counts[i].by << 1 | code->counts[i].shared);
    }
    for (uint32_t i = 0; code->final && i < code->stretch_count; i++)
        add_maybe(w, COLUMN_EDGES, &edge, code->edges[i]);
}

static void write_positions(struct writer *w, const struct place_code *code)
{
    uint32_t *last = ZALLOC(uint32_t, (size_t)code->position_count + 1); /* outer -> position */
    uint32_t outer = 0, stretch = 0, point = 0;
    for (uint32_t i = 0; i < code->position_count; i++) {
        const struct place_position *p = &code->positions[i];
        const struct place_position *before = last[p->outer] ? &code->positions[last[p->outer] - 1] : NULL;
        add(w, COLUMN_OUTER, p->outer == outer ? 0 : p->outer ? 2 + (i - p->outer) : 1);
        if (before && before->key != p->key)
            before = NULL;
        add(w, COLUMN_KEY, before ? 0 : 1 + (uint64_t)p->key);
        add(w, COLUMN_BLOCK, zigzag(before ? before->block : 0, p->block));
        if (before && before->block != p->block)
            before = NULL;
        add(w, COLUMN_CALL, zigzag(before ? before->call : 0, p->call));
        add(w, COLUMN_LINES, zigzag(before ? before->lines : 0, p->lines));
        add(w, COLUMN_LOOP, p->loop);
        add_maybe(w, COLUMN_STRETCH, &stretch, p->stretch);
        if (p->stretch)
            add(w, COLUMN_PASSED, p->passed);
        if (code->final)
            add_change(w, COLUMN_POINTS, &point, p->point);
        last[p->outer] = i + 1;
        outer = p->outer;
    }
    free(last);
}

static void write_rows(struct writer *w, const struct place_code *code)
{
    uint32_t known = 0, highest = 0, key = 0, counter = 0, stretch = 0;
    uint32_t *seen = ZALLOC(uint32_t, (size_t)code->stretch_count + 1);
    for (uint32_t i = 0; i < code->row_count; i++) {
        const struct place_row *row = &code->rows[i];
        add(w, COLUMN_KINDS, row->ended ? PLACE_ENDED_CALL : row->kind);
        if (row->kind == PLACE_INCREMENT) {
            add_maybe(w, COLUMN_ADD_STRETCH, &stretch, row->stretch);
            place_unit_expect(code, row->stretch, seen, &key, &counter);
            add(w, COLUMN_ADD_KEYS, row->value == key ? 0 : 1 + (uint64_t)row->value);
            add_change(w, COLUMN_ADD_COUNTERS, &counter, row->counter);
            add(w, COLUMN_ADD_BY, row->by);
            key = row->value;
            continue;
        }
        if (row->kind == PLACE_SHARED) {
            add_maybe(w, COLUMN_ADD_STRETCH, &stretch, row->stretch);
            continue;
        }
        if (row->kind == PLACE_EVENT) {
            add(w, COLUMN_EVENTS, row->event);
            continue;
        }
        add(w, COLUMN_VALUES,
            !row->value                 ? 0
            : row->value == highest + 1 ? 1
            : row->value == known       ? 2
                                        : 3 + zigzag(known, row->value));
        if (row->value) {
            known = row->value;
            highest = known > highest ? known : highest;
            key = code->positions[known - 1].key;
        }
        if (row->kind == PLACE_GOTO)
            add(w, COLUMN_TARGETS, zigzag(i, row->target));
    }
    free(seen);
}

void place_unit_write(struct buffer *out, const struct place_code *const *codes, size_t count)
{
    struct writer w = {0};
    struct buffer payload = {0}, packed = {0};
    for (size_t i = 0; i < count; i++) {
        write_head(&w, codes[i]);
        write_stretches(&w, codes[i]);
        write_positions(&w, codes[i]);
        write_rows(&w, codes[i]);
    }
    buffer_add_varint(&payload, count);
    for (int i = 0; i < PLACE_COLUMNS; i++)
        buffer_add_varint(&payload, w.columns[i].length);
    for (int i = 0; i < PLACE_COLUMNS; i++) {
        buffer_add(&payload, w.columns[i].data, w.columns[i].length);
        buffer_release(&w.columns[i]);
    }
    packed_add(&packed, payload.data, payload.length);
    place_unit_seal(out, &packed, payload.length);
    buffer_release(&payload);
    buffer_release(&packed);
    hash_map_release(&w.index_of_key);
}

void place_unit_seal(struct buffer *out, const struct buffer *packed, size_t unpacked)
{
    struct buffer body = {0};
    buffer_add_u32(&body, (uint32_t)unpacked);
    buffer_add(&body, packed->data, packed->length);
    buffer_add_u32(out, POSITIONS_MAGIC);
    buffer_add_u32(out, (uint32_t)body.length + 8);
    buffer_add_u64(out, hash_bytes(body.data, body.length));
    buffer_add(out, body.data, body.length);
    buffer_release(&body);
}
