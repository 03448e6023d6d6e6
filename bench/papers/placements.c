/*
 * placements [--check] PROG DATA...: what every placement of counters would have executed in one run.
 *
 * PROG was built with the counter set every-edge, perhaps among others. The counts of all edges say, for any
 * placement, how often each of its counters would have gone up: the method of Ball & Larus 1994 section 6.1.
 * Each function is planned anew from its graph alone, once for each line of the table `studies`, and the
 * counts are summed where probes would stand. The same is done with the plans that the compiler made for the
 * sets PROG has, which know more than the graph; beside them stands the sum of the counters in DATA, read
 * without the decoder: --check fails unless they are equal.
 *
 * Output, tab separated:
 *   count    NAME  NUMBER                                             functions, blocks, edges ...
 *   plan     NAME  PROBES  NO_JUMP  INCREMENTS  JUMPS
 *   built    NAME  PROBES  NO_JUMP  INCREMENTS  JUMPS  COUNTED
 *   seconds  NAME  NUMBER                                             to plan all functions, the least of
 * five
 *
 * A probe needs no jump when it stands at the start of a block, that is when its edge's source has no other
 * way out or its target no other way in; otherwise the edge gets a block of its own, and JUMPS counts how
 * often those were passed. Counters of blocks need none.
 */
#include "../data_blocks.h"
#include "base/hash.h"
#include "decode/decode.h"
#include "decode/model/standing.h"
#include "graph/weights.h"
#include "old_weights.h"

#include <inttypes.h>
#include <time.h>

enum source { GUESSED, MEASURED, UNIFORM, GOLDBERG, WALL };

struct study {
    const char *name;
    enum placement placement;
    enum source source;
    bool minimum; /* of all spanning trees the lightest: the worst that could be done */
    struct weight_options options;
};

#define OURS(loop, branch, first)                                                                            \
    .options = {.loop_factor = (loop), .branch_factor = (branch), .first_factor = (first)}
#define PAPER(loop, branch, first)                                                                           \
    .options = {.loop_factor = (loop), .paper = true, .branch_factor = (branch), .first_factor = (first)}

static const struct study studies[] = {
    {"every-block", PLACEMENT_EVERY_BLOCK, GUESSED, OURS(10, 1, 1)},
    {"every-edge", PLACEMENT_EVERY_EDGE, GUESSED, OURS(10, 1, 1)},
    {"edges", PLACEMENT_EDGES, GUESSED, OURS(10, 1, 1)},
    {"blocks", PLACEMENT_BLOCKS, GUESSED, OURS(10, 1, 1)},
    {"figure-11", PLACEMENT_FIGURE_11, GUESSED, OURS(10, 1, 1)},
    {"knuth", PLACEMENT_KNUTH, GUESSED, OURS(10, 1, 1)},
    /* Figure 24. */
    {"ours-min", PLACEMENT_EDGES, GUESSED, .minimum = true, OURS(10, 1, 1)},
    {"paper", PLACEMENT_EDGES, GUESSED, PAPER(10, 1, 1)},
    {"paper-min", PLACEMENT_EDGES, GUESSED, .minimum = true, PAPER(10, 1, 1)},
    {"exact", PLACEMENT_EDGES, MEASURED, OURS(10, 1, 1)},
    {"exact-min", PLACEMENT_EDGES, MEASURED, .minimum = true, OURS(10, 1, 1)},
    /* Figure 21 with the best weights there are. */
    {"exact-blocks", PLACEMENT_BLOCKS, MEASURED, OURS(10, 1, 1)},
    {"exact-figure-11", PLACEMENT_FIGURE_11, MEASURED, OURS(10, 1, 1)},
    {"exact-knuth", PLACEMENT_KNUTH, MEASURED, OURS(10, 1, 1)},
    /* Section 6.4's variations of the paper's heuristic and of ours. */
    {"paper-loop-2", PLACEMENT_EDGES, GUESSED, PAPER(2, 1, 1)},
    {"paper-loop-5", PLACEMENT_EDGES, GUESSED, PAPER(5, 1, 1)},
    {"paper-loop-100", PLACEMENT_EDGES, GUESSED, PAPER(100, 1, 1)},
    {"paper-first-3", PLACEMENT_EDGES, GUESSED, PAPER(10, 1, 3)},
    {"paper-first-1/3", PLACEMENT_EDGES, GUESSED, PAPER(10, 1, 1.0 / 3)},
    {"paper-to-loops-2", PLACEMENT_EDGES, GUESSED, PAPER(10, 2, 1)},
    {"paper-to-loops-5", PLACEMENT_EDGES, GUESSED, PAPER(10, 5, 1)},
    {"ours-loop-2", PLACEMENT_EDGES, GUESSED, OURS(2, 1, 1)},
    {"ours-loop-5", PLACEMENT_EDGES, GUESSED, OURS(5, 1, 1)},
    {"ours-loop-100", PLACEMENT_EDGES, GUESSED, OURS(100, 1, 1)},
    {"ours-first-3", PLACEMENT_EDGES, GUESSED, OURS(10, 1, 3)},
    {"ours-first-1/3", PLACEMENT_EDGES, GUESSED, OURS(10, 1, 1.0 / 3)},
    {"ours-to-loops-2", PLACEMENT_EDGES, GUESSED, OURS(10, 2, 1)},
    {"ours-to-loops-5", PLACEMENT_EDGES, GUESSED, OURS(10, 5, 1)},
    {"goldberg", PLACEMENT_EDGES, GOLDBERG, OURS(10, 1, 1)},
    {"wall", PLACEMENT_EDGES, WALL, OURS(10, 1, 1)},
    {"uniform", PLACEMENT_EDGES, UNIFORM, OURS(10, 1, 1)},
};
enum { STUDIES = sizeof studies / sizeof *studies };

