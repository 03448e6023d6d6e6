/* The table of places: what is written by hand is found by address, and no bytes crash the reader. */
#include "format/places_index.h"
#include "base/buffer.h"

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

static void patch_length(struct buffer *b, size_t record)
{
    uint32_t length = (uint32_t)(b->length - record - 8);
    memcpy(b->data + record + 4, &length, 4);
}

/* Two functions, one inlined into the other; a call of each; an increment, a jump. */
static void add_record(struct buffer *b, uint64_t address, uint32_t size)
{
    size_t record = b->length;
    buffer_add_u32(b, PLACES_MAGIC);
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
    patch_length(b, record);
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
    add_record(&b, 3000, 16);
    b.data[second + 20] = 9; /* more functions than there is room for */
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

static void no_bytes_crash_the_reader(void **s)
{
    (void)s;
    for (unsigned round = 0; round < 50000; round++) {
        struct buffer b = {0};
        add_record(&b, 1000, 16);
        for (uint32_t n = 1 + random_below(3); n; n--)
            b.data[8 + random_below((uint32_t)b.length - 8)] = (uint8_t)random_below(256);
        size_t cut = random_below(4) ? b.length : random_below((uint32_t)b.length);
        uint8_t *exact = ALLOC(uint8_t, cut);
        memcpy(exact, b.data, cut);
        struct place_index index = {0};
        struct error error = {0};
        if (!place_index_add(&index, exact, cut, &error))
            assert_true(error.text[0]);
        place_index_sort(&index);
        for (size_t i = 0; i < index.count; i++) {
            const struct place_code *code = &index.items[i];
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
        place_index_release(&index);
        free(exact);
        buffer_release(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(records_are_found_by_address),
                                       cmocka_unit_test(a_damaged_record_costs_only_itself),
                                       cmocka_unit_test(no_bytes_crash_the_reader)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
