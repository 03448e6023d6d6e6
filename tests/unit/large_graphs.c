/*
 * Functions of a million blocks: planned and solved in seconds, on a small stack. The stack of this process
 * is limited to 256 kB first: anything that recursed along the graph would end it.
 */
#include "graph_testing.h"

#include "graph/analysis.h"
#include "graph/flow.h"
#include "graph/weights.h"
#include "plan/plan.h"

#include <math.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SIZE 50000u
#endif
#endif
#ifndef SIZE
#define SIZE 1000000u
#endif
#define SMALLER (SIZE / 4)

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Counts that conserve flow without a long walk: one activation straight along each edge's shortest way is
 * too slow here, so known counts are made on the chords and the tree is solved; then the other placements
 * must agree with that. */
static void check_large(const char *name, struct graph *g)
{
    double start = seconds();
    graph_complete(g);
    uint32_t n = g->vertex_count, m = g->edge_count, where;
    double *weights = ALLOC(double, m);
    weights_guess(g, &weight_defaults, weights);
    double guessed = seconds();
    for (uint32_t e = 0; e < m; e++)
        if (!(weights[e] > 0 && isfinite(weights[e])))
            fail_msg("%s: edge %u has weight %g", name, e, weights[e]);
    uint32_t *immediate = ALLOC(uint32_t, n);
    graph_dominators(g, immediate);
    assert_true(immediate[GRAPH_ROOT] == GRAPH_NONE);
    free(immediate);
    double analysed = seconds();

    int64_t *truth = ZALLOC(int64_t, m), *edges = ALLOC(int64_t, m), *vertices = ALLOC(int64_t, n);
    int64_t *vertex_truth = ZALLOC(int64_t, n);
    bool *edge_known = ALLOC(bool, m), *vertex_known = ALLOC(bool, n);
    double slowest = 0;
    for (int placement = 1; placement < PLACEMENT_BALANCE; placement++) {
        double begin = seconds();
        struct plan plan;
        struct error error = {""};
        if (!plan_make(&plan, g, (enum placement)placement, weights, NULL, &error))
            fail_msg("%s: %s", name, error.text);
        if (placement == PLACEMENT_EDGES) {
            /* Any counts on the chords are those of some circulation; it need not be one that a run can make.
             */
            memset(edge_known, 0, m);
            for (uint32_t i = 0; i < plan.probe_count; i++) {
                edge_known[plan.probes[i].id] = true;
                truth[plan.probes[i].id] = random_below(1000);
            }
            enum flow_result result = flow_solve_edges(g, edge_known, NULL, truth, &where);
            assert_true(result == FLOW_OK || result == FLOW_NEGATIVE);
            for (uint32_t e = 0; e < m; e++)
                vertex_truth[g->edges[e].to] += truth[e];
        }
        memset(edge_known, 0, m);
        memset(vertex_known, 0, n);
        memset(edges, 0, m * sizeof *edges);
        memset(vertices, 0, n * sizeof *vertices);
        for (uint32_t i = 0; i < plan.probe_count; i++) {
            uint32_t id = plan.probes[i].id;
            if (plan.probes[i].kind == PROBE_EDGE) {
                edge_known[id] = true;
                edges[id] = truth[id];
            } else {
                vertex_known[id] = true;
                vertices[id] = vertex_truth[id];
            }
        }
        enum flow_result result =
            flow_solve_vertices(g, edge_known, edges, vertex_known, NULL, vertices, &where);
        assert_true(result == FLOW_OK || result == FLOW_NEGATIVE);
        assert_memory_equal(vertices, vertex_truth, n * sizeof *vertices);
        plan_release(&plan);
        slowest = fmax(slowest, seconds() - begin);
    }
    printf("%s: %u blocks, weights %.2f s, dominators %.2f s, slowest placement %.2f s\n", name, n - 1,
           guessed - start, analysed - guessed, slowest);
    /* Near-linear work takes well under a second; quadratic work would take hours. */
    assert_true(seconds() - start < 20);
    free(weights);
    free(truth);
    free(edges);
    free(vertices);
    free(vertex_truth);
    free(edge_known);
    free(vertex_known);
    graph_release(g);
}

static void a_chain(void **state)
{
    (void)state;
    struct graph g;
    graph_init(&g, SIZE);
    for (uint32_t v = 0; v < SIZE; v++)
        graph_add_edge(&g, v, v + 1, v + 1 == SIZE ? EDGE_EXIT : EDGE_FLOW);
    check_large("a chain", &g);
}

