/*
 * Random programs: functions that call each other, in blocks with several calls, some of them without a
 * counter for their entries. They are run; now and then all that is active is cut, or some of it is resumed
 * where it stands. Callers hand on what they called, and every edge of every function is solved exactly.
 */
#include "graph_testing.h"

#include "decode/profile/derived.h"
#include "graph/weights.h"

enum { FUNCTIONS_MOST = 6, CALLS_MOST = 3, EDGES_MOST = 64, DEPTH_MOST = 5 };

static struct decode_module module;
static struct decode_function *functions[FUNCTIONS_MOST];
static uint32_t function_count;
static int64_t truth[FUNCTIONS_MOST][EDGES_MOST];
static unsigned long derived, cuts, resumes, calls_made;

static void make_graph(struct graph *g)
{
    for (;;) {
        *g = random_graph(1 + random_below(6), random_below(8));
        if (g->edge_count + g->vertex_count < EDGES_MOST && all_reachable(g))
            break;
        graph_release(g);
    }
    graph_complete(g);
}

/* The calls of a function: callee i of its map is function i. */
static void make_calls(struct map_function *map, uint32_t self, bool *called_back)
{
    map->callee_count = function_count;
    map->callees = ALLOC(uint32_t, function_count);
    for (uint32_t i = 0; i < function_count; i++)
        map->callees[i] = i + 1;
    for (uint32_t b = 0; b < graph_exit(&map->graph); b++) {
        struct map_block *block = &map->blocks[b];
        block->call_count = random_below(CALLS_MOST + 1);
        block->calls = ALLOC(struct map_call, CALLS_MOST);
        for (uint32_t i = 0; i < block->call_count; i++) {
            uint32_t callee = random_below(function_count + 1);
            block->calls[i] = (struct map_call){callee < function_count ? callee : MAP_CALLEE_UNKNOWN, false};
            if (callee <= self)
                called_back[callee] = true; /* by a function that may come behind it */
        }
    }
}

static void plan_function(struct map_function *map, bool given)
{
    double *weights = ALLOC(double, map->graph.edge_count);
    weights_guess(&map->graph, &weight_defaults, weights);
    map->plans = ZALLOC(struct plan, 1);
    map->plan_count = 1;
    struct error error;
    if (given)
        assert_true(plan_make_given(map->plans, &map->graph, weights, NULL, &error));
    else
        assert_true(plan_make(map->plans, &map->graph, PLACEMENT_EDGES, weights, NULL, &error));
    free(weights);
}

static void make_program(void)
{
    struct map_function maps[FUNCTIONS_MOST];
    bool called_back[FUNCTIONS_MOST] = {0};
    char name[16];
    function_count = 1 + random_below(FUNCTIONS_MOST);
    for (uint32_t i = 0; i < function_count; i++) {
        snprintf(name, sizeof name, "f%u", i);
        maps[i] = (struct map_function){.name = memory_string(name), .flags = MAP_FUNCTION_LOCAL};
        make_graph(&maps[i].graph);
        maps[i].blocks = ZALLOC(struct map_block, graph_exit(&maps[i].graph));
        make_calls(&maps[i], i, called_back);
    }
    /* Callees first: keys. Function 0 is also called from outside. */
    struct buffer payload = {0};
    for (uint32_t i = function_count; i-- > 0;) {
        struct map_function *map = &maps[i];
        bool given = i && !called_back[i] && random_below(4);
        plan_function(map, given);
        if (given)
            map->flags |= MAP_FUNCTION_DERIVED;
        derived += given;
        map->derived = ALLOC(struct map_derived, FUNCTIONS_MOST);
        for (uint32_t k = i + 1; k < function_count; k++)
            if (maps[k].flags & MAP_FUNCTION_DERIVED)
                map->derived[map->derived_count++] = (struct map_derived){.callee = k, .key = maps[k].key};
        map_write_function(&payload, map);
    }
    /* What is read is what was written, and the order of records does not matter. */
    module = (struct decode_module){.known = true};
    const uint8_t *at = payload.data;
    struct cursor c = cursor_over(at, payload.length);
    for (uint32_t i = function_count; i-- > 0;) {
        struct map_function read;
        struct error error;
        size_t length = cursor_count(&c, 1);
        assert_true(map_read_function(&read, cursor_bytes(&c, length), length, &error));
        assert_int_equal(read.key, maps[i].key);
        assert_int_equal(read.derived_count, maps[i].derived_count);
        assert_int_equal(read.plans[0].entry_given, maps[i].plans[0].entry_given);
        functions[i] = decode_module_add(&module, random_below(2) ? &read : &maps[i]);
        map_function_release(&read);
        map_function_release(&maps[i]);
    }
    buffer_release(&payload);
    memset(truth, 0, sizeof truth);
    for (uint32_t i = 0; i < function_count; i++)
        functions[i]->file.counters = ZALLOC(int64_t, functions[i]->counter_count + 1);
}

