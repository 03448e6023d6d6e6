/*
 * Activations that are cut or resumed in the middle of blocks, on random graphs: counters are put on blocks
 * and branches as the compiler puts markers there, and counted while walks pass them; what is solved from
 * them and from the list of cuts and resumes is what the walks did, for every placement.
 */
#include "graph_testing.h"

#include "decode/model/solve.h"
#include "decode/model/standing.h"
#include "format/profile/profile.h"
#include "graph/weights.h"

enum { BLOCKS_MOST = 9, EDGES_MOST = 40, COUNTERS_MOST = 256 };

/* A program's function: the graph, and where markers stand (after instrument/count/markers.c, not
 * decode/model/standing.c). */
static struct map_function function;
static struct graph *g = &function.graph;
static bool *no_probe;
static struct marks {
    uint32_t count, counters[COUNTERS_MOST];
} at_start[BLOCKS_MOST + 1], on_branch[EDGES_MOST];

static uint32_t ways_in(uint32_t v)
{
    uint32_t count = 0;
    for (uint32_t e = 0; e < g->edge_count; e++)
        count += g->edges[e].to == v;
    return count;
}

static uint32_t ways_out(uint32_t v)
{
    uint32_t count = 0;
    for (uint32_t e = 0; e < g->edge_count; e++)
        count += g->edges[e].from == v;
    return count;
}

static bool returns(uint32_t v)
{
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (g->edges[e].from == v && g->edges[e].kind != EDGE_EXIT)
            return false;
    return true;
}

static bool is_dead_end(uint32_t v)
{
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (g->edges[e].from == v && g->edges[e].kind != EDGE_VIRTUAL)
            return false;
    return true;
}

static void mark(struct marks *marks, uint32_t counter)
{
    assert_true(marks->count < COUNTERS_MOST);
    marks->counters[marks->count++] = counter;
}

static void mark_block(uint32_t block, uint32_t counter);

static void mark_edge(uint32_t e, uint32_t counter)
{
    uint32_t from = g->edges[e].from, to = g->edges[e].to;
    if (g->edges[e].kind == EDGE_ENTRY)
        mark(&at_start[to], counter);
    else if (g->edges[e].kind != EDGE_FLOW)
        mark_block(from, counter);
    else if (ways_in(to) == 1 && !(ways_out(from) == 1 && function.blocks[to].only_returns))
        mark(&at_start[to], counter);
    else if (ways_out(from) == 1)
        mark(&at_start[from], counter);
    else
        mark(&on_branch[e], counter);
}

static void mark_block(uint32_t block, uint32_t counter)
{
    if (!function.blocks[block].only_returns) {
        mark(&at_start[block], counter);
        return;
    }
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (g->edges[e].to == block)
            mark_edge(e, counter);
}

static void place_markers(void)
{
    memset(at_start, 0, sizeof at_start);
    memset(on_branch, 0, sizeof on_branch);
    uint32_t counter = 0;
    for (uint32_t p = 0; p < function.plan_count; p++)
        for (uint32_t i = 0; i < function.plans[p].probe_count; i++, counter++) {
            const struct probe *probe = &function.plans[p].probes[i];
            if (probe->kind == PROBE_EDGE)
                mark_edge(probe->id, counter);
            else if (probe->id != graph_exit(g))
                mark_block(probe->id, counter);
            else
                for (uint32_t e = 0; e < g->edge_count; e++)
                    if (g->edges[e].to == graph_exit(g) && !no_probe[e])
                        mark_edge(e, counter);
        }
}

/* A random function without ways back into its first block, as clang's are. */
static void make_function(void)
{
    for (;;) {
        uint32_t blocks = 1 + random_below(BLOCKS_MOST);
        function = (struct map_function){.name = memory_string("f")};
        graph_init(g, blocks);
        for (uint32_t v = 0; v < blocks; v++)
            for (uint32_t n = random_below(4); n; n--) {
                uint32_t to = blocks > 1 ? 1 + random_below(blocks) : 1;
                graph_add_edge(g, v, to, to == blocks ? EDGE_EXIT : EDGE_FLOW);
            }
        bool good = g->edge_count + blocks < EDGES_MOST && all_reachable(g);
        for (uint32_t e = 0; e < g->edge_count; e++) /* one exit edge a block, and nothing beside it */
            if (g->edges[e].kind == EDGE_EXIT && ways_out(g->edges[e].from) > 1)
                good = false;
        if (good)
            break;
        graph_release(g);
        map_function_release(&function);
    }
    graph_complete(g);
    uint32_t blocks = graph_exit(g);
    function.blocks = ZALLOC(struct map_block, blocks);
    no_probe = ZALLOC(bool, g->edge_count);
    for (uint32_t v = 1; v < blocks; v++)
        function.blocks[v].only_returns = returns(v) && random_below(2);
    for (uint32_t e = 0; e < g->edge_count; e++) {
        const struct edge *edge = &g->edges[e];
        if (edge->kind == EDGE_VIRTUAL && ways_out(edge->from) > 1)
            no_probe[e] = true;
        if (edge->kind == EDGE_FLOW && ways_in(edge->to) > 1 && ways_out(edge->from) > 1 &&
            !random_below(8)) {
            no_probe[e] = true; /* a branch that cannot be split */
            function.blocks[edge->to].only_returns = false;
        }
    }
    double *weights = ALLOC(double, g->edge_count);
    weights_guess(g, &weight_defaults, weights);
    function.plans = ZALLOC(struct plan, PLACEMENT_LAST + 1);
    for (int placement = 1; placement <= PLACEMENT_LAST; placement++)
        if (placement != PLACEMENT_BALANCE && plan_make(&function.plans[function.plan_count], g,
                                                        (enum placement)placement, weights, no_probe, NULL))
            function.plan_count++;
    if (plan_make_given(&function.plans[function.plan_count], g, weights, no_probe, NULL))
        function.plan_count++;
    free(weights);
}

