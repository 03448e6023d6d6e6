/*
 * Figure 11 asks of every chord whether its cycle in the spanning tree has a marked vertex. Walking
 * the cycles would take quadratic time. Marks are kept as sums instead: a mark at v adds one to
 * every vertex below v, so the number of marks between two vertices is sum(v) + sum(w) - sum(their
 * nearest common ancestor) - sum(its parent).
 */
#include "plan/tree_paths.h"

#include "base/memory.h"

/* A depth-first search of the tree from vertex 0; children are visited whole, so each subtree's
 * numbers are contiguous. */
static void number_vertices(struct tree_paths *t, const struct graph *g, const bool *in_tree)
{
    uint32_t n = g->vertex_count, number = 0;
    struct graph tree;
    graph_init(&tree, n - 1);
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (in_tree[e])
            graph_add_edge(&tree, g->edges[e].from, g->edges[e].to, EDGE_FLOW);
    struct adjacency a;
    adjacency_init(&a, &tree);
    uint32_t *stack = ALLOC(uint32_t, n), *order = ALLOC(uint32_t, n);
    size_t depth = 0;
    for (uint32_t v = 0; v < n; v++)
        t->first[v] = GRAPH_NONE;
    t->parent[0] = t->jump[0] = GRAPH_NONE;
    t->depth[0] = 0;
    stack[depth++] = 0;
    while (depth) {
        uint32_t v = stack[--depth], up = t->parent[v];
        t->first[v] = t->last[v] = number;
        order[number++] = v;
        if (up != GRAPH_NONE) {
            uint32_t half = t->jump[up], far = half == GRAPH_NONE ? GRAPH_NONE : t->jump[half];
            bool same = half != GRAPH_NONE && far != GRAPH_NONE &&
                        t->depth[up] - t->depth[half] == t->depth[half] - t->depth[far];
            t->depth[v] = t->depth[up] + 1;
            t->jump[v] = same ? far : up;
        }
        for (uint32_t i = a.out_start[v]; i < a.out_start[v + 1]; i++)
            if (tree.edges[a.out[i]].to != up) {
                t->parent[tree.edges[a.out[i]].to] = v;
                stack[depth++] = tree.edges[a.out[i]].to;
            }
        for (uint32_t i = a.in_start[v]; i < a.in_start[v + 1]; i++)
            if (tree.edges[a.in[i]].from != up) {
                t->parent[tree.edges[a.in[i]].from] = v;
                stack[depth++] = tree.edges[a.in[i]].from;
            }
    }
    for (uint32_t i = number; i-- > 1;)
        if (t->last[t->parent[order[i]]] < t->last[order[i]])
            t->last[t->parent[order[i]]] = t->last[order[i]];
    free(stack);
    free(order);
    adjacency_release(&a);
    graph_release(&tree);
}

void tree_paths_init(struct tree_paths *t, const struct graph *g, const bool *in_tree)
{
    uint32_t n = g->vertex_count;
    t->count = n;
    t->parent = ALLOC(uint32_t, n);
    t->depth = ALLOC(uint32_t, n);
    t->jump = ALLOC(uint32_t, n);
    t->first = ALLOC(uint32_t, n);
    t->last = ALLOC(uint32_t, n);
    t->sums = ZALLOC(uint32_t, (size_t)n + 2);
    t->marked = ZALLOC(bool, n);
    number_vertices(t, g, in_tree);
}

void tree_paths_release(struct tree_paths *t)
{
    free(t->parent);
    free(t->depth);
    free(t->jump);
    free(t->first);
    free(t->last);
    free(t->sums);
    free(t->marked);
    *t = (struct tree_paths){0};
}

static uint32_t common_ancestor(const struct tree_paths *t, uint32_t v, uint32_t w)
{
    if (t->depth[v] < t->depth[w]) {
        uint32_t swap = v;
        v = w;
        w = swap;
    }
    while (t->depth[v] > t->depth[w])
        v = t->jump[v] != GRAPH_NONE && t->depth[t->jump[v]] >= t->depth[w] ? t->jump[v] : t->parent[v];
    while (v != w) {
        /* Equal depths have jumps of equal length. */
        bool far = t->jump[v] != t->jump[w];
        v = far ? t->jump[v] : t->parent[v];
        w = far ? t->jump[w] : t->parent[w];
    }
    return v;
}

static void add_from(struct tree_paths *t, uint32_t number, uint32_t amount)
{
    for (uint32_t i = number + 1; i <= t->count; i += i & -i)
        t->sums[i] += amount;
}

static uint32_t marks_above(const struct tree_paths *t, uint32_t v) /* v included */
{
    uint32_t sum = 0;
    if (v != GRAPH_NONE)
        for (uint32_t i = t->first[v] + 1; i; i &= i - 1)
            sum += t->sums[i];
    return sum;
}

bool tree_paths_marked(const struct tree_paths *t, uint32_t v, uint32_t w)
{
    uint32_t top = common_ancestor(t, v, w);
    return marks_above(t, v) + marks_above(t, w) != marks_above(t, top) + marks_above(t, t->parent[top]);
}

void tree_paths_mark(struct tree_paths *t, uint32_t v, uint32_t w)
{
    uint32_t top = common_ancestor(t, v, w);
    for (int side = 0; side < 2; side++)
        for (uint32_t x = side ? w : v;; x = t->parent[x]) {
            if (!t->marked[x]) {
                t->marked[x] = true;
                add_from(t, t->first[x], 1);
                add_from(t, t->last[x] + 1, -1u);
            }
            if (x == top)
                break;
        }
}
