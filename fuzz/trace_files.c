/*
 * An events file and a data file with chunks, both with damage. The input is a list of patches,
 * twelve bytes each: which file (and, for chunks, whether checksums are made right again
 * afterwards), where (three bytes), and the eight new bytes. All streams are regenerated with
 * addresses and counted, and once more to be shown; the rest of the input says how.
 */
#include "../tests/lib/made_files.h"
#include "../tests/lib/made_trace.h"
#include "base/hash.h"
#include "decode/trace/addresses.h"
#include "decode/trace/file.h"
#include "report/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { EVENTS_KEPT = 3, DATA_MOST = 1 << 17, BLOCKS = 8, ACCESSES = 15 };

static char directory[] = "/dev/shm/cotree-fuzz-XXXXXX", data_path[64], events_path[80];
static struct map_function functions[2];
static struct trace_program program;
static struct replay_program *replay;
static int data_fd, events_fd;
static FILE *nowhere;
static uint64_t words[64]; /* of a stream */
static size_t word_count;
static struct buffer packed_words;
static uint8_t good[DATA_MOST];
static size_t good_length;
static const uint8_t events[] = {1, 1, 2, 2};
static const struct trace_record records[] = {{1000, 0}, {1001, 3}, {TRACE_END, 4}, {TRACE_END_CLEAN, 0}};

static void write_events(void)
{
    struct made_trace t;
    made_trace(&t, events_path);
    for (uint32_t stream = 0; stream < EVENTS_KEPT; stream++) {
        made_stream(&t, stream, stream == 1 ? 3 : 0, 0);
        made_events(&t, stream, events, sizeof events);
        made_words(&t, stream, words, word_count);
        for (size_t i = 0; i < sizeof records / sizeof *records; i++)
            made_record(&t, stream, records[i].what, records[i].calls);
    }
    close(t.fd);
}

static void clean_up(void)
{
    unlink(data_path);
    unlink(events_path);
    rmdir(directory);
}

/* What the program did: accesses by their slots (main has 8, leaf 3), and marks. */
static const int did[] = {
    -TRACE_MARK_BEGIN, -TRACE_MARK_ENTER, 0, 8, 9, 1, 2, 3, 4, 5, 3, -TRACE_MARK_ENTER, 8, 10, 4, 5, 6, 7};

static void make_words(void)
{
    struct trace_word_writer w = {0};
    trace_word_model_init(&w.model, 11);
    for (size_t i = 0; i < sizeof did / sizeof *did; i++) {
        words[i] = did[i] < 0 ? TRACE_MARK_WORD((uint64_t)-did[i]) : 0x10000 + 16 * i;
        if (did[i] < 0)
            trace_word_writer_mark(&w, (enum trace_mark) - did[i]);
        else
            trace_word_writer_add(&w, (size_t)did[i], words[i] - TRACE_WORD_MORE);
    }
    word_count = sizeof did / sizeof *did;
    trace_word_writer_pack(&w, &packed_words);
    trace_word_writer_release(&w);
}

static void prepare(void)
{
    static const uint32_t main_values[] = {0, 1, 2, 0}, leaf_values[] = {1, 2, 0, 0};
    static const uint32_t main_calls[] = {MAP_TRACE_KNOWN, MAP_TRACE_UNKNOWN, MADE_NO_CALL};
    static const uint32_t leaf_calls[] = {MADE_NO_CALL, MADE_NO_CALL, MADE_NO_CALL};
    struct error error;
    if (!mkdtemp(directory))
        abort();
    atexit(clean_up);
    snprintf(data_path, sizeof data_path, "%s/a.cotree", directory);
    snprintf(events_path, sizeof events_path, "%s-events", data_path);
    made_function(&functions[0], "main", 3, "0>1 1>1 1>2 2>x", NULL, 0);
    made_function(&functions[1], "leaf", 3, "0>1 0>2 1>x 2>x", NULL, 0);
    made_traced(&functions[0], 1000, main_values, 4, main_calls, 1001);
    made_traced(&functions[1], 1001, leaf_values, 4, leaf_calls, 1001);
    made_accesses(&functions[0], 1, 2);
    made_accesses(&functions[1], 1, 1);
    const struct map_function *maps[] = {&functions[0], &functions[1]};
    trace_program_make_of(&program, maps, 2);
    replay = trace_program_replay(&program, &error);
    make_words();
    struct made_run run;
    struct trace_packer packer;
    made_run(&run, "prog", "ID");
    made_header(&run)->pid = 1; /* as the events file says; events files of other processes are refused */
    made_run_write(&run, data_path);
    if (!replay || !trace_packer_open(&packer, data_path, &error))
        abort();
    const struct replay_consumer nobody = {0};
    struct replay *start = replay_make(replay, &nobody);
    replay_begin(start, MADE_EVENTS_ADDRESS, 0);
    for (uint32_t i = 0; i < 4; i++) {
        struct trace_chunk c = {.entry = {.pid = 1, .stream = i / 2, .number = i % 2, .blocks = BLOCKS}};
        replay_save(start, &c.sync);
        buffer_add(&c.events, events, sizeof events);
        buffer_add(&c.words, packed_words.data, packed_words.length);
        for (size_t k = 0; k < sizeof records / sizeof *records; k++)
            ARRAY_PUSH(&c.records, records[k]);
        if (!trace_packer_add(&packer, &c, &error))
            abort();
        trace_chunk_release(&c);
    }
    replay_free(start);
    trace_packer_close(&packer);
    int fd = open(data_path, O_RDONLY);
    ssize_t length = read(fd, good, sizeof good);
    if (length <= 0)
        abort();
    good_length = (size_t)length;
    close(fd);
    write_events();
    data_fd = open(data_path, O_WRONLY);
    events_fd = open(events_path, O_RDWR);
    nowhere = fopen("/dev/null", "w");
    if (data_fd < 0 || events_fd < 0 || !nowhere)
        abort();
}