struct sums {
    uint64_t probes, no_jump;
    int64_t increments, jumps;
};

struct program {
    struct profile profile;
    bool **no_probe;        /* per function and edge: no counter can stand there; NULL: not counted */
    struct hash_map by_key; /* key -> 1 + index of the function */
    uint64_t counted[PLACEMENT_LAST + 1];
    bool has[PLACEMENT_LAST + 1];
    bool foreign; /* counters that no function owns, or another number of them */
};

/* ---- Weights ---- */

static double positive(int64_t count)
{
    return count > 0 ? (double)count : 0;
}

static void weigh(const struct profile_function *f, const struct study *s, double *weights)
{
    const struct graph *g = &f->map.graph;
    double sum = 1;
    switch (s->source) {
    case UNIFORM:
        weights_uniform(g, weights);
        break;
    case GOLDBERG:
        weights_goldberg(g, weights);
        break;
    case WALL:
        weights_wall(g, weights);
        break;
    case GUESSED:
    case MEASURED:
        weights_guess(g, &s->options, weights);
        break;
    }
    for (uint32_t e = 0; e < g->edge_count; e++)
        sum += weights[e];
    for (uint32_t e = 0; s->source == MEASURED && e < g->edge_count; e++)
        weights[e] = positive(f->edge_counts[e]) + weights[e] / sum; /* the guess decides between equals */
    for (uint32_t e = 0; e < g->edge_count; e++) {
        if (g->edges[e].kind != EDGE_ENTRY &&
            f->map.blocks[g->edges[e].from].hazards & MAP_HAZARD_LANDING_PAD)
            weights[e] = 0;
        if (s->minimum)
            weights[e] = -weights[e];
    }
}

/* ---- What a plan would have counted ---- */

/*
 * Activations that were left in the middle of a block have passed counters that stand there and count the
 * only way on (decode/model/standing.h): the counter then has more than its edge.
 */
static int64_t ahead(const struct profile_function *f, const struct standing *s)
{
    int64_t sum = 0;
    for (size_t i = 0; i < f->frames.count; i++) {
        const struct profile_frame *frame = &f->frames.items[i];
        int64_t counters = s->ahead.start[frame->block + 1] - s->ahead.start[frame->block];
        sum += counters * ((s->dead_end[frame->block] ? 0 : frame->cuts) - frame->resumes);
    }
    return sum;
}

static void add_up(struct sums *sums, const struct profile_function *f, struct plan *plan)
{
    struct map_function with_plan = f->map;
    with_plan.plans = plan;
    with_plan.plan_count = 1;
    struct standing standing = {0};
    standing_prepare(&standing, &with_plan);
    bool *jumps = ZALLOC(bool, (size_t)plan->probe_count + 1);
    for (uint32_t e = 0; e < f->map.graph.edge_count; e++)
        for (uint32_t i = standing.on_branch.start[e]; i < standing.on_branch.start[e + 1]; i++)
            if (plan->probes[standing.on_branch.items[i]].kind == PROBE_EDGE) {
                jumps[standing.on_branch.items[i]] = true;
                sums->jumps += f->edge_counts[e];
            }
    for (uint32_t i = 0; i < plan->probe_count; i++) {
        const struct probe *probe = &plan->probes[i];
        sums->increments +=
            probe->kind == PROBE_EDGE ? f->edge_counts[probe->id] : f->block_counts[probe->id];
        sums->no_jump += !jumps[i];
    }
    sums->probes += plan->probe_count;
    sums->increments += ahead(f, &standing);
    free(jumps);
    standing_release(&standing);
}

