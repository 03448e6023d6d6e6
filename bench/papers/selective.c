/*
 * selective PROG...: how many probes chosen paths need, in all functions of the programs. Plans only: nothing
 * runs.
 *
 * The two studies of Apiwattanapong & Harrold 2002, with PSPP's labels instead of theirs, which are wrong: a
 * probe is an arc whose label is not 0 after labels are pushed down. Paths are Ball and Larus's, edges cut
 * where there are too many. Of functions with more than PATHS_MOST_TRIED paths so many are taken at random
 * for the first study; of subsets at most SUBSETS.
 *
 * Output, tab separated, one line a function with two paths or more:
 *   FUNCTION PATHS PROBES RATIO ONE TWO THREE FOUR FIVE SPACE COMPACT CHEAPER
 * PROBES: for all paths. RATIO: paths / 2^probes. ONE .. FIVE: average probes for so many paths, in per cent
 * of PROBES; "-" where there are no proper subsets. SPACE: average counters for one path, in per cent of
 * those for all. COMPACT: as ONE, for compact numbering (additions and settings). CHEAPER: average expected
 * executions of the cheapest of the three codes for one path, in per cent of those for all.
 */
#include "base/memory.h"
#include "decode/model/module.h"
#include "graph/weights.h"
#include "plan/path_chosen.h"
#include "plan/path_code.h"
#include "plan/path_decode.h"
#include "plan/path_plan.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { PATHS_MOST_TRIED = 200, SUBSETS = 100, SIZES = 5 };

static uint64_t random_state;

static uint32_t random_below(uint32_t n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state % n);
}

struct study {
    const struct map_function *f;
    struct plan plan;
    struct path_graph p;
    struct path_numbering n;
    double *edge_weights, *arc_weights;
    uint32_t *arcs;
    bool *chosen, *wanted;
    double all_cost;
};

struct sums {
    double probes, span, compact, cost;
    uint32_t count;
};

static uint32_t pspp_probes(const struct study *s, uint64_t *span)
{
    struct path_pspp pspp;
    uint32_t probes = 0;
    if (!path_pspp_init(&pspp, &s->p, s->chosen, NULL))
        return 0;
    for (uint32_t a = 0; a < s->p.arcs.edge_count; a++)
        probes += pspp.label[a] != 0;
    *span = pspp.span;
    path_pspp_release(&pspp);
    return probes;
}

static uint32_t compact_probes(const struct study *s)
{
    struct path_compact compact;
    uint32_t probes = 0;
    if (!path_compact_init(&compact, &s->p, s->chosen, s->edge_weights, NULL))
        return 0;
    for (uint32_t a = 0; a < s->p.arcs.edge_count; a++)
        probes += compact.poisons[a] || compact.increment[a];
    path_compact_release(&compact);
    return probes;
}

static double cheapest(struct study *s)
{
    struct path_code code;
    double cost = 0;
    if (path_choose(&s->plan, &s->f->graph, s->edge_weights, s->wanted, 0, NULL) &&
        path_code_init(&code, &s->plan, &s->p, &s->n, s->edge_weights, NULL)) {
        cost = path_code_cost(&code, &s->p, s->arc_weights);
        path_code_release(&code);
    }
    if (s->plan.choice)
        free(s->plan.choice->ranges);
    free(s->plan.choice);
    s->plan.choice = NULL;
    return cost;
}

/* Probes for these paths; their union of arcs is what is numbered, as in the paper. */
static void try_paths(struct study *s, const uint32_t *ids, uint32_t count, struct sums *sums, bool costs)
{
    uint64_t span = 0;
    memset(s->chosen, 0, s->p.arcs.edge_count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t length = path_decode(&s->p, &s->n, ids[i], s->arcs);
        for (uint32_t k = 0; k < length; k++)
            s->chosen[s->arcs[k]] = true;
        s->wanted[ids[i]] = true;
    }
    sums->probes += pspp_probes(s, &span);
    sums->span += (double)span;
    if (costs) {
        sums->compact += compact_probes(s);
        sums->cost += cheapest(s);
    }
    sums->count++;
    for (uint32_t i = 0; i < count; i++)
        s->wanted[ids[i]] = false;
}

