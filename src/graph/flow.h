/*
 * Flow conservation: from the counts that were measured to all counts (Ball & Larus 1994 sections 3.1
 * and 3.3, repaired: signed arithmetic, never max - min). Counts are 64-bit and wrap around, which is
 * harmless: the true ones are below 2^63.
 */
#ifndef COTREE_GRAPH_FLOW_H
#define COTREE_GRAPH_FLOW_H

#include "graph/graph.h"

/*
 * Gains: activations that begin or end in the middle of a block. What flows out of vertex v is what flows in
 * plus gains[v]: more where an activation was resumed inside the block, less where one was cut short there.
 * EXIT's gain is the negative sum of all others , so that the whole is balanced. NULL: none.
 */

enum flow_result {
    FLOW_OK,
    FLOW_UNDETERMINED,  /* the known counts do not determine the rest: at least one is left unknown */
    FLOW_CONTRADICTION, /* a vertex where what flows in differs from what flows out: *where */
    FLOW_NEGATIVE,      /* every equation holds, but a count is negative: *where is the edge (or vertex) */
};

/*
 * Edge counts from any determining set of known ones: known[e] says which entries of counts are given; the
 * rest is filled in. Redundant known counts are checked. On FLOW_NEGATIVE and FLOW_CONTRADICTION the counts
 * are still what the equations give.
 */
enum flow_result flow_solve_edges(const struct graph *g, const bool *known, const int64_t *gains,
                                  int64_t *counts, uint32_t *where);

/*
 * The same, prepared once for one set of known edges and solved many times: the order in which unknown edges
 * follow from known ones. Undetermined edges stay 0.
 */
struct flow_order {
    uint32_t step_count, undetermined; /* an edge that the known ones do not determine, or GRAPH_NONE */
    struct flow_step {
        uint32_t edge, vertex; /* the edge is the only unknown one left at the vertex */
    } *steps;
};
void flow_order_init(struct flow_order *o, const struct graph *g, const bool *known);
void flow_order_release(struct flow_order *o);
/* counts: 0 where unknown. surplus: room for vertex_count numbers. */
enum flow_result flow_order_solve(const struct flow_order *o, const struct graph *g, const int64_t *gains,
                                  int64_t *counts, uint64_t *surplus, uint32_t *where);

/*
 * Vertex counts from any mixture of counted edges and counted vertices (the bipartite solver of algorithms
 * section 2). vertex_counts has vertex_count entries, what flows in each; EXIT's is the number of activations
 * that ended, and with its gain added that of activations that began.
 */
enum flow_result flow_solve_vertices(const struct graph *g, const bool *edge_known,
                                     const int64_t *edge_counts, const bool *vertex_known,
                                     const int64_t *gains, int64_t *vertex_counts, uint32_t *where);

#endif