/* Edges without a counter in the set every-edge are those that can hold none. False when the function has no
 * such set. */
static bool find_no_probe(const struct map_function *f, bool *no_probe)
{
    for (uint32_t p = 0; p < f->plan_count; p++) {
        if (f->plans[p].placement != PLACEMENT_EVERY_EDGE)
            continue;
        for (uint32_t e = 0; e < f->graph.edge_count; e++)
            no_probe[e] = true;
        for (uint32_t i = 0; i < f->plans[p].probe_count; i++)
            no_probe[f->plans[p].probes[i].id] = false;
        return true;
    }
    return false;
}

/* Plans every function; sums may be NULL: then only the time matters. */
static bool carry_out(struct program *p, const struct study *study, struct sums *sums, struct error *error)
{
    for (size_t i = 0; i < p->profile.functions.count; i++) {
        const struct profile_function *f = &p->profile.functions.items[i];
        if (!p->no_probe[i])
            continue;
        double *weights = ZALLOC(double, (size_t)f->map.graph.edge_count + 1);
        struct plan plan;
        if (study->placement != PLACEMENT_EVERY_BLOCK && study->placement != PLACEMENT_EVERY_EDGE)
            weigh(f, study, weights);
        bool good = plan_make(&plan, &f->map.graph, study->placement, weights, p->no_probe[i], error);
        free(weights);
        if (!good)
            return error_prefix(error, "%s: function '%s'", study->name, f->map.name);
        if (sums)
            add_up(sums, f, &plan);
        plan_release(&plan);
    }
    return true;
}

/* ---- What the program's own counters say ---- */

static void add_counters(void *context, uint64_t key, const uint64_t *counters, uint64_t count)
{
    struct program *p = context;
    const uint64_t *index = hash_map_get(&p->by_key, key);
    if (!index) { /* a copy for inlining that nothing ran of is not in the profile */
        for (uint64_t i = 0; i < count; i++)
            p->foreign |= counters[i] != 0;
        return;
    }
    const struct map_function *f = &p->profile.functions.items[*index - 1].map;
    uint64_t at = 0;
    if (map_function_counters(f) != count) {
        p->foreign = true;
        return;
    }
    for (uint32_t set = 0; set < f->plan_count; set++) {
        p->has[f->plans[set].placement] = true;
        for (uint32_t i = 0; i < f->plans[set].probe_count; i++)
            p->counted[f->plans[set].placement] += counters[at++];
    }
}

static bool read_program(struct program *p, const char *program, const char *const *data, size_t count,
                         struct error *error)
{
    struct decode_options options = {.no_progress = true};
    struct decode_totals totals;
    if (!decode(&p->profile, program, data, count, &options, &totals, error))
        return false;
    if (totals.skipped || totals.undeclared)
        return error_set(error, "%" PRIu64 " data files could not be used, %" PRIu64 " counts differ",
                         totals.skipped, totals.undeclared);
    p->no_probe = ZALLOC(bool *, p->profile.functions.count + 1);
    for (size_t i = 0; i < p->profile.functions.count; i++) {
        const struct profile_function *f = &p->profile.functions.items[i];
        *hash_map_put(&p->by_key, f->map.key, NULL) = i + 1;
        if (!f->counted)
            continue;
        p->no_probe[i] = ZALLOC(bool, (size_t)f->map.graph.edge_count + 1);
        if (!f->has_edges || !find_no_probe(&f->map, p->no_probe[i]))
            return error_set(error,
                             "function '%s' has no counter on every edge: build with -fcotree=every-edge",
                             f->map.name);
    }
    for (size_t i = 0; i < count; i++)
        if (!data_blocks_visit(data[i], add_counters, p))
            return error_set(error, "the counters cannot be read");
    return !p->foreign || error_set(error, "counters that belong to no function of '%s'", program);
}

