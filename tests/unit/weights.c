/* Guessed weights: always positive, always conserving; and the graphs on which the paper's own rule is not.
 */
#include "graph_testing.h"

#include "graph/weights.h"
#include "plan/plan.h"

#include <math.h>

/* The largest relative difference between what flows into a vertex and out of it. */
static double worst_imbalance(const struct graph *g, const double *weights)
{
    double *in = ZALLOC(double, g->vertex_count), *out = ZALLOC(double, g->vertex_count), worst = 0;
    for (uint32_t e = 0; e < g->edge_count; e++) {
        in[g->edges[e].to] += weights[e];
        out[g->edges[e].from] += weights[e];
    }
    for (uint32_t v = 0; v < g->vertex_count; v++) {
        double difference = fabs(in[v] - out[v]) / fmax(fabs(in[v]), fabs(out[v]));
        worst = isnan(difference) ? INFINITY : fmax(worst, difference);
    }
    free(in);
    free(out);
    return worst;
}

/* Weights inside irreducible loops reach 3e8, and what is lost of them by rounding shows where one activation
 * leaves: 1e-8 if it is computed in doubles, 1e-11 with the mantissas of long double (weights.c). */
static const double tolerance = 1e-9;

static void check_weights(struct graph *g)
{
    graph_complete(g);
    double *weights = ALLOC(double, g->edge_count);
    weights_guess(g, &weight_defaults, weights);
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (!(weights[e] > 0 && isfinite(weights[e]))) {
            graph_show(g);
            fail_msg("edge %u has weight %g", e, weights[e]);
        }
    double imbalance = worst_imbalance(g, weights);
    if (imbalance > tolerance) {
        graph_show(g);
        fail_msg("flow is off by %g", imbalance);
    }
    free(weights);
}

static void weights_conserve_flow_on_every_small_graph(void **state)
{
    (void)state;
    unsigned long graphs = each_graph(1, 4, 8, check_weights) + each_graph(2, 2, 12, check_weights) +
                           each_graph(3, 1, 12, check_weights) + each_graph(3, 2, 6, check_weights) +
                           each_graph(4, 1, 8, check_weights);
    assert_true(graphs > sampled(50000));
}

static void weights_conserve_flow_on_random_graphs(void **state)
{
    (void)state;
    for (int i = 0; i < (int)sampled(6000); i++) {
        uint32_t blocks = 1 + random_below(i < 3000 ? 10 : 60);
        struct graph g = random_graph(blocks, random_below(3 * blocks));
        check_weights(&g);
        graph_release(&g);
    }
}

/* A double could not hold the weight of the last of two thousand branches, or of the innermost of a thousand
 * loops. */
static void weights_neither_vanish_nor_overflow(void **state)
{
    (void)state;
    uint32_t depth = 2000;
    struct graph ladder, nest, both;
    graph_init(&ladder, depth);
    for (uint32_t v = 0; v < depth; v++) {
        graph_add_edge(&ladder, v, depth, EDGE_EXIT);
        if (v + 1 < depth)
            graph_add_edge(&ladder, v, v + 1, EDGE_FLOW);
    }
    check_weights(&ladder);
    graph_release(&ladder);
    /* do { do { ... } while; } while: heads 0 .. depth-1, then their tests from the inside out */
    graph_init(&nest, 2 * depth);
    graph_init(&both, 2 * depth);
    for (uint32_t v = 0; v < depth; v++) {
        uint32_t test = 2 * depth - 1 - v, after = test + 1;
        graph_add_edge(&nest, v, v + 1, EDGE_FLOW);
        graph_add_edge(&nest, test, v, EDGE_FLOW);
        graph_add_edge(&nest, test, after, after == 2 * depth ? EDGE_EXIT : EDGE_FLOW);
        graph_add_edge(&both, v, v + 1, EDGE_FLOW);
        graph_add_edge(&both, v, 2 * depth, EDGE_EXIT); /* leaves up to two thousand loops at once */
        graph_add_edge(&both, test, v, EDGE_FLOW);
        graph_add_edge(&both, test, after, after == 2 * depth ? EDGE_EXIT : EDGE_FLOW);
    }
    check_weights(&nest);
    check_weights(&both);
    graph_release(&nest);
    graph_release(&both);
}

static void a_loop_runs_as_often_as_the_factor_says(void **state)
{
    (void)state;
    struct graph g = graph_of(3, "0>1 1>1 1>2 2>x");
    graph_complete(&g);
    double weights[5], expected[] = {1, 9, 1, 1, 1};
    weights_guess(&g, &weight_defaults, weights);
    for (int e = 0; e < 5; e++)
        assert_true(fabs(weights[e] - expected[e]) < 1e-9);
    struct weight_options often = {.loop_factor = 100, .branch_factor = 1, .first_factor = 1};
    weights_guess(&g, &often, weights);
    assert_true(fabs(weights[1] - 99) < 1e-6);
    graph_release(&g);
}

