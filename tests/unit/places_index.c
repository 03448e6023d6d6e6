/* The table of places: what is written by hand is found by address, and no bytes crash the reader. */
#include "format/places/index.h"
#include "base/buffer.h"
#include "base/hash.h"
#include "format/packed.h"
#include "format/places/unit.h"
#include "samples.h"

#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static uint64_t state = 88172645463325252u;
static uint32_t random_below(uint32_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)((state >> 16) % n);
}

/* The end of a record that holds a function whole. */
static void end_record(struct buffer *b, size_t record)
{
    uint32_t length = (uint32_t)(b->length - record);
    buffer_add_u64(b, hash_bytes(b->data + record + 8, b->length - record - 8));
    memcpy(b->data + record + 4, &length, 4);
}

static void patch_length(struct buffer *b, size_t record)
{
    uint32_t length = (uint32_t)(b->length - record - 8);
    memcpy(b->data + record + 4, &length, 4);
}

/* Two functions, one inlined into the other; a call of each; an increment, a jump. */
static void add_record(struct buffer *b, uint64_t address, uint32_t size)
{
    size_t record = b->length;
    buffer_add_u32(b, PLACES_MAGIC_WHOLE);
    buffer_add_u32(b, 0);
    buffer_add_u64(b, address);
    buffer_add_u32(b, size);
    buffer_add_varint(b, 2);
    buffer_add_u64(b, 111);
    buffer_add_u64(b, 222);
    /* Two loops: one counter, and two. A stretch of two counts. Two positions, the second in the second loop
     * and behind the first count; 200, 1: the varint 200. */
    static const uint8_t loops_stretches_positions[] = {2, 1, 0, 9, 100, 2,   1, 3, 0, 0, 8, 5, 1,
                                                        2, 0, 7, 1, 1,   6,   5, 2, 0, 0, 3, 1, 2,
                                                        0, 0, 1, 1, 5,   200, 1, 4, 2, 1, 1};
    buffer_add(b, loops_stretches_positions, sizeof loops_stretches_positions);
    buffer_add_u32(b, 4);
    buffer_add_varint(b, PLACE_INCREMENT + 8 * 1);
    buffer_add_varint(b, 7);
    buffer_add_varint(b, 300);
    buffer_add_varint(b, 1);
    buffer_add_u32(b, 9);
    buffer_add_varint(b, PLACE_CALL + 8 * 2);
    buffer_add_u32(b, 9);
    buffer_add_varint(b, PLACE_ACCESS + 8 * 0);
    buffer_add_u32(b, 12);
    buffer_add_varint(b, PLACE_GOTO + 8 * 2);
    buffer_add_u32(b, 2);
    buffer_add_u32(b, size);
    buffer_add_varint(b, PLACE_ENDED_CALL + 8 * 1);
    end_record(b, record);
}

