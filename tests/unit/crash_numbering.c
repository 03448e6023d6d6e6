/*
 * Crash histories on all small graphs: regions against their definition, and random walks, whose slots
 * are decoded again at every step. What is found must be the way that was walked, or a set of ways that
 * holds it; the set is compared with all ways, one by one.
 */
#include "graph_testing.h"

#include "plan/crash/rounds.h"
#include "plan/crash/ways.h"

enum { BLOCKS_MOST = 12, EDGES_MOST = 64, STEPS_MOST = 40, LISTED_MOST = 4000 };

/* ---- Regions by their definition: sets of blocks are words ---- */

typedef uint32_t set;

static set leads_to(const struct graph *g, set inside, set heads, uint32_t from)
{
    set seen = 0, grown = 1u << from;
    while (grown != seen) {
        seen = grown;
        for (uint32_t e = 0; e < g->edge_count; e++) {
            const struct edge *x = &g->edges[e];
            if (x->kind == EDGE_FLOW && seen >> x->from & 1 && inside >> x->to & 1 && !(heads >> x->to & 1))
                grown |= 1u << x->to;
        }
    }
    return seen;
}

/* Is there a way of at least one edge from the block back to it? */
static bool is_on_cycle(const struct graph *g, set inside, set heads, uint32_t v)
{
    if (heads >> v & 1)
        return false;
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (g->edges[e].kind == EDGE_FLOW && g->edges[e].to == v && inside >> g->edges[e].from & 1 &&
            leads_to(g, inside, heads, v) >> g->edges[e].from & 1)
            return true;
    return false;
}

static void check_region(const struct crash_regions *r, set inside, set heads, uint32_t region)
{
    const struct graph *g = r->graph;
    for (uint32_t v = 0; v < graph_exit(g); v++) {
        if (!(inside >> v & 1))
            continue;
        if (!is_on_cycle(g, inside, heads, v)) {
            assert_int_equal(r->innermost[v], region);
            assert_int_equal(r->head[v], heads >> v & 1);
            continue;
        }
        set part = 0, part_heads = 0;
        for (uint32_t u = 0; u < graph_exit(g); u++)
            if (leads_to(g, inside, heads, v) >> u & 1 && leads_to(g, inside, heads, u) >> v & 1)
                part |= 1u << u;
        for (uint32_t e = 0; e < g->edge_count; e++)
            if (part >> g->edges[e].to & 1 &&
                (g->edges[e].from == graph_exit(g) || !(part >> g->edges[e].from & 1)))
                part_heads |= 1u << g->edges[e].to;
        uint32_t node = crash_node_of(r, region, v);
        assert_true(node >= g->vertex_count);
        assert_int_equal(r->parent[node - g->vertex_count], region);
        if (v == (uint32_t)__builtin_ctz(part))
            check_region(r, part, part_heads, node - g->vertex_count);
    }
}

/* ---- Ways, one by one ---- */

struct way {
    uint32_t steps[STEPS_MOST], length;
};
static struct way listed[LISTED_MOST];
static uint32_t listed_count;

static void list_ways(const struct crash_regions *r, uint32_t node, const struct way *after)
{
    if (r->in_start[node] == r->in_start[node + 1]) {
        assert_true(listed_count < LISTED_MOST);
        struct way *way = &listed[listed_count++];
        way->length = after->length;
        for (uint32_t i = 0; i < after->length; i++)
            way->steps[i] = after->steps[after->length - 1 - i];
    }
    for (uint32_t i = r->in_start[node]; i < r->in_start[node + 1]; i++) {
        struct way longer = *after;
        assert_true(longer.length < STEPS_MOST);
        longer.steps[longer.length++] = r->in[i];
        list_ways(r, r->from[r->in[i]], &longer);
    }
}

static uint32_t slot_after(const struct crash_numbering *n, const struct way *way)
{
    uint32_t slot = 0xdead;
    for (uint32_t i = 0; i < way->length; i++) {
        struct crash_mark mark = n->marks[way->steps[i]];
        slot = mark.op == CRASH_SET ? mark.value : mark.op == CRASH_ADD ? slot + mark.value : slot;
    }
    return slot;
}

