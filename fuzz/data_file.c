/*
 * A run file with damage. The input is a list of patches to a good file, ten bytes each: which word
 * (two bytes), and its new value. So small inputs reach every field. The first two bytes say how
 * much of the file is kept. The file is decoded against its program, all the way. Then it is taken for
 * the only part of a run: what it is joined to must be a run file.
 */
#include "../tests/lib/made_files.h"
#include "decode/decode.h"
#include "decode/lines/lines.h"
#include "format/data/join.h"
#include "format/places/places.h"

#include <sys/mman.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char program[64], input[64];
static int input_fd;
static struct made_run good;

/* loop is inlined into main; a call in each, an access, a count, a branch. */
static void make_places(struct buffer *b, const struct map_function *f)
{
    static const uint8_t positions[] = {1, 1, 1, 0, 3,          /* a loop with a counter that was moved out */
                                        1, 2, 1, 0, 1, 1, 0, 1, /* a stretch of two counts */
                                        3, 0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 0, 0, 0, 1, 1};
    static const uint8_t rows[] = {4,
                                   0,
                                   0,
                                   0,
                                   1 * 8 + PLACE_CALL,
                                   8,
                                   0,
                                   0,
                                   0,
                                   2 * 8 + PLACE_CALL,
                                   9,
                                   0,
                                   0,
                                   0,
                                   3 * 8 + PLACE_ACCESS,
                                   11,
                                   0,
                                   0,
                                   0,
                                   1 * 8 + PLACE_INCREMENT,
                                   0,
                                   2,
                                   1,
                                   12,
                                   0,
                                   0,
                                   0,
                                   3 * 8 + PLACE_BRANCH};
    buffer_add_u32(b, PLACES_MAGIC_WHOLE);
    buffer_add_u32(b, (uint32_t)(8 + 4 + 1 + 16 + sizeof positions + sizeof rows + 8));
    buffer_add_u64(b, 4096);
    buffer_add_u32(b, 16);
    buffer_add_varint(b, 2);
    buffer_add_u64(b, f[0].key);
    buffer_add_u64(b, f[1].key);
    buffer_add(b, positions, sizeof positions);
    buffer_add(b, rows, sizeof rows);
    buffer_add_u64(b, hash_bytes(b->data + 8, b->length - 8));
}

static void prepare(void)
{
    static const enum placement sets[] = {PLACEMENT_EDGES, PLACEMENT_EVERY_EDGE, PLACEMENT_BALANCE};
    static const int64_t once[] = {1, 0, 1, 0, 1, 1}, loop[] = {2, 40, 2, 2};
    struct map_function f[2];
    made_function(&f[0], "main", 4, "0>1 0>2 1>3 2>3 3>x", sets, 3);
    f[0].flags = MAP_FUNCTION_MAIN;
    made_function(&f[1], "loop", 2, "0>1 1>1 1>x", sets, 2);
    int program_fd = memfd_create("program", 0);
    input_fd = memfd_create("input", 0);
    snprintf(program, sizeof program, "/proc/self/fd/%d", program_fd);
    snprintf(input, sizeof input, "/proc/self/fd/%d", input_fd);
    struct buffer places = {0}, ignored = {0};
    for (int i = 0; i < 2; i++) {
        f[i].blocks[i].call_count = 1;
        f[i].blocks[i].calls = ALLOC(struct map_call, 1);
        f[i].blocks[i].calls[0] = (struct map_call){.callee = MAP_CALLEE_UNKNOWN, .invoke = i};
        map_write_function(&ignored, &f[i]); /* for the key */
    }
    make_places(&places, f);
    made_program_with(program, "BUILD-1", f, 2, &places);
    buffer_release(&places);
    buffer_release(&ignored);
    made_run(&good, "prog", "BUILD-1");
    made_counters(&f[0], once, made_array(&good, &f[0]));
    made_counters(&f[1], loop, made_array(&good, &f[1]));
    made_frame_count(&good, DATA_FRAME_CUT, 4100, 1);
    made_frame_count(&good, DATA_FRAME_RESUME, 4100, 1);
    made_frame_count(&good, DATA_FRAME_CUT_AT, 4105, 0);
    made_frame_count(&good, DATA_FRAME_UNWIND, 4104, 0);
    map_function_release(&f[0]);
    map_function_release(&f[1]);
}

static void join(void)
{
    uint32_t kind;
    uint64_t length;
    struct data_file part, joined;
    struct error error;
    const char *name = "part";
    int fd = data_open(input, &kind, &length, &error), to = memfd_create("joined", 0);
    if (fd >= 0 && kind != DATA_KIND_RUN)
        close(fd);
    else if (fd >= 0 && data_file_read(&part, fd, &error)) {
        if (!part.header.parts)
            part.header.part = part.header.parts = 1;
        if (data_join(to, &part, &name, 1, &error)) {
            char path[64];
            snprintf(path, sizeof path, "/proc/self/fd/%d", to);
            fd = data_open(path, &kind, &length, &error);
            if (fd < 0 || !data_file_read(&joined, fd, &error)) {
                fprintf(stderr, "the joined file %s\n", error.text);
                abort();
            }
            for (size_t i = 0; i < joined.slots.count; i++)
                if (!data_check_block(&joined, &joined.slots.items[i], &error))
                    abort();
            data_file_release(&joined);
        }
        data_file_release(&part);
    }
    close(to);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!input_fd)
        prepare();
    struct made_run r = good;
    if (size >= 2) {
        r.length = r.length * (size_t)(data[0] << 8 | data[1]) / 65535;
        data += 2;
        size -= 2;
    }
    for (; size >= 10; data += 10, size -= 10) {
        size_t word = (size_t)(data[0] << 8 | data[1]) % (sizeof r.bytes / 8);
        memcpy(r.bytes + 8 * word, data + 2, 8);
    }
    if (ftruncate(input_fd, 0) || pwrite(input_fd, r.bytes, r.length, 0) != (ssize_t)r.length)
        abort();
    struct profile profile;
    struct error error;
    struct decode_totals totals;
    const char *const inputs[] = {input};
    if (decode(&profile, program, inputs, 1, NULL, &totals, &error)) {
        struct file_lines_list lines;
        lines_count(&profile, &lines);
        lines_release(&lines);
        for (size_t i = 0; i < profile.functions.count; i++) /* a count below zero must never be shown */
            for (uint32_t e = 0; e < profile.functions.items[i].map.graph.edge_count; e++)
                if (profile.functions.items[i].edge_counts[e] < 0)
                    abort();
    }
    profile_release(&profile);
    join();
    return 0;
}
