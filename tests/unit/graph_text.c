/* The text form of graphs: what it accepts, what it says to what it does not, and that printing loses
 * nothing. */
#include "graph_testing.h"

static bool parse(struct graph_text *t, const char *text, struct error *error)
{
    unsigned line = 1;
    return graph_text_parse(t, &text, text + strlen(text), &line, error);
}

static void a_graph_is_read(void **state)
{
    (void)state;
    struct graph_text t;
    struct error error;
    assert_true(parse(&t,
                      "# a comment\n\ngraph operator() of T#1  # and another\nblocks 3\nentry->0 2\n  0 -> 1 "
                      "1.5\r\n0 -> 2 .5\n"
                      "1->exit 1.5\n2 ->virtual 5e-1",
                      &error));
    assert_string_equal(t.name, "operator() of T#1");
    static const struct edge expected[] = {
        {3, 0, EDGE_ENTRY}, {0, 1, EDGE_FLOW}, {0, 2, EDGE_FLOW}, {1, 3, EDGE_EXIT}, {2, 3, EDGE_VIRTUAL}};
    assert_int_equal(t.graph.vertex_count, 4);
    assert_int_equal(t.graph.edge_count, 5);
    for (int e = 0; e < 5; e++) {
        assert_int_equal(t.graph.edges[e].from, expected[e].from);
        assert_int_equal(t.graph.edges[e].to, expected[e].to);
        assert_int_equal(t.graph.edges[e].kind, expected[e].kind);
    }
    assert_true(t.weights[0] == 2 && t.weights[1] == 1.5 && t.weights[2] == .5 && t.weights[4] == .5);
    struct buffer out = {0};
    graph_text_print(&t, &out);
    assert_string_equal(buffer_text(&out),
                        "graph operator() of T#1\nblocks 3\nentry -> 0 2\n0 -> 1 1.5\n0 -> 2 0.5\n"
                        "1 -> exit 1.5\n2 -> virtual 0.5\n");
    buffer_release(&out);
    graph_text_release(&t);
}

static void several_graphs_follow_each_other(void **state)
{
    (void)state;
    const char *text = "graph a\nblocks 1\n0 -> exit\n\ngraph b\nblocks 2\n0 -> 1\n# the end\n\n", *at = text;
    const char *end = text + strlen(text);
    unsigned line = 1;
    struct graph_text t;
    struct error error;
    assert_true(graph_text_parse(&t, &at, end, &line, &error));
    assert_string_equal(t.name, "a");
    assert_null(t.weights);
    assert_int_equal(line, 5);
    graph_text_release(&t);
    assert_true(graph_text_parse(&t, &at, end, &line, &error));
    assert_string_equal(t.name, "b");
    assert_true(at == end);
    graph_text_release(&t);
}

