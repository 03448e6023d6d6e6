/*
 * Every placement, on every small graph and many random ones: counts that only the plan's probes saw, put
 * through the solver, are the counts of the run.
 */
#include "graph_testing.h"

#include "graph/flow.h"
#include "graph/weights.h"
#include "plan/plan.h"

static void vertex_counts_of(const struct graph *g, const int64_t *edges, int64_t *vertices)
{
    memset(vertices, 0, g->vertex_count * sizeof *vertices);
    for (uint32_t e = 0; e < g->edge_count; e++)
        vertices[g->edges[e].to] += edges[e];
}

static void check_placement(const struct graph *g, enum placement placement, const double *weights,
                            const int64_t *truth)
{
    uint32_t n = g->vertex_count, m = g->edge_count, where;
    int64_t *vertex_truth = ALLOC(int64_t, n), *counts = ZALLOC(int64_t, m),
            *vertex_counts = ZALLOC(int64_t, n);
    bool *edge_known = ZALLOC(bool, m), *vertex_known = ZALLOC(bool, n);
    vertex_counts_of(g, truth, vertex_truth);
    struct plan plan;
    struct error error = {""};
    if (!plan_make(&plan, g, placement, weights, NULL, &error)) {
        graph_show(g);
        fail_msg("%s: %s", placement_info(placement)->name, error.text);
    }
    assert_int_equal(plan.placement, placement);
    for (uint32_t i = 0; i < plan.probe_count; i++) {
        struct probe p = plan.probes[i];
        if (p.kind == PROBE_EDGE) {
            edge_known[p.id] = true;
            counts[p.id] = truth[p.id];
        } else {
            vertex_known[p.id] = true;
            vertex_counts[p.id] = vertex_truth[p.id];
        }
    }
    if (placement_info(placement)->gives_edges) {
        enum flow_result result = flow_solve_edges(g, edge_known, NULL, counts, &where);
        if (result != FLOW_OK || memcmp(counts, truth, m * sizeof *truth)) {
            graph_show(g);
            fail_msg("%s: edge counts, result %d", placement_info(placement)->name, result);
        }
    }
    enum flow_result result =
        flow_solve_vertices(g, edge_known, counts, vertex_known, NULL, vertex_counts, &where);
    if (result != FLOW_OK || memcmp(vertex_counts, vertex_truth, n * sizeof *vertex_truth)) {
        graph_show(g);
        fail_msg("%s: block counts, result %d", placement_info(placement)->name, result);
    }
    plan_release(&plan);
    free(vertex_truth);
    free(counts);
    free(vertex_counts);
    free(edge_known);
    free(vertex_known);
}

/* With these edges counted, and the entry known, does one edge follow from the others until all are known? */
static bool determines(const struct graph *g, const bool *counted)
{
    bool *known = ALLOC(bool, g->edge_count), all = true;
    for (uint32_t e = 0; e < g->edge_count; e++)
        known[e] = counted[e] || g->edges[e].kind == EDGE_ENTRY;
    for (uint32_t again = 0; again < g->edge_count; again++)
        for (uint32_t v = 0; v < g->vertex_count; v++) {
            uint32_t unknown = 0, last = 0;
            for (uint32_t e = 0; e < g->edge_count; e++) {
                bool loop = g->edges[e].from == g->edges[e].to;
                if (!known[e] && !loop && (g->edges[e].from == v || g->edges[e].to == v))
                    unknown++, last = e;
            }
            if (unknown == 1)
                known[last] = true;
        }
    for (uint32_t e = 0; e < g->edge_count; e++)
        all &= known[e];
    free(known);
    return all;
}

/*
 * Where the entry is given: one counter fewer than without, the counts follow, and no other choice of edges
 * is cheaper (all are tried where there are few edges; a virtual edge is preferred over what it costs, so
 * graphs with one are left out).
 */
static void check_given(const struct graph *g, const double *weights, const int64_t *truth)
{
    uint32_t m = g->edge_count, where;
    int64_t *counts = ZALLOC(int64_t, m);
    bool *known = ZALLOC(bool, m), virtual_edges = false;
    struct plan plan, full;
    struct error error = {""};
    if (!plan_make_given(&plan, g, weights, NULL, &error)) {
        graph_show(g);
        fail_msg("given: %s", error.text);
    }
    assert_true(plan_make(&full, g, PLACEMENT_EDGES, weights, NULL, &error));
    assert_true(plan.entry_given && !full.entry_given);
    assert_int_equal(plan.probe_count + 1, full.probe_count);
    assert_int_equal(plan_undetermined(&plan, g), GRAPH_NONE);
    for (uint32_t i = 0; i < plan.probe_count; i++) {
        assert_int_equal(plan.probes[i].kind, PROBE_EDGE);
        assert_int_not_equal(g->edges[plan.probes[i].id].kind, EDGE_ENTRY);
        known[plan.probes[i].id] = true;
    }
    assert_true(determines(g, known));
    double cost = plan_cost(&plan, g, weights);
    for (uint32_t e = 0; e < m; e++) {
        virtual_edges |= g->edges[e].kind == EDGE_VIRTUAL;
        known[e] |= g->edges[e].kind == EDGE_ENTRY;
        counts[e] = known[e] ? truth[e] : 0;
    }
    if (flow_solve_edges(g, known, NULL, counts, &where) != FLOW_OK ||
        memcmp(counts, truth, m * sizeof *truth)) {
        graph_show(g);
        fail_msg("given: edge counts");
    }
    for (uint32_t choice = 0; m <= 9 && !virtual_edges && choice < 1u << m; choice++) {
        double other = 0;
        for (uint32_t e = 0; e < m; e++) {
            known[e] = choice >> e & 1;
            other += known[e] ? weights[e] : 0;
        }
        if (other < cost * (1 - 1e-9) && determines(g, known)) {
            graph_show(g);
            fail_msg("given: %g is cheaper than %g", other, cost);
        }
    }
    plan_release(&plan);
    plan_release(&full);
    free(counts);
    free(known);
}

static void check_graph(struct graph *g)
{
    graph_complete(g);
    int64_t *truth = ZALLOC(int64_t, g->edge_count);
    double *weights = ALLOC(double, g->edge_count);
    walk(g, 1 + random_below(4), truth);
    weights_guess(g, &weight_defaults, weights);
    for (int placement = 1; placement <= PLACEMENT_LAST; placement++)
        if (placement != PLACEMENT_BALANCE)
            check_placement(g, (enum placement)placement, weights, truth);
    check_given(g, weights, truth);
    free(truth);
    free(weights);
}

static void every_small_graph(void **state)
{
    (void)state;
    unsigned long graphs = each_graph(1, 4, 8, check_graph);
    graphs += each_graph(2, 2, 12, check_graph);
    graphs += each_graph(3, 1, 12, check_graph);
    graphs += each_graph(3, 2, 5, check_graph);
    graphs += each_graph(4, 1, 6, check_graph);
    printf("%lu graphs\n", graphs);
    assert_true(graphs > 10000);
}

static void random_graphs(void **state)
{
    (void)state;
    for (int i = 0; i < (int)sampled(4000); i++) {
        uint32_t blocks = 1 + random_below(40);
        struct graph g = random_graph(blocks, random_below(2 * blocks));
        check_graph(&g);
        graph_release(&g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_small_graph),
        cmocka_unit_test(random_graphs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
