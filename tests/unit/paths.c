/* Numbers of paths, on all small graphs and on random ones, against enumeration and against simulated runs.
 */
#include "path_testing.h"

#include "plan/path_cut.h"
#include "plan/path_decode.h"

enum { EDGES_MOST = 64, BLOCKS_MOST = 16 };

static enum path_ends ends;
static unsigned long graphs, cyclic_graphs, paths_checked, prefixes_checked, runs_cut_short;

/* Retreating edges, by a search written for reading. */
static void search(const struct graph *g, uint32_t v, uint8_t *state, bool *retreating)
{
    state[v] = 1;
    for (uint32_t e = 0; e < g->edge_count; e++) {
        uint32_t to = g->edges[e].to;
        if (g->edges[e].from != v || to == graph_exit(g))
            continue;
        if (!state[to])
            search(g, to, state, retreating);
        else
            retreating[e] = state[to] == 1;
    }
    state[v] = 2;
}

/* Whether the search came to v through h. */
static bool below(const struct graph *g, uint32_t h, uint32_t v, const bool *tree)
{
    for (uint32_t e = 0; e < g->edge_count && v != h; e++)
        if (tree[e] && g->edges[e].to == v)
            return v != GRAPH_ROOT && below(g, h, g->edges[e].from, tree);
    return v == h;
}

/* The edges by which a search in the order of ids finds blocks. */
static void tree_edges(const struct graph *g, uint32_t v, bool *seen, bool *tree)
{
    seen[v] = true;
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (g->edges[e].from == v && g->edges[e].to != graph_exit(g) && !seen[g->edges[e].to]) {
            tree[e] = true;
            tree_edges(g, g->edges[e].to, seen, tree);
        }
}

static void check_definition(const struct graph *g, const bool *cut)
{
    uint8_t state[EDGES_MOST] = {0};
    bool retreating[EDGES_MOST] = {0}, expected[EDGES_MOST], seen[EDGES_MOST] = {0}, tree[EDGES_MOST] = {0};
    search(g, GRAPH_ROOT, state, retreating);
    tree_edges(g, GRAPH_ROOT, seen, tree);
    memcpy(expected, retreating, sizeof expected);
    for (uint32_t h = 0; h < graph_exit(g) && ends != PATH_ENDS_BACK; h++) {
        bool body[EDGES_MOST] = {0}, head = false, changed = true;
        for (uint32_t e = 0; e < g->edge_count; e++)
            if (retreating[e] && g->edges[e].to == h)
                head = body[g->edges[e].from] = true;
        body[h] = head;
        while (changed) {
            changed = false;
            for (uint32_t e = 0; e < g->edge_count; e++) {
                uint32_t from = g->edges[e].from, to = g->edges[e].to;
                if (to != graph_exit(g) && to != h && body[to] && from != graph_exit(g) && !body[from] &&
                    below(g, h, from, tree))
                    changed = body[from] = true;
            }
        }
        bool holds_loops = false, decides_last = false;
        for (uint32_t e = 0; e < g->edge_count; e++) {
            holds_loops |= retreating[e] && g->edges[e].to != h && body[g->edges[e].to];
            for (uint32_t other = 0; other < g->edge_count; other++)
                decides_last |= retreating[e] && g->edges[e].to == h && other != e &&
                                g->edges[other].from == g->edges[e].from &&
                                g->edges[other].kind != EDGE_VIRTUAL;
        }
        head &= ends == PATH_ENDS_LOOPS || holds_loops || decides_last;
        for (uint32_t e = 0; e < g->edge_count; e++)
            if (head && g->edges[e].to == h && g->edges[e].kind == EDGE_FLOW && !body[g->edges[e].from])
                expected[e] = true;
    }
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (cut[e] != expected[e]) {
            graph_show(g);
            fail_msg("definition %d: edge %u is %scut", ends, e, cut[e] ? "" : "not ");
        }
}

