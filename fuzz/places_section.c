/*
 * Any bytes as a table of places: what the reader hands out is in range, chains of positions end,
 * and every frame count at every row is resolved, or is refused. Magic numbers, hashes and checks
 * of records are made right; otherwise no damage would ever reach the code after these checks.
 */
#include "../tests/lib/made_files.h"
#include "base/hash.h"
#include "decode/frames/frames.h"
#include "format/packed.h"
#include "format/places/index.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void touch(void *context, struct decode_function *f)
{
    (void)context;
    if (!f->file.counters)
        f->file.counters = ZALLOC(int64_t, f->counter_count + 1);
}

static void doubt(void *context, const struct decode_module *m, struct decode_function *f, int64_t error)
{
    (void)context, (void)m, (void)f;
    if (!error)
        __builtin_trap();
}

/* A loop with calls, and a diamond, under the keys that the seeds use. */
static void make_module(struct decode_module *m)
{
    static const enum placement sets[] = {PLACEMENT_EDGES, PLACEMENT_EVERY_EDGE, PLACEMENT_KNUTH};
    decode_module_init(m, "prog", "id");
    for (int i = 0; i < 2; i++) {
        struct map_function f;
        made_function(&f, "f", i ? 6 : 4, i ? "0>1 1>2 2>1 2>3 3>4 4>5 5>3 4>x" : "0>1 0>2 1>3 2>3 3>x", sets,
                      3);
        for (uint32_t b = 0; b < 4; b++) {
            f.blocks[b].call_count = 1;
            f.blocks[b].calls = ALLOC(struct map_call, 1);
            f.blocks[b].calls[0] = (struct map_call){.callee = MAP_CALLEE_UNKNOWN, .invoke = b == 3};
        }
        f.key = i ? 222 : 111;
        f.blocks[3].only_returns = !i;
        decode_module_add(m, &f);
    }
    m->places_tried = m->places_known = true;
}

static void resolve_all(struct decode_module *m)
{
    static const uint32_t kinds[] = {DATA_FRAME_CUT,       DATA_FRAME_CUT_AT, DATA_FRAME_RESUME,
                                     DATA_FRAME_RESUME_AT, DATA_FRAME_UNWIND, DATA_FRAME_UNWIND + 1};
    const struct frames frames = {.touch = touch, .doubt = doubt};
    for (size_t i = 0; i < m->places.count; i++) {
        const struct place_code *code = &m->places.items[i];
        for (uint32_t r = 0; r < code->row_count && r < 64; r++)
            for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
                frames_apply(&frames, m, kinds[k], code->address + code->rows[r].offset,
                             k == 3 ? -1 : 1 << 20);
    }
}

/* The input's first two bytes as a length, at most as many as are left. */
static struct cursor part(const uint8_t **data, size_t *size)
{
    size_t length = *size < 2 ? 0 : (size_t)(*data)[0] | (size_t)(*data)[1] << 8;
    size_t head = *size < 2 ? *size : 2;
    length = length < *size - head ? length : *size - head;
    struct cursor c = cursor_over(*data + head, length);
    *data += head + length;
    *size -= head + length;
    return c;
}

/* Adds parts of the input as records that each hold one function as a whole. */
static void add_whole(struct place_index *index, const uint8_t *data, size_t size)
{
    struct buffer records = {0};
    struct error error;
    while (size) {
        struct cursor c = part(&data, &size);
        buffer_add_u32(&records, PLACES_MAGIC_WHOLE);
        buffer_add_u32(&records, (uint32_t)cursor_left(&c) + 8);
        buffer_add(&records, c.at, cursor_left(&c));
        buffer_add_u64(&records, hash_bytes(c.at, cursor_left(&c)));
    }
    place_index_add(index, records.data, records.length, &error);
    buffer_release(&records);
}

/* The first part of the input is the columns of a unit, the rest an address and distances in its
 * code. */
static void add_unit(struct place_index *index, const uint8_t *data, size_t size)
{
    struct buffer body = {0}, unit = {0}, record = {0};
    struct error error;
    struct cursor columns = part(&data, &size), rest = cursor_over(data, size), numbers;
    buffer_add_u32(&body, (uint32_t)cursor_left(&columns));
    packed_add(&body, columns.at, cursor_left(&columns));
    uint64_t hash = hash_bytes(body.data, body.length), address = cursor_u64(&rest);
    buffer_add_u32(&unit, POSITIONS_MAGIC);
    buffer_add_u32(&unit, (uint32_t)body.length + 8);
    buffer_add_u64(&unit, hash);
    buffer_add(&unit, body.data, body.length);
    uint64_t check = address + (uint32_t)hash * place_check_weight(0);
    numbers = rest;
    for (uint64_t i = 1; cursor_left(&numbers) && !numbers.failed; i++)
        check += cursor_varint(&numbers) * place_check_weight(i);
    buffer_add_u32(&record, PLACES_MAGIC);
    buffer_add_u32(&record, (uint32_t)cursor_left(&rest) + 24);
    buffer_add_u64(&record, address);
    buffer_add_u32(&record, 0);
    buffer_add_u32(&record, (uint32_t)hash);
    buffer_add(&record, rest.at, cursor_left(&rest));
    buffer_add_u64(&record, check);
    place_index_add_positions(index, unit.data, unit.length, &error);
    place_index_add(index, record.data, record.length, &error);
    buffer_release(&body);
    buffer_release(&unit);
    buffer_release(&record);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct place_index index = {0};
    struct error error;
    if (size && data[0] == 'w')
        add_whole(&index, data + 1, size - 1);
    else if (size && data[0] == 'u')
        add_unit(&index, data + 1, size - 1);
    else
        place_index_add(&index, data, size, &error);
    if (getenv("FUZZ_SEEDS") && !index.count)
        __builtin_trap(); /* a seed that reaches nothing any more */
    place_index_sort(&index);
    for (size_t i = 0; i < index.count; i++) {
        const struct place_code *code = &index.items[i];
        if (place_index_find(&index, code->address) != code)
            __builtin_trap();
        for (uint32_t r = place_first_row(code, 0); r < code->row_count; r++) {
            const struct place_row *row = &code->rows[r];
            if (row->kind == PLACE_INCREMENT) {
                if (row->value >= code->key_count)
                    __builtin_trap();
                continue;
            }
            for (uint32_t at = row->value; at; at = code->positions[at - 1].outer)
                if (code->positions[at - 1].outer >= at || code->positions[at - 1].key >= code->key_count ||
                    code->positions[at - 1].loop > code->loop_count)
                    __builtin_trap();
        }
        for (uint32_t k = 0; k < code->loop_count; k++)
            if (code->loops[k].first + code->loops[k].count > code->moved_count)
                __builtin_trap();
        for (uint32_t k = 0; k < code->moved_count; k++)
            if (code->moved[k].key >= code->key_count)
                __builtin_trap();
    }
    struct decode_module m;
    make_module(&m);
    m.places.items = index.items;
    m.places.count = index.count;
    resolve_all(&m);
    decode_module_release(&m);
    return 0;
}
