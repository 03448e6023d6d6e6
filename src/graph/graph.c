/*
 * Flow graphs: storage, adjacency, the structural hash, and completion.
 *
 * Completion makes flow conserved everywhere (Ball & Larus 1994, section 2, wants every vertex to
 * reach EXIT; real functions have dead ends and endless loops). Control enters a terminal strongly
 * connected component and never leaves it; one virtual edge from it to EXIT stands for the
 * activations that stayed there.
 */
#include "graph/graph.h"

#include "base/hash.h"
#include "base/memory.h"

void graph_init(struct graph *g, uint32_t block_count)
{
    *g = (struct graph){.vertex_count = block_count + 1};
}

void graph_release(struct graph *g)
{
    free(g->edges);
    *g = (struct graph){0};
}

uint32_t graph_add_edge(struct graph *g, uint32_t from, uint32_t to, enum edge_kind kind)
{
    if (g->edge_count == g->edge_capacity) {
        g->edge_capacity = g->edge_capacity ? g->edge_capacity * 2 : 8;
        RESIZE(g->edges, g->edge_capacity);
    }
    g->edges[g->edge_count] = (struct edge){.from = from, .to = to, .kind = kind};
    return g->edge_count++;
}

uint64_t graph_hash(const struct graph *g)
{
    struct buffer b = {0};
    buffer_add_u32(&b, g->vertex_count);
    buffer_add_u32(&b, g->edge_count);
    for (uint32_t e = 0; e < g->edge_count; e++) {
        buffer_add_u32(&b, g->edges[e].from);
        buffer_add_u32(&b, g->edges[e].to);
        buffer_add_u32(&b, (uint32_t)g->edges[e].kind);
    }
    uint64_t hash = hash_bytes(b.data, b.length);
    buffer_release(&b);
    return hash;
}

void adjacency_init(struct adjacency *a, const struct graph *g)
{
    uint32_t n = g->vertex_count;
    a->out_start = ZALLOC(uint32_t, (size_t)n + 1);
    a->in_start = ZALLOC(uint32_t, (size_t)n + 1);
    a->out = ALLOC(uint32_t, (size_t)g->edge_count + 1);
    a->in = ALLOC(uint32_t, (size_t)g->edge_count + 1);
    for (uint32_t e = 0; e < g->edge_count; e++) {
        a->out_start[g->edges[e].from + 1]++;
        a->in_start[g->edges[e].to + 1]++;
    }
    for (uint32_t v = 0; v < n; v++) {
        a->out_start[v + 1] += a->out_start[v];
        a->in_start[v + 1] += a->in_start[v];
    }
    uint32_t *out_next = ALLOC(uint32_t, (size_t)n + 1), *in_next = ALLOC(uint32_t, (size_t)n + 1);
    memcpy(out_next, a->out_start, ((size_t)n + 1) * sizeof *out_next);
    memcpy(in_next, a->in_start, ((size_t)n + 1) * sizeof *in_next);
    for (uint32_t e = 0; e < g->edge_count; e++) {
        a->out[out_next[g->edges[e].from]++] = e;
        a->in[in_next[g->edges[e].to]++] = e;
    }
    free(out_next);
    free(in_next);
}

void adjacency_release(struct adjacency *a)
{
    free(a->out_start);
    free(a->out);
    free(a->in_start);
    free(a->in);
    *a = (struct adjacency){0};
}

void graph_reachable(const struct graph *g, bool *reachable)
{
    struct adjacency a;
    adjacency_init(&a, g);
    memset(reachable, 0, g->vertex_count * sizeof *reachable);
    uint32_t *stack = ALLOC(uint32_t, g->vertex_count);
    size_t depth = 0;
    reachable[GRAPH_ROOT] = true;
    stack[depth++] = GRAPH_ROOT;
    while (depth) {
        uint32_t v = stack[--depth];
        if (v == graph_exit(g))
            continue;
        for (uint32_t i = a.out_start[v]; i < a.out_start[v + 1]; i++) {
            uint32_t w = g->edges[a.out[i]].to;
            if (!reachable[w]) {
                reachable[w] = true;
                stack[depth++] = w;
            }
        }
    }
    free(stack);
    adjacency_release(&a);
}

/*
 * Tarjan's strongly connected components with an explicit stack; EXIT's edges are not followed.
 * Components are numbered in the order they are finished, so an edge never leads to a higher
 * number. Returns how many there are.
 */
static uint32_t strong_components(const struct graph *g, const struct adjacency *a, uint32_t *component)
{
    uint32_t n = g->vertex_count, number = 0, components = 0;
    uint32_t *order = ALLOC(uint32_t, n), *low = ALLOC(uint32_t, n), *next = ALLOC(uint32_t, n);
    uint32_t *path = ALLOC(uint32_t, n),
             *open = ALLOC(uint32_t, n); /* path: the call stack; open: Tarjan's stack */
    size_t path_depth, open_depth = 0;
    for (uint32_t v = 0; v < n; v++)
        order[v] = component[v] = GRAPH_NONE;
    for (uint32_t start = 0; start < n; start++) {
        if (order[start] != GRAPH_NONE)
            continue;
        path_depth = 0;
        path[path_depth++] = open[open_depth++] = start;
        order[start] = low[start] = number++;
        next[start] = a->out_start[start];
        while (path_depth) {
            uint32_t v = path[path_depth - 1];
            if (v != graph_exit(g) && next[v] < a->out_start[v + 1]) {
                uint32_t w = g->edges[a->out[next[v]++]].to;
                if (order[w] == GRAPH_NONE) {
                    order[w] = low[w] = number++;
                    next[w] = a->out_start[w];
                    path[path_depth++] = open[open_depth++] = w;
                } else if (component[w] == GRAPH_NONE && order[w] < low[v]) {
                    low[v] = order[w];
                }
                continue;
            }
            path_depth--;
            if (path_depth && low[v] < low[path[path_depth - 1]])
                low[path[path_depth - 1]] = low[v];
            if (low[v] != order[v])
                continue;
            uint32_t w;
            do {
                w = open[--open_depth];
                component[w] = components;
            } while (w != v);
            components++;
        }
    }
    free(order);
    free(low);
    free(next);
    free(path);
    free(open);
    return components;
}

void graph_complete(struct graph *g)
{
    uint32_t n = g->vertex_count, exit = graph_exit(g);
    bool has_entry = false;
    for (uint32_t e = 0; e < g->edge_count; e++)
        has_entry |= g->edges[e].from == exit;
    if (!has_entry)
        graph_add_edge(g, exit, GRAPH_ROOT, EDGE_ENTRY);

    struct adjacency a;
    adjacency_init(&a, g);
    uint32_t *component = ALLOC(uint32_t, n);
    uint32_t components = strong_components(g, &a, component);
    adjacency_release(&a);

    bool *terminal = ALLOC(bool, components);
    memset(terminal, true, components * sizeof *terminal);
    terminal[component[exit]] = false;
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (component[g->edges[e].from] != component[g->edges[e].to])
            terminal[component[g->edges[e].from]] = false;
    /* The root is tried last: its virtual edge and the entry edge would close a cycle and need a
     * counter. */
    bool *represents = ZALLOC(bool, n);
    for (uint32_t i = 1; i <= exit; i++) {
        uint32_t v = i == exit ? GRAPH_ROOT : i;
        if (terminal[component[v]]) {
            terminal[component[v]] = false;
            represents[v] = true;
        }
    }
    for (uint32_t v = 0; v < exit; v++)
        if (represents[v])
            graph_add_edge(g, v, exit, EDGE_VIRTUAL);
    free(represents);
    free(terminal);
    free(component);
}