/* Ids are 0 .. total-1, one a path, and decode to it; (sum, block) decodes to the way there. */
static void check_ids(const struct graph *g, const struct path_graph *p, const struct path_numbering *n)
{
    static bool used[PATHS_LISTED_MOST],
        is_way[BLOCKS_MOST][PATHS_LISTED_MOST + 1]; /* block, sum of values on the way there */
    uint32_t arcs[STEPS_MOST + 1], decoded[STEPS_MOST + 1];
    memset(used, 0, sizeof used);
    memset(is_way, 0, sizeof is_way);
    assert_int_equal(n->total, listed_count);
    for (uint32_t i = 0; i < listed_count; i++) {
        const struct listed_path *path = &listed[i];
        uint32_t count = arcs_of_path(p, path, path->length, arcs);
        uint64_t sum = 0;
        for (uint32_t k = 0; k < count; k++) {
            assert_true(k == 0 || k + 1 == count || p->arcs.edges[arcs[k]].to != graph_exit(g));
            sum += n->increment[arcs[k]];
            if (k + 1 < count) {
                uint32_t v = p->arcs.edges[arcs[k]].to, length = k + (path->start == GRAPH_NONE);
                uint32_t found = path_decode_prefix(p, n, sum, v, decoded);
                if (!is_path(p, path, length, decoded, found)) {
                    graph_show(g);
                    fail_msg("sum %lld at %u is another way", (long long)sum, v);
                }
                assert_true(sum + n->potential[v] < listed_count);
                is_way[v][sum + n->potential[v]] = true;
                prefixes_checked++;
            }
        }
        if (sum >= listed_count || used[sum] ||
            !is_path(p, path, path->length, decoded, path_decode(p, n, sum, decoded))) {
            graph_show(g);
            fail_msg("path %u has sum %lld", i, (long long)sum);
        }
        used[sum] = true;
        paths_checked++;
    }
    for (uint32_t v = 0; v < graph_exit(g); v++) /* sums that no way to v has */
        for (uint64_t value = 0; value <= listed_count; value++)
            if (!is_way[v][value])
                assert_int_equal(path_decode_prefix(p, n, value - n->potential[v], v, decoded), 0);
    assert_int_equal(path_decode(p, n, listed_count, decoded), 0);
    assert_int_equal(path_decode(p, n, UINT64_MAX, decoded), 0);
}

/* Activations that take random edges, as an instrumented program counts them; some stop on the way. */
static void check_runs(const struct graph *g, const bool *cut, const struct path_graph *p,
                       const struct path_numbering *n)
{
    static struct path_count counts[PATHS_LISTED_MOST];
    int64_t truth[EDGES_MOST] = {0}, implied[EDGES_MOST] = {0}, surplus[EDGES_MOST] = {0},
            missing[EDGES_MOST] = {0};
    uint32_t decoded[STEPS_MOST + 1], entry = GRAPH_NONE;
    for (uint32_t i = 0; i < listed_count; i++)
        counts[i] = (struct path_count){.id = i};
    for (uint32_t e = 0; e < g->edge_count; e++)
        entry = g->edges[e].kind == EDGE_ENTRY ? e : entry;
    for (unsigned run = 0; run < 8; run++) {
        uint64_t sum = n->increment[p->edge_arc[entry]];
        uint32_t v = GRAPH_ROOT, steps = 5 + random_below(30), started = GRAPH_NONE;
        truth[entry]++;
        while (v != graph_exit(g) && steps--) {
            uint32_t e;
            do
                e = random_below(g->edge_count);
            while (g->edges[e].from != v || !is_passed(g, e));
            truth[e]++;
            sum += n->increment[p->edge_arc[e]];
            v = g->edges[e].to;
            if (cut[e] || v == graph_exit(g)) {
                assert_true(sum < listed_count);
                counts[sum].count++;
                sum = cut[e] ? n->increment[p->start_arc[v]] : 0;
                started = v;
            }
        }
        if (v == graph_exit(g))
            continue;
        /* Cut short at v: what is known of it is (sum, v). */
        runs_cut_short++;
        uint32_t found = path_decode_prefix(p, n, sum, v, decoded);
        assert_true(found > 0);
        for (uint32_t k = 0; k < found; k++)
            if (p->arc_edge[decoded[k]] != GRAPH_NONE)
                implied[p->arc_edge[decoded[k]]]++;
        if (started != GRAPH_NONE)
            missing[started]++;
    }
    assert_true(path_imply_edges(p, n, counts, listed_count, implied));
    assert_true(path_imply_surplus(p, g, n, counts, listed_count, surplus));
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (truth[e] != implied[e]) {
            graph_show(g);
            fail_msg("edge %u ran %lld times, paths say %lld", e, (long long)truth[e], (long long)implied[e]);
        }
    for (uint32_t v = 0; v < graph_exit(g); v++)
        assert_int_equal(surplus[v], missing[v]);
    counts[0].id = listed_count;
    assert_false(path_imply_edges(p, n, counts, 1, implied));
}

