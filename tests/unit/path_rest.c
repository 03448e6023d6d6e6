/*
 * Edge counts from path counts and the counters of `rest`, on random graphs: activations walk, are left for
 * ever in calls, and come to be in them; what is solved is what the walks did, edge for edge.
 */
#include "path_testing.h"

#include "decode/model/paths.h"
#include "plan/path_plan.h"
#include "plan/path_rest.h"

static struct map_function f;
static struct path_graph arcs;
static struct path_numbering numbers;
static int64_t *counters, *truth; /* rest, then paths */
static struct profile_frames frames;

static uint32_t entry_edge(void)
{
    for (uint32_t e = 0;; e++)
        if (f.graph.edges[e].kind == EDGE_ENTRY)
            return e;
}

static bool is_cut(uint32_t e)
{
    const struct plan *plan = map_path_plan(&f);
    for (uint32_t i = 0; i < plan->probe_count; i++)
        if (plan->probes[i].id == e)
            return true;
    return false;
}

/* Only a block with a single way out, which ends the activation, may count its path before its last call. */
static bool ends_early(uint32_t b)
{
    return f.blocks[b].hazards & MAP_PATH_ENDS_EARLY;
}

/* A function with calls in some blocks; false when it has no plan. */
static bool make_function(enum placement placement)
{
    struct graph g;
    for (bool endless = true; endless;) { /* a walk must end */
        g = random_graph(2 + random_below(10), 2 + random_below(16));
        graph_complete(&g);
        endless = false;
        for (uint32_t e = 0; e < g.edge_count; e++)
            endless |= !is_passed(&g, e);
        if (endless)
            graph_release(&g);
    }
    f = (struct map_function){.name = memory_string("f"), .plan_count = 2};
    f.graph = g;
    f.blocks = ZALLOC(struct map_block, graph_exit(&g));
    f.plans = ZALLOC(struct plan, 2);
    double *weights = ALLOC(double, g.edge_count);
    bool *calls = ZALLOC(bool, g.vertex_count);
    for (uint32_t e = 0; e < g.edge_count; e++)
        weights[e] = 1 + random_below(100);
    for (uint32_t b = 0; b < graph_exit(&g); b++) {
        uint32_t count = random_below(2) ? random_below(3) : 0, ways = 0, exits = 0;
        f.blocks[b].call_count = count;
        f.blocks[b].calls = ZALLOC(struct map_call, count + 1);
        calls[b] = count > 0;
        for (uint32_t e = 0; e < g.edge_count; e++) {
            ways += g.edges[e].from == b;
            exits += g.edges[e].from == b && g.edges[e].kind == EDGE_EXIT;
        }
        if (count && ways == 1 && exits && random_below(2))
            f.blocks[b].hazards |= MAP_PATH_ENDS_EARLY;
    }
    assert_true(plan_make(&f.plans[1], &g, placement, weights, NULL, NULL));
    bool ok = path_rest_make(&f.plans[0], &g, &f.plans[1], calls, weights, NULL, NULL);
    free(weights);
    free(calls);
    return ok;
}

struct walker {
    uint64_t sum;
    bool counted; /* its path's end, before its last call */
};

static void count_path(struct walker *w, uint32_t e)
{
    counters[f.plans[0].probe_count + w->sum + numbers.increment[arcs.edge_arc[e]]]++;
}

static void pass(struct walker *w, uint32_t e)
{
    truth[e]++;
    for (uint32_t i = 0; i < f.plans[0].probe_count; i++)
        counters[i] += f.plans[0].probes[i].id == e;
    if (is_cut(e)) {
        count_path(w, e);
        w->sum = numbers.increment[arcs.start_arc[f.graph.edges[e].to]];
    } else if (f.graph.edges[e].to == graph_exit(&f.graph)) {
        if (!w->counted)
            count_path(w, e);
    } else {
        w->sum += numbers.increment[arcs.edge_arc[e]];
    }
}

static void left(uint32_t block, uint32_t call, int64_t cuts, int64_t resumes)
{
    profile_frames_add(
        &frames, &(struct profile_frame){.block = block, .call = call, .cuts = cuts, .resumes = resumes});
}

static uint32_t random_way(uint32_t v)
{
    uint32_t count = 0, found = GRAPH_NONE;
    for (uint32_t e = 0; e < f.graph.edge_count; e++)
        if (f.graph.edges[e].from == v && is_passed(&f.graph, e) && !random_below(++count))
            found = e;
    return found;
}

/* One activation. Calls may leave it, or it is taken up again there elsewhere: what it did before is not done
 * here. */
