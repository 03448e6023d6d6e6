/* Orders, dominators, loops, completion and spanning trees against definitions spelled out naively, on every
 * small graph. */
#include "graph_testing.h"

#include "graph/analysis.h"
#include "graph/tree.h"

#define expect(g, condition)                                                                                 \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            graph_show(g);                                                                                   \
            fail_msg("line %d: %s", __LINE__, #condition);                                                   \
        }                                                                                                    \
    } while (0)

/* What `from` reaches along edges (backwards if asked) without entering `without`; EXIT's own edges are no
 * way on. */
static void naive_reach(const struct graph *g, uint32_t from, uint32_t without, bool backwards, bool *seen)
{
    memset(seen, 0, g->vertex_count * sizeof *seen);
    if (from == without)
        return;
    seen[from] = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t e = 0; e < g->edge_count; e++) {
            uint32_t a = g->edges[e].from, b = g->edges[e].to;
            if (a == graph_exit(g))
                continue;
            uint32_t source = backwards ? b : a, target = backwards ? a : b;
            if (seen[source] && !seen[target] && target != without)
                changed = seen[target] = true;
        }
    }
}

/* v's immediate dominator is the strict dominator that every other strict dominator dominates. */
static void check_dominators(const struct graph *g, const uint32_t *immediate)
{
    uint32_t n = g->vertex_count;
    bool *reached = ALLOC(bool, n), *seen = ALLOC(bool, n), *dominates = ZALLOC(bool, (size_t)n *n);
    naive_reach(g, GRAPH_ROOT, GRAPH_NONE, false, reached);
    for (uint32_t d = 0; d < n; d++) {
        naive_reach(g, GRAPH_ROOT, d, false, seen);
        for (uint32_t v = 0; v < n; v++)
            dominates[d * n + v] = reached[v] && !seen[v];
    }
    for (uint32_t v = 0; v < n; v++) {
        uint32_t expected = GRAPH_NONE;
        for (uint32_t d = 0; d < n; d++) {
            if (d == v || !dominates[d * n + v])
                continue;
            bool closest = true;
            for (uint32_t other = 0; other < n; other++)
                closest &= other == v || !dominates[other * n + v] || dominates[other * n + d];
            if (closest)
                expected = d;
        }
        expect(g, immediate[v] == expected);
    }
    free(reached);
    free(seen);
    free(dominates);
}

static void check_loops(const struct graph *g, const struct adjacency *a, const struct depth_first *d)
{
    uint32_t n = g->vertex_count, count = 0;
    struct loops l;
    loops_init(&l, g, a, d);
    bool *body = ALLOC(bool, n), *listed = ALLOC(bool, n);
    uint32_t *depth = ZALLOC(uint32_t, n);
    for (uint32_t h = 0; h < n; h++) {
        memset(body, 0, n);
        bool head = false;
        for (uint32_t e = 0; e < g->edge_count; e++)
            if (d->retreating[e] && g->edges[e].to == h)
                head = body[h] = body[g->edges[e].from] = true;
        if (!head)
            continue;
        count++;
        for (bool changed = true; changed;) {
            changed = false;
            for (uint32_t e = 0; e < g->edge_count; e++) {
                uint32_t from = g->edges[e].from, to = g->edges[e].to;
                if (body[to] && to != h && !body[from] && d->preorder[h] <= d->preorder[from] &&
                    d->preorder[from] <= d->last_descendant[h] && from != graph_exit(g))
                    changed = body[from] = true;
            }
        }
        uint32_t loop = GRAPH_NONE;
        for (uint32_t k = 0; k < l.count; k++)
            if (l.head[k] == h)
                loop = k;
        expect(g, loop != GRAPH_NONE);
        memset(listed, 0, n);
        for (uint32_t i = l.body_start[loop]; i < l.body_end[loop]; i++) {
            expect(g, !listed[l.body[i]]);
            listed[l.body[i]] = true;
        }
        expect(g, memcmp(listed, body, n) == 0);
        expect(g, l.body[l.body_start[loop]] == h);
        expect(g, l.innermost[h] == loop);
        for (uint32_t v = 0; v < n; v++)
            depth[v] += body[v];
    }
    expect(g, l.count == count);
    for (uint32_t v = 0; v < n; v++) {
        expect(g, l.depth[v] == depth[v]);
        expect(g, (l.innermost[v] == GRAPH_NONE) == (depth[v] == 0));
    }
    /* The parent is the smallest loop that holds the head and is another. */
    for (uint32_t k = 0; k < l.count; k++) {
        uint32_t smallest = GRAPH_NONE, size = GRAPH_NONE;
        for (uint32_t other = 0; other < l.count; other++)
            for (uint32_t i = l.body_start[other]; other != k && i < l.body_end[other]; i++)
                if (l.body[i] == l.head[k] && l.body_end[other] - l.body_start[other] < size) {
                    size = l.body_end[other] - l.body_start[other];
                    smallest = other;
                }
        expect(g, l.parent[k] == smallest);
    }
    loops_release(&l);
    free(body);
    free(listed);
    free(depth);
}

