/*
 * witnesses PROGRAM DATA...: how fast traces are regenerated, and what each placement of witnesses would have
 * written in the same runs. The blocks that ran are known from the trace, so nothing has to be compiled
 * again: what a placement would have written is written here, and packed as chunks are. Records are the same
 * for all.
 *
 * Each placement is planned by guessed weights, and once more by what ran: the difference is what a better
 * guess is worth. bench/trace.sh reads what this prints: a line of sums, then a line for each placement.
 */
#include "base/buffer.h"
#include "base/memory.h"
#include "decode/elf/map.h"
#include "decode/trace/file.h"
#include "decode/trace/program.h"
#include "graph/weights.h"
#include "plan/witness.h"
#include "plan/witness_paths.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

enum coding {
    CODING_BUILT,  /* the values of the program's own map */
    CODING_BYTES,  /* one byte, or two where a function has more than 255 values */
    CODING_TARGET, /* bits: which of the predicate's targets */
    CODING_SHARED, /* bits: as many as the function's values need, witnesses that need not be told apart being
                      the same value */
    CODING_SHORT_PATHS, /* numbers of paths, at most as many as a byte has room for; the forest where there
                           are none (plan/witness_paths.h) */
    CODING_PATHS,       /* the same, two bytes where a function has more */
};
static const struct way {
    const char *name;
    enum witness_placement placement;
    enum coding coding;
} ways[] = {
    {"as-built", 0, CODING_BUILT},
    {"forest", WITNESS_FOREST, CODING_BYTES},
    {"forest-first", WITNESS_FOREST_FIRST, CODING_BYTES},
    {"calls", WITNESS_CALLS, CODING_BYTES},
    {"predicates", WITNESS_PREDICATES, CODING_BYTES},
    {"packed-bits", WITNESS_PREDICATES, CODING_TARGET},
    {"log2", WITNESS_FOREST, CODING_SHARED},
    {"paths", WITNESS_FOREST, CODING_PATHS},
};
enum { WAYS = sizeof ways / sizeof *ways };

/* ---- What the edges of a function write ---- */

struct code {
    uint16_t value;
    uint8_t width; /* bits; 0: nothing is written */
    bool adds;     /* value is added to the sum, which is written; otherwise it is what is written */
    bool ends;
    uint16_t next; /* what the sum begins with behind it, if it ends */
};
struct costs {
    uint64_t by_what_ran; /* events, had it been planned so */
    uint32_t edges, refused;
};

static uint8_t bits_for(uint32_t count)
{
    uint8_t bits = 1;
    while (bits < 16 && count > 1u << bits)
        bits++;
    return bits;
}

static void code_targets(const struct graph *g, const uint32_t *edge_of, struct code *codes)
{
    uint32_t *targets = ZALLOC(uint32_t, g->vertex_count + 1);
    for (uint32_t e = 0; e < g->edge_count; e++)
        codes[edge_of[e]].value = (uint16_t)targets[g->edges[e].from]++;
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (targets[g->edges[e].from] > 1)
            codes[edge_of[e]].width = bits_for(targets[g->edges[e].from]);
    free(targets);
}

static void code_values(const struct witness_plan *plan, const struct graph *g, const uint32_t *edge_of,
                        bool bits, struct code *codes)
{
    uint8_t width = bits ? bits_for(plan->value_count) : (uint8_t)(8 * witness_width(plan->value_count));
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (plan->value[e])
            codes[edge_of[e]] = (struct code){(uint16_t)(bits ? plan->value[e] - 1 : plan->value[e]), width};
}

static bool *emitting(const struct map_function *map, const struct trace_program *program)
{
    const struct map_trace *t = map->trace;
    bool *may_emit = ZALLOC(bool, map->graph.vertex_count + 1);
    for (uint32_t v = 0; v < graph_exit(&map->graph); v++) {
        may_emit[v] = t->resumes[v];
        for (uint32_t k = t->first[v]; k < t->first[v + 1]; k++) {
            uint32_t kind = t->calls[k];
            may_emit[v] |= kind == MAP_TRACE_UNKNOWN || kind == MAP_TRACE_JUMP;
            if (kind >= MAP_TRACE_KNOWN) {
                uint32_t index = replay_places_find(&program->places, t->callees[kind - MAP_TRACE_KNOWN], 0);
                may_emit[v] |= index == GRAPH_NONE || !program->maps[index]->trace->silent;
            }
        }
    }
    return may_emit;
}

