/* Path plans in maps, path counts in profiles: what is written is read back, what makes no sense is refused,
 * and counts imply edges. */
#include "graph_testing.h"

#include "decode/model/paths.h"
#include "format/profile/profile.h"
#include "plan/path_plan.h"

#include <unistd.h>

/* A function with a set of edges and one of paths. */
static struct map_function function_of(struct graph *g, enum placement placement)
{
    struct map_function f = {.name = memory_string("f"), .plan_count = 2};
    double *weights = ALLOC(double, g->edge_count);
    f.graph = *g;
    f.graph_hash = graph_hash(g);
    f.blocks = ZALLOC(struct map_block, graph_exit(g));
    f.plans = ZALLOC(struct plan, 2);
    for (uint32_t e = 0; e < g->edge_count; e++)
        weights[e] = 1 + random_below(100);
    assert_true(plan_make(&f.plans[0], g, PLACEMENT_EVERY_EDGE, weights, NULL, NULL));
    assert_true(plan_make(&f.plans[1], g, placement, weights, NULL, NULL));
    free(weights);
    return f;
}

static struct map_function random_function(enum placement placement)
{
    struct graph g = random_graph(2 + random_below(12), 2 + random_below(16));
    graph_complete(&g);
    return function_of(&g, placement);
}

/* The record without its length; the payload owns the bytes. */
static const uint8_t *record_of(struct buffer *payload, struct map_function *f, size_t *length)
{
    map_write_function(payload, f);
    struct cursor c = cursor_over(payload->data, payload->length);
    *length = cursor_count(&c, 1);
    return cursor_bytes(&c, *length);
}

static void maps_keep_path_plans(void **state)
{
    (void)state;
    for (int i = 0; i < 500; i++) {
        struct map_function f = random_function(i % 2 ? PLACEMENT_PATHS : PLACEMENT_LOOP_PATHS), read, wrong;
        struct buffer payload = {0};
        size_t length;
        const uint8_t *record = record_of(&payload, &f, &length);
        assert_true(map_read_function(&read, record, length, NULL));
        const struct plan *plan = map_path_plan(&read);
        assert_true(plan && plan->placement == f.plans[1].placement &&
                    plan->path_count == f.plans[1].path_count);
        assert_int_equal(map_function_counters(&read), f.plans[0].probe_count + plan->path_count);
        assert_int_equal(plan->probe_count, f.plans[1].probe_count);
        map_function_release(&read);
        buffer_release(&payload);
        /* another number of paths than the graph has; the cuts left out; two plans of paths */
        for (int damage = 0; damage < 3; damage++) {
            struct plan before[2] = {f.plans[0], f.plans[1]};
            bool changed = true;
            if (damage == 0)
                f.plans[1].path_count += 1 + random_below(3);
            else if (damage == 1)
                changed = f.plans[1].probe_count > 0, f.plans[1].probe_count = 0;
            else
                f.plans[0] = f.plans[1];
            record = record_of(&payload, &f, &length);
            assert_false(changed && map_read_function(&wrong, record, length, NULL));
            buffer_release(&payload);
            memcpy(f.plans, before, sizeof before);
        }
        map_function_release(&f);
    }
}

/* Activations that run to their end; counts every edge and every path. */
static void run(const struct map_function *f, int64_t *edges, int64_t *path_counts)
{
    struct path_graph p;
    struct path_numbering n;
    const struct graph *g = &f->graph;
    assert_true(path_plan_number(&f->plans[1], g, NULL, NULL, &p, &n, NULL));
    for (int i = 0; i < 20; i++) {
        uint32_t v = graph_exit(g), steps = 0;
        uint64_t sum = 0;
        int64_t *before = ALLOC(int64_t, g->edge_count), *paths_before = ALLOC(int64_t, n.total);
        memcpy(before, edges, g->edge_count * sizeof *edges);
        memcpy(paths_before, path_counts, n.total * sizeof *path_counts);
        do {
            uint32_t e;
            do
                e = random_below(g->edge_count);
            while (g->edges[e].from != v || p.edge_arc[e] == GRAPH_NONE);
            edges[e]++;
            sum += n.value[p.edge_arc[e]];
            v = g->edges[e].to;
            if (p.arcs.edges[p.edge_arc[e]].to == graph_exit(g)) {
                path_counts[sum]++;
                sum = v == graph_exit(g) ? 0 : n.value[p.start_arc[v]];
            }
        } while (v != graph_exit(g) && ++steps < 1000);
        if (v != graph_exit(g)) { /* an endless loop: as if it had never begun */
            memcpy(edges, before, g->edge_count * sizeof *edges);
            memcpy(path_counts, paths_before, n.total * sizeof *path_counts);
        }
        free(before);
        free(paths_before);
    }
    path_numbering_release(&n);
    path_graph_release(&p);
}

