/*
 * Witnesses that are bits, gathered in a variable until a byte is full: as many as the targets of each
 * predicate need (WITNESS_BITS), or as the function's values need, witnesses that need not be told apart
 * being the same value (WITNESS_LOG2). A byte is a 1 above the codes that it holds, the first one on top: so
 * it is never 0, and says how many bits it has. It is written when the next code has no room in it, and
 * before whatever may write otherwise, return or be returned to: every call of a function that is traced or
 * not known. So between two codes of a byte nothing but plain calls happens, and one byte after the other
 * decides, as witnesses do (plan/witness.h).
 */
#ifndef COTREE_PLAN_WITNESS_BITS_H
#define COTREE_PLAN_WITNESS_BITS_H

#include "plan/witness.h"

#define WITNESS_BITS_MOST 7u /* of one code */

static inline bool witness_has_bits(enum witness_placement placement)
{
    return placement == WITNESS_BITS || placement == WITNESS_LOG2;
}
/* How many bits a byte has. */
static inline uint32_t witness_bits_in(uint32_t byte)
{
    uint32_t count = 0;
    while (byte >> (count + 1))
        count++;
    return count;
}

/* Where witnesses stand, and their values; may_emit: what a byte is written before. */
bool witness_bits_make(struct witness_plan *plan, const struct graph *g, enum witness_placement placement,
                       const bool *may_emit, const double *weights, struct error *error);
/* Per vertex: bits of the code that decides there. Fails where they are too many. */
bool witness_bits_find(uint8_t *bits, const struct graph *g, enum witness_placement placement,
                       const uint32_t *values, struct error *error);

#endif