static void records_are_found_by_address(void **s)
{
    (void)s;
    struct buffer b = {0};
    struct place_index index = {0};
    struct error error;
    add_record(&b, 5000, 16);
    buffer_add(&b, "\0\0\0", 3); /* linkers pad */
    add_record(&b, 0, 16);       /* dropped by the linker */
    add_record(&b, 4000, 20);
    add_record(&b, 4010, 20); /* overlaps */
    assert_true(place_index_add(&index, b.data, b.length, &error));
    place_index_sort(&index);
    assert_int_equal(index.count, 2);
    assert_null(place_index_find(&index, 0));
    assert_null(place_index_find(&index, 3999));
    assert_int_equal(place_index_find(&index, 4000)->size, 20);
    assert_int_equal(place_index_find(&index, 4019)->size, 20);
    assert_null(place_index_find(&index, 4020));
    const struct place_code *code = place_index_find(&index, 5015);
    assert_null(place_index_find(&index, 5016));
    assert_int_equal(code->address, 5000);
    assert_int_equal(code->key_count, 2);
    assert_int_equal(code->keys[1], 222);
    assert_int_equal(code->position_count, 2);
    assert_int_equal(code->positions[0].outer, PLACE_NONE);
    assert_int_equal(code->positions[0].block, 3);
    assert_int_equal(code->positions[0].call, 1);
    assert_int_equal(code->positions[1].outer, 1);
    assert_int_equal(code->positions[1].key, 1);
    assert_int_equal(code->positions[1].call, 200);
    assert_int_equal(code->positions[1].lines, 4);
    assert_int_equal(code->positions[0].loop, 0);
    assert_int_equal(code->positions[1].loop, 2);
    assert_int_equal(code->loop_count, 2);
    assert_int_equal(code->loops[1].first, 1);
    assert_int_equal(code->loops[1].count, 2);
    assert_int_equal(code->moved_count, 3);
    assert_int_equal(code->moved[0].most, 100);
    assert_int_equal(code->moved[1].key, 1);
    assert_int_equal(code->moved[1].counter, 3);
    assert_int_equal(code->moved[2].counter, 8);
    assert_int_equal(code->moved[2].most, 5);
    assert_int_equal(code->positions[0].stretch, 0);
    assert_true(code->positions[1].stretch == 1 && code->positions[1].passed == 1);
    assert_int_equal(code->stretch_count, 1);
    assert_true(code->stretches[0] == 0 && code->stretches[1] == 2);
    assert_true(code->counts[1].key == 1 && code->counts[1].counter == 6 && code->counts[1].by == 5);
    assert_int_equal(code->rows[0].stretch, 1);
    assert_int_equal(code->row_count, 5);
    assert_int_equal(code->rows[0].kind, PLACE_INCREMENT);
    assert_int_equal(code->rows[0].value, 1);
    assert_int_equal(code->rows[0].counter, 7);
    assert_int_equal(code->rows[0].by, 300);
    assert_int_equal(code->rows[1].value, 2);
    assert_int_equal(code->rows[3].target, 2);
    assert_int_equal(code->rows[3].value, 2);
    assert_int_equal(code->rows[4].offset, 16);
    assert_true(code->rows[1].kind == PLACE_CALL && !code->rows[1].ended);
    assert_true(code->rows[4].kind == PLACE_CALL && code->rows[4].ended);
    assert_int_equal(place_first_row(code, 0), 0);
    assert_int_equal(place_first_row(code, 5), 1);
    assert_int_equal(place_first_row(code, 9), 1);
    assert_int_equal(place_first_row(code, 10), 3);
    assert_int_equal(place_first_row(code, 17), 5);
    place_index_release(&index);
    buffer_release(&b);
}

static void a_damaged_record_costs_only_itself(void **s)
{
    (void)s;
    struct buffer b = {0};
    struct place_index index = {0};
    struct error error;
    add_record(&b, 1000, 16);
    size_t second = b.length;
    add_record(&b, 2000, 16);
    b.data[second + 20] = 9; /* more functions than there is room for */
    b.length -= 8;
    end_record(&b, second);
    add_record(&b, 3000, 16);
    assert_false(place_index_add(&index, b.data, b.length, &error));
    assert_non_null(strstr(error.text, "damaged"));
    place_index_sort(&index);
    assert_int_equal(index.count, 2);
    assert_non_null(place_index_find(&index, 3000));
    place_index_release(&index);
    assert_false(place_index_add(&index, b.data, b.length - 1, &error));
    place_index_release(&index);
    buffer_release(&b);
}

static void check_ranges(const struct place_code *code)
{
    for (uint32_t p = 0; p < code->position_count; p++) {
        assert_true(code->positions[p].outer <= p);
        assert_true(code->positions[p].key < code->key_count);
        uint32_t stretch = code->positions[p].stretch;
        assert_true(stretch <= code->stretch_count);
        assert_true(code->positions[p].passed <=
                    (stretch ? code->stretches[stretch] - code->stretches[stretch - 1] : 0));
    }
    for (uint32_t k = 0; k < (code->stretch_count ? code->stretches[code->stretch_count] : 0); k++)
        assert_true(code->counts[k].key < code->key_count);
    for (uint32_t r = 0; r < code->row_count; r++) {
        const struct place_row *row = &code->rows[r];
        assert_true(row->offset <= code->size && row->target <= code->size);
        assert_true(r == 0 || row->offset >= row[-1].offset);
        if (row->kind == PLACE_INCREMENT)
            assert_true(row->value < code->key_count && row->stretch <= code->stretch_count);
        else
            assert_true(row->value <= code->position_count);
    }
}

