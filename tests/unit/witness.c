/*
 * Witnesses: on all small graphs and many random ones, whatever may call and wherever no code can stand, the
 * events of a run decide its branches. The judge knows neither the conditions nor how witnesses were placed:
 * it collects what a reader can see behind each branch by walking, and compares runs by their events.
 */
#include "graph_testing.h"

#include "plan/witness.h"

enum { RUN_MOST = 7 };

static const enum witness_placement placements[] = {WITNESS_FOREST, WITNESS_CALLS, WITNESS_FOREST_FIRST,
                                                    WITNESS_PREDICATES};
static unsigned long plans_judged, runs_judged, refused, shared;

static bool walks(const struct edge *e)
{
    return e->kind == EDGE_FLOW || e->kind == EDGE_EXIT;
}

/*
 * All that may come next in the stream behind the edge from -> to, before anything of it is seen: witnesses,
 * something a call wrote, or the end of the activation. Adds to set; by depth-first enumeration of ways, no
 * vertex twice on a way.
 */
struct judge {
    const struct graph *g;
    const uint32_t *value;
    const bool *may_emit;
    bool on_way[16], cycle;
    bool next[512]; /* values; 500: call, 501: end */
};

static void collect(struct judge *j, uint32_t v)
{
    if (v == graph_exit(j->g)) {
        j->next[501] = true;
        return;
    }
    if (j->on_way[v]) {
        j->cycle = true;
        return;
    }
    if (j->may_emit[v])
        j->next[500] = true;
    j->on_way[v] = true;
    for (uint32_t e = 0; e < j->g->edge_count; e++)
        if (j->g->edges[e].from == v && walks(&j->g->edges[e])) {
            if (j->value[e])
                j->next[j->value[e]] = true;
            else
                collect(j, j->g->edges[e].to);
        }
    j->on_way[v] = false;
}

/* Can a reader who stands behind the calls of v and sees one event decide where control went? NULL, or why
 * not. */
static const char *decides(const struct graph *g, const uint32_t *value, const bool *may_emit, uint32_t v)
{
    bool seen[512] = {false}, several = false;
    uint32_t first = GRAPH_NONE;
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (g->edges[e].from == v && walks(&g->edges[e])) {
            several |= first != GRAPH_NONE && g->edges[e].to != first;
            first = first == GRAPH_NONE ? g->edges[e].to : first;
        }
    for (uint32_t to = 0; to < g->vertex_count; to++) {
        struct judge j = {.g = g, .value = value, .may_emit = may_emit};
        bool is_successor = false;
        for (uint32_t e = 0; e < g->edge_count; e++)
            if (g->edges[e].from == v && g->edges[e].to == to && walks(&g->edges[e])) {
                is_successor = true;
                if (value[e])
                    j.next[value[e]] = true;
                else
                    collect(&j, to);
            }
        if (!is_successor)
            continue;
        if (j.cycle)
            return "a loop writes nothing";
        if (several && (j.next[500] || j.next[501]))
            return "a call or the end may come before the branch is decided";
        for (int i = 0; i < 512; i++) {
            if (j.next[i] && seen[i])
                return "one event, two ways";
            seen[i] |= j.next[i];
        }
    }
    return NULL;
}

static const char *judge_plan(const struct graph *g, const uint32_t *value, const bool *may_emit)
{
    for (uint32_t v = 0; v < graph_exit(g); v++) {
        const char *why = decides(g, value, may_emit, v);
        if (why)
            return why;
    }
    return NULL;
}

/* Prefixes with the same events and the same last block are the same prefix: pairs of runs, by brute force.
 */
struct run {
    uint8_t blocks[RUN_MOST], events[RUN_MOST];
    uint8_t block_count, event_count;
};
static struct run runs[20000];
static size_t run_count;

