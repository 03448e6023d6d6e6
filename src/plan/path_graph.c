/* Where paths end by definition, and the acyclic graph that is left when edges are cut. */
#include "plan/path_graph.h"

#include "base/memory.h"
#include "graph/analysis.h"

#include <string.h>

/* Marks the loops in whose heads paths begin by the mixed definition. */
static void find_mixed(const struct graph *g, const struct loops *l, const bool *retreating, bool *wanted)
{
    uint32_t *out_degree = ZALLOC(uint32_t, g->vertex_count);
    for (uint32_t e = 0; e < g->edge_count; e++)
        out_degree[g->edges[e].from] += g->edges[e].kind != EDGE_VIRTUAL;
    for (uint32_t i = 0; i < l->count; i++)
        if (l->parent[i] != GRAPH_NONE)
            wanted[l->parent[i]] = true;
    for (uint32_t e = 0; e < g->edge_count; e++) {
        uint32_t to = g->edges[e].to;
        if (retreating[e] && out_degree[g->edges[e].from] > 1 && l->innermost[to] != GRAPH_NONE &&
            l->head[l->innermost[to]] == to)
            wanted[l->innermost[to]] = true;
    }
    free(out_degree);
}

/* Marks the edges from outside to the heads of wanted loops. */
static void mark_loop_entries(const struct graph *g, const struct loops *l, const bool *wanted, bool *cut)
{
    uint32_t *place = ALLOC(uint32_t, g->vertex_count); /* in l->body: loops are ranges of it */
    for (uint32_t v = 0; v < g->vertex_count; v++)
        place[v] = GRAPH_NONE;
    for (uint32_t i = 0; i < l->count; i++)
        for (uint32_t k = l->body_start[i]; k < l->body_end[i] && place[l->body[k]] == GRAPH_NONE; k++)
            place[l->body[k]] = k;
    for (uint32_t e = 0; e < g->edge_count; e++) {
        uint32_t from = g->edges[e].from, to = g->edges[e].to;
        if (g->edges[e].kind != EDGE_FLOW || l->innermost[to] == GRAPH_NONE)
            continue;
        uint32_t loop = l->innermost[to];
        bool inside = place[from] != GRAPH_NONE && place[from] >= l->body_start[loop] &&
                      place[from] < l->body_end[loop];
        cut[e] |= l->head[loop] == to && !inside && wanted[loop];
    }
    free(place);
}

void path_ends_mark(const struct graph *g, enum path_ends ends, bool *cut)
{
    struct adjacency a;
    struct depth_first d;
    adjacency_init(&a, g);
    depth_first_init(&d, g, &a);
    for (uint32_t e = 0; e < g->edge_count; e++)
        cut[e] = d.retreating[e];
    if (ends != PATH_ENDS_BACK) {
        struct loops l;
        loops_init(&l, g, &a, &d);
        bool *wanted = ZALLOC(bool, (size_t)l.count + 1);
        if (ends == PATH_ENDS_MIXED)
            find_mixed(g, &l, cut, wanted);
        else
            memset(wanted, true, l.count);
        mark_loop_entries(g, &l, wanted, cut);
        free(wanted);
        loops_release(&l);
    }
    depth_first_release(&d);
    adjacency_release(&a);
}

/* Arcs in the order of edges, then those that start paths. */
static void add_arcs(struct path_graph *p, const struct graph *g, const bool *cut)
{
    uint32_t *out_degree = ZALLOC(uint32_t, g->vertex_count), exit = graph_exit(g);
    for (uint32_t e = 0; e < g->edge_count; e++)
        out_degree[g->edges[e].from]++;
    for (uint32_t e = 0; e < g->edge_count; e++) {
        const struct edge *edge = &g->edges[e];
        p->edge_arc[e] = GRAPH_NONE;
        if (edge->kind == EDGE_VIRTUAL && out_degree[edge->from] > 1)
            continue;
        p->edge_arc[e] = graph_add_edge(&p->arcs, edge->from, cut[e] ? exit : edge->to, EDGE_FLOW);
        p->arc_edge[p->edge_arc[e]] = e;
    }
    for (uint32_t e = 0; e < g->edge_count; e++) {
        uint32_t to = g->edges[e].to;
        if (!cut[e] || p->start_arc[to] != GRAPH_NONE)
            continue;
        p->start_arc[to] = graph_add_edge(&p->arcs, exit, to, EDGE_FLOW);
        p->arc_edge[p->start_arc[to]] = GRAPH_NONE;
    }
    free(out_degree);
}

/* Orders the blocks; false when a cycle is left. */
static bool order_blocks(struct path_graph *p)
{
    const struct adjacency *a = &p->adjacency;
    uint32_t *waiting = ALLOC(uint32_t, p->arcs.vertex_count), exit = graph_exit(&p->arcs), ordered = 0;
    for (uint32_t v = 0; v < p->arcs.vertex_count; v++)
        waiting[v] = a->in_start[v + 1] - a->in_start[v];
    for (uint32_t i = a->out_start[exit]; i < a->out_start[exit + 1]; i++) {
        uint32_t to = p->arcs.edges[a->out[i]].to;
        if (--waiting[to] == 0)
            p->order[ordered++] = to;
    }
    for (uint32_t next = 0; next < ordered; next++) {
        uint32_t v = p->order[next];
        for (uint32_t i = a->out_start[v]; i < a->out_start[v + 1]; i++) {
            uint32_t to = p->arcs.edges[a->out[i]].to;
            if (to != exit && --waiting[to] == 0)
                p->order[ordered++] = to;
        }
    }
    free(waiting);
    return ordered == p->block_count;
}

bool path_graph_init(struct path_graph *p, const struct graph *g, const bool *cut, struct error *error)
{
    *p = (struct path_graph){.block_count = graph_exit(g)};
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (cut[e] && g->edges[e].kind != EDGE_FLOW)
            return error_set(error, "edge %u cannot be cut: it begins or ends an activation", e);
    graph_init(&p->arcs, p->block_count);
    p->order = ALLOC(uint32_t, (size_t)p->block_count + 1);
    p->edge_arc = ALLOC(uint32_t, (size_t)g->edge_count + 1);
    p->arc_edge = ALLOC(uint32_t, 2 * (size_t)g->edge_count + 1);
    p->start_arc = ALLOC(uint32_t, g->vertex_count);
    for (uint32_t v = 0; v < g->vertex_count; v++)
        p->start_arc[v] = GRAPH_NONE;
    add_arcs(p, g, cut);
    adjacency_init(&p->adjacency, &p->arcs);
    if (order_blocks(p))
        return true;
    path_graph_release(p);
    return error_set(error, "the edges that are cut leave a cycle");
}

void path_graph_release(struct path_graph *p)
{
    graph_release(&p->arcs);
    adjacency_release(&p->adjacency);
    free(p->order);
    free(p->edge_arc);
    free(p->arc_edge);
    free(p->start_arc);
    *p = (struct path_graph){0};
}

void path_graph_weights(const struct path_graph *p, const struct graph *g, const double *edge_weights,
                        double *arc_weights)
{
    for (uint32_t a = 0; a < p->arcs.edge_count; a++)
        arc_weights[a] = p->arc_edge[a] == GRAPH_NONE ? 0 : edge_weights[p->arc_edge[a]];
    for (uint32_t e = 0; e < g->edge_count; e++) {
        uint32_t arc = p->edge_arc[e], to = g->edges[e].to;
        if (arc != GRAPH_NONE && p->arcs.edges[arc].to != to)
            arc_weights[p->start_arc[to]] += edge_weights[e];
    }
}