static void a_chain_of_returns(void **state)
{
    (void)state;
    struct graph g;
    graph_init(&g, SMALLER);
    for (uint32_t v = 0; v < SMALLER; v++) {
        graph_add_edge(&g, v, SMALLER, EDGE_EXIT);
        if (v + 1 < SMALLER)
            graph_add_edge(&g, v, v + 1, EDGE_FLOW);
    }
    check_large("a chain of returns", &g);
}

/* do { do { ... } while; } while: size / 2 loops inside each other; each head may also return, leaving all of
 * them. */
static void nested_loops(uint32_t size, bool returns, const char *name)
{
    struct graph g;
    uint32_t depth = size / 2;
    graph_init(&g, 2 * depth);
    for (uint32_t v = 0; v < depth; v++) {
        uint32_t test = 2 * depth - 1 - v;
        graph_add_edge(&g, v, v + 1, EDGE_FLOW);
        if (returns)
            graph_add_edge(&g, v, 2 * depth, EDGE_EXIT);
        graph_add_edge(&g, test, v, EDGE_FLOW);
        graph_add_edge(&g, test, test + 1, v == 0 ? EDGE_EXIT : EDGE_FLOW);
    }
    check_large(name, &g);
}

static void loops_inside_each_other(void **state)
{
    (void)state;
    nested_loops(SIZE, false, "nested loops");
}

static void returns_from_loops_inside_each_other(void **state)
{
    (void)state;
    nested_loops(SMALLER, true, "nested loops with returns");
}

/* Every block goes on, and back to a random earlier one: irreducible all over. */
static void an_irreducible_tangle(void **state)
{
    (void)state;
    struct graph g = random_graph(SMALLER, SMALLER);
    check_large("an irreducible tangle", &g);
}

static void one_switch(void **state)
{
    (void)state;
    struct graph g;
    graph_init(&g, SMALLER);
    for (uint32_t v = 1; v < SMALLER - 1; v++) {
        graph_add_edge(&g, 0, v, EDGE_FLOW);
        graph_add_edge(&g, v, v % 3 ? SMALLER - 1 : 0, EDGE_FLOW);
    }
    graph_add_edge(&g, 0, SMALLER - 1, EDGE_FLOW);
    graph_add_edge(&g, SMALLER - 1, SMALLER, EDGE_EXIT);
    check_large("one switch", &g);
}

/* A ladder: two rails with rungs both ways. Nearest common ancestors and dominators are far apart here. */
static void a_ladder(void **state)
{
    (void)state;
    struct graph g;
    uint32_t steps = SMALLER / 2;
    graph_init(&g, 2 * steps);
    for (uint32_t i = 0; i < steps; i++) {
        uint32_t left = 2 * i, right = left + 1;
        graph_add_edge(&g, left, right, EDGE_FLOW);
        graph_add_edge(&g, right, left, EDGE_FLOW);
        for (uint32_t rail = left; rail <= right; rail++)
            graph_add_edge(&g, rail, i + 1 < steps ? rail + 2 : 2 * steps,
                           i + 1 < steps ? EDGE_FLOW : EDGE_EXIT);
    }
    check_large("a ladder", &g);
}

static void blocks_that_never_return(void **state)
{
    (void)state;
    struct graph g;
    graph_init(&g, SMALLER);
    for (uint32_t v = 1; v < SMALLER; v++) {
        graph_add_edge(&g, (v - 1) / 2, v, EDGE_FLOW);
        if (v > SMALLER / 2 && v % 2)
            graph_add_edge(&g, v, v, EDGE_FLOW);
    }
    check_large("blocks that never return", &g);
}

int main(void)
{
    struct rlimit small = {.rlim_cur = 256 << 10, .rlim_max = RLIM_INFINITY}, now;
    getrlimit(RLIMIT_STACK, &now);
    small.rlim_max = now.rlim_max;
    if (!getenv("LARGE_GRAPHS_LIMITED")) {
        /* The limit holds for the main thread only from the next exec on. */
        setenv("LARGE_GRAPHS_LIMITED", "1", 1);
        if (setrlimit(RLIMIT_STACK, &small) == 0)
            execl("/proc/self/exe", "large_graphs", (char *)NULL);
        return 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain),
        cmocka_unit_test(a_chain_of_returns),
        cmocka_unit_test(loops_inside_each_other),
        cmocka_unit_test(returns_from_loops_inside_each_other),
        cmocka_unit_test(an_irreducible_tangle),
        cmocka_unit_test(one_switch),
        cmocka_unit_test(a_ladder),
        cmocka_unit_test(blocks_that_never_return),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