static void enumerate(const struct graph *g, const uint32_t *value, struct run r)
{
    if (run_count < sizeof runs / sizeof *runs)
        runs[run_count++] = r;
    uint32_t v = r.blocks[r.block_count - 1];
    if (r.block_count == RUN_MOST || v == graph_exit(g))
        return;
    bool done[16] = {false};
    for (uint32_t e = 0; e < g->edge_count; e++) {
        uint32_t to = g->edges[e].to;
        if (g->edges[e].from != v || !walks(&g->edges[e]) || done[to])
            continue;
        done[to] = true;
        struct run next = r;
        next.blocks[next.block_count++] = (uint8_t)to;
        if (value[e])
            next.events[next.event_count++] = (uint8_t)value[e];
        enumerate(g, value, next);
    }
}

static int run_order(const void *x, const void *y)
{
    const struct run *a = x, *b = y;
    if (a->event_count != b->event_count)
        return a->event_count < b->event_count ? -1 : 1;
    int order = memcmp(a->events, b->events, a->event_count);
    if (order)
        return order;
    uint8_t end_a = a->blocks[a->block_count - 1], end_b = b->blocks[b->block_count - 1];
    return end_a < end_b ? -1 : end_a > end_b;
}

static bool runs_are_told_apart(const struct graph *g, const uint32_t *value)
{
    run_count = 0;
    enumerate(g, value, (struct run){.blocks = {0}, .block_count = 1});
    qsort(runs, run_count, sizeof *runs, run_order);
    runs_judged += run_count;
    for (size_t i = 1; i < run_count; i++)
        if (run_order(&runs[i - 1], &runs[i]) == 0)
            return false;
    return true;
}

static void show(const struct graph *g, const uint32_t *value, const bool *may_emit)
{
    graph_show(g);
    for (uint32_t e = 0; e < g->edge_count; e++)
        printf(" %u>%u[%u]", g->edges[e].from, g->edges[e].to, value[e]);
    printf("  calls in:");
    for (uint32_t v = 0; v < graph_exit(g); v++)
        if (may_emit[v])
            printf(" %u", v);
    printf("\n");
}

static void judge_made(const struct graph *g, const struct witness_plan *plan, const bool *may_emit,
                       const bool *no_probe)
{
    const char *why = judge_plan(g, plan->value, may_emit);
    if (!why && g->vertex_count <= 5 && !runs_are_told_apart(g, plan->value))
        why = "two runs write the same";
    for (uint32_t e = 0; e < g->edge_count && !why; e++) {
        if (!walks(&g->edges[e]) && plan->value[e])
            why = "a witness where nothing walks";
        for (uint32_t o = 0; o < g->edge_count && no_probe && no_probe[e] && plan->value[e]; o++)
            if (g->edges[o].to == g->edges[e].to && walks(&g->edges[o]) && plan->value[o] != plan->value[e])
                why = "a witness on an edge where none can stand";
    }
    if (why) {
        show(g, plan->value, may_emit);
        fail_msg("placement %d: %s", plan->placement, why);
    }
    plans_judged++;
}

static double cost(const struct graph *g, const struct witness_plan *plan, const double *weights)
{
    double sum = 0;
    for (uint32_t e = 0; e < g->edge_count; e++)
        sum += plan->value[e] ? weights[e] : 0;
    return sum;
}

static void try_all(const struct graph *g, const bool *may_emit, const bool *no_probe)
{
    double *weights = ALLOC(double, (size_t)g->edge_count + 1);
    struct error error = {""};
    for (uint32_t e = 0; e < g->edge_count; e++)
        weights[e] = 1 + random_below(100);
    for (size_t i = 0; i < sizeof placements / sizeof *placements; i++) {
        struct witness_plan plan;
        if (!witness_make(&plan, g, placements[i], may_emit, weights, no_probe, &error)) {
            if (!no_probe) {
                graph_show(g);
                fail_msg("placement %d: %s", placements[i], error.text);
            }
            refused++;
            continue;
        }
        judge_made(g, &plan, may_emit, no_probe);
        double before = cost(g, &plan, weights);
        uint32_t values = plan.value_count;
        witness_share_values(&plan, g);
        assert_true(plan.value_count <= values);
        assert_true(cost(g, &plan, weights) == before);
        shared += plan.value_count < values;
        judge_made(g, &plan, may_emit, no_probe);
        assert_true(witness_check(&plan, g, may_emit, &error));
        witness_release(&plan);
    }
    free(weights);
}