static void counts_imply_edges_and_are_kept(void **state)
{
    (void)state;
    char path[] = "/tmp/cotree-path-profiles-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    unsigned long paths_seen = 0;
    for (int i = 0; i < 200; i++) {
        struct profile p = {.program = memory_string("p"),
                            .build_id = memory_string(""),
                            .mode = memory_string("every-edge,paths")},
                       read;
        *ARRAY_ADD(&p.modules) =
            (struct profile_module){.path = memory_string("p"), .build_id = memory_string("")};
        struct profile_function *f = ARRAY_ADD(&p.functions);
        *f = (struct profile_function){
            .map = random_function(PLACEMENT_PATHS), .counted = true, .exact = true, .has_edges = true};
        uint32_t total = f->map.plans[1].path_count, edges = f->map.graph.edge_count;
        f->edge_counts = ZALLOC(int64_t, edges);
        f->path_counts = ZALLOC(int64_t, total);
        run(&f->map, f->edge_counts, f->path_counts);
        profile_function_blocks(f);

        struct solved implied;
        paths_imply(&implied, &f->map, f->path_counts);
        assert_memory_equal(implied.edge_counts, f->edge_counts, edges * sizeof *f->edge_counts);
        assert_int_equal(implied.entries, f->entries);
        solved_release(&implied);

        struct paths shown;
        assert_true(paths_init(&shown, &f->map));
        for (uint32_t id = 0; id < total; id++) { /* blocks follow each other by edges, up to where it ends */
            struct path_shown one = paths_show(&shown, id);
            assert_true(one.block_count > 0);
            for (uint32_t k = 0; k < one.block_count; k++) {
                uint32_t to = k + 1 < one.block_count  ? one.blocks[k + 1]
                              : one.next == GRAPH_NONE ? graph_exit(&f->map.graph)
                                                       : one.next;
                bool found = false;
                for (uint32_t e = 0; e < edges; e++)
                    found |= f->map.graph.edges[e].from == one.blocks[k] && f->map.graph.edges[e].to == to;
                assert_true(found);
            }
            assert_true(!one.from_entry || one.blocks[0] == GRAPH_ROOT);
            paths_seen += f->path_counts[id] > 0;
        }
        paths_release(&shown);

        struct error error = {0};
        assert_true(profile_write(&p, path, &error));
        if (!profile_read(&read, path, &error))
            fail_msg("%s", error.text);
        assert_memory_equal(read.functions.items[0].path_counts, f->path_counts,
                            total * sizeof *f->path_counts);
        profile_release(&read);
        profile_release(&p);
    }
    unlink(path);
    assert_true(paths_seen > 500);
}

/* Cuts and resumes are what may be missing; not what stays in the last call of a dead end. */
static void unfinished_paths_are_counted(void **state)
{
    (void)state;
    struct graph g = graph_of(3, "0>1 0>2 1>x");
    graph_complete(&g); /* 2 is a dead end */
    struct map_function f = function_of(&g, PLACEMENT_PATHS);
    f.blocks[2].call_count = 2;
    f.blocks[2].calls = ZALLOC(struct map_call, 2);
    struct profile_frames frames = {0};
    const struct profile_frame list[] = {{.block = 1, .cuts = 3, .resumes = 1},
                                         {.block = 2, .call = 1, .cuts = 10},
                                         {.block = 2, .call = 2, .cuts = 100}};
    for (int i = 0; i < 3; i++)
        profile_frames_add(&frames, &list[i]);
    int64_t less, more;
    paths_unfinished(&f, &frames, &less, &more);
    assert_true(less == 13 && more == 1);
    ARRAY_RELEASE(&frames);
    map_function_release(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_keep_path_plans),
        cmocka_unit_test(counts_imply_edges_and_are_kept),
        cmocka_unit_test(unfinished_paths_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
