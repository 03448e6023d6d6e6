/*
 * Numbers for completed rounds: what a ring holds (-fcotree-crash=history:N).
 *
 * A round of a loop is completed by an edge from inside the loop to one of its heads. The edge, and the
 * number in the loop's slot when control takes it, tell the way that the round took. Both make one
 * number: those of the edges follow each other, by edge id; of an edge, the first number says that the
 * slot is not known (or not needed: one class), the others are 1 more than the slot.
 *
 * Invariants
 *  1. Every edge to a head of a loop completes a round of it, or enters it from outside.
 *  2. If a region would have more than CRASH_CLASSES_MOST numbers, its slot is told of no round.
 */
#ifndef COTREE_PLAN_CRASH_ROUNDS_H
#define COTREE_PLAN_CRASH_ROUNDS_H

#include "plan/crash/numbering.h"

struct crash_rounds {
    uint32_t *first; /* per edge: the first number of the rounds that it completes */
    uint32_t *span;  /* per edge: how many numbers there are; 0: it completes none */
    uint32_t *count; /* per region: how many numbers there are */
};

void crash_rounds_init(struct crash_rounds *rounds, const struct crash_regions *r,
                       const struct crash_numbering *n);
void crash_rounds_release(struct crash_rounds *rounds);

/* Does the edge lead to a head of a loop? */
bool crash_begins_round(const struct crash_regions *r, uint32_t edge);
/* The node of the loop in which the round ends that the edge completes; GRAPH_NONE: it completes none. */
uint32_t crash_end_of_round(const struct crash_regions *r, uint32_t edge);
/* The edge that completes rounds of the region with this number; GRAPH_NONE: there is none. *slot becomes
 * the number in the slot, *known whether it is known. */
uint32_t crash_round_find(const struct crash_rounds *rounds, const struct crash_regions *r, uint32_t region,
                          uint32_t number, uint32_t *slot, bool *known);

#endif