static void check_depth_first(const struct graph *g, const struct depth_first *d)
{
    uint32_t n = g->vertex_count, reached = 0;
    for (uint32_t v = 0; v < n; v++)
        reached += d->preorder[v] != GRAPH_NONE;
    expect(g, d->reached == reached);
    expect(g, d->reverse_postorder[0] == GRAPH_ROOT && d->preorder[GRAPH_ROOT] == 0);
    for (uint32_t i = 0; i < reached; i++)
        expect(g, d->position[d->reverse_postorder[i]] == i);
    for (uint32_t e = 0; e < g->edge_count; e++) {
        uint32_t from = g->edges[e].from, to = g->edges[e].to;
        if (from == graph_exit(g)) {
            expect(g, !d->retreating[e]);
            continue;
        }
        bool ancestor = d->preorder[to] <= d->preorder[from] && d->preorder[from] <= d->last_descendant[to];
        expect(g, d->retreating[e] == ancestor);
        /* Reverse postorder is a topological order of what is not retreating. */
        expect(g, (d->position[from] < d->position[to]) != d->retreating[e]);
    }
}

static void check_analyses(struct graph *g)
{
    uint32_t *immediate = ALLOC(uint32_t, g->vertex_count);
    /* Once as it is, with dead ends, then completed. */
    for (int complete = 0; complete < 2; complete++) {
        if (complete)
            graph_complete(g);
        graph_dominators(g, immediate);
        check_dominators(g, immediate);
        struct adjacency a;
        struct depth_first d;
        adjacency_init(&a, g);
        depth_first_init(&d, g, &a);
        check_depth_first(g, &d);
        check_loops(g, &a, &d);
        depth_first_release(&d);
        adjacency_release(&a);
    }
    free(immediate);
}

static void analyses_of_every_small_graph(void **state)
{
    (void)state;
    unsigned long graphs = each_graph(1, 2, 4, check_analyses) + each_graph(2, 2, 5, check_analyses) +
                           each_graph(3, 1, 12, check_analyses) + each_graph(4, 1, 7, check_analyses);
    assert_true(graphs > sampled(20000));
}

static void analyses_of_random_graphs(void **state)
{
    (void)state;
    for (int i = 0; i < (int)sampled(1500); i++) {
        uint32_t blocks = 5 + random_below(20);
        struct graph g = random_graph(blocks, random_below(2 * blocks));
        check_analyses(&g);
        graph_release(&g);
    }
}

static void check_completion(struct graph *g)
{
    uint32_t before = g->edge_count, n = g->vertex_count, exit = graph_exit(g), expected = 0;
    bool *forth = ALLOC(bool, n), *back = ALLOC(bool, n), *stuck = ZALLOC(bool, n);
    /* v is stuck when all it reaches reaches v again and EXIT is not among it. */
    for (uint32_t v = 0; v < exit; v++) {
        naive_reach(g, v, GRAPH_NONE, false, forth);
        naive_reach(g, v, GRAPH_NONE, true, back);
        stuck[v] = !forth[exit];
        for (uint32_t w = 0; w < n; w++)
            stuck[v] &= !forth[w] || back[w];
        bool first = stuck[v];
        for (uint32_t w = 0; w < v; w++)
            first &= !(forth[w] && back[w]);
        expected += first;
    }
    graph_complete(g);
    expect(g,
           g->edges[before].kind == EDGE_ENTRY && g->edges[before].from == exit && g->edges[before].to == 0);
    expect(g, g->edge_count == before + 1 + expected);
    for (uint32_t e = before + 1; e < g->edge_count; e++) {
        expect(g, g->edges[e].kind == EDGE_VIRTUAL && g->edges[e].to == exit && stuck[g->edges[e].from]);
        expect(g, e == before + 1 || g->edges[e - 1].from < g->edges[e].from);
        expect(g, g->edges[e].from != GRAPH_ROOT || exit == 1 || !stuck[1]);
    }
    for (uint32_t v = 0; v < exit; v++) {
        naive_reach(g, v, GRAPH_NONE, false, forth);
        expect(g, forth[exit]);
    }
    uint32_t complete = g->edge_count;
    graph_complete(g);
    expect(g, g->edge_count == complete);
    free(forth);
    free(back);
    free(stuck);
}

