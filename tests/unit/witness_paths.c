/*
 * Numbers of paths as witnesses: on all small graphs and many random ones, whatever may call and wherever no
 * code can stand, the place and the number that is written next decide every branch. The judge walks every
 * stretch from every vertex where one may begin, adding up what the edges say, and knows nothing of how ways
 * are counted.
 */
#include "graph_testing.h"

#include "plan/witness_paths.h"

enum { VERTICES_MOST = 256 };
static unsigned long plans_judged, stretches_judged, refused, silent;

struct judge {
    const struct graph *g;
    const uint32_t *marks;
    const bool *may_emit;
    const struct witness_paths *paths;
    struct adjacency a;
    uint32_t way[VERTICES_MOST], length; /* the vertices of the stretch */
    uint32_t to[VERTICES_MOST][256];     /* by vertex and number: 1 + where the way goes on, 0: no such way */
    const char *why;
};

static bool walks(const struct edge *e)
{
    return e->kind == EDGE_FLOW || e->kind == EDGE_EXIT;
}

static bool has_choice(const struct judge *j, uint32_t v)
{
    for (uint32_t i = j->a.out_start[v]; i < j->a.out_start[v + 1]; i++)
        for (uint32_t k = j->a.out_start[v]; k < i; k++)
            if (walks(&j->g->edges[j->a.out[i]]) && walks(&j->g->edges[j->a.out[k]]) &&
                j->g->edges[j->a.out[i]].to != j->g->edges[j->a.out[k]].to)
                return true;
    return false;
}

/* The stretch has written: each vertex on its way goes on with this number as it did now. */
static void note(struct judge *j, uint32_t end, uint32_t number)
{
    if (number >= WITNESS_PATHS_MOST) {
        j->why = "a number has no room in a byte";
        return;
    }
    for (uint32_t i = 0; i < j->length; i++) {
        uint32_t next = i + 1 < j->length ? j->way[i + 1] : end, *to = &j->to[j->way[i]][number];
        if (*to && *to != 1 + next)
            j->why = "one number, two ways";
        *to = 1 + next;
    }
    stretches_judged++;
}

static void walk_stretch(struct judge *j, uint32_t v, uint32_t sum, bool chosen, uint32_t silent_steps)
{
    if (silent_steps > j->g->vertex_count || j->length > j->g->vertex_count)
        j->why = "a loop writes nothing";
    if (j->why)
        return;
    j->way[j->length++] = v;
    chosen |= has_choice(j, v);
    for (uint32_t i = j->a.out_start[v]; i < j->a.out_start[v + 1]; i++) {
        uint32_t e = j->a.out[i], to = j->g->edges[e].to;
        if (!walks(&j->g->edges[e]))
            continue;
        switch (witness_path_kind(j->marks[e])) {
        case WITNESS_PATH_WRITES:
            note(j, to, sum + j->paths->add[e]);
            break;
        case WITNESS_PATH_ADDS:
            if (chosen && (to == graph_exit(j->g) || j->may_emit[to]))
                j->why = "somebody else may write before a choice is written";
            else if (to != graph_exit(j->g))
                walk_stretch(j, to, sum + j->paths->add[e], chosen, silent_steps + 1);
            break;
        default:
            if (chosen)
                j->why = "a choice is lost";
            else if (to != graph_exit(j->g)) { /* another stretch begins, and nothing was written */
                uint32_t length = j->length;
                j->length = 0;
                walk_stretch(j, to, j->paths->base[to], false, silent_steps + 1);
                j->length = length;
                silent++;
            }
        }
    }
    j->length--;
}

static void judge_made(const struct graph *g, const uint32_t *marks, const bool *may_emit,
                       const struct witness_paths *paths)
{
    static struct judge j;
    j = (struct judge){.g = g, .marks = marks, .may_emit = may_emit, .paths = paths};
    adjacency_init(&j.a, g);
    for (uint32_t v = 0; v < graph_exit(g) && !j.why; v++) {
        bool begins = v == GRAPH_ROOT, goes_on = false;
        for (uint32_t e = 0; e < g->edge_count; e++)
            if (g->edges[e].to == v && walks(&g->edges[e])) {
                begins |= witness_path_kind(marks[e]) != WITNESS_PATH_ADDS;
                goes_on |= witness_path_kind(marks[e]) == WITNESS_PATH_ADDS;
            }
        if (begins || !goes_on)
            walk_stretch(&j, v, paths->base[v], false, 0);
    }
    for (uint32_t v = 0; v < graph_exit(g) && !j.why; v++)
        for (uint32_t number = 0; number < 256; number++) {
            uint32_t e = witness_paths_next(paths, g, &j.a, marks, v, number);
            if (j.to[v][number] != (e == GRAPH_NONE ? 0 : 1 + g->edges[e].to))
                j.why = "a reader goes another way";
        }
    adjacency_release(&j.a);
    plans_judged++;
    if (j.why) {
        graph_show(g);
        for (uint32_t e = 0; e < g->edge_count; e++)
            printf(" %u>%u[%u +%u]", g->edges[e].from, g->edges[e].to, marks[e], paths->add[e]);
        fail_msg("%s", j.why);
    }
}

