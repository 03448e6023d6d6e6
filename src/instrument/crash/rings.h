/*
 * Rings (-fcotree-crash=history:N): which loops have one, and what their markers become.
 *
 * Each edge to a head of a loop that has a ring carries a marker. On an edge from outside the number of
 * rounds becomes 0; on one from inside the round that it completes is noted (plan/crash/rounds.h), and
 * then the number of rounds rises. The oldest round of a full ring is overwritten by the next one before
 * that, so nobody reads it.
 */
#ifndef COTREE_INSTRUMENT_CRASH_RINGS_H
#define COTREE_INSTRUMENT_CRASH_RINGS_H

#include "instrument/crash/final.h"

/* How many numbers a ring of the function has; 0: none were asked for. */
uint32_t crash_ring_wanted(LLVMValueRef function, const struct instrument_options *options);
/* Which loops have rings: those around observed blocks whose edges to heads can all carry markers. rings: per
 * region. */
void crash_rings_choose(const struct crash_regions *r, const bool *observed, const bool *unmarkable,
                        bool *rings);

/* The bytes of each number of the ring. */
uint32_t crash_ring_number_bytes(const struct crash_subject *subject);

/* Lowers a marker. ring: the variable; slot: that of the way through the round, and its bytes, or NULL: its
 * number is not known here. */
void crash_ring_lower(LLVMBuilderRef builder, const struct crash_subject *subject,
                      const struct crash_site *site, LLVMValueRef ring, LLVMValueRef slot,
                      uint32_t slot_bytes);

#endif