static void each_choice_of_calls(struct graph *g)
{
    graph_complete(g);
    uint32_t blocks = graph_exit(g);
    bool may_emit[8] = {false}, no_probe[64] = {false};
    for (uint32_t set = 0; set < 1u << blocks; set++) {
        for (uint32_t v = 0; v < blocks; v++)
            may_emit[v] = set >> v & 1;
        try_all(g, may_emit, NULL);
        for (uint32_t e = 0; e < g->edge_count; e++)
            no_probe[e] = random_below(3) == 0;
        try_all(g, may_emit, no_probe);
    }
}

/* Every choice of witnessed edges of a small graph: the conditions hold iff the judge is content. */
static void conditions_are_exact(struct graph *g)
{
    bool may_emit[8] = {false};
    uint32_t value[16], blocks = graph_exit(g);
    struct error error;
    if (g->edge_count > 6)
        return;
    for (uint32_t set = 0; set < 1u << g->edge_count; set++)
        for (uint32_t calls = 0; calls < 1u << blocks; calls++)
            for (uint32_t many = 0; many < 2;
                 many++) { /* all witnesses differ; or two values for all of them */
                uint32_t count = 0;
                for (uint32_t e = 0; e < g->edge_count; e++)
                    value[e] = !(set >> e & 1) ? 0 : many ? 1 + e % 2 : ++count;
                for (uint32_t v = 0; v < blocks; v++)
                    may_emit[v] = calls >> v & 1;
                struct witness_plan plan = {.placement = WITNESS_FOREST, .value = value, .value_count = 16};
                bool claimed = witness_check(&plan, g, may_emit, &error);
                const char *why = judge_plan(g, value, may_emit);
                if (!why && !runs_are_told_apart(g, value))
                    why = "two prefixes write the same";
                if (claimed != !why) {
                    show(g, value, may_emit);
                    fail_msg("checked: %d (%s), judged: %s", claimed, error.text, why);
                }
            }
}

static void small_graphs(void **state)
{
    (void)state;
    each_graph(1, 1, 2, each_choice_of_calls);
    each_graph(2, 2, 6, each_choice_of_calls);
    each_graph(3, 1, 6, each_choice_of_calls);
    printf("%lu plans, %lu runs, %lu refused where no code can stand, %lu shared values\n", plans_judged,
           runs_judged, refused, shared);
    assert_true(refused > 0 && refused * 4 < plans_judged && shared > 0);
}

static void small_graphs_every_set_of_edges(void **state)
{
    (void)state;
    each_graph(1, 1, 2, conditions_are_exact);
    each_graph(2, 1, 6, conditions_are_exact);
    each_graph(3, 1, 5, conditions_are_exact);
}

static void random_graphs(void **state)
{
    (void)state;
    for (int i = 0; i < (int)sampled(5000); i++) {
        uint32_t blocks = 2 + random_below(9);
        struct graph g = random_graph(blocks, random_below(2 * blocks));
        bool may_emit[16], *no_probe = ZALLOC(bool, (size_t)g.edge_count + 16);
        graph_complete(&g);
        for (uint32_t v = 0; v < blocks; v++)
            may_emit[v] = random_below(4) == 0;
        try_all(&g, may_emit, NULL);
        for (uint32_t e = 0; e < g.edge_count; e++)
            no_probe[e] = random_below(5) == 0;
        try_all(&g, may_emit, no_probe);
        free(no_probe);
        graph_release(&g);
    }
}

