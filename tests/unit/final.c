/*
 * Final functions: what is written is what is read back, no bytes crash the reader, and flow gives
 * the counts that random walks of activations had, wherever these were cut or resumed.
 */
#include "format/map/final.h"
#include "base/memory.h"
#include "decode/model/module.h"
#include "graph/tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

static uint64_t state = 88172645463325252u;
static uint32_t random_below(uint32_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)((state >> 16) % n);
}

enum { POINTS_MOST = 8, EDGES_MOST = 20, KEY = 77 };

/* Any graph in which every point leads on, and from EXIT to all points. */
static void make(struct final_function *f)
{
    uint32_t points = 1 + random_below(POINTS_MOST), exit = points - 1;
    *f = (struct final_function){.own = 1 + random_below(9)};
    graph_init(&f->graph, points - 1);
    for (uint32_t v = 0; v < points - 1; v++) {
        graph_add_edge(&f->graph, v ? random_below(v) : exit, v, EDGE_FLOW);
        graph_add_edge(&f->graph, v, random_below(3) ? exit : random_below(points), EDGE_FLOW);
    }
    while (f->graph.edge_count < EDGES_MOST - 2 && random_below(6))
        graph_add_edge(&f->graph, random_below(points), random_below(points), EDGE_FLOW);
    if (!f->graph.edge_count)
        graph_add_edge(&f->graph, exit, exit, EDGE_FLOW);
    uint32_t edges = f->graph.edge_count;
    double weights[EDGES_MOST];
    f->counted = ZALLOC(bool, edges);
    f->first = ZALLOC(uint32_t, edges + 1);
    f->counts = ALLOC(struct final_count, 3 * edges);
    for (uint32_t e = 0; e < edges; e++) {
        weights[e] = random_below(100);
        f->first[e + 1] = f->first[e] + 1 + random_below(3);
        for (uint32_t i = f->first[e]; i < f->first[e + 1]; i++) /* the counter of each edge, and others */
            f->counts[i] = (struct final_count){.key = i == f->first[e] ? KEY : 78 + random_below(3),
                                                .counter = i == f->first[e] ? e : random_below(5),
                                                .by = i == f->first[e] ? 1 : 1 + random_below(4)};
    }
    spanning_tree(&f->graph, weights, NULL, f->counted);
    for (uint32_t e = 0; e < edges; e++)
        f->counted[e] = !f->counted[e];
}

static void compare(void *context, struct final_function *f)
{
    const struct final_function *was = context;
    assert_true(f->key == was->key && f->own == was->own);
    assert_true(graph_hash(&f->graph) == graph_hash(&was->graph));
    assert_memory_equal(f->counted, was->counted, f->graph.edge_count);
    assert_memory_equal(f->first, was->first, 4 * (f->graph.edge_count + 1));
    for (uint32_t i = 0; i < f->first[f->graph.edge_count]; i++)
        assert_true(f->counts[i].key == was->counts[i].key && f->counts[i].by == was->counts[i].by &&
                    f->counts[i].counter == was->counts[i].counter);
    final_function_release(f);
}

static void drop(void *context, struct final_function *f)
{
    ++*(int *)context;
    final_function_release(f);
}

static void what_is_written_is_read(void **s)
{
    (void)s;
    for (int round = 0; round < 2000; round++) {
        struct final_function f;
        struct buffer payload = {0}, unit = {0};
        struct error error;
        make(&f);
        final_function_write(&payload, &f);
        final_write_unit(&unit, &payload);
        assert_true(final_read_section(unit.data, unit.length, compare, &f, &error));
        /* Nobody takes it for a function record. */
        int seen = 0;
        unit.data[random_below((uint32_t)unit.length)] ^= (uint8_t)(1 << random_below(8));
        if (final_read_section(unit.data, unit.length, drop, &seen, &error))
            assert_int_equal(seen, 0); /* its magic is that of another kind now */
        buffer_release(&payload);
        buffer_release(&unit);
        final_function_release(&f);
    }
}

