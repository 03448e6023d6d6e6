/*
 * Witnesses: what a program writes down so that the sequence of blocks it executed can be regenerated
 * (Ball & Larus 1994, section 4). A graph, its calls and weights in; the edges that write a byte, out.
 *
 * A block's calls run in order, then its successor is decided. The witness of edge p -> q is written after
 * all calls of p and before all calls of q. Of two edges with the same ends both write the same witness, or
 * neither writes any (function graphs have such edges merged already).
 *
 * Only flow and exit edges are walked; entry and virtual edges carry nothing. Blocks without a way in
 * (control lands there) and without a way out are fine. Conditions, checked on every plan before it is used
 * (witness_check):
 *
 *   A         edges without witness form no cycle, and no vertex has two distinct successors, along edges
 * without witness, with a common descendant along such edges values    no vertex has two distinct successors
 * behind which, along edges without witness, one value may come next blocking  on every way of one or more
 * edges from a vertex with several successors to a call that may write events, and to EXIT, there is a
 * witness
 *
 * Together they say that the next event decides each branch (why: witness.c).
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
    WITNESS_PATHS = 5,        /* no edges: numbers of acyclic paths (plan/witness_paths.h) */
    WITNESS_BITS = 6,         /* PREDICATES in bits (plan/witness_bits.h) */
    WITNESS_LOG2 = 7,         /* FOREST in bits */
};
#define WITNESS_PLACEMENTS 7u

struct witness_plan {
    enum witness_placement placement;
    uint32_t *value;      /* per edge: 0 none, else 1 .. value_count */
    uint32_t value_count; /* more than 255: two bytes each */
};
#define WITNESS_VALUES_MOST (255u * 255u)
/* How many bytes a witness has, and which: never 0. */
static inline uint32_t witness_width(uint32_t value_count)
{
    return value_count > 255 ? 2 : 1;
}
static inline void witness_bytes(uint32_t value, uint8_t bytes[2])
{
    bytes[0] = (uint8_t)((value - 1) % 255 + 1);
    bytes[1] = (uint8_t)((value - 1) / 255 + 1); /* written if the width is 2 */
}

/*
 * may_emit: per vertex: the block has a call behind which events may be written, by whatever function.
 * no_probe: edges on which no code can stand, or NULL: their targets write it instead, at their start, if
 * that satisfies the conditions. Fails, with the reason, where nothing does: the function cannot be traced.
 */
bool witness_make(struct witness_plan *plan, const struct graph *g, enum witness_placement placement,
                  const bool *may_emit, const double *weights, const bool *no_probe, struct error *error);
void witness_release(struct witness_plan *plan);
/* Gives witnesses that no branch has to tell apart the same value, so that fewer values do. */
void witness_share_values(struct witness_plan *plan, const struct graph *g);
/* Does the plan satisfy the conditions? For readers of maps, and for plans just made. */
bool witness_check(const struct witness_plan *plan, const struct graph *g, const bool *may_emit,
                   struct error *error);

#endif
