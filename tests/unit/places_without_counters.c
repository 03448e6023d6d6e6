/*
 * Edges that can hold no counter: no plan puts one there, what the plan leaves out can still be solved, and
 * planning fails only where counting everything else would not be enough either (judged by linear algebra).
 */
#include "graph_testing.h"
#include "linear_algebra.h"

#include "graph/flow.h"
#include "graph/weights.h"
#include "plan/plan.h"

static unsigned long planned, refused;

/* Whether counters on all edges but the forbidden ones determine all edge counts (or all block counts). */
static bool possible(const struct graph *g, const bool *forbidden, bool edges)
{
    struct rows r = kirchhoff(g);
    for (uint32_t e = 0; e < g->edge_count; e++) {
        int row[WIDTH] = {0};
        row[e] = 1;
        if (!forbidden[e])
            add_row(&r, row);
    }
    return edges ? r.rank == g->edge_count : rows_determine_vertices(r, g);
}

static void check(struct graph *g)
{
    graph_complete(g);
    uint32_t n = g->vertex_count, m = g->edge_count, where;
    assert_true(m <= WIDTH);
    double weights[WIDTH];
    weights_guess(g, &weight_defaults, weights);
    int64_t truth[WIDTH] = {0}, vertex_truth[WIDTH] = {0};
    walk(g, 3, truth);
    for (uint32_t e = 0; e < m; e++)
        vertex_truth[g->edges[e].to] += truth[e];
    for (int round = 0; round < 3; round++) {
        bool no_probe[WIDTH] = {0}, forbidden[WIDTH] = {0};
        for (uint32_t e = 0; e < m; e++) {
            uint32_t others = 0;
            for (uint32_t o = 0; o < m; o++)
                others += o != e && g->edges[o].from == g->edges[e].from;
            no_probe[e] = random_below(8) < 2 + (uint32_t)round;
            /* who stays in an endless loop passes no counter; who stops at a dead end does */
            forbidden[e] = no_probe[e] || (g->edges[e].kind == EDGE_VIRTUAL && others);
        }
        for (int placement = PLACEMENT_EDGES; placement <= PLACEMENT_EVERY_EDGE; placement++) {
            const struct placement_info *info = placement_info((enum placement)placement);
            struct plan plan;
            struct error error = {""};
            bool ok = plan_make(&plan, g, (enum placement)placement, weights, no_probe, &error);
            if (placement != PLACEMENT_KNUTH && ok != possible(g, forbidden, info->gives_edges)) {
                graph_show(g);
                fail_msg("%s: %s", info->name, ok ? "planned what cannot be" : error.text);
            }
            if (!ok) {
                assert_non_null(strstr(error.text, "can hold no counter"));
                assert_int_equal(plan.probe_count, 0);
                refused++;
                continue;
            }
            planned++;
            bool edge_known[WIDTH] = {0}, vertex_known[WIDTH] = {0};
            int64_t edges[WIDTH] = {0}, vertices[WIDTH] = {0};
            for (uint32_t i = 0; i < plan.probe_count; i++) {
                uint32_t id = plan.probes[i].id;
                if (plan.probes[i].kind == PROBE_EDGE) {
                    assert_false(forbidden[id]);
                    edge_known[id] = true;
                    edges[id] = truth[id];
                } else {
                    vertex_known[id] = true;
                    vertices[id] = vertex_truth[id];
                }
            }
            assert_int_equal(flow_solve_vertices(g, edge_known, edges, vertex_known, NULL, vertices, &where),
                             FLOW_OK);
            assert_memory_equal(vertices, vertex_truth, n * sizeof *vertices);
            if (info->gives_edges) {
                assert_int_equal(flow_solve_edges(g, edge_known, NULL, edges, &where), FLOW_OK);
                assert_memory_equal(edges, truth, m * sizeof *edges);
            }
            plan_release(&plan);
        }
    }
}

static void plans_keep_off_edges_without_room(void **state)
{
    (void)state;
    each_graph(1, 3, 5, check);
    each_graph(2, 2, 8, check);
    each_graph(3, 1, 9, check);
    each_graph(4, 1, 5, check);
    for (int i = 0; i < (int)sampled(3000); i++) {
        uint32_t blocks = 3 + random_below(4);
        struct graph g = random_graph(blocks, random_below(8));
        check(&g);
        graph_release(&g);
    }
    printf("%lu planned, %lu refused\n", planned, refused);
    assert_true(planned > sampled(10000) && refused > sampled(10000));
}

