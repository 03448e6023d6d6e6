/* The things every room shares: numbers survive the trip, cursors never run over, names cannot command a
 * terminal. */
#include "base/buffer.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static void numbers_survive_the_trip(void **state)
{
    (void)state;
    static const uint64_t values[] = {0, 1, 127, 128, 16383, 16384, UINT32_MAX, INT64_MAX, UINT64_MAX};
    struct buffer b = {0};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        buffer_add_varint(&b, values[i]);
        buffer_add_signed(&b, (int64_t)values[i]);
        buffer_add_signed(&b, -(int64_t)(values[i] >> 1));
        buffer_add_u32(&b, (uint32_t)values[i]);
        buffer_add_u64(&b, values[i]);
    }
    buffer_add_string(&b, "name");
    struct cursor c = cursor_over(b.data, b.length);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        assert_int_equal(cursor_varint(&c), values[i]);
        assert_int_equal(cursor_signed(&c), (int64_t)values[i]);
        assert_int_equal(cursor_signed(&c), -(int64_t)(values[i] >> 1));
        assert_int_equal(cursor_u32(&c), (uint32_t)values[i]);
        assert_int_equal(cursor_u64(&c), values[i]);
    }
    char *name = cursor_string(&c);
    assert_string_equal(name, "name");
    assert_false(c.failed);
    assert_int_equal(cursor_left(&c), 0);
    free(name);
    buffer_release(&b);
}

static void a_cursor_stops_at_its_end(void **state)
{
    (void)state;
    static const uint8_t endless[] = {0xff, 0xff, 0xff};
    struct cursor c = cursor_over(endless, sizeof endless);
    assert_int_equal(cursor_varint(&c), 0);
    assert_true(c.failed);
    assert_int_equal(cursor_u64(&c), 0);

    static const uint8_t too_wide[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02};
    c = cursor_over(too_wide, sizeof too_wide);
    assert_int_equal(cursor_varint(&c), 0);
    assert_true(c.failed);

    static const uint8_t greedy[] = {100, 'a', 'b'};
    c = cursor_over(greedy, sizeof greedy);
    assert_int_equal(cursor_count(&c, 1), 0);
    assert_true(c.failed);
    char *s = cursor_string(&c);
    assert_string_equal(s, "");
    free(s);

    static const uint8_t with_nul[] = {3, 'a', 0, 'b'};
    c = cursor_over(with_nul, sizeof with_nul);
    free(cursor_string(&c));
    assert_true(c.failed);
}

static void names_cannot_command_a_terminal(void **state)
{
    (void)state;
    char text[] = "a\033[2Jb\tc\177d\302\233e\303\251\377\342\202";
    text_make_printable(text);
    assert_string_equal(text, "a?[2Jb?c?d??e\303\251???");
    /* Nor look like other names: overrides and isolates of direction, marks, ends of lines. */
    char turned[] = "a\342\200\256b\342\201\246c\330\234d\342\200\217e\342\200\250f\342\200\246\342\201\252";
    text_make_printable(turned);
    assert_string_equal(turned, "a???b???c??d???e???f\342\200\246\342\201\252");
    struct error error;
    assert_false(error_set(&error, "'%s' is bad", "x\033y"));
    assert_string_equal(error.text, "'x?y' is bad");
    assert_false(error_prefix(&error, "%s", "file"));
    assert_string_equal(error.text, "file: 'x?y' is bad");
}

static void patterns_match_like_a_shell(void **state)
{
    (void)state;
    assert_true(text_matches("*.c", "src/a.c"));
    assert_true(text_matches("src/*", "src/a/b.c"));
    assert_true(text_matches("a?c*", "abc"));
    assert_true(text_matches("*a*b*", "xxaxxbxx"));
    assert_false(text_matches("*.c", "a.cc"));
    assert_false(text_matches("", "a"));
    assert_true(text_matches("**", ""));
}

static void a_map_keeps_what_was_put(void **state)
{
    (void)state;
    struct hash_map map = {0};
    assert_null(hash_map_get(&map, 0));
    for (uint64_t i = 0; i < 5000; i++)
        *hash_map_put(&map, i * i * 0x10001, NULL) = i;
    bool added;
    hash_map_put(&map, 49 * 0x10001, &added);
    assert_false(added);
    for (uint64_t i = 0; i < 5000; i++)
        assert_int_equal(*hash_map_get(&map, i * i * 0x10001), i);
    assert_null(hash_map_get(&map, 7));
    assert_int_equal(map.count, 5000);
    hash_map_release(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_survive_the_trip),        cmocka_unit_test(a_cursor_stops_at_its_end),
        cmocka_unit_test(names_cannot_command_a_terminal), cmocka_unit_test(patterns_match_like_a_shell),
        cmocka_unit_test(a_map_keeps_what_was_put),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
