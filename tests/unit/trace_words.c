/* Words of traces: packed, they come back; damage is noticed; what lies in an events file is read, region
 * after region. */
#include "../lib/made_files.h"
#include "../lib/made_trace.h"
#include "format/map/map.h"
#include "format/trace/words.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { SLOTS = 50, WORDS = 100000 };

static uint64_t random_state = 1;
static uint64_t random_word(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    return random_state ^= random_state << 17;
}

struct word {
    size_t slot;
    uint64_t address;
    enum trace_mark mark; /* or 0 */
};

static void make_words(struct word *words, size_t count)
{
    uint64_t at[SLOTS + 1];
    for (size_t i = 0; i <= SLOTS; i++)
        at[i] = 0x7f0000000000 + random_word() % 1000000;
    for (size_t i = 0; i < count; i++) {
        struct word *w = &words[i];
        w->slot = random_word() % (SLOTS + 1); /* the last one: nobody knows whose */
        w->mark = random_word() % 20 ? (enum trace_mark)0
                                     : (enum trace_mark)(1 + random_word() % (TRACE_MARKS - 1));
        at[w->slot] += w->slot % 3 ? w->slot * 8 : random_word() % 64;
        w->address = random_word() % 1000 ? at[w->slot] : random_word(); /* also wild ones */
    }
    words[0].address = 0;
    words[1].address = UINT64_MAX;
    words[2].address = UINT64_C(1) << 63;
}

static void pack(struct trace_word_writer *w, const struct word *words, size_t count, struct buffer *out)
{
    for (size_t i = 0; i < count; i++)
        if (words[i].mark)
            trace_word_writer_mark(w, words[i].mark);
        else
            trace_word_writer_add(w, words[i].slot, words[i].address);
    trace_word_writer_pack(w, out);
}

/* All words that come, up to the first that is not as it was. */
static size_t unpack(struct trace_word_reader *r, const struct word *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t address;
        if (trace_word_reader_next(r) != (int)words[i].mark)
            return i;
        if (words[i].mark
                ? !trace_word_reader_take_mark(r)
                : !trace_word_reader_take(r, words[i].slot, &address) || address != words[i].address)
            return i;
    }
    return trace_word_reader_next(r) == -1 ? count : count - 1;
}

static void test_packed(void **state)
{
    (void)state;
    struct word *words = ALLOC(struct word, WORDS);
    struct trace_word_writer w = {0};
    struct trace_word_reader r = {0};
    struct buffer chunks[3] = {{0}, {0}, {0}};
    const size_t parts[] = {0, 1, WORDS / 2, WORDS};
    make_words(words, WORDS);
    trace_word_model_init(&w.model, SLOTS);
    trace_word_model_init(&r.model, SLOTS);
    for (size_t i = 0; i < 3; i++)
        pack(&w, words + parts[i], parts[i + 1] - parts[i], &chunks[i]);
    assert_true(chunks[1].length + chunks[2].length < WORDS * 3);
    for (size_t i = 3; i-- > 0;) { /* each alone */
        assert_true(trace_word_reader_begin(&r, chunks[i].data, chunks[i].length));
        assert_int_equal(unpack(&r, words + parts[i], parts[i + 1] - parts[i]), parts[i + 1] - parts[i]);
    }
    /* Nothing that is cut or changed is taken for what it was. */
    for (size_t length = 0; length < chunks[2].length; length += 1 + chunks[2].length / 97) {
        bool begun = trace_word_reader_begin(&r, chunks[2].data, length);
        assert_true(!begun || unpack(&r, words + parts[2], WORDS - parts[2]) < WORDS - parts[2]);
    }
    for (size_t i = 0; i < 200; i++) {
        uint8_t *byte = &chunks[2].data[random_word() % chunks[2].length], before = *byte;
        *byte ^= (uint8_t)(1 + random_word() % 255);
        bool begun = trace_word_reader_begin(&r, chunks[2].data, chunks[2].length);
        if (begun)
            unpack(&r, words + parts[2],
                   WORDS - parts[2]); /* it ends, and reads nothing that is not its own */
        *byte = before;
    }
    for (size_t i = 0; i < 3; i++)
        buffer_release(&chunks[i]);
    trace_word_writer_release(&w);
    trace_word_reader_release(&r);
    free(words);
}

static void test_strides_take_nothing(void **state)
{
    (void)state;
    struct trace_word_writer w = {0};
    struct buffer packed = {0};
    trace_word_model_init(&w.model, 2);
    for (uint64_t i = 0; i < WORDS; i++) {
        trace_word_writer_add(&w, 0, 0x1000 + 8 * i);
        trace_word_writer_add(&w, 1, 0x900000 - 24 * i);
    }
    trace_word_writer_pack(&w, &packed);
    assert_true(packed.length < 100);
    buffer_release(&packed);
    trace_word_writer_release(&w);
}

