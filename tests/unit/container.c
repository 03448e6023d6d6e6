/* Files of chunks: what was written is read, unknown types are skipped, and every kind of damage is
 * refused. */
#include "../lib/made_files.h"
#include "base/whole.h"
#include "../lib/scratch_directory.h"
#include "base/hash.h"
#include "format/container.h"
#include "format/data/data.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <unistd.h>

#include <cmocka.h>

enum { A = 1, B = 2, C = 3, LATER = 9 };
enum { TABLE = 64, ENTRIES = 80, ENTRY = 32 };

/* A file with chunks A, LATER and C: 5, 6 and 0 bytes. */
static void make(struct buffer *file)
{
    struct container_writer w = {0};
    buffer_add_text(container_writer_add(&w, A), "hello");
    buffer_add_text(container_writer_add(&w, LATER), "unread");
    container_writer_add(&w, C);
    file->length = 0;
    container_writer_assemble(&w, DATA_KIND_MERGED, file);
    container_writer_release(&w);
}

/* Puts the hash right of a table that was changed. */
static void sign(struct buffer *file, uint32_t count)
{
    uint64_t hash = hash_bytes(file->data + TABLE + 8, 8 + (size_t)count * ENTRY);
    memcpy(file->data + TABLE, &hash, 8);
}

static bool reads(const struct buffer *file, struct container_reader *r, struct error *error)
{
    int fd = open("chunks", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_true(write_whole_at(fd, file->data, file->length, 0));
    bool ok = container_reader_open(r, fd, file->length, C, error);
    close(fd);
    return ok;
}

static void refuse(const struct buffer *file, const char *why)
{
    struct container_reader r;
    struct error error;
    assert_false(reads(file, &r, &error));
    assert_string_equal(error.text, why);
}

static void test_written_is_read(void **state)
{
    (void)state;
    struct buffer file = {0};
    struct container_reader r;
    struct error error;
    struct cursor c;
    make(&file);
    assert_true(reads(&file, &r, &error));
    assert_true(container_reader_chunk(&r, A, &c));
    assert_false(container_chunk_ended(&c, A, &error));
    assert_string_equal(error.text, "is damaged: chunk 1 makes no sense");
    assert_memory_equal(cursor_bytes(&c, 5), "hello", 5);
    assert_true(container_chunk_ended(&c, A, &error));
    assert_false(container_reader_chunk(&r, B, &c));
    assert_true(container_reader_chunk(&r, C, &c)); /* empty is not missing */
    assert_int_equal(cursor_left(&c), 0);
    assert_false(container_reader_chunk(&r, LATER, &c));
    container_reader_release(&r);
    buffer_release(&file);
}

static void test_unknown_types_are_not_read(void **state)
{
    (void)state;
    struct buffer file = {0};
    struct container_reader r;
    struct error error;
    make(&file);
    memset(file.data + ENTRIES + ENTRY + 8, 0xff, 24); /* its offset, length and hash */
    sign(&file, 3);
    assert_true(reads(&file, &r, &error));
    container_reader_release(&r);
    buffer_release(&file);
}

static void test_damage_is_refused(void **state)
{
    (void)state;
    struct buffer file = {0};
    make(&file);
    file.data[file.length - 11] ^= 1; /* the first byte of "hello" */
    refuse(&file, "is damaged: chunk 1 has a wrong checksum");
    make(&file);
    file.data[ENTRIES] ^= 1;
    refuse(&file, "is damaged: its table of chunks has a wrong checksum");
    make(&file);
    file.data[ENTRIES] = C;
    sign(&file, 3);
    refuse(&file, "is damaged: chunk 3 is there twice");
    make(&file);
    file.data[ENTRIES + 16 + 7] = 1; /* the length, by 2^56 */
    sign(&file, 3);
    refuse(&file, "is cut short: chunk 1 does not fit");
    make(&file);
    file.data[TABLE + 8 + 3] = 1;
    refuse(&file, "is damaged: 16777219 chunks");
    make(&file);
    file.length = ENTRIES + ENTRY;
    refuse(&file, "is cut short: it ends inside its table of chunks");
    file.length = TABLE + 3;
    refuse(&file, "is cut short: it ends before its table of chunks");
    buffer_release(&file);
}

static void test_chunks_are_appended(void **state)
{
    (void)state;
    int fd = open("appended", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    uint64_t end = DATA_PAGE;
    struct container_chunk one, two;
    enum container_state why;
    assert_true(container_chunk_append(&one, fd, &end, "first", 5));
    assert_true(container_chunk_append(&two, fd, &end, "second", 6));
    assert_int_equal(one.offset, DATA_PAGE);
    assert_int_equal(two.offset, 2 * DATA_PAGE);
    assert_int_equal(end, 3 * DATA_PAGE);
    uint8_t *bytes = container_chunk_read(&two, fd, 6, &why);
    assert_int_equal(why, CONTAINER_WHOLE);
    assert_memory_equal(bytes, "second", 6);
    free(bytes);
    assert_null(container_chunk_read(&two, fd, 5, &why));
    assert_int_equal(why, CONTAINER_TOO_LONG);
    two.length = 7;
    assert_null(container_chunk_read(&two, fd, 100, &why));
    assert_int_equal(why, CONTAINER_CUT_SHORT);
    one.length = 4;
    assert_null(container_chunk_read(&one, fd, 100, &why));
    assert_int_equal(why, CONTAINER_WRONG_CHECKSUM);
    close(fd);
}

int main(void)
{
    scratch_directory_enter();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_written_is_read),
        cmocka_unit_test(test_unknown_types_are_not_read),
        cmocka_unit_test(test_damage_is_refused),
        cmocka_unit_test(test_chunks_are_appended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