/* Files stay, since making them takes longer than reading them: the bytes that a patch of the
 * events file replaces are put back. */
struct patch {
    uint64_t offset;
    uint8_t old[8];
};
static struct ARRAY_OF(struct patch) patches;

static void patch_events(const uint8_t *bytes, uint64_t offset)
{
    struct patch *p = ARRAY_ADD(&patches);
    *p = (struct patch){.offset = offset};
    if (pread(events_fd, p->old, sizeof p->old, (off_t)offset) != sizeof p->old)
        abort();
    made_put(events_fd, bytes, sizeof p->old, offset);
}

static void take_patches_back(void)
{
    for (size_t i = patches.count; i-- > 0;)
        made_put(events_fd, patches.items[i].old, sizeof patches.items[i].old, patches.items[i].offset);
    patches.count = 0;
}

/* Entries and chunks as their writer would have made them, whatever they hold. */
static void make_right(uint8_t *bytes)
{
    uint64_t at = ((const struct data_header *)bytes)->traces;
    if (at > good_length - DATA_PAGE)
        return;
    struct trace_chunk_page page;
    memcpy(&page, bytes + at, sizeof page);
    for (uint32_t i = 0; i < TRACE_CHUNKS_A_PAGE; i++) {
        struct trace_chunk_entry *e = &page.entries[i];
        if (!e->check)
            continue;
        if (e->stored.offset < good_length && e->stored.length <= good_length - e->stored.offset)
            e->stored.hash = hash_bytes(bytes + e->stored.offset, e->stored.length);
        e->check = hash_bytes(&e->stored, sizeof *e - offsetof(struct trace_chunk_entry, stored));
    }
    memcpy(bytes + at, &page, sizeof page);
}

static bool take_runs(void *context, const struct replay_run *const *runs, size_t count)
{
    uint64_t *blocks = context;
    for (size_t i = 0; i < count; i++)
        *blocks += runs[i]->block_count;
    return *blocks < 1000000;
}

static void walk_part(const struct trace_file *file, size_t index, bool patched)
{
    uint64_t blocks = 0;
    struct trace_addresses addresses;
    trace_addresses_init(&addresses, &program);
    const struct trace_listener listener = {.context = &blocks, .addresses = &addresses, .runs = take_runs};
    struct trace_walk walk = {.file = file,
                              .part = &file->parts.items[index],
                              .program = replay,
                              .listener = &listener,
                              .from_block = index};
    trace_walk_find(&walk);
    trace_walk(&walk);
    if (walk.done.blocks != blocks)
        abort();
    if (!patched && walk.part->stream == EVENTS_KEPT - 1 &&
        (walk.lost || blocks != BLOCKS || addresses.loads != ACCESSES))
        abort(); /* a file without damage must be good */
    trace_addresses_release(&addresses);
}

/* Shows the lists that people read, and one of the exports. */
static void show_parts(const struct trace_file *file, uint8_t how)
{
    struct trace_view v;
    const struct trace_format *format = how % 6 == 5 ? &trace_format_list : &trace_formats[how % 6];
    trace_view_init(&v, &program, false);
    v.addresses = how & 8;
    v.last = how & 16 ? 3 : 0;
    struct error error;
    if (how & 32 && !trace_spot_set(&v.from, &v, "leaf", &error))
        abort();
    v.out = nowhere;
    void *memory = format->begin(&v);
    for (size_t i = 0; i < file->parts.count && i < 64; i++) {
        struct trace_walk walk = {.file = file, .part = &file->parts.items[i], .program = replay};
        struct trace_turns turns = {0};
        trace_turns_find(&turns, &walk);
        for (size_t k = 0; k < turns.count; k++)
            trace_show_stream(&v, format, memory, &walk, &turns.items[k]);
        ARRAY_RELEASE(&turns);
    }
    format->end(memory);
    trace_view_release(&v);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t bytes[DATA_MOST];
    if (!replay)
        prepare();
    memcpy(bytes, good, good_length);
    const uint8_t how = size % 12 ? data[size - 1] : 5;
    bool right = false, patched = size >= 12;
    for (; size >= 12; data += 12, size -= 12) {
        uint64_t at = (uint64_t)data[1] << 16 | (uint64_t)data[2] << 8 | data[3];
        right |= data[0] & 2;
        if (data[0] & 1)
            memcpy(bytes + at % (good_length - 8), data + 4, 8);
        else /* header and streams, or the start of a region */
            patch_events(data + 4, data[0] & 8 ? TRACE_ADDRESSES_OFFSET + at % 256
                                   : data[0] & 4
                                       ? made_region(data[1] % 3 + (data[1] & 64 ? MADE_WORDS_REGION : 0),
                                                     data[1] & 32) +
                                             at % 160
                                       : at % 8192);
    }
    if (right)
        make_right(bytes);
    made_put(data_fd, bytes, good_length, 0);
    struct trace_file file;
    struct error error;
    if (trace_file_open(&file, data_path, &error)) {
        for (size_t i = 0; i < file.parts.count && i < 64; i++)
            walk_part(&file, i, patched);
        show_parts(&file, how);
        trace_file_close(&file);
    }
    take_patches_back();
    return 0;
}