/* What happened. */
static int64_t counters[COUNTERS_MOST * (PLACEMENT_LAST + 1)], truth[EDGES_MOST];
static struct profile_frames frames;
static unsigned cuts, resumes;

static void count(const struct marks *marks)
{
    for (uint32_t i = 0; i < marks->count; i++)
        counters[marks->counters[i]]++;
}

/* One activation, from the beginning or resumed somewhere, until it returns or is cut. */
static void activation(bool resumed)
{
    uint32_t at = GRAPH_ROOT;
    if (resumed) {
        at = random_below(graph_exit(g));
        profile_frames_add(&frames,
                           &(struct profile_frame){.block = at, .call = random_below(3), .resumes = 1});
        resumes++;
    } else {
        for (uint32_t e = 0; e < g->edge_count; e++)
            truth[e] += g->edges[e].kind == EDGE_ENTRY;
        count(&at_start[at]);
    }
    for (unsigned steps = 0;; steps++) {
        if (is_dead_end(at) || !random_below(12) || steps > 60) {
            profile_frames_add(&frames,
                               &(struct profile_frame){.block = at, .call = random_below(3), .cuts = 1});
            for (uint32_t e = 0; is_dead_end(at) && e < g->edge_count; e++)
                truth[e] += g->edges[e].from == at; /* it is left by its virtual edge */
            cuts++;
            return;
        }
        uint32_t e;
        do
            e = random_below(g->edge_count);
        while (g->edges[e].from != at || g->edges[e].kind == EDGE_VIRTUAL);
        count(&on_branch[e]);
        truth[e]++;
        at = g->edges[e].to;
        if (at == graph_exit(g))
            return;
        count(&at_start[at]);
    }
}

static void check_set(uint32_t set, const int64_t *gains)
{
    const char *name = placement_info(function.plans[set].placement)->name;
    struct solved s;
    int64_t entries = 0;
    for (uint32_t e = 0; e < g->edge_count; e++)
        entries += g->edges[e].kind == EDGE_ENTRY ? truth[e] : 0;
    /* Who is given the entries needs them; who is not must not look. */
    solve_set(&s, &function, set, counters, function.plans[set].entry_given ? entries : entries + 7, NULL,
              gains);
    bool same = s.result == FLOW_OK;
    for (uint32_t e = 0; e < g->edge_count; e++)
        same &= !s.has_edges || s.edge_counts[e] == truth[e];
    same &= s.entries == entries;
    for (uint32_t v = 0; v < graph_exit(g); v++) {
        int64_t begun = 0;
        for (uint32_t e = 0; e < g->edge_count; e++)
            begun += g->edges[e].to == v ? truth[e] : 0;
        same &= s.block_counts[v] == begun;
    }
    if (!same) {
        graph_show(g);
        for (uint32_t v = 0; v < graph_exit(g); v++)
            if (function.blocks[v].only_returns)
                printf("%u only returns\n", v);
        fail_msg("%s: result %d", name, s.result);
    }
    solved_release(&s);
}

static void solved_counts_are_what_walks_did(void **state)
{
    (void)state;
    unsigned sets = 0, edges = 0;
    for (unsigned round = 0; round < sampled(20000); round++) {
        make_function();
        place_markers();
        memset(counters, 0, sizeof counters);
        memset(truth, 0, sizeof truth);
        for (unsigned n = 1 + random_below(6); n; n--)
            activation(!random_below(3));
        struct standing standing = {0};
        standing_prepare(&standing, &function);
        int64_t *gains = ALLOC(int64_t, g->vertex_count);
        profile_frames_gains(&frames, g, gains);
        for (size_t i = 0; i < frames.count; i++) {
            const struct profile_frame *f = &frames.items[i];
            standing_correct(&standing, f->block, f->resumes - (is_dead_end(f->block) ? 0 : f->cuts),
                             counters);
        }
        for (uint32_t set = 0; set < function.plan_count; set++) {
            check_set(set, gains);
            sets++;
            edges += placement_info(function.plans[set].placement)->gives_edges;
        }
        free(gains);
        standing_release(&standing);
        frames.count = 0;
        free(no_probe);
        map_function_release(&function);
    }
    ARRAY_RELEASE(&frames);
    printf("%u sets (%u of edges), %u cuts, %u resumes\n", sets, edges, cuts, resumes);
    assert_true(sets > sampled(80000) && cuts > sampled(10000) && resumes > sampled(10000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(solved_counts_are_what_walks_did)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