/* False: the function has no numbers. */
static bool code_paths(const struct graph *g, const uint32_t *edge_of, const bool *may_emit,
                       const double *weights, struct code *codes)
{
    uint32_t *marks = ZALLOC(uint32_t, g->edge_count + 1);
    struct witness_paths p;
    struct error error;
    bool good = witness_paths_mark(marks, g, may_emit, weights, NULL, &error) &&
                witness_paths_number(&p, g, marks, may_emit, &error);
    if (good) {
        bool *goes_on = ZALLOC(bool, g->vertex_count + 1);
        for (uint32_t e = 0; e < g->edge_count; e++)
            goes_on[g->edges[e].to] |= witness_path_kind(marks[e]) == WITNESS_PATH_ADDS;
        for (uint32_t e = 0; e < g->edge_count; e++) {
            uint32_t from = g->edges[e].from, to = g->edges[e].to;
            bool writes = witness_path_kind(marks[e]) == WITNESS_PATH_WRITES;
            codes[edge_of[e]] =
                (struct code){.value = (uint16_t)(p.add[e] + (goes_on[from] ? 0 : p.base[from] + 1)),
                              .width = writes ? 8 : 0,
                              .adds = goes_on[from],
                              .ends = witness_path_kind(marks[e]) != WITNESS_PATH_ADDS,
                              .next = (uint16_t)(p.base[to] + 1)};
        }
        free(goes_on);
        witness_paths_release(&p);
    }
    free(marks);
    return good;
}

/* The codes of the function's edges; `ran` says how often each of them was walked. */
static struct code *code_function(const struct map_function *map, const struct trace_program *program,
                                  const struct way *way, const uint64_t *ran, struct costs *costs)
{
    struct code *codes = ZALLOC(struct code, map->graph.edge_count + 1);
    struct graph g;
    uint32_t *edge_of;
    struct error error;
    map_trace_graph(map, &g, &edge_of);
    double *weights = ALLOC(double, map->graph.edge_count + 1), *walked = ALLOC(double, g.edge_count + 1);
    bool *may_emit = emitting(map, program);
    weights_guess(&map->graph, &weight_defaults, weights);
    for (int by_runs = 0; way->placement && by_runs < 2; by_runs++) {
        struct witness_plan plan;
        for (uint32_t e = 0; e < g.edge_count; e++)
            walked[e] = by_runs ? (double)ran[edge_of[e]] : weights[edge_of[e]];
        if (!witness_make(&plan, &g, way->placement, may_emit, walked, NULL, &error)) {
            costs->refused++;
            continue;
        }
        if (way->coding == CODING_PATHS && code_paths(&g, edge_of, may_emit, walked, codes)) {
            for (uint32_t e = 0; by_runs && e < g.edge_count; e++)
                costs->by_what_ran += codes[edge_of[e]].width ? ran[edge_of[e]] : 0;
            witness_release(&plan);
            continue;
        }
        for (uint32_t e = 0; by_runs && e < g.edge_count; e++)
            costs->by_what_ran += plan.value[e] ? ran[edge_of[e]] : 0;
        if (!by_runs && way->coding == CODING_SHARED)
            witness_share_values(&plan, &g);
        if (!by_runs && way->coding == CODING_TARGET)
            code_targets(&g, edge_of, codes);
        else if (!by_runs)
            code_values(&plan, &g, edge_of, way->coding == CODING_SHARED, codes);
        witness_release(&plan);
    }
    for (uint32_t e = 0; e < map->graph.edge_count; e++) {
        if (way->coding == CODING_BUILT && map->trace->values[e]) {
            codes[e].value = (uint16_t)map->trace->values[e];
            codes[e].width = (uint8_t)(8 * witness_width(map->trace->value_count));
            costs->by_what_ran += ran[e];
        }
        costs->edges += codes[e].width != 0;
    }
    graph_release(&g);
    free(edge_of);
    free(weights);
    free(walked);
    free(may_emit);
    return codes;
}