static uint64_t try_one(const struct graph *g, const bool *may_emit, const bool *no_probe)
{
    double *weights = ALLOC(double, (size_t)g->edge_count + 1);
    uint32_t *marks = ALLOC(uint32_t, (size_t)g->edge_count + 1);
    struct witness_paths paths;
    struct error error = {""};
    uint64_t written = 0;
    for (uint32_t e = 0; e < g->edge_count; e++)
        weights[e] = 1 + random_below(100);
    if (witness_paths_mark(marks, g, may_emit, weights, no_probe, &error)) {
        assert_true(witness_paths_number(&paths, g, marks, may_emit, &error));
        judge_made(g, marks, may_emit, &paths);
        for (uint32_t e = 0; e < g->edge_count; e++) {
            bool writes = walks(&g->edges[e]) && witness_path_kind(marks[e]) == WITNESS_PATH_WRITES;
            if (no_probe && no_probe[e])
                assert_true(!writes && !paths.add[e]);
            written += writes;
        }
        witness_paths_release(&paths);
    } else {
        if (!no_probe)
            fail_msg("%s", error.text);
        refused++;
    }
    free(weights);
    free(marks);
    return written;
}

static void each_choice_of_calls(struct graph *g)
{
    graph_complete(g);
    bool may_emit[8] = {false}, no_probe[64] = {false};
    for (uint32_t set = 0; set < 1u << graph_exit(g); set++) {
        for (uint32_t v = 0; v < graph_exit(g); v++)
            may_emit[v] = set >> v & 1;
        try_one(g, may_emit, NULL);
        for (uint32_t e = 0; e < g->edge_count; e++)
            no_probe[e] = random_below(6) == 0;
        try_one(g, may_emit, no_probe);
    }
}

static void small_graphs(void **state)
{
    (void)state;
    each_graph(1, 1, 2, each_choice_of_calls);
    each_graph(2, 2, 6, each_choice_of_calls);
    each_graph(3, 1, 6, each_choice_of_calls);
    printf("%lu plans, %lu stretches, %lu that end without a byte, %lu refused where no code can stand\n",
           plans_judged, stretches_judged, silent, refused);
    assert_true(plans_judged > sampled(1000) && silent > 0 && refused > 0 && refused < plans_judged);
}

static void random_graphs(void **state)
{
    (void)state;
    for (int i = 0; i < (int)sampled(3000); i++) {
        uint32_t blocks = 2 + random_below(14);
        struct graph g = random_graph(blocks, random_below(3 * blocks));
        bool may_emit[16];
        graph_complete(&g);
        for (uint32_t v = 0; v < blocks; v++)
            may_emit[v] = random_below(6) == 0;
        try_one(&g, may_emit, NULL);
        graph_release(&g);
    }
}

/* More ways than a byte has room for are cut: 60 branches in a row, in a loop or not; a switch into them. */
static void many_ways(void **state)
{
    (void)state;
    enum { BRANCHES = 60 };
    bool may_emit[VERTICES_MOST] = {false};
    for (int loop = 0; loop < 2; loop++)
        for (uint32_t entries = 0; entries < 4; entries++) {
            struct graph g;
            graph_init(&g, 3 * BRANCHES + 1);
            for (uint32_t b = 0; b < BRANCHES; b++) {
                uint32_t v = 3 * b;
                graph_add_edge(&g, v, v + 1, EDGE_FLOW);
                graph_add_edge(&g, v, v + 2, EDGE_FLOW);
                graph_add_edge(&g, v + 1, v + 3, EDGE_FLOW);
                graph_add_edge(&g, v + 2, v + 3, EDGE_FLOW);
                if (b && entries && b % entries == 0)
                    graph_add_edge(&g, 0, v, EDGE_FLOW);
            }
            graph_add_edge(&g, 3 * BRANCHES, graph_exit(&g), EDGE_EXIT);
            if (loop)
                graph_add_edge(&g, 3 * BRANCHES, 0, EDGE_FLOW);
            graph_complete(&g);
            uint64_t written = try_one(&g, may_emit, NULL);
            assert_true(entries || (written >= 60 / 8 && written <= 2 * 60));
            graph_release(&g);
        }
}

/* What a reader is given may be anything. */
static void wrong_marks_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *edges, *marks;
        uint32_t call;
    } cases[] = {
        {"0>1 0>2 1>2 2>x", "0001", GRAPH_NONE}, /* right */
        {"0>1 0>2 1>2 2>x", "0000", GRAPH_NONE}, {"0>1 0>2 1>2 2>x", "0002", GRAPH_NONE},
        {"0>1 0>2 1>2 2>x", "0001", 2},          {"0>1 1>0 1>x", "002", GRAPH_NONE},
        {"0>1 1>0 1>x", "001", GRAPH_NONE},      {"0>1 1>1", "02", GRAPH_NONE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct graph g = graph_of(3, cases[i].edges);
        uint32_t marks[16];
        bool may_emit[16] = {false};
        struct error error;
        struct witness_paths paths;
        for (uint32_t e = 0; e < g.edge_count; e++)
            marks[e] = (uint32_t)(cases[i].marks[e] - '0');
        if (cases[i].call != GRAPH_NONE)
            may_emit[cases[i].call] = true;
        bool taken = witness_paths_number(&paths, &g, marks, may_emit, &error);
        assert_true(taken == (i == 0));
        if (taken)
            witness_paths_release(&paths);
        graph_release(&g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_graphs),
        cmocka_unit_test(random_graphs),
        cmocka_unit_test(many_ways),
        cmocka_unit_test(wrong_marks_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