/* Where no edge leaves two loops of a reducible graph the paper's rule is sound, and both agree on simple
 * loops. */
static void the_paper_is_right_on_simple_loops(void **state)
{
    (void)state;
    const char *graphs[] = {"0>1 1>2 2>1 1>3 3>x", "0>1 0>2 1>3 2>3 3>x", "0>1 1>2 2>2 2>3 3>1 1>4 4>x"};
    uint32_t blocks[] = {4, 4, 5};
    struct weight_options paper = {.loop_factor = 10, .paper = true, .branch_factor = 1, .first_factor = 1};
    for (int i = 0; i < 3; i++) {
        struct graph g = graph_of(blocks[i], graphs[i]);
        graph_complete(&g);
        double printed[16], repaired[16];
        weights_guess(&g, &paper, printed);
        weights_guess(&g, &weight_defaults, repaired);
        assert_true(worst_imbalance(&g, printed) < 1e-12);
        for (uint32_t e = 0; e < g.edge_count; e++)
            assert_true(fabs(printed[e] - repaired[e]) < 1e-9);
        graph_release(&g);
    }
}

/* The branch parameter: the loop in one arm of a branch makes that arm so much likelier, and flow is still
 * conserved. */
static void the_papers_branch_parameter_favours_loops(void **state)
{
    (void)state;
    struct graph g = graph_of(5, "0>1 0>2 1>1 1>3 2>3 3>x 3>4 4>x");
    graph_complete(&g);
    double weights[9];
    struct weight_options paper = {.loop_factor = 10, .paper = true, .branch_factor = 3, .first_factor = 1};
    weights_guess(&g, &paper, weights);
    assert_true(fabs(weights[0] - 0.75) < 1e-12 && fabs(weights[1] - 0.25) < 1e-12);
    assert_true(fabs(weights[5] - 0.5) < 1e-12);
    assert_true(worst_imbalance(&g, weights) < 1e-12);
    graph_release(&g);
}

/* Both parameters bend both rules, and neither loses flow by it. */
static void branches_can_be_bent_in_both_rules(void **state)
{
    (void)state;
    struct graph g = graph_of(5, "0>1 0>2 1>1 1>3 2>3 3>x 3>4 4>x");
    graph_complete(&g);
    for (int paper = 0; paper < 2; paper++) {
        double weights[9];
        struct weight_options bent = {
            .loop_factor = 10, .paper = paper, .branch_factor = 3, .first_factor = 1};
        weights_guess(&g, &bent, weights);
        assert_true(fabs(weights[0] - 0.75) < 1e-12 && fabs(weights[1] - 0.25) < 1e-12);
        assert_true(worst_imbalance(&g, weights) < 1e-12);
        assert_true(fabs(weights[5] - 0.5) < 1e-12);
        bent = (struct weight_options){
            .loop_factor = 10, .paper = paper, .branch_factor = 1, .first_factor = 1.0 / 3};
        weights_guess(&g, &bent, weights);
        assert_true(fabs(weights[0] - 0.25) < 1e-12 && fabs(weights[5] - 0.25) < 1e-12);
        assert_true(worst_imbalance(&g, weights) < 1e-12);
    }
    graph_release(&g);
    /* A block between the branch and the loop changes nothing; the way back to the head is none to a loop. */
    g = graph_of(7, "0>1 0>2 1>3 2>5 3>4 3>6 4>3 4>5 5>6 6>x");
    graph_complete(&g);
    for (int paper = 0; paper < 2; paper++) {
        double weights[11];
        struct weight_options bent = {
            .loop_factor = 10, .paper = paper, .branch_factor = 3, .first_factor = 1};
        weights_guess(&g, &bent, weights);
        assert_true(fabs(weights[0] - 0.75) < 1e-12 && fabs(weights[1] - 0.25) < 1e-12);
    }
    graph_release(&g);
}

static void paper_breaks(uint32_t blocks, const char *edges, bool negative)
{
    struct graph g = graph_of(blocks, edges);
    struct weight_options paper = {.loop_factor = 10, .paper = true, .branch_factor = 1, .first_factor = 1};
    double weights[32], lowest = INFINITY;
    check_weights(&g); /* the repaired rule is right */
    weights_guess(&g, &paper, weights);
    for (uint32_t e = 0; e < g.edge_count; e++)
        lowest = fmin(lowest, weights[e]);
    assert_true(negative ? lowest < 0 : worst_imbalance(&g, weights) > 0.01);
    graph_release(&g);
}

static void the_paper_breaks_where_an_edge_leaves_two_loops(void **state)
{
    (void)state;
    paper_breaks(2, "0>1 1>0 1>1 1>x", false);
}