static void completion_gives_every_block_a_way_out(void **state)
{
    (void)state;
    each_graph(1, 2, 4, check_completion);
    each_graph(2, 2, 6, check_completion);
    each_graph(3, 1, 12, check_completion);
    each_graph(4, 1, 6, check_completion);
}

/* Tries every set of edges: the best total weight of a spanning tree that has as many seeds as any, in order.
 */
static double best_tree(const struct graph *g, const double *weights, const bool *seed)
{
    double best = -1;
    for (uint32_t set = 0; set < 1u << g->edge_count; set++) {
        if ((uint32_t)__builtin_popcount(set) != g->vertex_count - 1)
            continue;
        uint32_t group[8];
        double total = 0;
        bool tree = true;
        for (uint32_t v = 0; v < g->vertex_count; v++)
            group[v] = v;
        for (uint32_t e = 0; e < g->edge_count; e++) {
            if (!(set >> e & 1)) {
                tree &= !seed[e];
                continue;
            }
            uint32_t from = group[g->edges[e].from], to = group[g->edges[e].to];
            tree &= from != to;
            for (uint32_t v = 0; v < g->vertex_count; v++)
                if (group[v] == to)
                    group[v] = from;
            total += weights[e];
        }
        if (tree && total > best)
            best = total;
    }
    return best;
}

static void check_tree(struct graph *g)
{
    graph_complete(g);
    double *weights = ALLOC(double, g->edge_count);
    bool *in_tree = ALLOC(bool, g->edge_count), *seed = ZALLOC(bool, g->edge_count);
    double total = 0;
    for (uint32_t e = 0; e < g->edge_count; e++) {
        weights[e] = random_below(20);
        enum edge_kind kind = g->edges[e].kind;
        seed[e] = kind == EDGE_ENTRY || (kind == EDGE_VIRTUAL && g->edges[e].from != GRAPH_ROOT);
    }
    expect(g, spanning_tree(g, weights, NULL, in_tree) == GRAPH_NONE);
    for (uint32_t e = 0; e < g->edge_count; e++) {
        if (in_tree[e])
            total += weights[e];
        expect(g, !seed[e] || in_tree[e]);
    }
    expect(g, total == best_tree(g, weights, seed));
    free(weights);
    free(in_tree);
    free(seed);
}

static void spanning_trees_are_maximal(void **state)
{
    (void)state;
    each_graph(2, 2, 6, check_tree);
    each_graph(3, 1, 8, check_tree);
    each_graph(4, 1, 5, check_tree);
}

static void edges_without_room_for_a_counter_come_first(void **state)
{
    (void)state;
    struct graph g = graph_of(4, "0>1 0>2 1>3 2>3 3>x 1>2");
    graph_complete(&g);
    double weights[] = {9, 9, 9, 9, 9, 1, 1};
    bool must[7] = {[5] = true}, in_tree[7];
    assert_int_equal(spanning_tree(&g, weights, must, in_tree), GRAPH_NONE);
    assert_true(in_tree[5]);
    must[0] = must[1] = true; /* 0-1-2 is now a cycle of them */
    assert_int_equal(spanning_tree(&g, weights, must, in_tree), 5);
    graph_release(&g);
}

static void hash_tells_structures_apart(void **state)
{
    (void)state;
    struct graph a = graph_of(2, "0>1 1>x"), b = graph_of(2, "0>1 1>x"), c = graph_of(2, "1>x 0>1"),
                 d = graph_of(3, "0>1 1>x");
    assert_true(graph_hash(&a) == graph_hash(&b));
    assert_true(graph_hash(&a) != graph_hash(&c));
    assert_true(graph_hash(&a) != graph_hash(&d));
    b.edges[1].kind = EDGE_VIRTUAL;
    assert_true(graph_hash(&a) != graph_hash(&b));
    graph_release(&a);
    graph_release(&b);
    graph_release(&c);
    graph_release(&d);
}

static void unreachable_blocks_are_seen(void **state)
{
    (void)state;
    struct graph g = graph_of(4, "0>1 1>x 2>1 3>3");
    bool reachable[5], expected[5] = {true, true, false, false, true};
    graph_reachable(&g, reachable);
    assert_memory_equal(reachable, expected, sizeof expected);
    graph_release(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(analyses_of_every_small_graph),
        cmocka_unit_test(analyses_of_random_graphs),
        cmocka_unit_test(completion_gives_every_block_a_way_out),
        cmocka_unit_test(spanning_trees_are_maximal),
        cmocka_unit_test(edges_without_room_for_a_counter_come_first),
        cmocka_unit_test(hash_tells_structures_apart),
        cmocka_unit_test(unreachable_blocks_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