#define REGION (1u << 20)
#define ADDRESS 0x300000000000ull
static void put_region(const struct made_trace *t, uint32_t stream, uint64_t begin, uint64_t taken,
                       uint64_t first, size_t count)
{
    uint64_t offset = made_region(8 + stream, false);
    const struct trace_address_stream s = {.offset = offset,
                                           .length = REGION,
                                           .address = ADDRESS + (uint64_t)stream * REGION,
                                           .begin = ADDRESS + (uint64_t)stream * REGION + begin,
                                           .taken = taken};
    made_put(t->fd, &s, sizeof s, TRACE_ADDRESSES_OFFSET + stream * sizeof s);
    for (uint64_t i = 0; i < count; i++)
        made_put(t->fd, &(uint64_t){first + i}, 8, offset + begin + 8 * i);
}

static void test_regions(void **state)
{
    (void)state;
    struct made_trace t;
    made_trace(&t, "w-events");
    made_stream(&t, 0, 1 + 2, 0);
    made_stream(&t, 2, 1 + 3, 0);
    made_stream(&t, 3, 0, 0);
    made_stream(&t, 1, 0, 0);
    put_region(&t, 0, 64, 80, 100, 20000); /* two are taken */
    put_region(&t, 3, 0, 0, 30000, 5);     /* none in stream 2 */
    struct trace_events file;
    struct error error;
    assert_true(trace_events_open(&file, "w-events", false, &error));
    struct trace_word_source s;
    uint64_t *words = ALLOC(uint64_t, 30000);
    trace_words_begin(&s, &file, 0);
    assert_int_equal(trace_words_address(&s), ADDRESS + 80);
    assert_true(trace_words_lag(&s, 19997));
    assert_false(trace_words_lag(&s, 19998));
    size_t count = 0, got;
    while ((got = trace_words_read(&s, words + count, 30000 - count)))
        count += got;
    assert_int_equal(count, 19998 + 5);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(words[i], i < 19998 ? 102 + i : 30000 + i - 19998);
    trace_words_begin(&s, &file, 0);
    trace_words_skip(&s, ADDRESS + 64 + 8 * 50);
    assert_int_equal(trace_words_read(&s, words, 1), 1);
    assert_int_equal(words[0], 150);
    trace_words_skip(&s, ADDRESS + 3 * REGION + 16);
    assert_int_equal(trace_words_read(&s, words, 100), 3);
    assert_int_equal(words[0], 30002);
    trace_words_begin(&s, &file, 0);
    trace_words_skip(&s, ADDRESS - 8); /* nowhere */
    assert_int_equal(trace_words_read(&s, words, 1), 1);
    assert_int_equal(words[0], 102);
    trace_words_begin(&s, &file, 1); /* there are none */
    assert_int_equal(trace_words_address(&s), 0);
    assert_int_equal(trace_words_read(&s, words, 1), 0);
    free(words);
    trace_events_close(&file);
    close(t.fd);
    unlink("w-events");
}

/* What a map says of accesses is what was written; one that does not fit is refused. */
static void test_map(void **state)
{
    (void)state;
    struct map_function f, read;
    static const uint32_t values[] = {0, 1, 2, 0},
                          calls[] = {MAP_TRACE_UNKNOWN, MAP_TRACE_PLAIN, MADE_NO_CALL};
    made_function(&f, "f", 3, "0>1 1>1 1>2 2>x", NULL, 0);
    made_traced(&f, 1000, values, 4, calls, 1001);
    struct map_accesses *a = f.trace->accesses = ZALLOC(struct map_accesses, 1);
    a->first = ZALLOC(uint32_t, 6);
    memcpy(a->first, (const uint32_t[]){0, 1, 1, 3, 4, 4}, 6 * sizeof *a->first);
    a->items = ALLOC(uint32_t, 4);
    memcpy(a->items,
           (const uint32_t[]){4 << 2 | MAP_LOAD, 8 << 2 | MAP_STORE, 1 << 2, 16 << 2 | MAP_LOAD_AND_STORE},
           16);
    f.flags |= MAP_FUNCTION_TRACED | MAP_FUNCTION_ADDRESSES;
    struct buffer bytes = {0};
    map_trace_write(&bytes, &f, false);
    read = f;
    struct cursor c = cursor_over(bytes.data, bytes.length);
    struct map_trace *back = map_trace_read(&c, &read);
    assert_false(c.failed);
    assert_int_equal(cursor_left(&c), 0);
    assert_memory_equal(back->accesses->first, a->first, 6 * sizeof *a->first);
    assert_memory_equal(back->accesses->items, a->items, 16);
    assert_int_equal(map_trace_access_place(back, 1, 1), 3);
    map_trace_release(back);
    for (size_t length = 0; length < bytes.length; length++) {
        c = cursor_over(bytes.data, length);
        map_trace_release(map_trace_read(&c, &read));
        assert_true(c.failed);
    }
    bytes.data[bytes.length - 1] |= 3; /* there is no such kind */
    c = cursor_over(bytes.data, bytes.length);
    map_trace_release(map_trace_read(&c, &read));
    assert_true(c.failed);
    buffer_release(&bytes);
    map_function_release(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_packed),
        cmocka_unit_test(test_strides_take_nothing),
        cmocka_unit_test(test_regions),
        cmocka_unit_test(test_map),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