static void the_paper_breaks_on_irreducible_graphs(void **state)
{
    (void)state;
    paper_breaks(3, "0>1 0>2 1>2 2>1 2>x", false);
}

static void the_paper_gives_negative_weights(void **state)
{
    (void)state;
    paper_breaks(5, "0>0 0>1 1>0 1>2 2>0 2>3 3>0 3>4 4>0 4>x", true);
}

/* Adds a profile of a program whose branches are biased a little. */
static void biased_profile(const struct graph *g, double *counts)
{
    struct adjacency a;
    adjacency_init(&a, g);
    uint32_t n = g->vertex_count, *bias = ALLOC(uint32_t, g->edge_count), *total = ZALLOC(uint32_t, n);
    for (uint32_t e = 0; e < g->edge_count; e++) {
        bias[e] =
            (3 + random_below(4)) * (g->edges[e].to <= g->edges[e].from ? 5 : 1); /* loops run a few times */
        total[g->edges[e].from] += bias[e];
        counts[e] = 0;
    }
    for (int run = 0; run < 100; run++) {
        uint32_t v = graph_exit(g);
        do {
            uint32_t draw = random_below(total[v]), i = a.out_start[v];
            while (draw >= bias[a.out[i]])
                draw -= bias[a.out[i++]];
            counts[a.out[i]]++;
            v = g->edges[a.out[i]].to;
        } while (v != graph_exit(g));
    }
    free(bias);
    free(total);
    adjacency_release(&a);
}

static double chord_cost(const struct graph *g, const double *planned_with, const double *profile)
{
    struct plan plan;
    assert_true(plan_make(&plan, g, PLACEMENT_EDGES, planned_with, NULL, NULL));
    double cost = plan_cost(&plan, g, profile);
    plan_release(&plan);
    return cost;
}

/*
 * What the guess is for: chords planned with it cost little more than chords planned with the profile itself,
 * less than with the paper's rule, and much less than with no guess at all.
 */
static void plans_by_guessed_weights_are_nearly_as_cheap_as_by_a_profile(void **state)
{
    (void)state;
    double best = 0, repaired = 0, printed = 0, uniform = 0;
    struct weight_options paper = {.loop_factor = 10, .paper = true, .branch_factor = 1, .first_factor = 1};
    for (int i = 0; i < (int)sampled(600); i++) {
        /* Mostly forward edges, some back, an exit at the end: like real functions, irreducible ones among
         * them. */
        uint32_t blocks = 10 + random_below(30);
        struct graph g;
        graph_init(&g, blocks);
        for (uint32_t v = 0; v < blocks; v++) {
            uint32_t near = v + 1 + random_below(4);
            graph_add_edge(&g, v, v + 1, v + 1 == blocks ? EDGE_EXIT : EDGE_FLOW);
            if (random_below(2))
                graph_add_edge(&g, v, near < blocks ? near : blocks, near < blocks ? EDGE_FLOW : EDGE_EXIT);
            if (random_below(5) == 0)
                graph_add_edge(&g, v, v - random_below(v < 6 ? v + 1 : 6), EDGE_FLOW);
        }
        graph_complete(&g);
        uint32_t m = g.edge_count;
        double *profile = ALLOC(double, m), *weights = ALLOC(double, m);
        biased_profile(&g, profile);
        double unit = 1 / chord_cost(&g, profile, profile);
        best += 1;
        weights_guess(&g, &weight_defaults, weights);
        repaired += chord_cost(&g, weights, profile) * unit;
        weights_guess(&g, &paper, weights);
        printed += chord_cost(&g, weights, profile) * unit;
        for (uint32_t e = 0; e < m; e++)
            weights[e] = 1;
        uniform += chord_cost(&g, weights, profile) * unit;
        free(profile);
        free(weights);
        graph_release(&g);
    }
    printf("cost over the best: repaired %.3f, paper %.3f, uniform %.3f\n", repaired / best, printed / best,
           uniform / best);
    assert_true(repaired < 1.15 * best && repaired < printed && printed < uniform);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_conserve_flow_on_every_small_graph),
        cmocka_unit_test(weights_conserve_flow_on_random_graphs),
        cmocka_unit_test(weights_neither_vanish_nor_overflow),
        cmocka_unit_test(a_loop_runs_as_often_as_the_factor_says),
        cmocka_unit_test(the_paper_is_right_on_simple_loops),
        cmocka_unit_test(the_papers_branch_parameter_favours_loops),
        cmocka_unit_test(branches_can_be_bent_in_both_rules),
        cmocka_unit_test(the_paper_breaks_where_an_edge_leaves_two_loops),
        cmocka_unit_test(the_paper_breaks_on_irreducible_graphs),
        cmocka_unit_test(the_paper_gives_negative_weights),
        cmocka_unit_test(plans_by_guessed_weights_are_nearly_as_cheap_as_by_a_profile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
