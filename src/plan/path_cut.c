/*
 * Chooses further edges that end paths. A cut edge costs a count and a new start every time it
 * runs, and turns the product of the ways to it and from it into their sum; so the best edge is a
 * narrow one that hardly runs. It is found greedily: the vertex (all edges into it) or the single
 * edge with the largest log(paths before / paths after) / weight.
 *
 * Numbers of paths are doubles here, good enough to choose; path_number.c counts them exactly. They
 * stay finite: where a vertex has more than HUGE_NUMBER ways on, its edges are cut at once. The
 * greedy search has a budget of work; where a graph is too large for it, cuts at regular distances
 * finish the job.
 */
#include "plan/path_cut.h"

#include "base/memory.h"
#include "plan/path_graph.h"

#include <math.h>

#define HUGE_NUMBER 1e150
#define LEAST_WEIGHT 1e-6 /* so that an edge that never runs is not cut without need */

/* Edges looked at, in all steps together. Sanitized builds, where each costs twice as much and numbers
 * do not matter, give up earlier. */
#ifndef PATH_CUT_BUDGET
#define PATH_CUT_BUDGET (UINT64_C(1) << 27)
#endif

struct cutter {
    const struct graph *g;
    const double *weights;
    bool *cut;
    struct adjacency adjacency; /* of g */
    uint32_t *order; /* of blocks; topological once the first edges are cut, and after further cuts */
    bool *is_arc;    /* edge -> it can be passed: it is not the virtual edge of an endless loop */
    bool *starts;    /* vertex -> paths start there */
    double *onward;  /* vertex -> ways from there to the end of a path */
    double *inward;  /* vertex -> ways to it from starts */
    double total;
};

static double onward_from(const struct cutter *c, uint32_t v)
{
    double sum = 0;
    for (uint32_t i = c->adjacency.out_start[v]; i < c->adjacency.out_start[v + 1]; i++) {
        uint32_t e = c->adjacency.out[i];
        if (c->is_arc[e])
            sum += c->cut[e] || c->g->edges[e].to == graph_exit(c->g) ? 1 : c->onward[c->g->edges[e].to];
    }
    return sum;
}

/* Can the edge still be cut? */
static bool is_open(const struct cutter *c, uint32_t e)
{
    return !c->cut[e] && c->g->edges[e].kind == EDGE_FLOW;
}

static uint32_t cut_edges_into(struct cutter *c, uint32_t v)
{
    uint32_t added = 0;
    for (uint32_t i = c->adjacency.in_start[v]; i < c->adjacency.in_start[v + 1]; i++) {
        uint32_t e = c->adjacency.in[i];
        if (is_open(c, e)) {
            c->cut[e] = true;
            added++;
        }
    }
    return added;
}

/* Counts the ways from each vertex; where there are more than `most`, cuts the edges there. */
static uint32_t count_onward(struct cutter *c, double most)
{
    uint32_t added = 0;
    for (uint32_t i = graph_exit(c->g); i-- > 0;) {
        uint32_t v = c->order[i];
        c->onward[v] = onward_from(c, v);
        if (c->onward[v] > most)
            added += cut_edges_into(c, v);
    }
    return added;
}

static void count_inward(struct cutter *c)
{
    const struct graph *g = c->g;
    for (uint32_t v = 0; v < graph_exit(g); v++) {
        c->starts[v] = false;
        c->inward[v] = v == GRAPH_ROOT;
    }
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (c->cut[e])
            c->starts[g->edges[e].to] = true;
    c->total = c->onward[GRAPH_ROOT];
    for (uint32_t i = 0; i < graph_exit(g); i++) {
        uint32_t v = c->order[i];
        if (c->starts[v]) {
            c->inward[v]++;
            c->total += c->onward[v];
        }
        for (uint32_t k = c->adjacency.out_start[v]; k < c->adjacency.out_start[v + 1]; k++) {
            uint32_t e = c->adjacency.out[k];
            if (is_open(c, e))
                c->inward[g->edges[e].to] += c->inward[v];
        }
    }
}

/* The gain for the price when ways_in ways to v become ends and paths start at v. */
static double worth(const struct cutter *c, uint32_t v, double ways_in, double weight)
{
    double saved = ways_in * c->onward[v] - ways_in - (c->starts[v] ? 0 : c->onward[v]);
    if (saved <= 0)
        return 0;
    return log(c->total / fmax(c->total - saved, 1)) / (weight + LEAST_WEIGHT);
}

/* One greedy step. Returns how many edges it cut; 0 when no cut would save a path. */
static uint32_t cut_best(struct cutter *c)
{
    double best = 0;
    uint32_t best_vertex = GRAPH_NONE, best_edge = GRAPH_NONE;
    for (uint32_t v = 1; v < graph_exit(c->g); v++) {
        double ways_in = 0, weight = 0;
        for (uint32_t i = c->adjacency.in_start[v]; i < c->adjacency.in_start[v + 1]; i++) {
            uint32_t e = c->adjacency.in[i];
            if (!is_open(c, e))
                continue;
            double ways = c->inward[c->g->edges[e].from], value = worth(c, v, ways, c->weights[e]);
            ways_in += ways;
            weight += c->weights[e];
            if (value > best) {
                best = value;
                best_edge = e;
                best_vertex = GRAPH_NONE;
            }
        }
        double value = worth(c, v, ways_in, weight);
        if (value > best) {
            best = value;
            best_vertex = v;
            best_edge = GRAPH_NONE;
        }
    }
    if (best_vertex != GRAPH_NONE)
        return cut_edges_into(c, best_vertex);
    if (best_edge == GRAPH_NONE)
        return 0;
    c->cut[best_edge] = true;
    return 1;
}

static uint32_t cut_down(struct cutter *c, double limit)
{
    uint64_t work = 0, pass = (uint64_t)c->g->edge_count + 1;
    uint32_t added = count_onward(c, HUGE_NUMBER);
    count_inward(c);
    while (c->total > limit && work < PATH_CUT_BUDGET) {
        uint32_t cut = cut_best(c);
        if (!cut)
            break;
        added += cut;
        count_onward(c, HUGE_VAL);
        count_inward(c);
        work += pass;
    }
    for (double most = 64; c->total > limit && most >= 1; most /= 4) {
        added += count_onward(c, most);
        count_inward(c);
    }
    return added;
}

uint32_t path_cut(const struct graph *g, const double *weights, uint64_t limit, bool *cut)
{
    struct path_graph first;
    if (!path_graph_init(&first, g, cut, NULL))
        return 0;
    struct cutter c = {.g = g,
                       .weights = weights,
                       .cut = cut,
                       .order = first.order,
                       .is_arc = ALLOC(bool, (size_t)g->edge_count + 1),
                       .starts = ALLOC(bool, g->vertex_count),
                       .onward = ALLOC(double, g->vertex_count),
                       .inward = ALLOC(double, g->vertex_count)};
    adjacency_init(&c.adjacency, g);
    for (uint32_t e = 0; e < g->edge_count; e++)
        c.is_arc[e] = first.edge_arc[e] != GRAPH_NONE;
    double reachable = 2 * (double)g->edge_count;
    uint32_t added = cut_down(&c, (double)limit > reachable ? (double)limit : reachable);
    adjacency_release(&c.adjacency);
    free(c.is_arc);
    free(c.starts);
    free(c.onward);
    free(c.inward);
    path_graph_release(&first);
    return added;
}
