/*
 * Witnesses: what a program writes down so that the sequence of blocks it executed can be
 * regenerated (Ball & Larus 1994, section 4). A plan is made from a graph, its calls and weights;
 * it says which edges write which byte.
 *
 * Words
 *   witness    the event that an edge writes: a value from 1 on
 *   walked     of an edge: control passes it inside the function. These are flow and exit edges;
 *              entry and virtual edges carry no witness.
 *   silent     of an edge: walked, and without witness
 *
 * The calls of a block run in order, then its successor is decided. The witness of edge p -> q is
 * written after all calls of p and before all calls of q. Of two edges with the same ends both
 * write the same witness, or neither writes any (graphs of functions have such edges merged
 * already). Blocks without a predecessor, where control lands, and blocks without a successor are
 * allowed.
 *
 * Example: `for (;;) if (c) a(); else b();` has the blocks 0 (asks), 1 (calls a) and 2 (calls b).
 * Let 0 -> 1 write 1 and 0 -> 2 write 2: the next event decides each branch. If 0 -> 2 were silent,
 * rounds through b would leave no event (condition 1). If 1 -> 0 and 2 -> 0 wrote instead, that
 * would do as long as a and b are not traced; otherwise their events would come before the one that
 * tells that they were called (condition 3).
 *
 * Conditions, checked on every plan before it is used (witness_check):
 *
 *  1. Silent edges form no cycle, and no vertex has two distinct successors along silent edges from
 *     which silent edges lead to a common descendant. (This is the paper's condition A.)
 *  2. Values: if a vertex has two distinct successors, the value that comes next, on the edge to the
 *     successor or on the first edge with a witness after it, is never the same for both.
 *  3. Blocking: every way of one or more edges from a vertex with several successors to a call that
 *     may write events, or to EXIT, has a witness.
 *
 * Together they say that the next event decides each branch. witness.c says why.
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
    uint32_t value_count; /* more than WITNESS_OF_BYTE: two bytes each */
};
/* A byte is never 0, which was not written yet, nor 1, by which rounds begin
 * (format/trace/layout.h). */
#define WITNESS_OF_BYTE 254u
#define WITNESS_VALUES_MOST (WITNESS_OF_BYTE * WITNESS_OF_BYTE)
/* How many bytes a witness has, what they are, and which witness they are: 0 is none. */
static inline uint32_t witness_width(uint32_t value_count)
{
    return value_count > WITNESS_OF_BYTE ? 2 : 1;
}
static inline void witness_bytes(uint32_t value, uint8_t bytes[2])
{
    bytes[0] = (uint8_t)((value - 1) % WITNESS_OF_BYTE + 2);
    bytes[1] = (uint8_t)((value - 1) / WITNESS_OF_BYTE + 2); /* written only if the width is 2 */
}
static inline uint32_t witness_of_bytes(uint32_t first, uint32_t second, uint32_t width)
{
    if (first < 2 || (width == 2 && second < 2))
        return 0;
    return first - 1 + (width == 2 ? (second - 2) * WITNESS_OF_BYTE : 0);
}

/*
 * may_emit[v]: the block has a call during which events may be written, by whatever function.
 * no_probe marks edges on which no code can stand, or is NULL: the targets of such edges write the
 * witness instead, at their start, if that satisfies the conditions. Fails, with the reason, where
 * nothing satisfies them: the function cannot be traced.
 */
bool witness_make(struct witness_plan *plan, const struct graph *g, enum witness_placement placement,
                  const bool *may_emit, const double *weights, const bool *no_probe, struct error *error);
void witness_release(struct witness_plan *plan);
/* Gives the same value to witnesses that no branch has to tell apart, so that fewer values are
 * needed. */
void witness_share_values(struct witness_plan *plan, const struct graph *g);
/* Does the plan satisfy the conditions? For readers of maps, and for plans just made. */
bool witness_check(const struct witness_plan *plan, const struct graph *g, const bool *may_emit,
                   struct error *error);

#endif