static void pass(uint32_t number, uint32_t e)
{
    const struct plan *plan = &functions[number]->map.plans[0];
    truth[number][e]++;
    for (uint32_t i = 0; i < plan->probe_count; i++)
        functions[number]->file.counters[i] += plan->probes[i].id == e;
}

static void note(uint32_t number, struct profile_frame frame)
{
    profile_frames_add(&functions[number]->file.frames, &frame);
}

static bool is_dead_end(const struct graph *g, uint32_t block)
{
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (g->edges[e].from == block && g->edges[e].kind != EDGE_VIRTUAL)
            return false;
    return true;
}

static bool run(uint32_t number, unsigned depth, bool resumed);

/* The calls of a block from `first` on; false when the activation was cut in one of them, or between. */
static bool run_calls(uint32_t number, uint32_t at, uint32_t first, unsigned depth)
{
    const struct map_block *block = &functions[number]->map.blocks[at];
    for (uint32_t i = first; i <= block->call_count; i++) {
        bool between = !random_below(40), cut = between;
        if (!between && i < block->call_count) {
            uint32_t callee = block->calls[i].callee;
            calls_made++;
            cut = callee != MAP_CALLEE_UNKNOWN ? !run(callee, depth + 1, false) : !random_below(40);
        }
        if (cut) {
            note(number, (struct profile_frame){
                             .block = at, .call = between ? i : i + 1, .between = between, .cuts = 1});
            cuts++;
            if (is_dead_end(&functions[number]->map.graph, at)) /* it is left by its virtual edge */
                for (uint32_t e = 0; e < functions[number]->map.graph.edge_count; e++)
                    if (functions[number]->map.graph.edges[e].from == at)
                        pass(number, e);
            return false;
        }
    }
    return true;
}

/* One activation; false when it was cut. */
static bool run(uint32_t number, unsigned depth, bool resumed)
{
    const struct map_function *map = &functions[number]->map;
    const struct graph *g = &map->graph;
    uint32_t at = GRAPH_ROOT, first = 0;
    if (resumed) {
        at = random_below(graph_exit(g));
        first = random_below(map->blocks[at].call_count + 1);
        note(number, (struct profile_frame){.block = at, .call = first, .resumes = 1});
        resumes++;
    } else {
        for (uint32_t e = 0; e < g->edge_count; e++)
            if (g->edges[e].kind == EDGE_ENTRY)
                pass(number, e);
    }
    for (unsigned steps = 0;; steps++, first = 0) {
        bool stops = is_dead_end(g, at) || steps > 30 || depth > DEPTH_MOST;
        if (stops) { /* before the first call that is left */
            note(number, (struct profile_frame){.block = at, .call = first, .between = true, .cuts = 1});
            cuts++;
            for (uint32_t e = 0; is_dead_end(g, at) && e < g->edge_count; e++)
                if (g->edges[e].from == at)
                    pass(number, e);
            return false;
        }
        if (!run_calls(number, at, first, depth))
            return false;
        uint32_t e;
        do
            e = random_below(g->edge_count);
        while (g->edges[e].from != at || g->edges[e].kind == EDGE_VIRTUAL);
        pass(number, e);
        at = g->edges[e].to;
        if (at == graph_exit(g))
            return true;
    }
}

