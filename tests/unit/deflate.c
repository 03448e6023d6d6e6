/* Compressed data: zlib, which shares nothing with what is tested, reads back what was given, and would not
 * have made it much smaller. */
#include "report/deflate.h"
#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <zlib.h>

static uint32_t seed = 1;
static uint32_t random_below(uint32_t limit)
{
    seed = seed * 1664525 + 1013904223;
    return (uint32_t)(((uint64_t)seed * limit) >> 32);
}

static struct deflater *deflater; /* of all streams */

/* The length of the compressed data, which is given in two parts. */
static size_t check_split(const uint8_t *data, size_t length, double split)
{
    struct buffer packed = {0};
    buffer_add_text(&packed, "before"); /* it is appended to what is there */
    size_t first = (size_t)(split * (double)length);
    if (first)
        deflate_add(deflater, &packed, data, first, false);
    deflate_add(deflater, &packed, data + first, length - first, true);
    assert_memory_equal(packed.data, "before", 6);
    uint8_t *back = ALLOC(uint8_t, length + 1);
    z_stream z = {.next_in = packed.data + 6,
                  .avail_in = (uInt)(packed.length - 6),
                  .next_out = back,
                  .avail_out = (uInt)length + 1};
    assert_int_equal(inflateInit2(&z, -MAX_WBITS), Z_OK);
    int status = inflate(&z, Z_FINISH);
    if (status != Z_STREAM_END)
        print_error("%zu bytes: %s\n", length, z.msg ? z.msg : "not all");
    assert_int_equal(status, Z_STREAM_END);
    assert_int_equal(z.total_out, length);
    assert_int_equal(z.avail_in, 0);
    if (length)
        assert_memory_equal(back, data, length);
    inflateEnd(&z);
    size_t result = packed.length - 6;
    free(back);
    buffer_release(&packed);
    return result;
}

static size_t check(const uint8_t *data, size_t length)
{
    check_split(data, length, 0.3);
    check_split(data, length, 1);
    return check_split(data, length, 0);
}

static void little_is_read_back(void **state)
{
    (void)state;
    check((const uint8_t *)"", 0);
    for (uint32_t length = 1; length < 600; length++) {
        uint8_t data[600];
        for (uint32_t kind = 0; kind < 4; kind++) {
            for (uint32_t i = 0; i < length; i++)
                data[i] = (uint8_t)(kind == 0   ? 'a'
                                    : kind == 1 ? i
                                    : kind == 2 ? random_below(256)
                                                : 'a' + random_below(3));
            check(data, length);
        }
    }
}

/* What has no order is stored: it grows by five bytes in each 64 KB at most. */
static void noise_does_not_grow(void **state)
{
    (void)state;
    static const size_t lengths[] = {1, 1000, 65535, 65536, 200000, 1000000};
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        uint8_t *data = ALLOC(uint8_t, lengths[k]);
        for (size_t i = 0; i < lengths[k]; i++)
            data[i] = (uint8_t)random_below(256);
        assert_true(check(data, lengths[k]) <= lengths[k] + 16 + 5 * (lengths[k] / 32768 + 1));
        free(data);
    }
}

/* A few symbols whose weights grow like Fibonacci's numbers beside many common ones, which hardly repeat:
 * their codes would be longer than may be written. */
static void codes_are_not_too_long(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < 300; round++) {
        struct buffer b = {0};
        uint32_t common = 40 + random_below(120), total = 15000 + random_below(16000);
        double weight = 1, ratio = 1.4 + 0.01 * random_below(80);
        for (uint32_t symbol = 0; symbol < 20 && weight < total / common; symbol++, weight *= ratio)
            for (uint32_t i = 0; i < (uint32_t)weight; i++)
                buffer_add(&b, &(uint8_t){(uint8_t)symbol}, 1);
        while (b.length < total)
            buffer_add(&b, &(uint8_t){(uint8_t)(40 + random_below(common))}, 1);
        for (size_t i = b.length; i > 1; i--) {
            size_t other = random_below((uint32_t)i);
            uint8_t swap = b.data[i - 1];
            b.data[i - 1] = b.data[other];
            b.data[other] = swap;
        }
        check(b.data, b.length);
        buffer_release(&b);
    }
}

/* Words at all distances, repetitions of all lengths. */
static void repetitions_are_read_back(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < 40; round++) {
        struct buffer b = {0};
        uint32_t words = 1 + random_below(3000), longest = 1 + random_below(400);
        while (b.length < 150000) {
            uint32_t number = random_below(words), saved = seed;
            seed = number * 7919;
            for (uint32_t left = random_below(longest); left > 0; left--)
                buffer_add(&b, &(uint8_t){(uint8_t)('a' + random_below(26))}, 1);
            seed = saved;
            buffer_add(&b, " ", 1);
        }
        check(b.data, b.length);
        buffer_release(&b);
    }
}

static void text_is_as_small_as_by_zlib(void **state)
{
    (void)state;
    struct buffer b = {0};
    for (uint32_t i = 0; i < 40000; i++)
        buffer_addf(&b, "[%u,%u,%s,%u]%s", i / 7, random_below(50), random_below(3) ? "null" : "\"way\"",
                    random_below(100000), i % 9 ? "," : ",\n");
    uLong fast = compressBound(b.length);
    uint8_t *packed = ALLOC(uint8_t, fast);
    assert_int_equal(compress2(packed, &fast, b.data, b.length, 1), Z_OK);
    size_t own = check(b.data, b.length);
    if (own > fast + fast / 20)
        print_error("%zu bytes, zlib's: %lu\n", own, fast);
    assert_true(own <= fast + fast / 20);
    free(packed);
    buffer_release(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(little_is_read_back),         cmocka_unit_test(noise_does_not_grow),
        cmocka_unit_test(codes_are_not_too_long),      cmocka_unit_test(repetitions_are_read_back),
        cmocka_unit_test(text_is_as_small_as_by_zlib),
    };
    deflater = deflater_new();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    deflater_free(deflater);
    return failed;
}