static uint32_t start_of(const struct crash_regions *r, const struct way *way, uint32_t node)
{
    return way->length ? r->from[way->steps[0]] : node;
}

/* Does the way avoid all of these blocks? */
static bool avoids(const struct crash_regions *r, const struct way *way, const bool *never)
{
    for (uint32_t i = 0; i < way->length; i++) {
        const struct edge *e = &r->graph->edges[way->steps[i]];
        if (never[e->from] || never[e->to])
            return false;
    }
    return true;
}

static bool passes(const struct crash_regions *r, const struct way *way, uint32_t node, uint32_t end)
{
    bool found = start_of(r, way, end) == node;
    for (uint32_t i = 0; i < way->length; i++)
        found |= r->to[way->steps[i]] == node;
    return found;
}

static unsigned long completed, asked, unique, several, excluded, sets, adds, untracked;

/* The stops are the nodes on all ways, in order; a stop's step is on all ways. */
static void check_stops(const struct crash_regions *r, const struct crash_ways *found, uint32_t node)
{
    size_t at = 0;
    for (uint32_t place = 0; place < r->node_count; place++) {
        uint32_t on = 0, other = r->order[place];
        for (uint32_t i = 0; i < listed_count; i++)
            on += passes(r, &listed[i], other, node);
        if (on != listed_count)
            continue;
        assert_true(at < found->stops.count);
        const struct crash_stop *stop = &found->stops.items[at++];
        assert_int_equal(stop->node, other);
        uint32_t with_step = 0;
        for (uint32_t i = 0; i < listed_count; i++)
            for (uint32_t k = 0; k < listed[i].length; k++)
                with_step += listed[i].steps[k] == stop->step;
        assert_int_equal(with_step, stop->step == GRAPH_NONE ? 0 : listed_count);
        if (listed_count == 1)
            assert_true((stop->step == GRAPH_NONE) == stop->begins);
    }
    assert_int_equal(at, found->stops.count);
}

static void check_node(const struct crash_regions *r, const struct crash_numbering *n, uint32_t node,
                       uint32_t slot, const struct way *truth, const bool *never)
{
    static struct crash_ways found;
    bool known = n->classes[node] > 1;
    if (known)
        assert_true(slot < n->classes[node]);
    assert_true(crash_ways_find(&found, r, n, node, known ? &slot : NULL, never));
    listed_count = 0;
    list_ways(r, node, &(struct way){.length = 0});
    uint32_t kept = 0;
    bool holds = false;
    for (uint32_t i = 0; i < listed_count; i++) {
        if (known && slot_after(n, &listed[i]) != slot)
            continue;
        if (!avoids(r, &listed[i], never)) {
            excluded++;
            continue;
        }
        listed[kept++] = listed[i];
        holds |= listed[i].length == truth->length &&
                 !memcmp(listed[i].steps, truth->steps, truth->length * sizeof *truth->steps);
    }
    listed_count = kept;
    assert_true(holds);
    assert_int_equal(found.count, kept);
    check_stops(r, &found, node);
    asked++;
    unique += kept == 1;
    several += kept > 1;
    if (known)
        assert_false(crash_ways_find(&found, r, n, node, &n->classes[node], never));
    crash_ways_release(&found);
}

/* An edge to a head of a loop completes a round exactly if it comes from inside; the number of the round
 * tells the edge and the slot, and no other round of the loop has it. */