static void no_bytes_crash_the_reader(void **s)
{
    (void)s;
    for (unsigned round = 0; round < sampled(50000); round++) {
        struct buffer b = {0};
        add_record(&b, 1000, 16);
        b.length -= 8;
        for (uint32_t n = 1 + random_below(3); n; n--)
            b.data[8 + random_below((uint32_t)b.length - 8)] = (uint8_t)random_below(256);
        end_record(&b, 0); /* the hash says nothing */
        size_t cut = random_below(4) ? b.length : random_below((uint32_t)b.length);
        uint8_t *exact = ALLOC(uint8_t, cut);
        memcpy(exact, b.data, cut);
        struct place_index index = {0};
        struct error error = {0};
        if (!place_index_add(&index, exact, cut, &error))
            assert_true(error.text[0]);
        place_index_sort(&index);
        for (size_t i = 0; i < index.count; i++)
            check_ranges(&index.items[i]);
        place_index_release(&index);
        free(exact);
        buffer_release(&b);
    }
}

/* A function made at random, without offsets; of jumps the target is a row. */
static struct place_code random_code(void)
{
    struct place_code c = {.key_count = 1 + random_below(4),
                           .loop_count = random_below(3),
                           .stretch_count = random_below(4),
                           .position_count = random_below(40),
                           .row_count = 1 + random_below(60)};
    c.keys = ALLOC(uint64_t, c.key_count);
    for (uint32_t i = 0; i < c.key_count; i++)
        c.keys[i] = 1000 + random_below(6);
    c.loops = ALLOC(struct place_loop, c.loop_count);
    c.moved = ALLOC(struct place_moved, 3 * 4);
    for (uint32_t i = 0; i < c.loop_count; i++) {
        c.loops[i] = (struct place_loop){.first = c.moved_count, .count = 1 + random_below(3)};
        for (uint32_t k = 0; k < c.loops[i].count; k++)
            c.moved[c.moved_count++] = (struct place_moved){
                .key = random_below(c.key_count), .counter = random_below(300), .most = random_below(1000)};
    }
    c.stretches = ZALLOC(uint32_t, c.stretch_count + 1);
    c.counts = ALLOC(struct place_count, 4 * 5);
    for (uint32_t i = 0; i < c.stretch_count; i++) {
        c.stretches[i + 1] = c.stretches[i] + random_below(5);
        for (uint32_t k = c.stretches[i]; k < c.stretches[i + 1]; k++)
            c.counts[k] = (struct place_count){.key = random_below(c.key_count),
                                               .counter = random_below(300),
                                               .by = 1 + random_below(3),
                                               .shared = random_below(2)};
    }
    c.final = random_below(2) ? 1 + random_below(1000) : 0;
    c.edges = ZALLOC(uint32_t, c.stretch_count + 1);
    for (uint32_t i = 0; c.final && i < c.stretch_count; i++)
        c.edges[i] = random_below(9);
    c.positions = ZALLOC(struct place_position, c.position_count);
    for (uint32_t i = 0; i < c.position_count; i++) {
        struct place_position *p = &c.positions[i];
        *p = (struct place_position){.outer = random_below(3) ? 0 : random_below(i + 1),
                                     .key = random_below(c.key_count),
                                     .block = random_below(5),
                                     .call = random_below(3),
                                     .lines = random_below(200),
                                     .loop = random_below(c.loop_count + 1),
                                     .stretch = random_below(c.stretch_count + 1),
                                     .point = c.final ? random_below(7) : 0};
        if (p->stretch)
            p->passed = random_below(c.stretches[p->stretch] - c.stretches[p->stretch - 1] + 1);
    }
    c.rows = ZALLOC(struct place_row, c.row_count);
    for (uint32_t i = 0; i < c.row_count; i++) {
        struct place_row *row = &c.rows[i];
        row->kind = (enum place_kind)random_below(PLACE_KINDS);
        if (row->kind == PLACE_ENDED_CALL)
            row->kind = PLACE_CALL;
        if (row->kind == PLACE_INCREMENT)
            *row = (struct place_row){.kind = PLACE_INCREMENT,
                                      .value = random_below(c.key_count),
                                      .counter = random_below(300),
                                      .by = random_below(4) ? 1 : (uint64_t)-1,
                                      .stretch = random_below(c.stretch_count + 1)};
        else if (row->kind == PLACE_SHARED)
            row->stretch = random_below(c.stretch_count + 1);
        else if (row->kind == PLACE_EVENT)
            row->event = random_below(1 << 16);
        else
            row->value = random_below(c.position_count + 1);
        if (row->kind == PLACE_GOTO)
            row->target = random_below(c.row_count + 1);
        row->ended = row->kind == PLACE_CALL && random_below(2);
    }
    return c;
}