/* ---- Writing ---- */

struct piece {
    bool made;
    size_t at, count;
};
struct writer {
    struct code **codes; /* by function, by edge */
    bool bytes;
    struct ARRAY_OF(struct piece) pieces; /* by run: what it writes, in pool */
    struct ARRAY_OF(struct code) pool;
    struct buffer raw; /* the chunk that is being filled */
    uint64_t bits, events, packed;
    uint32_t sum; /* of the stretch that has begun: while it goes on nobody else writes */
    unsigned pending, pending_bits;
};

static void pack(struct writer *w)
{
    struct buffer packed = {0};
    w->packed += trace_pack_bytes(&packed, w->raw.data, w->raw.length);
    w->raw.length = 0;
    buffer_release(&packed);
}

static void add_byte(struct writer *w, uint8_t byte)
{
    *buffer_room(&w->raw, 1) = byte;
    if (++w->raw.length >= TRACE_CHUNK_EVENTS)
        pack(w);
}

static void add_code(struct writer *w, const struct code *c)
{
    w->sum = c->value + (c->adds ? w->sum : 0);
    uint32_t sum = w->sum;
    if (c->ends)
        w->sum = c->next;
    if (!c->width)
        return;
    w->events++;
    w->bits += c->width;
    if (w->bytes) {
        uint8_t bytes[2];
        witness_bytes(sum, bytes);
        add_byte(w, bytes[0]);
        if (c->width == 16)
            add_byte(w, bytes[1]);
        return;
    }
    w->pending |= (unsigned)c->value << w->pending_bits;
    w->pending_bits += c->width;
    for (; w->pending_bits >= 8; w->pending_bits -= 8, w->pending >>= 8)
        add_byte(w, (uint8_t)w->pending);
}

static void write_run(struct writer *w, const struct replay_run *run)
{
    while (w->pieces.count <= run->id)
        *ARRAY_ADD(&w->pieces) = (struct piece){0};
    struct piece *p = &w->pieces.items[run->id];
    if (!p->made) {
        *p = (struct piece){.made = true, .at = w->pool.count};
        for (uint32_t i = 0; i < run->item_count; i++) {
            const struct replay_item *item = &run->items[i];
            const struct code *c = item->edge == GRAPH_NONE ? NULL : &w->codes[item->function][item->edge];
            if (c && (c->width || c->value || c->ends))
                ARRAY_PUSH(&w->pool, *c);
        }
        p->count = w->pool.count - p->at;
    }
    for (size_t i = 0; i < p->count; i++)
        add_code(w, &w->pool.items[p->at + i]);
}

/* ---- Walks ---- */

static bool write_runs(void *context, const struct replay_run *const *runs, size_t count)
{
    struct writer *writers = context;
    for (size_t w = 0; w < WAYS; w++)
        for (size_t i = 0; i < count; i++)
            write_run(&writers[w], runs[i]);
    return true;
}

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct sums {
    uint64_t blocks, branches, events, records, packed, lost;
    double seconds;
};

static bool walk_all(struct replay_program *replay, char **paths, int count,
                     const struct trace_listener *listener, struct sums *sums)
{
    *sums = (struct sums){0};
    for (int k = 0; k < count; k++) {
        struct error error = {""};
        struct trace_file file;
        if (!trace_file_open(&file, paths[k], &error)) {
            fprintf(stderr, "witnesses: %s: %s\n", paths[k], error.text);
            return false;
        }
        double start = cpu_seconds();
        for (size_t i = 0; i < file.parts.count; i++) {
            struct trace_walk walk = {
                .file = &file, .part = &file.parts.items[i], .program = replay, .listener = listener};
            trace_walk(&walk);
            sums->blocks += walk.done.blocks;
            sums->branches += walk.done.branches;
            sums->events += walk.done.events;
            sums->records += walk.done.records;
            sums->packed += file.parts.items[i].packed;
            sums->lost += walk.lost;
        }
        sums->seconds += cpu_seconds() - start;
        trace_file_close(&file);
    }
    return true;
}