static void mistakes_are_named_with_their_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "line 1: expected 'graph NAME'"},
        {"blocks 2\n", "line 1: expected 'graph NAME'"},
        {"graphs x\n", "line 1: expected 'graph NAME'"},
        {"graph\n", "line 1: the graph has no name"},
        {"graph x\001y\n", "line 1: the graph's name has a control character in it"},
        {"graph x\n0 -> 1\n", "line 2: expected 'blocks N' before the edges"},
        {"graph x\n\n# nothing\n", "line 3: the graph has no 'blocks N'"},
        {"graph x\nblocks 0\n", "line 2: the number of blocks is not between 1 and 16777216"},
        {"graph x\nblocks 4294967297\n", "line 2: the number of blocks is not between 1 and 16777216"},
        {"graph x\nblocks 2 3\n", "line 2: the number of blocks is not between 1 and 16777216"},
        {"graph x\nblocks -1\n", "line 2: the number of blocks is not between 1 and 16777216"},
        {"graph x\nblocks 2\nblocks 2\n", "line 3: the number of blocks is given twice"},
        {"graph x\nblocks 2\n2 -> 0\n",
         "line 3: expected 'FROM -> TO [WEIGHT]', FROM being a block or 'entry'"},
        {"graph x\nblocks 2\nexit -> 0\n",
         "line 3: expected 'FROM -> TO [WEIGHT]', FROM being a block or 'entry'"},
        {"graph x\nblocks 2\n0 1\n", "line 3: expected '->' after the first block"},
        {"graph x\nblocks 2\n0 -> 2\n", "line 3: expected a block, 'exit' or 'virtual' after '->'"},
        {"graph x\nblocks 2\n0 ->\n", "line 3: expected a block, 'exit' or 'virtual' after '->'"},
        {"graph x\nblocks 2\nentry -> 1\n", "line 3: the one entry edge is 'entry -> 0'"},
        {"graph x\nblocks 2\nentry -> 0\nentry -> 0\n", "line 4: the one entry edge is 'entry -> 0'"},
        {"graph x\nblocks 2\n0 -> 1 -3\n", "line 3: the weight is not a number of at least 0"},
        {"graph x\nblocks 2\n0 -> 1 1e999\n", "line 3: the weight is not a number of at least 0"},
        {"graph x\nblocks 2\n0 -> 1 nan\n", "line 3: the weight is not a number of at least 0"},
        {"graph x\nblocks 2\n0 -> 1 0x1p3\n", "line 3: the weight is not a number of at least 0"},
        {"graph x\nblocks 2\n0 -> 1 1 2\n", "line 3: the weight is not a number of at least 0"},
        {"graph x\nblocks 2\n0 -> 1 1\n1 -> exit\n",
         "line 4: this edge has no weight, those before it have one"},
        {"graph x\nblocks 2\n0 -> 1\n1 -> exit 1\n",
         "line 4: this edge has a weight, those before it have none"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct graph_text t;
        struct error error = {""};
        assert_false(parse(&t, cases[i].text, &error));
        assert_string_equal(error.text, cases[i].message);
        assert_null(t.name);
    }
}

static unsigned long round_trips;

static void check_round_trip(struct graph *g)
{
    graph_complete(g);
    char name[] = "round trip";
    struct graph_text t = {.name = name, .graph = *g}, back;
    t.weights = round_trips % 2 ? ALLOC(double, g->edge_count) : NULL;
    for (uint32_t e = 0; t.weights && e < g->edge_count; e++)
        t.weights[e] = (double)random_below(1000000) / (1 + random_below(1000));
    struct buffer out = {0};
    struct error error;
    graph_text_print(&t, &out);
    assert_true(parse(&back, buffer_text(&out), &error));
    assert_true(graph_hash(&back.graph) == graph_hash(g));
    if (t.weights)
        assert_memory_equal(back.weights, t.weights, g->edge_count * sizeof *t.weights);
    else
        assert_null(back.weights);
    graph_text_release(&back);
    buffer_release(&out);
    free(t.weights);
    round_trips++;
}

static void what_is_printed_reads_back(void **state)
{
    (void)state;
    each_graph(1, 2, 4, check_round_trip);
    each_graph(3, 1, 9, check_round_trip);
    assert_true(round_trips > sampled(1000));
}

static void names_from_elsewhere_cannot_break_the_form(void **state)
{
    (void)state;
    char name[] = "a\nblocks 9 #\x7f";
    struct graph_text t = {.name = name, .graph = graph_of(1, "0>x")}, back;
    struct buffer out = {0};
    struct error error;
    graph_text_print(&t, &out);
    assert_true(parse(&back, buffer_text(&out), &error));
    assert_string_equal(back.name, "a?blocks 9 ??");
    assert_int_equal(back.graph.vertex_count, 2);
    graph_text_release(&back);
    graph_release(&t.graph);
    buffer_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_graph_is_read),
        cmocka_unit_test(several_graphs_follow_each_other),
        cmocka_unit_test(mistakes_are_named_with_their_line),
        cmocka_unit_test(what_is_printed_reads_back),
        cmocka_unit_test(names_from_elsewhere_cannot_break_the_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