static void check_numbered(const struct graph *g, const bool *cut, bool weighted)
{
    struct path_graph p;
    struct path_numbering n;
    double weights[EDGES_MOST];
    bool avoid[EDGES_MOST];
    if (!list_paths(g, cut))
        return;
    for (uint32_t e = 0; e < g->edge_count; e++) {
        weights[e] = random_below(100);
        avoid[e] = random_below(9) == 0;
    }
    assert_true(path_graph_init(&p, g, cut, NULL));
    assert_true(path_numbering_init(&n, &p, weighted ? weights : NULL,
                                    weighted && random_below(2) ? avoid : NULL, NULL));
    check_ids(g, &p, &n);
    check_runs(g, cut, &p, &n);
    uint32_t chords = 0;
    for (uint32_t a = 0; a < p.arcs.edge_count; a++)
        chords += n.increment[a] != 0;
    if (weighted) /* a spanning tree of the blocks and EXIT is free */
        assert_true(chords <= p.arcs.edge_count - p.block_count);
    path_numbering_release(&n);
    path_graph_release(&p);
    graphs++;
}

static void check(struct graph *g)
{
    bool cut[EDGES_MOST];
    graph_complete(g);
    assert_true(g->edge_count <= EDGES_MOST);
    path_ends_mark(g, ends, cut);
    check_definition(g, cut);
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (cut[e]) {
            cyclic_graphs++;
            break;
        }
    check_numbered(g, cut, true);
    check_numbered(g, cut, false);
    /* Any further edges may be cut. */
    for (uint32_t e = 0; e < g->edge_count; e++)
        cut[e] |= g->edges[e].kind == EDGE_FLOW && random_below(4) == 0;
    check_numbered(g, cut, true);
}

static void small_graphs(void **state)
{
    (void)state;
    for (ends = PATH_ENDS_BACK; ends <= PATH_ENDS_MIXED; ends++) {
        each_graph(1, 2, 9, check);
        each_graph(2, 2, 6, check);
        each_graph(3, 1, 12, check);
    }
    assert_true(graphs > sampled(10000) && cyclic_graphs > sampled(1000) && runs_cut_short > sampled(10000));
}

static void random_graphs(void **state)
{
    (void)state;
    for (ends = PATH_ENDS_BACK; ends <= PATH_ENDS_MIXED; ends++)
        for (int i = 0; i < (int)sampled(3000); i++) {
            struct graph g = random_graph(3 + random_below(10), random_below(14));
            check(&g);
            graph_release(&g);
        }
    assert_true(paths_checked > sampled(100000) && prefixes_checked > sampled(300000));
}

static void cycles_must_be_cut(void **state)
{
    (void)state;
    struct graph g = graph_of(3, "0>1 1>2 2>1 2>x");
    struct path_graph p;
    struct error error;
    bool cut[8] = {0};
    graph_complete(&g);
    assert_false(path_graph_init(&p, &g, cut, &error));
    assert_string_equal(error.text, "the edges that are cut leave a cycle");
    cut[3] = true;
    assert_false(path_graph_init(&p, &g, cut, &error));
    assert_string_equal(error.text, "edge 3 cannot be cut: it begins or ends an activation");
    graph_release(&g);
}

/* A chain of diamonds, 2^n paths; diamond i runs with weights[i]. */
static struct graph diamonds(uint32_t n, const double *weights, double **edge_weights)
{
    struct graph g;
    graph_init(&g, 3 * n + 1);
    *edge_weights = ALLOC(double, 4 * (size_t)n + 2);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t top = 3 * i,
                 ends_of[4][2] = {{top, top + 1}, {top, top + 2}, {top + 1, top + 3}, {top + 2, top + 3}};
        for (int k = 0; k < 4; k++)
            (*edge_weights)[graph_add_edge(&g, ends_of[k][0], ends_of[k][1], EDGE_FLOW)] =
                weights ? weights[i] : 1;
    }
    (*edge_weights)[graph_add_edge(&g, 3 * n, 3 * n + 1, EDGE_EXIT)] = 1;
    graph_complete(&g);
    (*edge_weights)[g.edge_count - 1] = 1;
    return g;
}

