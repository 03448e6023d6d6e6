/*
 * Flow conservation: computes all counts of a graph from those that were measured (Ball & Larus
 * 1994, sections 3.1 and 3.3, repaired: signed arithmetic, never max - min). Counts have 64 bits
 * and wrap around, which does no harm since the true ones are below 2^63.
 *
 * Gains. An activation may begin or end in the middle of a block. The flow out of vertex v is the
 * flow into it plus gains[v]: more where an activation was resumed inside the block, less where one
 * was cut. EXIT's gain is the negative sum of all others, so that the whole is balanced. Where a
 * function below takes gains, NULL means that there are none.
 */
#ifndef COTREE_GRAPH_FLOW_H
#define COTREE_GRAPH_FLOW_H

#include "graph/graph.h"

enum flow_result {
    FLOW_OK,
    FLOW_UNDETERMINED,  /* the known counts do not determine the rest: at least one is left unknown */
    FLOW_CONTRADICTION, /* at vertex *where the flow in differs from the flow out */
    FLOW_NEGATIVE,      /* every equation holds, but the count of edge (or vertex) *where is negative */
};

/*
 * Computes all edge counts from a set of known ones that determines them: known[e] says which
 * entries of `counts` are given; the others are filled in. Known counts that are redundant are
 * checked. With FLOW_NEGATIVE and FLOW_CONTRADICTION the counts are still what the equations give.
 */
enum flow_result flow_solve_edges(const struct graph *g, const bool *known, const int64_t *gains,
                                  int64_t *counts, uint32_t *where);

/*
 * The same, prepared once for one set of known edges and solved many times. The order says how the
 * unknown edges follow from the known ones, one after the other. Undetermined edges stay 0.
 */
struct flow_order {
    uint32_t step_count, undetermined; /* an edge that the known ones do not determine, or GRAPH_NONE */
    struct flow_step {
        uint32_t edge, vertex; /* the edge is the only unknown one left at the vertex */
    } *steps;
};
void flow_order_init(struct flow_order *o, const struct graph *g, const bool *known);
void flow_order_release(struct flow_order *o);
/* `counts` is 0 where it is unknown. `surplus` is room for vertex_count numbers. */
enum flow_result flow_order_solve(const struct flow_order *o, const struct graph *g, const int64_t *gains,
                                  int64_t *counts, uint64_t *surplus, uint32_t *where);

/*
 * Computes vertex counts from any mixture of counted edges and counted vertices (flow.c says how).
 * vertex_counts has vertex_count entries, the flow into each vertex; EXIT's is the number of
 * activations that ended, and with its gain added the number of those that began.
 */
enum flow_result flow_solve_vertices(const struct graph *g, const bool *edge_known,
                                     const int64_t *edge_counts, const bool *vertex_known,
                                     const int64_t *gains, int64_t *vertex_counts, uint32_t *where);

#endif