static void release_program(struct program *p)
{
    for (size_t i = 0; i < p->profile.functions.count; i++)
        free(p->no_probe[i]);
    free(p->no_probe);
    hash_map_release(&p->by_key);
    profile_release(&p->profile);
}

/* ---- Output ---- */

static void print_sizes(const struct program *p)
{
    uint64_t functions = 0, blocks = 0, edges = 0, inexact = 0, runs = 0;
    for (size_t i = 0; i < p->profile.functions.count; i++) {
        const struct profile_function *f = &p->profile.functions.items[i];
        if (!p->no_probe[i])
            continue;
        functions++;
        blocks += f->map.graph.vertex_count - 1;
        inexact += !f->exact;
        for (uint32_t e = 0; e < f->map.graph.edge_count; e++) /* the others stand for no control flow */
            edges += f->map.graph.edges[e].kind == EDGE_FLOW || f->map.graph.edges[e].kind == EDGE_EXIT;
        for (uint32_t v = 0; v < graph_exit(&f->map.graph); v++)
            runs += (uint64_t)f->block_counts[v];
    }
    printf("count\tfunctions\t%" PRIu64 "\ncount\tblocks\t%" PRIu64 "\ncount\tedges\t%" PRIu64
           "\ncount\tinexact\t%" PRIu64 "\ncount\truns\t%" PRIu64 "\ncount\tbalance\t%" PRIu64 "\n",
           functions, blocks, edges, inexact, runs, p->counted[PLACEMENT_BALANCE]);
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static bool print_time(struct program *p, const struct study *study, struct error *error)
{
    double least = 1e9;
    for (int i = 0; i < 5; i++) {
        double start = seconds();
        if (!carry_out(p, study, NULL, error))
            return false;
        double took = seconds() - start;
        least = took < least ? took : least;
    }
    printf("seconds\t%s\t%.6f\n", study->name, least);
    return true;
}

static void print_sums(const char *kind, const char *name, const struct sums *sums)
{
    printf("%s\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRId64 "\t%" PRId64, kind, name, sums->probes, sums->no_jump,
           sums->increments, sums->jumps);
}

/* The sets the program has: how often their counters must have gone up, and did. */
static bool report_built(const struct program *p)
{
    bool good = true;
    for (int placement = 1; placement < PLACEMENT_BALANCE; placement++) {
        struct sums sums = {0};
        if (!p->has[placement])
            continue;
        for (size_t i = 0; i < p->profile.functions.count; i++) {
            const struct profile_function *f = &p->profile.functions.items[i];
            for (uint32_t set = 0; p->no_probe[i] && set < f->map.plan_count; set++)
                if (f->map.plans[set].placement == (enum placement)placement)
                    add_up(&sums, f, &f->map.plans[set]);
        }
        const char *name = placement_info((enum placement)placement)->name;
        print_sums("built", name, &sums);
        printf("\t%" PRIu64 "\n", p->counted[placement]);
        if (p->counted[placement] == (uint64_t)sums.increments)
            continue;
        fprintf(stderr, "placements: %s: %" PRId64 " increments computed, %" PRIu64 " counted\n", name,
                sums.increments, p->counted[placement]);
        good = false;
    }
    return good;
}

static bool report(struct program *p, bool check, struct error *error)
{
    print_sizes(p);
    if (!report_built(p) && check)
        return error_set(error, "the increments computed are not those counted");
    for (int i = 0; i < STUDIES; i++) {
        struct sums sums = {0};
        if (!carry_out(p, &studies[i], &sums, error))
            return false;
        print_sums("plan", studies[i].name, &sums);
        putchar('\n');
    }
    return print_time(p, &studies[0], error) && print_time(p, &studies[2], error);
}

int main(int argc, char **argv)
{
    struct program p = {0};
    struct error error;
    bool check = argc > 1 && !strcmp(argv[1], "--check");
    int at = check ? 2 : 1;
    if (at + 1 >= argc) {
        fprintf(stderr, "usage: placements [--check] PROG DATA...\n");
        return EXIT_USAGE;
    }
    bool ok =
        read_program(&p, argv[at], (const char *const *)argv + at + 1, (size_t)(argc - at - 1), &error) &&
        report(&p, check, &error);
    if (!ok) {
        fprintf(stderr, "placements: %s\n", error.text);
        return EXIT_CANNOT;
    }
    release_program(&p);
    return EXIT_OK;
}