static void check_round(const struct crash_regions *r, const struct crash_rounds *rounds,
                        const struct crash_numbering *n, uint32_t edge, const uint32_t *slots)
{
    const struct edge *e = &r->graph->edges[edge];
    bool head = r->head[e->to] && r->innermost[e->to], known, inside = false;
    for (uint32_t in = r->innermost[e->from]; head && in != GRAPH_NONE; in = r->parent[in])
        inside |= in == r->innermost[e->to];
    assert_true(crash_begins_round(r, edge) == head && (rounds->span[edge] != 0) == inside);
    if (!inside)
        return;
    uint32_t region = r->innermost[e->to], classes = n->classes[crash_end_of_round(r, edge)], slot;
    assert_int_equal(rounds->span[edge], classes > 1 ? classes + 1 : 1);
    assert_true(rounds->first[edge] + rounds->span[edge] <= rounds->count[region]);
    uint32_t number = rounds->first[edge] + (classes > 1 ? 1 + slots[region] : 0);
    assert_int_equal(crash_round_find(rounds, r, region, number, &slot, &known), edge);
    assert_true(known == (classes > 1) && (!known || slot == slots[region]));
    assert_int_equal(crash_round_find(rounds, r, region, rounds->first[edge], &slot, &known), edge);
    assert_false(known);
    assert_true(crash_round_find(rounds, r, region, rounds->count[region], &slot, &known) == GRAPH_NONE);
    completed++;
}

/* Walks at random, with slots as the program has them; each region's own way is the truth. */
static void walk_and_check(const struct crash_regions *r, const struct crash_numbering *n)
{
    const struct graph *g = r->graph;
    struct adjacency a;
    static struct way truth[BLOCKS_MOST * 2];
    uint32_t slots[BLOCKS_MOST * 2];
    bool ran[BLOCKS_MOST + 1] = {0}, never[BLOCKS_MOST + 1] = {0};
    struct crash_rounds rounds;
    adjacency_init(&a, g);
    crash_rounds_init(&rounds, r, n);
    memset(slots, 0x77, sizeof slots);
    memset(truth, 0, sizeof truth);
    uint32_t v = graph_exit(g);
    for (uint32_t steps = 0; steps < STEPS_MOST; steps++) {
        uint32_t e = a.out[a.out_start[v] + random_below(a.out_start[v + 1] - a.out_start[v])];
        v = g->edges[e].to;
        if (v == graph_exit(g))
            break;
        if (g->edges[e].kind == EDGE_FLOW)
            check_round(r, &rounds, n, e, slots);
        if (r->to[e] != GRAPH_NONE) {
            uint32_t region = crash_region_of_step(r, e);
            struct crash_mark mark = n->marks[e];
            slots[region] =
                mark.op == CRASH_SET ? mark.value : slots[region] + (mark.op == CRASH_ADD ? mark.value : 0);
            truth[region].steps[truth[region].length++] = e;
        }
        if (r->head[v])
            truth[r->innermost[v]].length = 0;
        ran[v] = true;
        for (uint32_t u = 0; u < graph_exit(g); u++)
            never[u] = !ran[u] && random_below(3) == 0;
        for (uint32_t region = r->innermost[v]; region != GRAPH_NONE; region = r->parent[region])
            check_node(r, n, crash_node_of(r, region, v), slots[region], &truth[region], never);
    }
    crash_rounds_release(&rounds);
    adjacency_release(&a);
}

static void check_again(const struct crash_regions *r, const struct crash_numbering *n)
{
    struct crash_numbering again;
    struct crash_mark *marks = ALLOC(struct crash_mark, r->graph->edge_count);
    memcpy(marks, n->marks, r->graph->edge_count * sizeof *marks);
    assert_true(crash_numbering_from(&again, r, marks));
    assert_memory_equal(again.classes, n->classes, r->node_count * sizeof *n->classes);
    assert_memory_equal(again.last, n->last, r->node_count * sizeof *n->last);
    crash_numbering_release(&again);
}

