/*
 * The solvers on any set of known counts, judged by linear algebra: a count is determined exactly when adding
 * its row to Kirchhoff's equations and the known ones does not raise the rank. Ranks are taken modulo a
 * prime; no code is shared.
 */
#include "graph_testing.h"
#include "linear_algebra.h"

#include "graph/flow.h"

static unsigned long determined_sets, open_sets;

static void check_sets(struct graph *g)
{
    graph_complete(g);
    uint32_t n = g->vertex_count, m = g->edge_count, where;
    assert_true(m <= WIDTH);
    int64_t truth[WIDTH] = {0}, vertex_truth[WIDTH] = {0}, edges[WIDTH], vertices[WIDTH];
    walk(g, 1 + random_below(5), truth);
    for (uint32_t e = 0; e < m; e++)
        vertex_truth[g->edges[e].to] += truth[e];
    for (int round = 0; round < 8; round++) {
        bool edge_known[WIDTH] = {0}, vertex_known[WIDTH] = {0};
        struct rows r = kirchhoff(g);
        int row[WIDTH];
        uint32_t edges_in_8 = random_below(8), vertices_in_8 = round % 2 ? random_below(8) : 0;
        for (uint32_t e = 0; e < m; e++) {
            edge_known[e] = random_below(8) < edges_in_8;
            edges[e] = edge_known[e] ? truth[e] : -77;
            memset(row, 0, sizeof row);
            row[e] = 1;
            if (edge_known[e])
                add_row(&r, row);
        }
        for (uint32_t v = 0; v < n; v++) {
            vertex_known[v] = random_below(8) < vertices_in_8;
            vertices[v] = vertex_known[v] ? vertex_truth[v] : -77;
            vertex_row(g, v, row);
            if (vertex_known[v])
                add_row(&r, row);
        }
        bool determined = rows_determine_vertices(r, g);
        enum flow_result result =
            flow_solve_vertices(g, edge_known, edges, vertex_known, NULL, vertices, &where);
        if (determined)
            determined_sets++;
        else
            open_sets++;
        if (result != (determined ? FLOW_OK : FLOW_UNDETERMINED)) {
            graph_show(g);
            fail_msg("block counts: result %d, determined %d", result, determined);
        }
        if (determined)
            assert_memory_equal(vertices, vertex_truth, n * sizeof *vertices);

        if (vertices_in_8)
            continue;
        determined = r.rank == m;
        result = flow_solve_edges(g, edge_known, NULL, edges, &where);
        if (result != (determined ? FLOW_OK : FLOW_UNDETERMINED)) {
            graph_show(g);
            fail_msg("edge counts: result %d, determined %d", result, determined);
        }
        if (determined)
            assert_memory_equal(edges, truth, m * sizeof *edges);
        else
            for (uint32_t e = 0; e < m; e++)
                assert_true(edges[e] == truth[e] || edges[e] == -77); /* what it does fill in is right */
    }
}

static void solvers_solve_what_is_determined(void **state)
{
    (void)state;
    each_graph(1, 3, 6, check_sets);
    each_graph(2, 2, 8, check_sets);
    each_graph(3, 1, 12, check_sets);
    each_graph(4, 1, 5, check_sets);
    for (int i = 0; i < 3000; i++) {
        uint32_t blocks = 3 + random_below(4);
        struct graph g = random_graph(blocks, random_below(8));
        check_sets(&g);
        graph_release(&g);
    }
    printf("%lu sets that determine, %lu that do not\n", determined_sets, open_sets);
    assert_true(determined_sets > 10000 && open_sets > 10000);
}

/* With more counters than needed, any one that is wrong is found out. */
static void a_wrong_count_is_a_contradiction(void **state)
{
    (void)state;
    struct graph g = graph_of(4, "0>1 0>2 1>3 2>3 3>x 3>0");
    graph_complete(&g);
    int64_t truth[8] = {0};
    walk(&g, 7, truth);
    bool all[8];
    memset(all, true, sizeof all);
    uint32_t where;
    for (uint32_t e = 0; e < g.edge_count; e++) {
        int64_t counts[8];
        memcpy(counts, truth, sizeof counts);
        assert_int_equal(flow_solve_edges(&g, all, NULL, counts, &where), FLOW_OK);
        counts[e]++;
        assert_int_equal(flow_solve_edges(&g, all, NULL, counts, &where), FLOW_CONTRADICTION);
        assert_true(where == g.edges[e].from || where == g.edges[e].to);
    }
    int64_t vertices[5] = {0}, wrong[5];
    bool every[5] = {true, true, true, true, true};
    for (uint32_t e = 0; e < g.edge_count; e++)
        vertices[g.edges[e].to] += truth[e];
    assert_int_equal(flow_solve_vertices(&g, all, truth, every, NULL, vertices, &where), FLOW_OK);
    for (uint32_t v = 0; v < 5; v++) {
        memcpy(wrong, vertices, sizeof wrong);
        wrong[v]--;
        assert_int_equal(flow_solve_vertices(&g, all, truth, every, NULL, wrong, &where), FLOW_CONTRADICTION);
        assert_int_equal(where, v);
    }
    graph_release(&g);
}

static void a_negative_count_is_reported(void **state)
{
    (void)state;
    /* 0 -> 1 counted more often than the function was entered: 0 -> 2 would be negative. */
    struct graph g = graph_of(3, "0>1 0>2 1>x 2>x");
    graph_complete(&g);
    bool known[5] = {[0] = true, [4] = true};
    int64_t counts[5] = {5, 0, 0, 0, 3};
    uint32_t where;
    assert_int_equal(flow_solve_edges(&g, known, NULL, counts, &where), FLOW_NEGATIVE);
    assert_int_equal(where, 1);
    assert_int_equal(counts[1], -2);
    assert_int_equal(counts[2], 5);
    graph_release(&g);
}

/* Counters may wrap on the way as long as the true counts are below 2^63. */
static void sums_may_wrap_around(void **state)
{
    (void)state;
    struct graph g = graph_of(2, "0>1 1>0 1>x");
    graph_complete(&g);
    bool known[4] = {[1] = true, [3] = true};
    int64_t counts[4] = {0, INT64_MAX - 1, 0, 1};
    assert_int_equal(flow_solve_edges(&g, known, NULL, counts, NULL), FLOW_OK);
    assert_true(counts[0] == INT64_MAX && counts[2] == 1);
    graph_release(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solvers_solve_what_is_determined),
        cmocka_unit_test(a_wrong_count_is_a_contradiction),
        cmocka_unit_test(a_negative_count_is_reported),
        cmocka_unit_test(sums_may_wrap_around),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