static void run(void)
{
    const struct graph *g = &f.graph;
    struct walker w = {0};
    bool dead_end;
    pass(&w, entry_edge());
    for (uint32_t v = GRAPH_ROOT, steps = 0; v != graph_exit(g); steps++) {
        uint32_t way = random_way(v), calls = f.blocks[v].call_count;
        dead_end = g->edges[way].kind == EDGE_VIRTUAL;
        for (uint32_t call = 1; call <= calls; call++) {
            if (call == calls && (ends_early(v) || dead_end)) {
                count_path(&w, way);
                w.counted = true;
            }
            if (random_below(20) && steps < 60)
                continue;
            left(v, call, 1, 0);
            if (dead_end) { /* it is said to leave by its virtual edge */
                truth[way]++;
                for (uint32_t i = 0; i < f.plans[0].probe_count; i++)
                    counters[i] += f.plans[0].probes[i].id == way;
            }
            return;
        }
        pass(&w, way);
        v = g->edges[way].to;
    }
}

/* A process begins inside a call: forget what was done before. */
static void inherit(void)
{
    int64_t *counters_before = ALLOC(int64_t, map_function_counters(&f) + 1),
            *truth_before = ALLOC(int64_t, f.graph.edge_count);
    memcpy(counters_before, counters, map_function_counters(&f) * sizeof *counters);
    memcpy(truth_before, truth, f.graph.edge_count * sizeof *truth);
    struct walker w = {0};
    pass(&w, entry_edge());
    bool child = false;
    for (uint32_t v = GRAPH_ROOT, steps = 0; v != graph_exit(&f.graph) && steps < 200; steps++) {
        uint32_t way = random_way(v), calls = f.blocks[v].call_count;
        bool dead_end = f.graph.edges[way].kind == EDGE_VIRTUAL;
        for (uint32_t call = 1; call <= calls && !dead_end; call++) {
            if (call == calls && ends_early(v)) {
                count_path(&w, way);
                w.counted = true;
            }
            if (child || random_below(4))
                continue;
            memcpy(counters, counters_before, map_function_counters(&f) * sizeof *counters);
            memcpy(truth, truth_before, f.graph.edge_count * sizeof *truth);
            left(v, call, 0, 1);
            child = true;
        }
        if (steps == 199 || dead_end) { /* it never came to an end: it was not there */
            memcpy(counters, counters_before, map_function_counters(&f) * sizeof *counters);
            memcpy(truth, truth_before, f.graph.edge_count * sizeof *truth);
            if (child) {
                for (size_t i = 0; i < frames.count; i++)
                    frames.items[i].resumes = 0;
                memset(counters, 0, map_function_counters(&f) * sizeof *counters);
                memset(truth, 0, f.graph.edge_count * sizeof *truth);
                frames.count = 0;
            }
            break;
        }
        pass(&w, way);
        v = f.graph.edges[way].to;
    }
    free(counters_before);
    free(truth_before);
}

static void edges_follow_from_paths_and_rest(void **state)
{
    (void)state;
    uint64_t cut = 0, resumed = 0, rest = 0, edges = 0;
    for (int round = 0; round < 4000; round++) {
        assert_true(make_function(round % 2 ? PLACEMENT_PATHS : PLACEMENT_LOOP_PATHS));
        double *weights = ALLOC(double, f.graph.edge_count);
        for (uint32_t e = 0; e < f.graph.edge_count; e++)
            weights[e] = random_below(50);
        assert_true(path_plan_number(&f.plans[1], &f.graph, weights, NULL, &arcs, &numbers, NULL));
        counters = ZALLOC(int64_t, map_function_counters(&f) + 1);
        truth = ZALLOC(int64_t, f.graph.edge_count);
        for (uint32_t i = 0; i < 30; i++)
            random_below(4) ? run() : inherit();
        int64_t *gains = ALLOC(int64_t, f.graph.vertex_count);
        profile_frames_gains(&frames, &f.graph, gains);
        struct solved s;
        solve_set(&s, &f, 0, counters, 0, &frames, gains);
        assert_true(s.result == FLOW_OK);
        for (uint32_t e = 0; e < f.graph.edge_count; e++)
            assert_int_equal(s.edge_counts[e], truth[e]);
        for (size_t i = 0; i < frames.count; i++) {
            cut += (uint64_t)frames.items[i].cuts;
            resumed += (uint64_t)frames.items[i].resumes;
        }
        rest += f.plans[0].probe_count;
        edges += f.graph.edge_count;
        solved_release(&s);
        ARRAY_RELEASE(&frames);
        path_numbering_release(&numbers);
        path_graph_release(&arcs);
        map_function_release(&f);
        free(gains);
        free(weights);
        free(counters);
        free(truth);
    }
    assert_true(cut > 5000 && resumed > 1000 && rest > 100);
    assert_true(rest * 4 < edges); /* few, beside counters on chords */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(edges_follow_from_paths_and_rest)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