/* Two labels of one computed goto that both end in dead ends: the virtual edges then carry counters, at the
 * blocks' start. */
static void dead_ends_behind_a_computed_goto_are_counted(void **state)
{
    (void)state;
    struct graph g = graph_of(3, "0>1 0>2");
    graph_complete(&g);
    double weights[5] = {1, 1, 2, 1, 1};
    bool no_probe[5] = {true, true};
    struct plan plan;
    struct error error;
    assert_true(plan_make(&plan, &g, PLACEMENT_EDGES, weights, no_probe, &error));
    assert_int_equal(plan.probe_count, 2);
    for (uint32_t i = 0; i < 2; i++)
        assert_true(g.edges[plan.probes[i].id].kind != EDGE_FLOW);
    plan_release(&plan);
    graph_release(&g);
}

/* Two such labels that both lead to endless loops: nothing tells them apart, and the error names an edge. */
static void endless_loops_behind_a_computed_goto_are_refused(void **state)
{
    (void)state;
    struct graph g = graph_of(3, "0>1 0>2 1>1 2>2");
    graph_complete(&g);
    double weights[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    bool no_probe[8] = {true, true};
    struct plan plan;
    struct error error;
    assert_false(plan_make(&plan, &g, PLACEMENT_EDGES, weights, no_probe, &error));
    assert_string_equal(error.text,
                        "edge 6 (2 -> exit) can hold no counter and cannot be derived from those that can");
    graph_release(&g);
}

/* A function that is one block and never returns: entry and virtual edge are one cycle, so one of them is
 * counted. */
static void a_block_that_never_returns_has_one_counter(void **state)
{
    (void)state;
    struct graph g;
    graph_init(&g, 1);
    graph_complete(&g);
    double weights[2] = {1, 1};
    struct plan plan;
    assert_true(plan_make(&plan, &g, PLACEMENT_EDGES, weights, NULL, NULL));
    assert_int_equal(plan.probe_count, 1);
    assert_int_equal(g.edges[plan.probes[0].id].kind, EDGE_VIRTUAL);
    plan_release(&plan);
    graph_release(&g);
}

static void an_incomplete_graph_is_refused(void **state)
{
    (void)state;
    struct graph g = graph_of(1, "0>x");
    double weights[1] = {1};
    struct plan plan;
    struct error error;
    assert_false(plan_make(&plan, &g, PLACEMENT_EDGES, weights, NULL, &error));
    assert_string_equal(error.text, "the graph has no entry edge: it was not completed");
    assert_false(plan_make(&plan, &g, (enum placement)99, weights, NULL, &error));
    graph_release(&g);
}

static void placements_have_names(void **state)
{
    (void)state;
    for (int i = 1; i <= PLACEMENT_LAST; i++) {
        const struct placement_info *info = placement_info((enum placement)i);
        assert_non_null(info);
        assert_int_equal(info->placement, i);
        assert_ptr_equal(placement_by_name(info->name), info);
    }
    assert_null(placement_by_name("nothing"));
    assert_null(placement_info((enum placement)0));
    assert_null(placement_info((enum placement)(PLACEMENT_HIGHEST + 1)));
}

static void balance_counts_activations_begun_and_ended(void **state)
{
    (void)state;
    struct graph g = graph_of(2, "0>1 0>x 1>0 1>x");
    graph_complete(&g);
    double weights[5] = {1, 1, 1, 1, 1};
    struct plan plan;
    assert_true(plan_make(&plan, &g, PLACEMENT_BALANCE, weights, NULL, NULL));
    assert_int_equal(plan.probe_count, 2);
    assert_true(plan.probes[0].kind == PROBE_EDGE && plan.probes[0].id == 4);
    assert_true(plan.probes[1].kind == PROBE_VERTEX && plan.probes[1].id == 2);
    assert_true(plan_cost(&plan, &g, weights) == 1 + 2);
    plan_release(&plan);
    graph_release(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_keep_off_edges_without_room),
        cmocka_unit_test(dead_ends_behind_a_computed_goto_are_counted),
        cmocka_unit_test(endless_loops_behind_a_computed_goto_are_refused),
        cmocka_unit_test(a_block_that_never_returns_has_one_counter),
        cmocka_unit_test(an_incomplete_graph_is_refused),
        cmocka_unit_test(placements_have_names),
        cmocka_unit_test(balance_counts_activations_begun_and_ended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