static void check(struct graph *g)
{
    bool rounds[BLOCKS_MOST + 1], observed[BLOCKS_MOST + 1], faults[BLOCKS_MOST + 1], unmarkable[EDGES_MOST];
    double costs[EDGES_MOST];
    struct crash_regions r;
    struct crash_numbering n;
    graph_complete(g);
    crash_regions_init(&r, g);
    check_region(&r, (1u << graph_exit(g)) - 1, 0, 0);
    const struct crash_needs needs = {.observed = observed,
                                      .rounds = random_below(2) ? rounds : NULL,
                                      .unmarkable = unmarkable,
                                      .costs = costs,
                                      .cost_most = random_below(2) ? 1e9 : random_below(8),
                                      .faults = random_below(2) ? faults : NULL,
                                      .fault_cost_most = random_below(2) ? 1e9 : random_below(8)};
    bool all = random_below(2);
    for (uint32_t v = 0; v <= graph_exit(g); v++)
        observed[v] = all || random_below(3) == 0, faults[v] = random_below(3) == 0,
        rounds[v] = random_below(2);
    for (uint32_t e = 0; e < g->edge_count; e++) {
        costs[e] = random_below(8);
        unmarkable[e] = random_below(10) == 0;
    }
    crash_number(&n, &r, &needs);
    check_again(&r, &n);
    for (uint32_t e = 0; e < g->edge_count; e++) {
        sets += n.marks[e].op == CRASH_SET;
        adds += n.marks[e].op == CRASH_ADD;
        if (n.marks[e].op != CRASH_UNMARKED)
            assert_false(unmarkable[e]);
    }
    for (uint32_t v = 0; v < r.node_count; v++)
        untracked += r.in_start[v + 1] - r.in_start[v] > 1 && n.last[v] != v;
    for (int i = 0; i < 3; i++)
        walk_and_check(&r, &n);
    crash_numbering_release(&n);
    crash_regions_release(&r);
}

static void small_graphs(void **state)
{
    (void)state;
    unsigned long graphs = 0;
    for (uint32_t blocks = 1; blocks <= 3; blocks++)
        graphs += each_graph(blocks, 1, blocks * (blocks + 1), check);
    graphs += each_graph(4, 1, 7, check);
    printf("%lu graphs, %lu questions: %lu unique, %lu several; %lu SET, %lu ADD, %lu merges untracked; "
           "%lu ways never ran, %lu rounds completed\n",
           graphs, asked, unique, several, sets, adds, untracked, excluded, completed);
    assert_true(unique > sampled(1000) && several > sampled(1000) && sets > sampled(1000) &&
                completed > sampled(1000) && adds > sampled(100) && untracked > sampled(100) &&
                excluded > sampled(1000));
}

static void larger_graphs(void **state)
{
    (void)state;
    unsigned long adds_before = adds;
    for (int i = 0; i < 4000; i++) {
        struct graph g = random_graph(5 + random_below(BLOCKS_MOST - 5), 2 + random_below(9));
        check(&g);
        graph_release(&g);
    }
    assert_true(adds > adds_before + 1000);
}

/* Marks as a damaged table may hold them are refused. */
static void damaged_marks(void **state)
{
    (void)state;
    struct graph g = graph_of(4, "0>1 0>2 1>3 2>3 3>x");
    graph_complete(&g);
    struct crash_regions r;
    crash_regions_init(&r, &g);
    static const struct crash_mark cases[][2] = {
        {{CRASH_SET, 0}, {CRASH_UNMARKED, 0}}, {{CRASH_SET, 0}, {CRASH_SET, 0}},
        {{CRASH_SET, 0}, {CRASH_SET, 2}},      {{CRASH_SET, 0}, {CRASH_ADD, 1}},
        {{CRASH_SET, 1}, {CRASH_SET, 2}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct crash_mark *marks = ZALLOC(struct crash_mark, g.edge_count);
        marks[2] = cases[i][0];
        marks[3] = cases[i][1];
        struct crash_numbering n;
        assert_false(crash_numbering_from(&n, &r, marks));
    }
    struct crash_mark *marks = ZALLOC(struct crash_mark, g.edge_count);
    marks[4] = (struct crash_mark){CRASH_SET, 0}; /* an edge to EXIT is no step */
    struct crash_numbering n;
    assert_false(crash_numbering_from(&n, &r, marks));
    crash_regions_release(&r);
    graph_release(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_graphs),
        cmocka_unit_test(larger_graphs),
        cmocka_unit_test(damaged_marks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
