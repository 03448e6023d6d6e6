/* Sources read line by line and in parts give the same lines. */
#include "report/source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static char path[] = "/tmp/cotree-source.XXXXXX";

static void put(const char *text, size_t length)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

/* Both ways; returns the lines, each ended by '\n'. */
static struct buffer read_both(void)
{
    struct source s;
    const char *reason, *part;
    struct buffer lines = {0}, parts = {0};
    size_t length;
    assert_true(source_open(&s, path, &reason));
    while ((part = source_next(&s))) {
        buffer_add_text(&lines, part);
        buffer_add(&lines, "\n", 1);
    }
    source_close(&s);
    assert_true(source_open(&s, path, &reason));
    while ((part = source_part(&s, &length)))
        buffer_add(&parts, part, length);
    source_close(&s);
    assert_int_equal(parts.length, lines.length);
    if (lines.length)
        assert_memory_equal(parts.data, lines.data, lines.length);
    buffer_release(&parts);
    return lines;
}

static void lines_are_made_harmless(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t length;
        const char *lines;
    } cases[] = {
        {"", 0, ""},
        {"a", 1, "a\n"},
        {"\n", 1, "\n"},
        {"a\n\nb", 4, "a\n\nb\n"},
        {"a\r\nb\r\r\n", 7, "a\nb\n"},
        {"\tx\ty\n", 5, "        x       y\n"},
        {"a\033[1m\n", 6, "a?[1m\n"},
        {"\xc3\xa4\tb \xff\n", 7, "\xc3\xa4       b ?\n"},
        {"a\0b\n", 4, "a?b\n"},
        {"~ \x7f", 3, "~ ?\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put(cases[i].text, cases[i].length);
        struct buffer lines = read_both();
        assert_string_equal(buffer_text(&lines), cases[i].lines);
        buffer_release(&lines);
    }
}

/* Lines longer than what is read at once, parts of which only some are plain. */
static void long_files_are_read(void **state)
{
    (void)state;
    for (int kind = 0; kind < 6; kind++) {
        struct buffer text = {0};
        for (uint32_t i = 0; text.length < 1500000; i++) {
            size_t length = kind < 3 ? i * 7919u % 200 : i * 7919u % 700000;
            uint8_t *line = buffer_room(&text, length + 1);
            memset(line, 'a' + (int)(i % 26), length);
            if (kind % 3 == 1 && i % 1000 == 999 && length)
                line[length / 2] = '\t';
            if (kind % 3 == 2 && length)
                line[length / 2] = 1;
            line[length] = '\n';
            text.length += length + 1;
        }
        put((char *)text.data, text.length - (kind % 2));
        struct buffer lines = read_both();
        if (kind % 3 == 0) {
            assert_int_equal(lines.length, text.length);
            assert_memory_equal(lines.data, text.data, text.length);
        }
        buffer_release(&lines);
        buffer_release(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_made_harmless),
        cmocka_unit_test(long_files_are_read),
    };
    int file = mkstemp(path);
    if (file < 0)
        return 1;
    close(file);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