static void add_number(struct buffer *b, uint64_t value, uint64_t *number, uint64_t *check)
{
    buffer_add_varint(b, value);
    *check += value * place_check_weight((*number)++);
}

/* A record of `.cotree.places` for some functions of a unit, each row `step` bytes behind the one before. */
static void add_distances(struct buffer *b, uint64_t address, const struct buffer *positions, uint32_t unit,
                          const struct place_code *codes, uint32_t first, uint32_t count, uint32_t step)
{
    size_t record = b->length;
    uint32_t tag;
    memcpy(&tag, positions->data + unit + PLACE_UNIT_HASH_OFFSET, 4);
    buffer_add_u32(b, PLACES_MAGIC);
    buffer_add_u32(b, 0);
    buffer_add_u64(b, address);
    buffer_add_u32(b, unit);
    buffer_add_u32(b, tag);
    uint64_t number = 0, check = address + tag * place_check_weight(number++);
    add_number(b, first, &number, &check);
    add_number(b, count, &number, &check);
    for (uint32_t i = first; i < first + count; i++) {
        add_number(b, i == first ? 0 : 10, &number, &check); /* between them */
        for (uint32_t r = 0; r < codes[i].row_count; r++)
            add_number(b, step, &number, &check);
        add_number(b, 3, &number, &check);
    }
    buffer_add_u64(b, address ? check : 0);
    patch_length(b, record);
}

static bool stands_behind(const struct place_row *row)
{
    return row->kind == PLACE_CALL || row->kind == PLACE_LIBCALL || row->kind == PLACE_SETTLED ||
           row->kind == PLACE_INCREMENT || row->kind == PLACE_SHARED || row->kind == PLACE_EVENT;
}

static void check_equal(const struct place_code *is, const struct place_code *was, uint32_t step)
{
    assert_int_equal(is->size, was->row_count * step + 3);
    assert_int_equal(is->key_count, was->key_count);
    assert_memory_equal(is->keys, was->keys, 8 * was->key_count);
    assert_int_equal(is->loop_count, was->loop_count);
    assert_int_equal(is->moved_count, was->moved_count);
    for (uint32_t i = 0; i < was->loop_count; i++)
        assert_memory_equal(&is->loops[i], &was->loops[i], sizeof *was->loops);
    for (uint32_t i = 0; i < was->moved_count; i++)
        assert_true(is->moved[i].key == was->moved[i].key && is->moved[i].counter == was->moved[i].counter &&
                    is->moved[i].most == was->moved[i].most);
    assert_int_equal(is->stretch_count, was->stretch_count);
    assert_memory_equal(is->stretches, was->stretches, 4 * (was->stretch_count + 1));
    for (uint32_t i = 0; i < was->stretches[was->stretch_count]; i++)
        assert_true(is->counts[i].key == was->counts[i].key && is->counts[i].by == was->counts[i].by &&
                    is->counts[i].counter == was->counts[i].counter &&
                    is->counts[i].shared == was->counts[i].shared);
    assert_true(is->final == was->final);
    for (uint32_t i = 0; was->final && i < was->stretch_count; i++)
        assert_int_equal(is->edges[i], was->edges[i]);
    assert_int_equal(is->position_count, was->position_count);
    for (uint32_t i = 0; i < was->position_count; i++)
        assert_memory_equal(&is->positions[i], &was->positions[i], sizeof *was->positions);
    assert_int_equal(is->row_count, was->row_count);
    for (uint32_t i = 0; i < was->row_count; i++) {
        const struct place_row *row = &is->rows[i], *from = &was->rows[i];
        assert_int_equal(row->offset, (i + 1) * step);
        assert_true(row->kind == from->kind && row->value == from->value && row->counter == from->counter &&
                    row->event == from->event);
        assert_true(row->by == from->by && row->ended == from->ended && row->stretch == from->stretch);
        if (row->kind != PLACE_GOTO)
            continue;
        uint32_t at = place_first_row(is, row->target); /* where the walk goes on */
        while (at < is->row_count && stands_behind(&is->rows[at]) && is->rows[at].offset <= row->target)
            at++;
        assert_int_equal(at, from->target);
    }
}

