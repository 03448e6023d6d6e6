/*
 * Dominators by Lengauer & Tarjan 1979 (the simple variant, O(m log n)); path compression uses an
 * explicit stack. The entry edge EXIT -> root is never part of a path.
 */
#include "graph/analysis.h"

#include "base/memory.h"

struct search {
    const struct graph *g;
    struct adjacency a;
    uint32_t count;              /* vertices reached; below, vertices are named by their preorder numbers */
    uint32_t *vertex, *number;   /* number -> vertex, vertex -> number */
    uint32_t *parent, *ancestor; /* in the depth-first tree, in the forest of linked vertices */
    uint32_t *semi, *label, *immediate;
    uint32_t *stack;
};

/* The other end of the k-th edge that leaves (incoming: enters) v; GRAPH_NONE after the last
 * one. */
static uint32_t neighbour(const struct search *s, uint32_t v, uint32_t k, bool incoming)
{
    const bool out = !incoming;
    const uint32_t *start = out ? s->a.out_start : s->a.in_start, *list = out ? s->a.out : s->a.in;
    uint32_t i = start[v] + k;
    if (i >= start[v + 1])
        return GRAPH_NONE;
    const struct edge *e = &s->g->edges[list[i]];
    if (e->from == graph_exit(s->g))
        return v; /* the vertex itself, which changes nothing */
    return out ? e->to : e->from;
}

static void number_vertices(struct search *s)
{
    uint32_t *next = ZALLOC(uint32_t, s->g->vertex_count);
    size_t depth = 0;
    for (uint32_t v = 0; v < s->g->vertex_count; v++)
        s->number[v] = GRAPH_NONE;
    s->vertex[0] = GRAPH_ROOT;
    s->number[GRAPH_ROOT] = 0;
    s->count = 1;
    s->stack[depth++] = GRAPH_ROOT;
    while (depth) {
        uint32_t v = s->stack[depth - 1], w = neighbour(s, v, next[v]++, false);
        if (w == GRAPH_NONE) {
            depth--;
        } else if (s->number[w] == GRAPH_NONE) {
            s->number[w] = s->count;
            s->vertex[s->count] = w;
            s->parent[s->count++] = s->number[v];
            s->stack[depth++] = w;
        }
    }
    free(next);
}

/* The vertex with the smallest semidominator on the linked way above x, x included; shortens that
 * way. */
static uint32_t evaluate(struct search *s, uint32_t x)
{
    if (s->ancestor[x] == GRAPH_NONE)
        return x;
    size_t depth = 0;
    for (uint32_t y = x; s->ancestor[s->ancestor[y]] != GRAPH_NONE; y = s->ancestor[y])
        s->stack[depth++] = y;
    while (depth) {
        uint32_t y = s->stack[--depth], up = s->ancestor[y];
        if (s->semi[s->label[up]] < s->semi[s->label[y]])
            s->label[y] = s->label[up];
        s->ancestor[y] = s->ancestor[up];
    }
    return s->label[x];
}

void graph_dominators(const struct graph *g, uint32_t *immediate)
{
    uint32_t n = g->vertex_count;
    struct search s = {.g = g};
    adjacency_init(&s.a, g);
    s.vertex = ALLOC(uint32_t, n), s.number = ALLOC(uint32_t, n);
    s.parent = ALLOC(uint32_t, n), s.ancestor = ALLOC(uint32_t, n);
    s.semi = ALLOC(uint32_t, n), s.label = ALLOC(uint32_t, n);
    s.immediate = ALLOC(uint32_t, n), s.stack = ALLOC(uint32_t, n);
    number_vertices(&s);
    uint32_t *bucket = ALLOC(uint32_t, n), *next = ALLOC(uint32_t, n); /* semidominator -> list of vertices */
    for (uint32_t x = 0; x < s.count; x++) {
        s.semi[x] = s.label[x] = x;
        s.ancestor[x] = bucket[x] = GRAPH_NONE;
    }
    for (uint32_t x = s.count; x-- > 1;) {
        for (uint32_t k = 0, v; (v = neighbour(&s, s.vertex[x], k, true)) != GRAPH_NONE; k++) {
            if (s.number[v] == GRAPH_NONE)
                continue;
            uint32_t semi = s.semi[evaluate(&s, s.number[v])];
            if (semi < s.semi[x])
                s.semi[x] = semi;
        }
        next[x] = bucket[s.semi[x]];
        bucket[s.semi[x]] = x;
        uint32_t up = s.parent[x];
        s.ancestor[x] = up;
        for (uint32_t y = bucket[up]; y != GRAPH_NONE; y = next[y]) {
            uint32_t best = evaluate(&s, y);
            s.immediate[y] = s.semi[best] < s.semi[y] ? best : up;
        }
        bucket[up] = GRAPH_NONE;
    }
    for (uint32_t v = 0; v < n; v++)
        immediate[v] = GRAPH_NONE;
    for (uint32_t x = 1; x < s.count; x++) {
        if (s.immediate[x] != s.semi[x])
            s.immediate[x] = s.immediate[s.immediate[x]];
        immediate[s.vertex[x]] = s.vertex[s.immediate[x]];
    }
    free(bucket), free(next);
    free(s.vertex), free(s.number), free(s.parent), free(s.ancestor);
    free(s.semi), free(s.label), free(s.immediate), free(s.stack);
    adjacency_release(&s.a);
}