static void too_many_paths_are_an_error(void **state)
{
    (void)state;
    for (uint32_t n = 60; n <= 70; n++) {
        double *weights;
        struct graph g = diamonds(n, NULL, &weights);
        bool *cut = ZALLOC(bool, g.edge_count);
        struct path_graph p;
        struct path_numbering numbering;
        struct error error;
        assert_true(path_graph_init(&p, &g, cut, NULL));
        bool ok = path_numbering_init(&numbering, &p, weights, NULL, &error);
        assert_true(ok == (n < 62));
        if (ok) {
            assert_true(numbering.total == UINT64_C(1) << n);
            path_numbering_release(&numbering);
        } else {
            assert_string_equal(error.text, "there are 2^62 paths or more");
        }
        path_graph_release(&p);
        graph_release(&g);
        free(weights);
        free(cut);
    }
}

/* Cuts, numbers, and follows random paths through large graphs. */
static uint64_t total_when_cut(const struct graph *g, const double *weights, uint64_t limit, bool *cut)
{
    struct path_graph p;
    struct path_numbering n;
    path_ends_mark(g, PATH_ENDS_BACK, cut);
    path_cut(g, weights, limit, cut);
    assert_true(path_graph_init(&p, g, cut, NULL));
    assert_true(path_numbering_init(&n, &p, weights, NULL, NULL));
    uint32_t *arcs = ALLOC(uint32_t, (size_t)p.block_count + 1);
    for (int i = 0; i < 100; i++) {
        uint64_t id = (((uint64_t)random_below(1u << 31) << 31) + random_below(1u << 31)) % n.total, sum = 0;
        uint32_t count = path_decode(&p, &n, id, arcs);
        assert_true(count > 1);
        for (uint32_t k = 0; k < count; k++)
            sum += n.increment[arcs[k]];
        assert_true(sum == id);
    }
    uint64_t total = n.total;
    free(arcs);
    path_numbering_release(&n);
    path_graph_release(&p);
    return total;
}

static void cuts_leave_few_paths(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {5, 13, 70, 1000, 100000};
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        double *weights;
        struct graph g = diamonds(sizes[i], NULL, &weights);
        bool *cut = ALLOC(bool, g.edge_count);
        uint64_t total = total_when_cut(&g, weights, 4096, cut), most = 2 * (uint64_t)g.edge_count;
        uint32_t cut_count = 0;
        for (uint32_t e = 0; e < g.edge_count; e++)
            cut_count += cut[e];
        assert_true(total <= (most > 4096 ? most : 4096));
        if (sizes[i] == 5)
            assert_true(cut_count == 0 && total == 32);
        if (sizes[i] == 13) /* 2^13 paths: one cut is enough */
            assert_true(cut_count >= 1 && cut_count <= 2);
        graph_release(&g);
        free(weights);
        free(cut);
    }
    for (int i = 0; i < (int)sampled(300); i++) {
        struct graph g = random_graph(20 + random_below(60), 30 + random_below(120));
        graph_complete(&g);
        double *weights = ALLOC(double, g.edge_count);
        bool *cut = ALLOC(bool, g.edge_count);
        for (uint32_t e = 0; e < g.edge_count; e++)
            weights[e] = random_below(1000);
        uint64_t limit = 1 + random_below(2000), least = 2 * (uint64_t)g.edge_count;
        assert_true(total_when_cut(&g, weights, limit, cut) <= (limit > least ? limit : least));
        graph_release(&g);
        free(weights);
        free(cut);
    }
}

static void cuts_stand_where_little_runs(void **state)
{
    (void)state;
    double often[24], *weights;
    for (int i = 0; i < 24; i++)
        often[i] = i == 5 || i == 6 ? 1 : 1000; /* not in the middle, where a cut saves most */
    struct graph g = diamonds(24, often, &weights);
    bool *cut = ALLOC(bool, g.edge_count);
    assert_true(total_when_cut(&g, weights, 300000, cut) <= 300000);
    for (uint32_t e = 0; e < g.edge_count; e++)
        assert_true(!cut[e] || weights[e] < 1000);
    graph_release(&g);
    free(weights);
    free(cut);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_graphs),         cmocka_unit_test(random_graphs),
        cmocka_unit_test(cycles_must_be_cut),   cmocka_unit_test(too_many_paths_are_an_error),
        cmocka_unit_test(cuts_leave_few_paths), cmocka_unit_test(cuts_stand_where_little_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