static void what_is_written_is_read(void **s)
{
    (void)s;
    enum { UNITS = 3, PER_UNIT = 6 };
    for (uint32_t round = 0; round < 300; round++) {
        struct place_code codes[UNITS][PER_UNIT];
        struct buffer positions = {0}, places = {0};
        uint32_t step = round % 2 ? 2 : 200; /* an instruction has one row: no two of them are in one byte */
        for (uint32_t u = 0; u < UNITS; u++) {
            const struct place_code *list[PER_UNIT];
            for (uint32_t i = 0; i < PER_UNIT; i++) {
                codes[u][i] = random_code();
                list[i] = &codes[u][i];
            }
            buffer_add(&positions, "\0\0", u); /* linkers pad */
            uint32_t offset = (uint32_t)positions.length;
            place_unit_write(&positions, list, PER_UNIT);
            add_distances(&places, 1000000 * (u + 1), &positions, offset, codes[u], 0, 2, step);
            add_distances(&places, 0, &positions, offset, codes[u], 2, 1, step); /* dropped by the linker */
            add_distances(&places, 1000000 * (u + 11), &positions, offset, codes[u], 3, PER_UNIT - 3, step);
        }
        struct place_index index = {0};
        struct error error;
        assert_true(place_index_add_positions(&index, positions.data, positions.length, &error));
        assert_true(place_index_add(&index, places.data, places.length, &error));
        assert_false(place_index_add(&index, places.data, places.length, &error)); /* they have theirs */
        place_index_sort(&index);
        assert_int_equal(index.count, UNITS * (PER_UNIT - 1));
        for (uint32_t u = 0; u < UNITS; u++) {
            uint64_t at = 1000000 * (u + 1);
            for (uint32_t i = 0; i < PER_UNIT; i++) {
                if (i == 3)
                    at = 1000000 * (u + 11);
                if (i != 2) {
                    const struct place_code *code = place_index_find(&index, at);
                    assert_non_null(code);
                    assert_int_equal(code->address, at);
                    check_equal(code, &codes[u][i], step);
                    at += code->size + 10;
                }
                place_code_release(&codes[u][i]);
            }
        }
        place_index_release(&index);
        buffer_release(&positions);
        buffer_release(&places);
    }
}

/* Positions whose packed bytes, or the bytes that were packed, are any. */
static void no_positions_crash_the_reader(void **s)
{
    (void)s;
    for (unsigned round = 0; round < sampled(20000); round++) {
        struct place_code code = random_code();
        const struct place_code *list[] = {&code};
        struct buffer unit = {0}, bytes = {0}, places = {0};
        place_unit_write(&unit, list, 1);
        uint32_t length;
        enum { HEAD = 20 };
        memcpy(&length, unit.data + HEAD - 4, 4);
        uint8_t *payload = packed_read(unit.data + HEAD, unit.length - HEAD, length);
        assert_non_null(payload);
        if (round % 2)
            for (uint32_t n = 1 + random_below(3); n; n--)
                payload[random_below(length)] = (uint8_t)random_below(256);
        struct buffer packed = {.data = payload, .length = length}; /* or not */
        place_unit_seal(&bytes, &packed, length);
        if (round % 2 == 0) {
            for (uint32_t n = 1 + random_below(3); n; n--)
                unit.data[HEAD - 4 + random_below((uint32_t)unit.length - HEAD + 4)] =
                    (uint8_t)random_below(256);
            uint64_t hash = hash_bytes(unit.data + HEAD - 4, unit.length - HEAD + 4);
            memcpy(unit.data + PLACE_UNIT_HASH_OFFSET, &hash, 8);
        }
        struct buffer *from = round % 2 ? &bytes : &unit;
        add_distances(&places, 1000, from, 0, &code, 0, 1, 2);
        struct place_index index = {0};
        struct error error;
        bool good = place_index_add_positions(&index, from->data, from->length, &error);
        place_index_add(&index, places.data, places.length, good ? &error : NULL);
        place_index_sort(&index);
        for (size_t i = 0; i < index.count; i++)
            check_ranges(&index.items[i]);
        place_index_release(&index);
        place_code_release(&code);
        free(payload);
        buffer_release(&unit);
        buffer_release(&bytes);
        buffer_release(&places);
    }
}