static void check_program(void)
{
    struct solver_room room = {0};
    derived_link(&module);
    for (uint32_t i = 0; i < function_count; i++) {
        struct decode_function *f = module.order[i];
        uint32_t number = 0;
        while (functions[number] != f)
            number++;
        int64_t *gains = ALLOC(int64_t, f->map.graph.vertex_count);
        profile_frames_gains(&f->file.frames, &f->map.graph, gains);
        assert_false(f->derived.entries_unknown);
        struct solved s =
            solver_solve(&f->solver, &room, &f->map, 0, f->file.counters, f->file.entries, NULL, gains);
        if (s.result != FLOW_OK ||
            memcmp(s.edge_counts, truth[number], f->map.graph.edge_count * sizeof *s.edge_counts)) {
            graph_show(&f->map.graph);
            fail_msg("function %u of %u: result %d, %lld entries", number, function_count, s.result,
                     (long long)f->file.entries);
        }
        derived_hand_on(f, s.block_counts, &f->file.frames, DERIVED_FILE);
        free(gains);
    }
    solver_room_release(&room);
}

static void random_programs(void **state)
{
    (void)state;
    for (int i = 0; i < 3000; i++) {
        make_program();
        for (uint32_t times = random_below(6); times; times--)
            run(0, 0, false);
        for (uint32_t times = random_below(3); times; times--)
            run(random_below(function_count), 1, true);
        check_program();
        decode_module_release(&module);
    }
    printf("%lu derived functions, %lu calls, %lu cuts, %lu resumes\n", derived, calls_made, cuts, resumes);
    assert_true(derived > 1000 && calls_made > 10000 && cuts > 1000 && resumes > 1000);
}

/* Records that name each other in a circle, themselves, or nobody: nothing is believed, nothing hangs. */
static void hostile_records(void **state)
{
    (void)state;
    function_count = 3;
    module = (struct decode_module){.known = true};
    for (uint32_t i = 0; i < 3; i++) {
        struct map_function map = {.name = memory_string("f"), .flags = MAP_FUNCTION_LOCAL, .key = i + 10};
        map.graph = graph_of(1, "0>x");
        graph_complete(&map.graph);
        bool called_back[FUNCTIONS_MOST];
        map.blocks = ZALLOC(struct map_block, 1);
        make_calls(&map, i, called_back);
        map.blocks[0].call_count = 3;
        for (uint32_t k = 0; k < 3; k++)
            map.blocks[0].calls[k].callee = k;
        map.flags |= i ? MAP_FUNCTION_DERIVED : 0;
        plan_function(&map, i > 0);
        map.derived = ALLOC(struct map_derived, 3);
        map.derived_count = 3; /* not derived; each other; nobody */
        map.derived[0] = (struct map_derived){.callee = 0, .key = 10};
        map.derived[1] = (struct map_derived){.callee = 1, .key = i ? 98 : 99};
        map.derived[2] = (struct map_derived){.callee = 2, .key = i ? (i == 1 ? 12 : 11) : 12};
        functions[i] = decode_module_add(&module, &map);
    }
    derived_link(&module);
    assert_false(functions[0]->derived.entries_unknown);
    assert_true(functions[1]->derived.entries_unknown && functions[2]->derived.entries_unknown);
    assert_ptr_equal(module.order[0], functions[0]);
    decode_module_release(&module);
}

static void errors_add_up(void **state)
{
    (void)state;
    assert_int_equal(derived_error(0), 0);
    assert_int_equal(derived_error(3), 6);
    assert_int_equal(derived_error(MAX_ERROR_UNKNOWN), MAX_ERROR_UNKNOWN);
    assert_int_equal(derived_error(INT64_MAX - 1), MAX_ERROR_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_programs),
        cmocka_unit_test(hostile_records),
        cmocka_unit_test(errors_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
