/* Orders, dominators and loops of a flow graph. Nothing here recurses: a deep graph takes heap, not
 * stack. */
#ifndef COTREE_GRAPH_ANALYSIS_H
#define COTREE_GRAPH_ANALYSIS_H

#include "graph/graph.h"

/* One depth-first search from the root. It does not follow the edges out of EXIT, and takes
 * successors in the order of edge ids. */
struct depth_first {
    uint32_t *preorder;          /* vertex -> number, GRAPH_NONE if unreachable */
    uint32_t *last_descendant;   /* vertex -> largest preorder number in its subtree */
    uint32_t *reverse_postorder; /* position -> vertex; `reached` of them */
    uint32_t *position;          /* vertex -> position in reverse_postorder */
    bool *retreating;            /* edge -> its target is an ancestor (or itself) in the depth-first tree */
    uint32_t reached;
};
void depth_first_init(struct depth_first *d, const struct graph *g, const struct adjacency *a);
void depth_first_release(struct depth_first *d);

/* vertex -> its immediate dominator; GRAPH_NONE at the root and where the root does not lead. */
void graph_dominators(const struct graph *g, uint32_t *immediate);

/*
 * The loops of a graph, which may be irreducible. There is one loop for each target h of retreating
 * edges: h, and those of its depth-first descendants that lead to the sources of these edges
 * without leaving h's descendants (Ball & Larus 1994 section 5, repaired). Two loops are disjoint
 * or one holds the other, so all bodies together are one array of at most vertex_count entries, in
 * which they nest.
 */
struct loops {
    uint32_t count; /* loops are numbered by their heads' preorder: a loop comes after those that hold it */
    uint32_t *head; /* loop -> vertex */
    uint32_t *body_start; /* loop -> first index in body; a loop's head comes first */
    uint32_t *body_end;   /* loop -> first index after its body, loops inside it included */
    uint32_t *body;       /* the vertices of all loops */
    uint32_t *parent;     /* loop -> smallest loop that holds it, or GRAPH_NONE */
    uint32_t *innermost;  /* vertex -> smallest loop it is in (its own if it is a head), or GRAPH_NONE */
    uint32_t *depth;      /* vertex -> number of loops it is in */
};
void loops_init(struct loops *l, const struct graph *g, const struct adjacency *a,
                const struct depth_first *d);
void loops_release(struct loops *l);

#endif