static bool accepts(uint32_t blocks, const char *edges, const char *witnesses, uint32_t call)
{
    struct graph g = graph_of(blocks, edges);
    uint32_t value[16];
    bool may_emit[16] = {false};
    struct error error;
    for (uint32_t e = 0; e < g.edge_count; e++)
        value[e] = (uint32_t)(witnesses[e] - '0');
    if (call != GRAPH_NONE)
        may_emit[call] = true;
    struct witness_plan plan = {.placement = WITNESS_FOREST, .value = value, .value_count = 9};
    bool result = witness_check(&plan, &g, may_emit, &error);
    graph_release(&g);
    return result;
}

/* Plausible conditions that are not enough. */
static void known_traps(void **state)
{
    (void)state;
    /* Witness sets are disjoint (the right one is empty), yet prefixes 0,1,... do not tell how often 1 ran.
     */
    assert_false(accepts(3, "0>1 0>2 1>1 2>x", "0100", GRAPH_NONE));
    assert_true(accepts(3, "0>1 0>2 1>1 2>x", "1230", GRAPH_NONE));
    /* 0>1 writes and 0>2 does not: enough for one activation, not for two in a row. */
    assert_false(accepts(3, "0>1 0>2 1>2 2>x", "1000", GRAPH_NONE));
    assert_true(accepts(3, "0>1 0>2 1>2 2>x", "1200", GRAPH_NONE));
    /* A call between a branch and its witness writes first. */
    assert_true(accepts(5, "0>1 0>2 1>3 2>3 3>x", "00120", GRAPH_NONE));
    assert_false(accepts(5, "0>1 0>2 1>3 2>3 3>x", "00120", 1));
    /* The branch's own call runs before it is decided; the one behind the witness may write. */
    assert_true(accepts(5, "0>1 0>2 1>3 2>3 3>x", "00120", 0));
    assert_true(accepts(5, "0>1 0>2 1>3 2>3 3>x", "00120", 3));
    /* A loop around a call: the way back to the branch's own block is a way of several edges. */
    assert_false(accepts(3, "0>1 0>2 1>0 2>x", "0001", 0));
    assert_true(accepts(3, "0>1 0>2 1>0 2>x", "1200", 0));
    /* One value on two edges that one branch sees, and on two that none does. */
    assert_false(accepts(4, "0>1 0>2 1>3 2>3 3>x", "00110", GRAPH_NONE));
    assert_true(accepts(4, "0>1 0>2 1>3 2>3 3>3 3>x", "120012", GRAPH_NONE));
}

/* The paper's Figures 16 and 17: far from calls is cheaper than right before them; blockers first is cheaper
 * than last. */
static void far_from_calls_is_cheaper(void **state)
{
    (void)state;
    /* A branch with two ways that meet before two calls in a row. */
    struct graph g = graph_of(6, "0>1 0>2 1>3 2>3 3>4 4>5 5>x");
    static const double weights[] = {5, 5, 5, 5, 10, 10, 10, 0, 0};
    static const bool may_emit[] = {false, false, false, true, true, false};
    struct error error;
    struct witness_plan plan;
    double costs[5];
    graph_complete(&g);
    for (size_t i = 0; i < 4; i++) {
        assert_true(witness_make(&plan, &g, placements[i], may_emit, weights, NULL, &error));
        costs[placements[i]] = cost(&g, &plan, weights);
        witness_release(&plan);
    }
    assert_true(costs[WITNESS_FOREST] == 10 && costs[WITNESS_CALLS] == 10 && costs[WITNESS_PREDICATES] == 10);
    assert_true(costs[WITNESS_FOREST_FIRST] >= 10);
    graph_release(&g);
}

/* Large functions in reasonable time: a switch in a loop, a long chain of branches, a computed goto between
 * all. */
