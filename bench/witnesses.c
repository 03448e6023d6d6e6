/*
 * witnesses PROGRAM [DATA]...: how fast traces are regenerated, and what each placement of witnesses would
 * have written in the same runs. The edges that ran are known from the trace, so nothing has to be compiled
 * again.
 *
 * Each placement is planned by guessed weights, and once more by what ran: the difference is what a better
 * guess is worth.
 */
#include "base/memory.h"
#include "decode/elf_map.h"
#include "decode/trace_file.h"
#include "decode/trace_program.h"
#include "graph/weights.h"
#include "plan/witness.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

struct times {
    uint64_t *of_run; /* by id */
    size_t capacity;
};

static bool count_runs(void *context, const struct replay_run *const *runs, size_t count)
{
    struct times *t = context;
    for (size_t i = 0; i < count; i++) {
        uint32_t id = runs[i]->id;
        if (id >= t->capacity) {
            size_t capacity = 2 * (size_t)id + 1024;
            RESIZE(t->of_run, capacity);
            memset(t->of_run + t->capacity, 0, (capacity - t->capacity) * sizeof *t->of_run);
            t->capacity = capacity;
        }
        t->of_run[id]++;
    }
    return true;
}

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct costs {
    uint64_t events[2], bytes[2]; /* planned by guesses; by what ran */
    uint32_t edges, wide, wide_shared, refused;
};

static void cost_function(struct costs *c, const struct map_function *map, enum witness_placement placement,
                          const uint64_t *ran, const bool *silent)
{
    struct graph g;
    uint32_t *edge_of;
    struct error error;
    map_trace_graph(map, &g, &edge_of);
    double *weights = ALLOC(double, map->graph.edge_count + 1), *walked = ALLOC(double, g.edge_count + 1);
    bool *may_emit = ZALLOC(bool, g.vertex_count + 1);
    weights_guess(&map->graph, &weight_defaults, weights);
    for (uint32_t v = 0; v < graph_exit(&g); v++) {
        may_emit[v] = map->trace->resumes[v];
        for (uint32_t k = map->trace->first[v]; k < map->trace->first[v + 1]; k++) {
            uint32_t kind = map->trace->calls[k];
            may_emit[v] |= kind == MAP_TRACE_UNKNOWN || kind == MAP_TRACE_JUMP ||
                           (kind >= MAP_TRACE_KNOWN && !silent[kind - MAP_TRACE_KNOWN]);
        }
    }
    for (int by_runs = 0; by_runs < 2; by_runs++) {
        struct witness_plan plan;
        for (uint32_t e = 0; e < g.edge_count; e++)
            walked[e] = by_runs ? (double)ran[edge_of[e]] : weights[edge_of[e]];
        if (!witness_make(&plan, &g, placement, may_emit, walked, NULL, &error)) {
            c->refused++;
            continue;
        }
        uint32_t width = witness_width(plan.value_count);
        for (uint32_t e = 0; e < g.edge_count; e++)
            if (plan.value[e]) {
                c->events[by_runs] += ran[edge_of[e]];
                c->bytes[by_runs] += ran[edge_of[e]] * width;
                c->edges += !by_runs;
            }
        if (!by_runs && width > 1) {
            c->wide++;
            witness_share_values(&plan, &g);
            c->wide_shared += witness_width(plan.value_count) > 1;
        }
        witness_release(&plan);
    }
    graph_release(&g);
    free(edge_of);
    free(weights);
    free(walked);
    free(may_emit);
}

static void print_costs(const struct trace_program *program, uint64_t *const *ran, uint64_t blocks,
                        uint64_t branches)
{
    static const char *const names[] = {"", "forest", "calls", "forest-first", "predicates"};
    printf("%-14s %14s %10s %10s %14s %8s %6s %6s\n", "placement", "events", "/block", "/branch",
           "by what ran", "edges", "wide", "shared");
    for (enum witness_placement placement = WITNESS_FOREST; placement <= WITNESS_PREDICATES; placement++) {
        struct costs c = {0};
        for (size_t i = 0; i < program->count; i++) {
            const struct map_trace *t = program->maps[i]->trace;
            bool *silent = ZALLOC(bool, t->callee_count + 1);
            for (uint32_t k = 0; k < t->callee_count; k++) {
                const uint64_t *index = hash_map_get(&program->by_id, t->callees[k]);
                silent[k] = index && program->maps[*index - 1]->trace->silent;
            }
            cost_function(&c, program->maps[i], placement, ran[i], silent);
            free(silent);
        }
        printf("%-14s %14" PRIu64 " %10.4f %10.4f %14" PRIu64 " %8u %6u %6u%s\n", names[placement],
               c.events[0], (double)c.events[0] / (double)(blocks ? blocks : 1),
               (double)c.events[0] / (double)(branches ? branches : 1), c.events[1], c.edges, c.wide,
               c.wide_shared, c.refused ? " (some refused)" : "");
    }
}

static int measure(const struct trace_program *program, const char *path)
{
    struct error error = {""};
    struct trace_file file;
    struct times times = {0};
    struct replay_program *replay = replay_program_make(program->functions, program->count, &error);
    if (!replay || !trace_file_open(&file, path, &error)) {
        fprintf(stderr, "witnesses: %s: %s\n", path, error.text);
        return 1;
    }
    struct trace_listener listener = {.context = &times, .runs = count_runs};
    struct trace_totals sum = {0};
    double start = cpu_seconds();
    for (size_t i = 0; i < file.parts.count; i++) {
        struct trace_walk walk = {
            .file = &file, .part = &file.parts.items[i], .program = replay, .listener = &listener};
        trace_walk(&walk);
        sum.blocks += walk.done.blocks;
        sum.branches += walk.done.branches;
        sum.events += walk.done.events;
        sum.records += walk.done.records;
    }
    double seconds = cpu_seconds() - start;
    printf("%s: %" PRIu64 " blocks, %" PRIu64 " branches, %" PRIu64 " event bytes, %" PRIu64
           " records; %.0f million blocks a second\n",
           path, sum.blocks, sum.branches, sum.events, sum.records, (double)sum.blocks / seconds / 1e6);
    uint64_t **ran = ALLOC(uint64_t *, program->count + 1);
    for (size_t i = 0; i < program->count; i++)
        ran[i] = ZALLOC(uint64_t, program->maps[i]->graph.edge_count + 1);
    for (uint32_t id = 0; id < replay_run_count(replay) && id < times.capacity; id++) {
        const struct replay_run *run = replay_run_at(replay, id);
        for (uint32_t k = 0; k < run->item_count; k++)
            if (run->items[k].edge != GRAPH_NONE)
                ran[run->items[k].function][run->items[k].edge] += times.of_run[id];
    }
    print_costs(program, ran, sum.blocks, sum.branches);
    for (size_t i = 0; i < program->count; i++)
        free(ran[i]);
    free(ran);
    free(times.of_run);
    trace_file_close(&file);
    replay_program_free(replay);
    return 0;
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
    trace_program_make(&program, maps, module.functions.count);
    int status = 0;
    for (int i = 2; i < argc && !status; i++)
        status = measure(&program, argv[i]);
    trace_program_release(&program);
    free(maps);
    elf_module_release(&module);
    return status;
}
