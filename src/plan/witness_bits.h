/*
 * Witnesses that are bits. They are gathered in a variable until a byte is full.
 *
 * A code is what decides one branch. With WITNESS_BITS it has as many bits as the successors of
 * that branch need. With WITNESS_LOG2 it has as many as the function's values need, where witnesses
 * that no branch has to tell apart share a value.
 *
 * A byte is a 1 above the codes that it holds, the first code on top. So it is never 0, and says
 * how many bits it has. It is written when the next code has no room in it, and before everything
 * that may write events itself, return, or be returned to: every call of a function that is traced
 * or not known. So nothing but plain calls happens between two codes of a byte, and one byte after
 * the other decides, as witnesses do (plan/witness.h).
 */
#ifndef COTREE_PLAN_WITNESS_BITS_H
#define COTREE_PLAN_WITNESS_BITS_H

#include "plan/witness.h"

#define WITNESS_BITS_MOST 7u /* of one code */

static inline bool witness_has_bits(enum witness_placement placement)
{
    return placement == WITNESS_BITS || placement == WITNESS_LOG2;
}
/* How many bits of codes a byte holds. */
static inline uint32_t witness_bits_in(uint32_t byte)
{
    uint32_t count = 0;
    while (byte >> (count + 1))
        count++;
    return count;
}

/* Chooses where witnesses stand, and their values. may_emit[v]: a byte is written before a call of
 * v. */
bool witness_bits_make(struct witness_plan *plan, const struct graph *g, enum witness_placement placement,
                       const bool *may_emit, const double *weights, struct error *error);
/* Sets, per vertex, how many bits the code has that decides there. Fails where they are too
 * many. */
bool witness_bits_find(uint8_t *bits, const struct graph *g, enum witness_placement placement,
                       const uint32_t *values, struct error *error);

#endif