/* A change of one byte or of several, wherever it is, is noticed, in both sections. */
static void damage_is_noticed(void **s)
{
    (void)s;
    for (unsigned round = 0; round < sampled(20000); round++) {
        struct place_code code = random_code();
        const struct place_code *list[] = {&code};
        struct buffer positions = {0}, places = {0};
        place_unit_write(&positions, list, 1);
        add_distances(&places, 4096, &positions, 0, &code, 0, 1, 1 + random_below(300));
        struct buffer *damaged = round % 2 ? &positions : &places;
        if (random_below(2)) {
            damaged->data[random_below((uint32_t)damaged->length)] ^= (uint8_t)(1 << random_below(8));
        } else {
            uint8_t *at = &damaged->data[random_below((uint32_t)damaged->length - 1)];
            at[0] ^= (uint8_t)(1 + random_below(255));
            at[1] = (uint8_t)random_below(256);
        }
        struct place_index index = {0};
        struct error error;
        bool good = place_index_add_positions(&index, positions.data, positions.length, &error);
        good &= place_index_add(&index, places.data, places.length, &error);
        assert_false(good);
        place_index_release(&index);
        place_code_release(&code);
        buffer_release(&positions);
        buffer_release(&places);
    }
}

static void older_tables_are_refused_by_name(void **s)
{
    (void)s;
    static const char *const magics[] = {"CTP2", "CTP3"};
    for (size_t i = 0; i < 2; i++) {
        struct place_index index = {0};
        struct buffer b = {0};
        struct error error;
        add_record(&b, 1000, 16);
        memcpy(b.data, magics[i], 4);
        assert_false(place_index_add(&index, b.data, b.length, &error));
        assert_non_null(strstr(error.text, "older version"));
        place_index_release(&index);
        buffer_release(&b);
    }
}

/* The heads of many functions: a key, a loop with so many counters, no stretches, positions or rows. */
static void add_heads(struct buffer *unit, uint32_t functions, uint8_t counters)
{
    const uint8_t start[] = {1, 0, 0, 1, counters}, counter[] = {0, 7, 9}, end[] = {0, 0, 0};
    struct buffer payload = {0};
    size_t length = sizeof start + sizeof counter * counters + sizeof end;
    buffer_add_varint(&payload, functions);
    for (int i = 0; i < PLACE_COLUMNS; i++)
        buffer_add_varint(&payload, i == COLUMN_HEADS ? functions * length : i == COLUMN_KEYS ? 8 : 0);
    for (int i = 0; i < PLACE_COLUMNS; i++) {
        if (i == COLUMN_KEYS)
            buffer_add_u64(&payload, 111);
        for (uint32_t k = 0; i == COLUMN_HEADS && k < functions; k++) {
            buffer_add(&payload, start, sizeof start);
            for (uint8_t n = 0; n < counters; n++)
                buffer_add(&payload, counter, sizeof counter);
            buffer_add(&payload, end, sizeof end);
        }
    }
    place_unit_seal(unit, &payload, payload.length); /* not packed */
    buffer_release(&payload);
}

/* What is asked for grows with the bytes, not with their square. */
static void many_loops_take_little_memory(void **s)
{
    (void)s;
    enum { FUNCTIONS = 2000 };
    struct buffer unit = {0};
    struct place_unit read = {0};
    add_heads(&unit, FUNCTIONS, 2);
    assert_true(place_unit_read(&read, unit.data + 8, unit.length - 8));
    assert_int_equal(read.count, FUNCTIONS);
    size_t held = 0;
    for (size_t i = 0; i < read.count; i++) {
        assert_true(read.codes[i].moved_count == 2 && read.codes[i].moved[1].counter == 7);
        held += malloc_usable_size(read.codes[i].moved);
    }
    assert_true(held < FUNCTIONS * 10 * sizeof(struct place_moved));
    place_unit_release(&read);
    unit.length = 0;
    add_heads(&unit, FUNCTIONS, 0);
    assert_false(
        place_unit_read(&read, unit.data + 8, unit.length - 8)); /* no loop is listed without counters */
    buffer_release(&unit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_written_is_read),
                                       cmocka_unit_test(no_positions_crash_the_reader),
                                       cmocka_unit_test(records_are_found_by_address),
                                       cmocka_unit_test(a_damaged_record_costs_only_itself),
                                       cmocka_unit_test(damage_is_noticed),
                                       cmocka_unit_test(older_tables_are_refused_by_name),
                                       cmocka_unit_test(no_bytes_crash_the_reader),
                                       cmocka_unit_test(many_loops_take_little_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