static void pick_different(uint32_t *ids, uint32_t count, uint32_t total)
{
    for (uint32_t i = 0; i < count; i++) {
        bool again;
        do {
            ids[i] = random_below(total);
            again = false;
            for (uint32_t k = 0; k < i; k++)
                again |= ids[k] == ids[i];
        } while (again);
    }
}

static void study_function(struct study *s)
{
    struct sums sums[SIZES + 1] = {{0}};
    uint32_t total = (uint32_t)s->n.total, ids[SIZES];
    uint64_t span;
    memset(s->chosen, true, s->p.arcs.edge_count);
    uint32_t probes = pspp_probes(s, &span);
    if (!probes)
        return;
    struct path_code all;
    if (path_code_init(&all, &s->plan, &s->p, &s->n, s->edge_weights, NULL))
        s->all_cost = path_code_cost(&all, &s->p, s->arc_weights);
    path_code_release(&all);
    for (uint32_t i = 0; i < total && i < PATHS_MOST_TRIED; i++) {
        ids[0] = total <= PATHS_MOST_TRIED ? i : random_below(total);
        try_paths(s, ids, 1, &sums[1], true);
    }
    for (uint32_t size = 2; size <= SIZES && size < total; size++)
        for (uint32_t i = 0; i < SUBSETS; i++) {
            pick_different(ids, size, total);
            try_paths(s, ids, size, &sums[size], false);
        }
    printf("%s\t%" PRIu32 "\t%" PRIu32 "\t%.6g", s->f->name, total, probes, total / exp2(probes));
    for (uint32_t size = 1; size <= SIZES; size++)
        if (sums[size].count)
            printf("\t%.1f", 100 * sums[size].probes / sums[size].count / probes);
        else
            printf("\t-");
    printf("\t%.1f\t%.1f\t%.1f\n", 100 * sums[1].span / sums[1].count / total,
           100 * sums[1].compact / sums[1].count / probes,
           s->all_cost > 0 ? 100 * sums[1].cost / sums[1].count / s->all_cost : 100);
}

static void take_function(const struct map_function *f)
{
    struct study s = {.f = f, .edge_weights = ALLOC(double, (size_t)f->graph.edge_count + 1)};
    struct error error;
    weights_guess(&f->graph, &weight_defaults, s.edge_weights);
    random_state = f->key | 1;
    if (path_plan_make(&s.plan, &f->graph, PLACEMENT_PATHS, s.edge_weights, NULL, &error)) {
        if (s.plan.path_count > 1 &&
            path_plan_number(&s.plan, &f->graph, s.edge_weights, NULL, &s.p, &s.n, &error)) {
            s.arc_weights = ALLOC(double, (size_t)s.p.arcs.edge_count + 1);
            s.arcs = ALLOC(uint32_t, (size_t)s.p.block_count + 1);
            s.chosen = ALLOC(bool, (size_t)s.p.arcs.edge_count + 1);
            s.wanted = ZALLOC(bool, (size_t)s.n.total + 1);
            path_graph_weights(&s.p, &f->graph, s.edge_weights, s.arc_weights);
            study_function(&s);
            path_numbering_release(&s.n);
            path_graph_release(&s.p);
        }
        plan_release(&s.plan);
    }
    free(s.edge_weights);
    free(s.arc_weights);
    free(s.arcs);
    free(s.chosen);
    free(s.wanted);
}

int main(int argc, char **argv)
{
    struct error error;
    for (int i = 1; i < argc; i++) {
        struct decode_module m = {0};
        if (!decode_module_load(&m, argv[i], NULL, &error)) {
            fprintf(stderr, "selective: %s\n", error.text);
            return EXIT_CANNOT;
        }
        for (size_t k = 0; k < m.functions.count; k++)
            take_function(&m.functions.items[k]->map);
        decode_module_release(&m);
    }
    return EXIT_OK;
}