/* Records whose checksum is right, and whose bytes are not. */
static void no_bytes_crash_the_reader(void **s)
{
    (void)s;
    int refused = 0, seen = 0;
    for (int round = 0; round < 20000; round++) {
        struct final_function f;
        struct buffer payload = {0}, unit = {0};
        make(&f);
        final_function_write(&payload, &f);
        for (uint32_t n = 1 + random_below(3); n--;)
            payload.data[random_below((uint32_t)payload.length)] = (uint8_t)random_below(256);
        final_write_unit(&unit, &payload);
        refused += !final_read_section(unit.data, unit.length, drop, &seen, NULL);
        buffer_release(&payload);
        buffer_release(&unit);
        final_function_release(&f);
    }
    assert_true(refused > 1000);
}

static void touch(void *context, struct decode_function *f)
{
    (void)context;
    if (!f->file.counters)
        f->file.counters = ZALLOC(int64_t, f->counter_count + 1);
}

/* A function with this key and a counter for each edge: nothing else of it matters here. */
static struct decode_function *add_function(struct decode_module *m)
{
    struct decode_function *f = ZALLOC(struct decode_function, 1);
    f->map.key = KEY;
    f->map.name = memory_string("all");
    f->map.graph.vertex_count = 1;
    f->counter_count = EDGES_MOST;
    ARRAY_PUSH(&m->functions, f);
    *hash_map_put(&m->by_key, KEY, NULL) = m->functions.count;
    return f;
}

/* Walks at random, from EXIT or from where an activation is resumed, to EXIT or to where it is cut. */
static void walk(const struct final_function *map, struct decode_final *final, int64_t *truth,
                 int64_t *resumed)
{
    const struct graph *g = &map->graph;
    uint32_t exit = graph_exit(g), at = exit;
    struct adjacency a;
    adjacency_init(&a, g);
    if (!random_below(4)) {
        at = random_below(g->vertex_count);
        final->gains[at]++;
        resumed[at]++;
    }
    for (int steps = 0;; steps++) {
        uint32_t ways = a.out_start[at + 1] - a.out_start[at];
        if (steps && (at == exit || !ways || steps > 200 || !random_below(20)))
            break;
        if (!ways)
            break;
        uint32_t e = a.out[a.out_start[at] + random_below(ways)];
        truth[e]++;
        if (map->counted[e])
            final->counters[final->counter_of[e]]++;
        at = g->edges[e].to;
    }
    final->gains[at]--;
    adjacency_release(&a);
}

static void flow_gives_what_walks_had(void **s)
{
    (void)s;
    for (int round = 0; round < 3000; round++) {
        struct final_function f, copy;
        struct buffer payload = {0};
        struct decode_module m = {0};
        int64_t truth[EDGES_MOST] = {0}, resumed[POINTS_MOST] = {0};
        make(&f);
        final_function_write(&payload, &f);
        buffer_release(&payload);
        copy = f;
        struct decode_function *to = add_function(&m);
        decode_module_add_final(&m, &f);
        struct decode_final *final = decode_module_final(&m, copy.key);
        decode_final_touch(final);
        for (int n = random_below(30); n--;)
            walk(&copy, final, truth, resumed);
        touch(NULL, to);
        finals_spread(&m, touch, NULL);
        for (uint32_t e = 0; e < copy.graph.edge_count; e++)
            assert_int_equal(to->file.counters[e], truth[e]);
        /* It is not known where activations were cut: what is certain is not more than what
         * happened. */
        memset(to->file.counters, 0, EDGES_MOST * sizeof *to->file.counters);
        memcpy(final->gains, resumed, copy.graph.vertex_count * sizeof *resumed);
        finals_spread(&m, touch, NULL);
        finals_suppose(&m);
        for (uint32_t e = 0; e < copy.graph.edge_count; e++) {
            int64_t certain = to->file.counters[e] - (to->file.supposed ? to->file.supposed[e] : 0);
            assert_true(certain <= truth[e] && (!copy.counted[e] || certain == truth[e]));
        }
        to->map.name = (free(to->map.name), NULL);
        decode_module_release(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(no_bytes_crash_the_reader),
        cmocka_unit_test(flow_gives_what_walks_had),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
