/*
 * chunks_alone PROGRAM DATA...: regenerates each stream of a trace whole, and each of its chunks alone, and
 * compares: the same steps, in the same order, at the same places. Prints a line for each stream: its number,
 * how many steps and blocks, and a hash of the sequence, which is the same however a trace is packed; the
 * last line is the sum. The status is 1 when something differs or is lost.
 *
 * The hash of a sequence is a polynomial, so that it follows from those of its parts: H(a b) = H(a) M^|b| +
 * H(b).
 */
#include "base/hash.h"
#include "base/memory.h"
#include "decode/trace/modules.h"

#include <inttypes.h>
#include <stdio.h>

struct sequence {
    uint64_t hash, power, steps; /* power: M^steps */
};
static const struct sequence nothing = {.power = 1};
static const uint64_t multiplier = UINT64_C(0x9E3779B97F4A7C15);

static void append(struct sequence *s, const struct sequence *more)
{
    s->hash = s->hash * more->power + more->hash;
    s->power *= more->power;
    s->steps += more->steps;
}

static struct sequence step(const struct trace_program *program, const struct replay_item *item)
{
    const uint64_t words[] = {program->functions[item->function].id, item->kind, item->block, item->from,
                              item->edge};
    return (struct sequence){.hash = hash_bytes(words, sizeof words), .power = multiplier, .steps = 1};
}

struct chunks ARRAY_OF(struct sequence);

/* Hears a walk. What its runs say is hashed once for each run. */
struct hearing {
    const struct trace_program *program;
    struct chunks *of_run; /* by id; no steps: not hashed yet */
    struct sequence all;
    const struct chunks *alone; /* what each chunk must say, in the order of the walk; or NULL */
    size_t chunk;
    struct sequence part; /* of that chunk so far */
    size_t wrong;
};

static void chunk_is_over(struct hearing *h)
{
    while (h->chunk < h->alone->count && h->part.steps == h->alone->items[h->chunk].steps) {
        h->wrong += h->part.hash != h->alone->items[h->chunk].hash;
        h->part = nothing;
        h->chunk++;
    }
}

static void hear_run(struct hearing *h, const struct replay_run *run)
{
    struct chunks *known = h->of_run;
    while (known->count <= run->id)
        ARRAY_PUSH(known, nothing);
    struct sequence *sum = &known->items[run->id];
    if (!sum->steps)
        for (uint32_t i = 0; i < run->item_count; i++) {
            struct sequence one = step(h->program, &run->items[i]);
            append(sum, &one);
        }
    append(&h->all, sum);
    if (!h->alone)
        return;
    if (h->chunk < h->alone->count && h->part.steps + sum->steps <= h->alone->items[h->chunk].steps) {
        append(&h->part, sum);
        chunk_is_over(h);
        return;
    }
    for (uint32_t i = 0; i < run->item_count; i++) {
        struct sequence one = step(h->program, &run->items[i]);
        append(&h->part, &one);
        chunk_is_over(h);
    }
}

static bool hear(void *context, const struct replay_run *const *runs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        hear_run(context, runs[i]);
    return true;
}

struct sums {
    uint64_t streams, chunks, blocks;
};

/* Returns the number of things that are wrong. */
static size_t check_stream(const struct trace_file *file, const struct trace_part *part,
                           struct trace_modules *modules, struct chunks *of_run, struct sums *sums)
{
    const struct trace_chunk_entry *entries = file->chunks.entries.items + part->first_chunk;
    struct chunks alone = {0};
    uint64_t blocks = 0, lost = 0;
    for (size_t first = 0, end; first < part->chunk_count; first = end) {
        end = first + 1;
        while (end < part->chunk_count && !(entries[end].flags & TRACE_CHUNK_ALONE))
            end++;
        struct hearing h = {.program = &modules->program, .of_run = of_run, .all = nothing, .part = nothing};
        const struct trace_listener listener = {.context = &h, .runs = hear};
        struct trace_walk walk = {.file = file,
                                  .part = part,
                                  .program = modules->replay,
                                  .listener = &listener,
                                  .resolver = &modules->resolver,
                                  .range_first = first,
                                  .range_end = end};
        trace_walk(&walk);
        blocks += walk.done.blocks;
        lost += walk.lost;
        ARRAY_PUSH(&alone, h.all);
    }
    struct hearing h = {.program = &modules->program,
                        .of_run = of_run,
                        .all = nothing,
                        .part = nothing,
                        .alone = part->chunk_count ? &alone : NULL};
    const struct trace_listener listener = {.context = &h, .runs = hear};
    struct trace_walk walk = {.file = file,
                              .part = part,
                              .program = modules->replay,
                              .listener = &listener,
                              .resolver = &modules->resolver};
    if (h.alone)
        chunk_is_over(&h); /* those that say nothing */
    trace_walk(&walk);
    printf("%u %" PRIu64 " %" PRIu64 " %016" PRIx64 "\n", part->stream, h.all.steps, walk.done.blocks,
           h.all.hash);
    if (h.alone)
        h.wrong += (alone.count - h.chunk) + (h.part.steps != 0) + (blocks != walk.done.blocks);
    if (h.wrong || lost || walk.lost)
        fprintf(stderr,
                "%s: stream %u: %zu of %zu chunks alone differ from the whole, %" PRIu64 " and %" PRIu64
                " parts are lost\n",
                file->path, part->stream, h.wrong, part->chunk_count, lost, walk.lost);
    size_t wrong = h.wrong + (size_t)lost + (size_t)walk.lost;
    sums->streams++;
    sums->chunks += part->chunk_count;
    sums->blocks += walk.done.blocks;
    ARRAY_RELEASE(&alone);
    return wrong;
}

static bool check_file(const char *program, const char *path, struct sums *sums, size_t *wrong,
                       struct error *error)
{
    struct trace_file file;
    struct data_file data;
    struct trace_modules modules;
    struct chunks of_run = {0};
    uint32_t kind;
    uint64_t size;
    if (!trace_file_open(&file, path, error))
        return false;
    int fd = data_open(path, &kind, &size, error);
    if (fd < 0 || !data_file_read(&data, fd, error) ||
        !trace_modules_load(&modules, program, &data, NULL, error))
        return false;
    for (size_t i = 0; i < file.parts.count; i++)
        *wrong += check_stream(&file, &file.parts.items[i], &modules, &of_run, sums);
    ARRAY_RELEASE(&of_run);
    trace_modules_release(&modules);
    data_file_release(&data);
    trace_file_close(&file);
    return true;
}

int main(int argc, char **argv)
{
    struct sums sums = {0};
    size_t wrong = 0;
    for (int i = 2; i < argc; i++) {
        struct error error = {""};
        if (!check_file(argv[1], argv[i], &sums, &wrong, &error)) {
            fprintf(stderr, "%s: %s\n", argv[i], error.text);
            wrong++;
        }
    }
    printf("%" PRIu64 " streams, %" PRIu64 " chunks, %" PRIu64 " blocks\n", sums.streams, sums.chunks,
           sums.blocks);
    return wrong != 0 || !sums.streams;
}