static uint64_t **edges_that_ran(const struct trace_program *program, const struct replay_program *replay)
{
    uint64_t **ran = ALLOC(uint64_t *, program->count + 1);
    for (size_t i = 0; i < program->count; i++)
        ran[i] = ZALLOC(uint64_t, program->maps[i]->graph.edge_count + 1);
    uint64_t *times = ALLOC(uint64_t, (size_t)replay_run_count(replay) + 1);
    replay_count_runs(replay, times);
    for (uint32_t id = 0; id < replay_run_count(replay); id++) {
        const struct replay_run *run = replay_run_at(replay, id);
        for (uint32_t k = 0; k < run->item_count; k++)
            if (run->items[k].edge != GRAPH_NONE)
                ran[run->items[k].function][run->items[k].edge] += times[id];
    }
    free(times);
    return ran;
}

static bool measure(const struct trace_program *program, char **paths, int count)
{
    struct error error = {""};
    struct writer writers[WAYS] = {0};
    struct costs costs[WAYS] = {0};
    struct sums sums, again;
    const struct trace_listener counting = {0};
    const struct trace_listener writing = {.context = writers, .runs = write_runs};
    struct replay_program *replay = trace_program_replay(program, &error);
    if (!replay) {
        fprintf(stderr, "witnesses: %s\n", error.text);
        return false;
    }
    if (!walk_all(replay, paths, count, &counting, &sums))
        return false;
    uint64_t **ran = edges_that_ran(program, replay);
    for (size_t w = 0; w < WAYS; w++) {
        writers[w].bytes = ways[w].coding <= CODING_BYTES || ways[w].coding == CODING_PATHS;
        writers[w].codes = ALLOC(struct code *, program->count + 1);
        for (size_t i = 0; i < program->count; i++)
            writers[w].codes[i] = code_function(program->maps[i], program, &ways[w], ran[i], &costs[w]);
    }
    if (!walk_all(replay, paths, count, &writing, &again))
        return false;

    printf("blocks %" PRIu64 " branches %" PRIu64 " events %" PRIu64 " records %" PRIu64 " packed %" PRIu64
           " lost %" PRIu64 " seconds %.6f\n",
           sums.blocks, sums.branches, sums.events, sums.records, sums.packed, sums.lost, sums.seconds);
    printf("%-12s %14s %16s %16s %14s %14s %8s\n", "placement", "events", "bytes", "packed bytes",
           "bits/branch", "by what ran", "edges");
    for (size_t w = 0; w < WAYS; w++) {
        struct writer *out = &writers[w];
        pack(out);
        printf("%-12s %14" PRIu64 " %16" PRIu64 " %16" PRIu64 " %14.4f %14" PRIu64 " %8u%s\n", ways[w].name,
               out->events, (out->bits + 7) / 8, out->packed,
               8.0 * (double)out->packed / (double)(sums.branches ? sums.branches : 1), costs[w].by_what_ran,
               costs[w].edges, costs[w].refused ? " (some refused)" : "");
        for (size_t i = 0; i < program->count; i++)
            free(out->codes[i]);
        free(out->codes);
        ARRAY_RELEASE(&out->pieces);
        ARRAY_RELEASE(&out->pool);
        buffer_release(&out->raw);
    }
    for (size_t i = 0; i < program->count; i++)
        free(ran[i]);
    free(ran);
    replay_program_free(replay);
    return true;
}

int main(int argc, char **argv)
{
    struct error error = {""};
    struct elf_module module;
    if (argc < 3 || !elf_module_read(&module, argv[1], NULL, &error)) {
        fprintf(stderr, "usage: witnesses PROGRAM DATA...%s%s\n", error.text[0] ? ": " : "", error.text);
        return 64;
    }
    const struct map_function **maps = ALLOC(const struct map_function *, module.functions.count + 1);
    for (size_t i = 0; i < module.functions.count; i++)
        maps[i] = &module.functions.items[i];
    struct trace_program program;
    trace_program_make_of(&program, maps, module.functions.count);
    bool good = measure(&program, argv + 2, argc - 2);
    trace_program_release(&program);
    free(maps);
    elf_module_release(&module);
    return !good;
}