static void large_functions(void **state)
{
    (void)state;
    enum { MANY = 20000, HANDLERS = 300 };
    struct error error;
    struct witness_plan plan;
    struct graph g;
    graph_init(&g, MANY + 2);
    for (uint32_t v = 1; v <= MANY; v++) {
        graph_add_edge(&g, 0, v, EDGE_FLOW);
        graph_add_edge(&g, v, v % 2 ? MANY + 1 : 0, EDGE_FLOW);
    }
    graph_add_edge(&g, MANY + 1, 0, EDGE_FLOW);
    graph_add_edge(&g, MANY + 1, graph_exit(&g), EDGE_EXIT);
    graph_complete(&g);
    bool *may_emit = ZALLOC(bool, MANY + 16), *no_probe;
    double *weights = ALLOC(double, (size_t)g.edge_count + 4 * MANY);
    for (uint32_t e = 0; e < g.edge_count + 3 * MANY; e++)
        weights[e] = e % 7;
    assert_true(witness_make(&plan, &g, WITNESS_FOREST, may_emit, weights, NULL, &error));
    assert_int_equal(witness_width(plan.value_count), 2);
    witness_share_values(&plan, &g);
    assert_true(witness_check(&plan, &g, may_emit, &error));
    witness_release(&plan);
    graph_release(&g);

    graph_init(&g, MANY + 1);
    for (uint32_t v = 0; v < MANY; v++) {
        graph_add_edge(&g, v, v + 1, EDGE_FLOW);
        graph_add_edge(&g, v, MANY, EDGE_FLOW);
        may_emit[v] = v % 10 == 0;
    }
    graph_add_edge(&g, MANY, graph_exit(&g), EDGE_EXIT);
    graph_complete(&g);
    assert_true(witness_make(&plan, &g, WITNESS_FOREST, may_emit, weights, NULL, &error));
    witness_share_values(&plan, &g);
    assert_true(plan.value_count <= 254);
    assert_true(witness_check(&plan, &g, may_emit, &error));
    witness_release(&plan);
    graph_release(&g);

    graph_init(&g, HANDLERS);
    for (uint32_t v = 0; v < HANDLERS; v++) {
        for (uint32_t to = 0; to < HANDLERS; to++)
            if (to)
                graph_add_edge(&g, v, to, EDGE_FLOW);
        may_emit[v] = v % 3 == 0;
    }
    uint32_t jumps = g.edge_count;
    graph_add_edge(&g, HANDLERS - 1, graph_exit(&g), EDGE_EXIT);
    graph_complete(&g);
    no_probe = ZALLOC(bool, g.edge_count);
    memset(no_probe, true, jumps * sizeof *no_probe);
    free(weights);
    weights = ZALLOC(double, g.edge_count);
    if (!witness_make(&plan, &g, WITNESS_FOREST, may_emit, weights, no_probe, &error))
        fail_msg("%s", error.text);
    assert_true(plan.value_count == HANDLERS);
    witness_release(&plan);
    graph_release(&g);
    free(no_probe);
    free(may_emit);
    free(weights);
}

static void bytes_are_never_zero_and_differ(void **state)
{
    (void)state;
    static bool seen[256][256];
    for (uint32_t value = 1; value <= WITNESS_VALUES_MOST; value++) {
        uint8_t bytes[2];
        witness_bytes(value, bytes);
        assert_true(bytes[0] > 1 && bytes[1] > 1 && !seen[bytes[0]][bytes[1]]);
        assert_true(value > 254 || bytes[0] == value + 1);
        assert_int_equal(witness_of_bytes(bytes[0], bytes[1], 2), value);
        seen[bytes[0]][bytes[1]] = true;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_graphs),
        cmocka_unit_test(small_graphs_every_set_of_edges),
        cmocka_unit_test(random_graphs),
        cmocka_unit_test(known_traps),
        cmocka_unit_test(far_from_calls_is_cheaper),
        cmocka_unit_test(large_functions),
        cmocka_unit_test(bytes_are_never_zero_and_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
