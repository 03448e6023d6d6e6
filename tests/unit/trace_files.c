/* Events files and chunks: what was written is read, and damage is noticed. */
#include "../lib/made_files.h"
#include "../lib/made_trace.h"
#include "../lib/scratch_directory.h"
#include "format/data/data.h"
#include "format/trace/chunks.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void read_all(struct trace_source *s, size_t most, struct buffer *events,
                     struct trace_records *records)
{
    bool goes_on;
    while (trace_source_read(s, most, events, most, records, &goes_on))
        ;
}

static void test_streams_go_on(void **state)
{
    (void)state;
    struct made_trace t;
    made_trace(&t, "a-events");
    made_stream(&t, 0, 1 + 3, 5);
    made_stream(&t, 2, 0, 0);
    made_stream(&t, 3, 0, 0);
    uint8_t *many = malloc(200000);
    for (size_t i = 0; i < 200000; i++)
        many[i] = (uint8_t)(1 + i % 255);
    made_events(&t, 0, many, 70000);
    made_record(&t, 0, 1000, 7);
    made_record(&t, 0, TRACE_MOVED, 0);
    made_record(&t, 0, made_address(&t, 0), made_address(&t, 3));
    made_events(&t, 3, many + 70000, 130000);
    made_record(&t, 3, 1001, 8);
    made_record(&t, 3, TRACE_NOTHING,
                9); /* the parts of a record are written before what it is: it is not there */
    made_record(&t, 3, 1001, 9);
    made_events(&t, 2, "\1", 1);

    struct trace_events file;
    struct error error;
    assert_true(trace_events_open(&file, "a-events", false, &error));
    size_t count;
    uint32_t *firsts = trace_events_firsts(&file, &count);
    assert_int_equal(count, 2);
    assert_int_equal(firsts[0], 0);
    assert_int_equal(firsts[1], 2);
    const size_t pieces[] = {1000, 70000, 1 << 20};
    for (size_t i = 0; i < 3; i++) {
        struct trace_source s;
        struct buffer events = {0};
        struct trace_records records = {0};
        trace_source_begin(&s, &file, 0);
        assert_int_equal(trace_source_address(&s), MADE_EVENTS_ADDRESS + 5);
        read_all(&s, pieces[i], &events, &records);
        assert_int_equal(events.length, 200000);
        assert_memory_equal(events.data, many, 200000);
        assert_int_equal(records.count, 4);
        assert_int_equal(records.items[3].what, 1001);
        buffer_release(&events);
        ARRAY_RELEASE(&records);
    }
    free(firsts);
    free(many);
    trace_events_close(&file);
    close(t.fd);
}

static void make_chunk(struct trace_chunk *c, uint32_t number, uint8_t value)
{
    *c = (struct trace_chunk){.entry = {.pid = 5, .stream = 1, .number = number, .blocks = 10 + number}};
    buffer_add_text(&c->sync, "where it stood");
    for (size_t i = 0; i < 100000; i++)
        buffer_add(&c->events, &value, 1);
    for (uint64_t i = 0; i < 1000; i++)
        ARRAY_PUSH(&c->records, ((struct trace_record){1000 + i % 3, i * i + UINT64_MAX / 2}));
}

static void write_chunks(uint32_t count)
{
    struct made_run run;
    struct error error;
    struct trace_packer p;
    made_run(&run, "prog", "ID");
    made_run_write(&run, "a");
    assert_true(trace_packer_open(&p, "a", &error));
    for (uint32_t i = 0; i < count; i++) {
        struct trace_chunk c;
        make_chunk(&c, i, (uint8_t)(i % 255 + 1));
        assert_true(trace_packer_add(&p, &c, &error));
        trace_chunk_release(&c);
    }
    trace_packer_close(&p);
}

