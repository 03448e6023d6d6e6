/*
 * Flow conservation as one elimination of leaves.
 *
 * Both solvers are the same computation on different graphs: unknowns are arcs between nodes, every
 * node has one equation (the flow in equals the flow out), and a node with a single unknown arc
 * gives that arc's value. It ends with every unknown solved exactly when the unknown arcs form a
 * forest.
 *  - Edge counts: nodes are vertices, arcs the unknown edges (Ball & Larus 1994, Figure 6).
 *  - Vertex counts: nodes are the components of the bipartite graph B of the uncounted edges, arcs
 *    the uncounted vertices, each leading from the component of its in-half to that of its
 *    out-half.
 *
 * Arithmetic is signed by wrap-around in uint64_t; the paper's max - min would hide contradictions
 * and, for vertex counts, give wrong ones on correct data (its Figure 8).
 */
#include "graph/flow.h"

#include "base/memory.h"
#include "graph/tree.h"

struct system {
    uint32_t node_count, arc_count;
    const uint32_t *from, *to; /* arc -> node */
    uint64_t *surplus;         /* node -> the flow that known arcs bring in, less what they take out */
    uint64_t *value;           /* arc -> value, filled in where unknown */
    bool *known;               /* arc -> solved or given */
    struct flow_step *steps;   /* the order of solving, or NULL if it is not wanted */
    uint32_t step_count;
};

/* Solves all arcs that elimination of leaves determines. Returns false when an arc stays
 * unknown. */
static bool eliminate(struct system *s)
{
    uint32_t n = s->node_count, unknown_count = 0;
    uint32_t *degree = ZALLOC(uint32_t, n),
             *ids = ZALLOC(uint32_t, n); /* ids: xor of the unknown arcs at a node */
    for (uint32_t a = 0; a < s->arc_count; a++) {
        if (s->known[a])
            continue;
        unknown_count++;
        if (s->from[a] == s->to[a])
            continue; /* it cancels out of every equation: never determined */
        degree[s->from[a]]++, ids[s->from[a]] ^= a;
        degree[s->to[a]]++, ids[s->to[a]] ^= a;
    }
    uint32_t *stack = ALLOC(uint32_t, (size_t)n + 1);
    size_t depth = 0;
    for (uint32_t v = 0; v < n; v++)
        if (degree[v] == 1)
            stack[depth++] = v;
    while (depth) {
        uint32_t v = stack[--depth];
        if (degree[v] != 1)
            continue;
        uint32_t arc = ids[v], from = s->from[arc], to = s->to[arc];
        uint64_t value = from == v ? s->surplus[v] : -s->surplus[v];
        s->value[arc] = value;
        s->known[arc] = true;
        if (s->steps)
            s->steps[s->step_count++] = (struct flow_step){.edge = arc, .vertex = v};
        s->surplus[from] -= value;
        s->surplus[to] += value;
        degree[from]--, ids[from] ^= arc;
        degree[to]--, ids[to] ^= arc;
        unknown_count--;
        uint32_t other = from == v ? to : from;
        if (degree[other] == 1)
            stack[depth++] = other;
    }
    free(degree);
    free(ids);
    free(stack);
    return unknown_count == 0;
}

static enum flow_result negative_check(uint32_t count, const int64_t *counts, uint32_t *where)
{
    for (uint32_t i = 0; i < count; i++)
        if (counts[i] < 0) {
            *where = i;
            return FLOW_NEGATIVE;
        }
    return FLOW_OK;
}

void flow_order_init(struct flow_order *o, const struct graph *g, const bool *known)
{
    uint32_t n = g->vertex_count, m = g->edge_count;
    struct system s = {.node_count = n, .arc_count = m};
    uint32_t *from = ALLOC(uint32_t, (size_t)m + 1), *to = ALLOC(uint32_t, (size_t)m + 1);
    s.from = from;
    s.to = to;
    s.surplus = ZALLOC(uint64_t, n);
    s.value = ZALLOC(uint64_t, (size_t)m + 1);
    s.known = ALLOC(bool, (size_t)m + 1);
    s.steps = ALLOC(struct flow_step, n); /* each step uses up a vertex */
    for (uint32_t e = 0; e < m; e++) {
        from[e] = g->edges[e].from;
        to[e] = g->edges[e].to;
        s.known[e] = known[e];
    }
    eliminate(&s);
    *o = (struct flow_order){.steps = s.steps, .step_count = s.step_count, .undetermined = GRAPH_NONE};
    for (uint32_t e = 0; e < m && o->undetermined == GRAPH_NONE; e++)
        if (!s.known[e])
            o->undetermined = e;
    free(from);
    free(to);
    free(s.surplus);
    free(s.value);
    free(s.known);
}

void flow_order_release(struct flow_order *o)
{
    free(o->steps);
    *o = (struct flow_order){0};
}

