/* The cheapest region around some blocks, on random graphs: no subset of the blocks that may be one has a
 * cheaper border. */
#include "graph_testing.h"

#include "plan/region.h"

enum { BLOCKS_MOST = 8, EDGES_MOST = 64 };

/* The weight of the border, or -1 if the set is no region. */
static double cost_of(const struct graph *g, const double *weights, const bool *joined, const bool *wanted,
                      const bool *inside)
{
    double cost = 0;
    for (uint32_t v = 0; v < g->vertex_count; v++)
        if ((wanted[v] && !inside[v]) || (v == graph_exit(g) && inside[v]))
            return -1;
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (inside[g->edges[e].from] != inside[g->edges[e].to]) {
            if (joined[e])
                return -1;
            cost += weights[e];
        }
    return cost;
}

static unsigned long compared, smaller_than_all;

static void check(const struct graph *g)
{
    bool joined[EDGES_MOST] = {0}, wanted[BLOCKS_MOST + 1] = {0}, inside[BLOCKS_MOST + 1];
    double weights[EDGES_MOST];
    assert_true(g->edge_count < EDGES_MOST);
    for (uint32_t e = 0; e < g->edge_count; e++) {
        weights[e] = random_below(17); /* of 16, so that all sums are exact */
        joined[e] = g->edges[e].kind == EDGE_FLOW && random_below(8) == 0;
    }
    weights[random_below(g->edge_count)] = 16;
    for (uint32_t v = 0; v < graph_exit(g); v++)
        wanted[v] = random_below(3) == 0;
    plan_region(g, weights, joined, wanted, inside);
    double found = cost_of(g, weights, joined, wanted, inside), best = -1;
    uint32_t blocks = graph_exit(g), size = 0;
    for (uint32_t set = 0; set < 1u << blocks; set++) {
        bool other[BLOCKS_MOST + 1] = {0};
        for (uint32_t v = 0; v < blocks; v++)
            other[v] = set >> v & 1;
        double cost = cost_of(g, weights, joined, wanted, other);
        if (cost >= 0 && (best < 0 || cost < best))
            best = cost;
    }
    if (found != best) {
        graph_show(g);
        fail_msg("a border of %g, but %g is enough", found, best);
    }
    for (uint32_t v = 0; v < blocks; v++)
        size += inside[v];
    compared++;
    smaller_than_all += size && size < blocks;
}

static void no_region_is_cheaper(void **state)
{
    (void)state;
    for (int i = 0; i < 20000; i++) {
        struct graph g = random_graph(2 + random_below(BLOCKS_MOST - 1), random_below(10));
        graph_complete(&g);
        check(&g);
        graph_release(&g);
    }
    assert_true(compared == 20000 && smaller_than_all > 2000);
}

static void nothing_wanted_is_an_empty_region(void **state)
{
    (void)state;
    struct graph g = graph_of(2, "0>1 1>x");
    graph_complete(&g);
    double weights[3] = {1, 1, 1};
    bool none[3] = {0}, inside[3] = {true, true, true};
    plan_region(&g, weights, none, none, inside);
    assert_false(inside[0] || inside[1] || inside[2]);
    graph_release(&g);
}

/* Paths as long as the graph must not use the stack, and a cut of a long ladder must not take for ever. */
static void long_graphs_are_fine(void **state)
{
    (void)state;
    enum { BLOCKS = 60000 };
    struct graph g;
    graph_init(&g, BLOCKS);
    for (uint32_t v = 0; v < BLOCKS; v++) {
        graph_add_edge(&g, v, v + 1, v + 1 < BLOCKS ? EDGE_FLOW : EDGE_EXIT);
        if (v + 2 < BLOCKS)
            graph_add_edge(&g, v, v + 2, EDGE_FLOW);
    }
    graph_complete(&g);
    double *weights = ALLOC(double, g.edge_count);
    bool *joined = ZALLOC(bool, g.edge_count), *wanted = ZALLOC(bool, g.vertex_count),
         *inside = ZALLOC(bool, g.vertex_count);
    for (uint32_t e = 0; e < g.edge_count; e++)
        weights[e] = 1 + e % 7;
    wanted[BLOCKS / 2] = true;
    plan_region(&g, weights, joined, wanted, inside);
    assert_true(inside[BLOCKS / 2] && !inside[BLOCKS]);
    free(weights);
    free(joined);
    free(wanted);
    free(inside);
    graph_release(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_region_is_cheaper),
                                       cmocka_unit_test(nothing_wanted_is_an_empty_region),
                                       cmocka_unit_test(long_graphs_are_fine)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