static int open_list(struct trace_chunk_list *list)
{
    uint32_t kind;
    uint64_t size;
    struct error error;
    struct data_header h;
    int fd = data_open("a", &kind, &size, &error);
    assert_true(fd >= 0);
    assert_true(data_read_at(fd, &h, sizeof h, 0));
    assert_true(h.end <= size + DATA_PAGE);
    trace_chunks_list(list, fd, h.traces);
    return fd;
}

static void test_chunks(void **state)
{
    (void)state;
    write_chunks(100);
    struct trace_chunk_list list;
    struct error error;
    int fd = open_list(&list);
    assert_int_equal(list.damaged, 0);
    assert_int_equal(list.entries.count, 100);
    struct trace_chunk c = {0};
    for (uint32_t i = 0; i < 100; i++) {
        struct trace_chunk wanted;
        make_chunk(&wanted, i, (uint8_t)(i % 255 + 1));
        assert_int_equal(list.entries.items[i].number, i);
        assert_int_equal(list.entries.items[i].blocks, 10 + i);
        assert_true(trace_chunk_read(&c, fd, &list.entries.items[i], &error));
        assert_int_equal(c.events.length, wanted.events.length);
        assert_memory_equal(c.events.data, wanted.events.data, wanted.events.length);
        assert_int_equal(c.sync.length, wanted.sync.length);
        assert_memory_equal(c.sync.data, wanted.sync.data, wanted.sync.length);
        assert_int_equal(c.records.count, wanted.records.count);
        assert_memory_equal(c.records.items, wanted.records.items,
                            wanted.records.count * sizeof *wanted.records.items);
        trace_chunk_release(&wanted);
    }
    /* The same file is a good run file for everybody else. */
    struct data_file data;
    assert_true(data_file_read(&data, fd, &error));
    trace_chunks_release(&list);
    trace_chunk_release(&c);
    data_file_release(&data);
}

/* Every byte of a chunk and of its entry is watched. */
static void test_damage(void **state)
{
    (void)state;
    write_chunks(3);
    struct trace_chunk_list list, again;
    struct error error;
    int fd = open_list(&list), out = open("a", O_RDWR);
    const struct trace_chunk_entry *e = &list.entries.items[1];
    struct trace_chunk c = {0};
    for (uint64_t i = 0; i < e->stored.length; i++) {
        uint8_t byte;
        assert_true(data_read_at(fd, &byte, 1, e->stored.offset + i));
        byte ^= 4;
        made_put(out, &byte, 1, e->stored.offset + i);
        assert_false(trace_chunk_read(&c, fd, e, &error));
        byte ^= 4;
        made_put(out, &byte, 1, e->stored.offset + i);
    }
    assert_true(trace_chunk_read(&c, fd, e, &error));
    struct data_header h;
    assert_true(data_read_at(fd, &h, sizeof h, 0));
    uint64_t entry = h.traces + offsetof(struct trace_chunk_page, entries) + sizeof *e;
    for (uint64_t i = 0; i < sizeof *e; i++) {
        uint8_t byte;
        assert_true(data_read_at(fd, &byte, 1, entry + i));
        byte ^= 4;
        made_put(out, &byte, 1, entry + i);
        trace_chunks_list(&again, fd, h.traces);
        assert_int_equal(again.entries.count, 2);
        assert_int_equal(again.damaged, 1);
        trace_chunks_release(&again);
        byte ^= 4;
        made_put(out, &byte, 1, entry + i);
    }
    /* A list that leads back ends. */
    made_put(out, &h.traces, 8, h.traces);
    trace_chunks_list(&again, fd, h.traces);
    assert_int_equal(again.entries.count, 3);
    assert_int_equal(again.damaged, 1);
    trace_chunks_release(&again);
    trace_chunks_release(&list);
    trace_chunk_release(&c);
    close(fd);
    close(out);
}

int main(void)
{
    scratch_directory_enter();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_streams_go_on),
        cmocka_unit_test(test_chunks),
        cmocka_unit_test(test_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