enum flow_result flow_order_solve(const struct flow_order *o, const struct graph *g, const int64_t *gains,
                                  int64_t *counts, uint64_t *surplus, uint32_t *where)
{
    for (uint32_t v = 0; v < g->vertex_count; v++)
        surplus[v] = gains ? (uint64_t)gains[v] : 0;
    for (uint32_t e = 0; e < g->edge_count; e++) {
        surplus[g->edges[e].from] -= (uint64_t)counts[e];
        surplus[g->edges[e].to] += (uint64_t)counts[e];
    }
    for (uint32_t i = 0; i < o->step_count; i++) {
        const struct edge *e = &g->edges[o->steps[i].edge];
        uint64_t left = surplus[o->steps[i].vertex], value = e->from == o->steps[i].vertex ? left : -left;
        counts[o->steps[i].edge] = (int64_t)value;
        surplus[e->from] -= value;
        surplus[e->to] += value;
    }
    *where = o->undetermined;
    if (o->undetermined != GRAPH_NONE)
        return FLOW_UNDETERMINED;
    for (uint32_t v = 0; v < g->vertex_count; v++)
        if (surplus[v]) {
            *where = v;
            return FLOW_CONTRADICTION;
        }
    return negative_check(g->edge_count, counts, where);
}

enum flow_result flow_solve_edges(const struct graph *g, const bool *known, const int64_t *gains,
                                  int64_t *counts, uint32_t *where)
{
    uint32_t ignored, m = g->edge_count;
    struct flow_order order;
    uint64_t *surplus = ALLOC(uint64_t, g->vertex_count);
    int64_t *solved = ALLOC(int64_t, (size_t)m + 1);
    for (uint32_t e = 0; e < m; e++)
        solved[e] = known[e] ? counts[e] : 0;
    flow_order_init(&order, g, known);
    enum flow_result result = flow_order_solve(&order, g, gains, solved, surplus, where ? where : &ignored);
    for (uint32_t i = 0; i < order.step_count; i++) /* arcs that are not determined stay as they were */
        counts[order.steps[i].edge] = solved[order.steps[i].edge];
    flow_order_release(&order);
    free(surplus);
    free(solved);
    return result;
}

enum flow_result flow_solve_vertices(const struct graph *g, const bool *edge_known,
                                     const int64_t *edge_counts, const bool *vertex_known,
                                     const int64_t *gains, int64_t *vertex_counts, uint32_t *where)
{
    uint32_t n = g->vertex_count, ignored;
    if (!where)
        where = &ignored;
    *where = GRAPH_NONE;
    /* B has two halves of every vertex: v is its out-half, n + v its in-half. */
    struct union_find b;
    union_find_init(&b, 2 * n);
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (!edge_known || !edge_known[e])
            union_find_join(&b, g->edges[e].from, n + g->edges[e].to);

    /*
     * In a component, the sum over its out-halves of (frequency - counted out-edges) equals the sum
     * over its in-halves of (frequency - counted in-edges). Seen as flow: a vertex leaves the
     * component of its in-half and arrives at that of its out-half; a counted edge leaves the
     * component of its source's out-half for that of its target's in-half. A vertex's gain arrives
     * at its out-half without coming from another vertex.
     */
    struct system s = {.node_count = 2 * n, .arc_count = n};
    uint32_t *from = ALLOC(uint32_t, n), *to = ALLOC(uint32_t, n);
    s.from = from;
    s.to = to;
    s.surplus = ZALLOC(uint64_t, 2 * (size_t)n);
    s.value = ALLOC(uint64_t, n);
    s.known = ALLOC(bool, n);
    for (uint32_t v = 0; v < n; v++) {
        from[v] = union_find_root(&b, n + v);
        to[v] = union_find_root(&b, v);
        s.known[v] = vertex_known && vertex_known[v];
        s.value[v] = s.known[v] ? (uint64_t)vertex_counts[v] : 0;
        s.surplus[from[v]] -= s.value[v];
        s.surplus[to[v]] += s.value[v] + (gains ? (uint64_t)gains[v] : 0);
    }
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (edge_known && edge_known[e]) {
            s.surplus[to[g->edges[e].from]] -= (uint64_t)edge_counts[e];
            s.surplus[from[g->edges[e].to]] += (uint64_t)edge_counts[e];
        }
    enum flow_result result = FLOW_OK;
    if (!eliminate(&s)) {
        result = FLOW_UNDETERMINED;
        for (uint32_t v = 0; v < n && *where == GRAPH_NONE; v++)
            if (!s.known[v])
                *where = v;
    }
    for (uint32_t v = 0; v < n; v++)
        if (s.known[v])
            vertex_counts[v] = (int64_t)s.value[v];
    for (uint32_t v = 0; v < n && result == FLOW_OK; v++)
        if (s.surplus[from[v]] || s.surplus[to[v]]) {
            *where = v;
            result = FLOW_CONTRADICTION;
        }
    if (result == FLOW_OK)
        result = negative_check(n, vertex_counts, where);
    union_find_release(&b);
    free(from);
    free(to);
    free(s.surplus);
    free(s.value);
    free(s.known);
    return result;
}
