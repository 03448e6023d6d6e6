/* Drawings of flow graphs: boxes do not overlap, edges lead from box to box and through none, in many graphs.
 */
#include "graph_testing.h"
#include "report/layout.h"

struct box {
    int left, top, right, bottom;
};

static struct box box_of(const struct layout *l, const struct graph *g, uint32_t v)
{
    bool end = v >= graph_exit(g);
    return (struct box){l->x[v], l->y[v], l->x[v] + (end ? LAYOUT_END_WIDTH : LAYOUT_BOX_WIDTH),
                        l->y[v] + (end ? LAYOUT_END_HEIGHT : LAYOUT_BOX_HEIGHT)};
}

static bool meet(struct box a, struct box b)
{
    return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

static void check_boxes(const struct layout *l, const struct graph *g)
{
    for (uint32_t v = 0; v <= g->vertex_count; v++) {
        struct box b = box_of(l, g, v);
        assert_true(b.left >= 0 && b.top >= 0 && b.right <= l->width && b.bottom <= l->height);
        for (uint32_t w = 0; w < v; w++)
            assert_false(meet(b, box_of(l, g, w)));
    }
}

/* Every piece of every edge, from the bottom of its source to the top of its target, outside all boxes. */
static void check_edges(const struct layout *l, const struct graph *g)
{
    for (uint32_t e = 0; e < g->edge_count; e++) {
        const int *p = &l->points.items[l->start[e]];
        uint32_t count = l->start[e + 1] - l->start[e], from = g->edges[e].from, to = g->edges[e].to;
        if (g->edges[e].kind == EDGE_ENTRY)
            from = g->vertex_count;
        struct box a = box_of(l, g, from), b = box_of(l, g, to);
        assert_true(count >= 3 && count % 2 == 1);
        int x = p[0], y = p[1];
        assert_true(x > a.left && x < a.right && y == a.bottom);
        for (uint32_t i = 2; i < count; i++) {
            int next_x = i % 2 ? p[i] : x, next_y = i % 2 ? y : p[i];
            struct box piece = {x < next_x ? x : next_x, y < next_y ? y : next_y, x < next_x ? next_x : x,
                                y < next_y ? next_y : y};
            assert_true(piece.left >= 0 && piece.right <= l->width && piece.top >= 0 &&
                        piece.bottom <= l->height);
            for (uint32_t v = 0; v <= g->vertex_count; v++) {
                struct box other = box_of(l, g, v);
                /* A line has no inside: it is in a box when it passes between the box's sides. */
                bool inside = piece.left < other.right && piece.right > other.left &&
                              piece.top < other.bottom && piece.bottom > other.top;
                assert_false(inside);
            }
            x = next_x;
            y = next_y;
        }
        assert_true(x > b.left && x < b.right && y == b.top);
        assert_true(p[2] > p[1]); /* it leaves downwards, and arrives from above */
        assert_true(p[count - 1] > p[count == 3 ? 1 : count - 3]);
    }
}

static void check(struct graph *g)
{
    struct layout l;
    graph_complete(g);
    layout_init(&l, g);
    check_boxes(&l, g);
    check_edges(&l, g);
    layout_release(&l);
    graph_release(g);
}

static void small_shapes_are_drawn(void **state)
{
    (void)state;
    static const struct {
        uint32_t blocks;
        const char *edges;
    } shapes[] = {
        {1, "0>x"},
        {1, "0>0"},
        {2, "0>1 1>0"},
        {4, "0>1 0>2 1>3 2>3 3>x"},
        {4, "0>1 1>2 1>3 2>1 3>x"},
        {3, "0>1 0>2 1>2 2>1 1>x"}, /* a loop with two entries */
        {6, "0>1 0>2 0>3 0>4 1>5 2>5 3>x 4>4 5>0"},
        {2, "0>1 0>1 0>1 1>x 1>x"},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct graph g = graph_of(shapes[i].blocks, shapes[i].edges);
        check(&g);
    }
}

static void random_graphs_are_drawn(void **state)
{
    (void)state;
    for (int round = 0; round < 400; round++) {
        uint32_t blocks = 1 + random_below(round < 380 ? 24 : 200);
        struct graph g;
        graph_init(&g, blocks);
        for (uint32_t v = 1; v < blocks; v++) /* all are reached */
            graph_add_edge(&g, random_below(v), v, EDGE_FLOW);
        for (uint32_t i = random_below(2 * blocks + 1); i > 0; i--)
            graph_add_edge(&g, random_below(blocks), random_below(blocks), EDGE_FLOW);
        for (uint32_t i = random_below(3); i > 0; i--)
            graph_add_edge(&g, random_below(blocks), blocks, EDGE_EXIT);
        check(&g);
    }
}

/* The arms of a condition stand beside each other, what comes after it below them, in the middle. */
static void a_condition_is_symmetric(void **state)
{
    (void)state;
    struct graph g = graph_of(4, "0>1 0>2 1>3 2>3 3>x");
    struct layout l;
    graph_complete(&g);
    layout_init(&l, &g);
    assert_int_equal(l.y[1], l.y[2]);
    assert_true(l.x[1] < l.x[2]);
    assert_true(l.y[0] < l.y[1] && l.y[1] < l.y[3]);
    assert_int_equal(l.x[0], l.x[3]);
    layout_release(&l);
    graph_release(&g);
}

/* What comes after a loop stands below it. */
static void a_loop_stands_above_what_follows(void **state)
{
    (void)state;
    struct graph g = graph_of(5, "0>1 1>2 2>3 3>1 1>4 4>x");
    struct layout l;
    graph_complete(&g);
    layout_init(&l, &g);
    assert_true(l.y[4] > l.y[3]);
    layout_release(&l);
    graph_release(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_shapes_are_drawn),
        cmocka_unit_test(random_graphs_are_drawn),
        cmocka_unit_test(a_condition_is_symmetric),
        cmocka_unit_test(a_loop_stands_above_what_follows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
