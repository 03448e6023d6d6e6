/*
 * Witnesses: what a program writes down so that the sequence of blocks it executed can be regenerated
 * (Ball & Larus 1994, section 4). A graph, its calls and weights in; the edges that write a byte, out.
 *
 * A block's calls run in order, then its successor is decided. The witness of edge p -> q is written after
 * all calls of p and before all calls of q. Of two edges with the same ends both write the same witness, or
 * neither writes any (function graphs have such edges merged already).
 *
 * Conditions, checked on every plan before it is used (witness_check):
 *   A         edges without witness form no cycle, and no vertex has two distinct successors, along edges
 * without witness, with a common descendant along such edges blocking  on every way from a vertex with more
 * than one successor to a call that may write events, and to EXIT, by at least one edge, there is a witness
 * Together they say that the next event decides each branch (proofs: the comments of witness.c).
 */
#ifndef COTREE_PLAN_WITNESS_H
#define COTREE_PLAN_WITNESS_H

#include "base/error.h"
#include "graph/graph.h"

enum witness_placement {
    WITNESS_FOREST = 1,       /* blockers, then a maximum spanning forest: the default */
    WITNESS_CALLS = 2,        /* witnesses on the edges into calls, then the forest (the paper's Figure 16) */
    WITNESS_FOREST_FIRST = 3, /* the forest first, then what blocking still needs (the paper's Figure 17) */
    WITNESS_PREDICATES = 4,   /* every successor of every predicate */
};

struct witness_plan {
    enum witness_placement placement;
    uint32_t *value;      /* per edge: 0 none, else 1 .. value_count */
    uint32_t value_count; /* more than 255: two bytes each */
};

/*
 * may_emit: per vertex: the block has a call behind which events may be written, by whatever function.
 * no_probe: edges on which no code can stand, or NULL: their targets write it instead, at their start, if
 * that satisfies the conditions. Fails, with the reason, where nothing does: the function cannot be traced.
 */
bool witness_make(struct witness_plan *plan, const struct graph *g, enum witness_placement placement,
                  const bool *may_emit, const double *weights, const bool *no_probe, struct error *error);
void witness_release(struct witness_plan *plan);
/* Does the plan satisfy the conditions? For readers of maps, and for plans just made. */
bool witness_check(const struct witness_plan *plan, const struct graph *g, const bool *may_emit,
                   struct error *error);

#endif
