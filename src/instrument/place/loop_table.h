/*
 * Loops whose counts were moved out of them (loop_counts.cpp). While such a loop runs, counters
 * hold what it will have counted at its end: a frame that is cut inside leaves them too high.
 * Positions (positions.h) of the loop's instructions name the loop, so that the table of places
 * says that it is so, and by how much.
 */
#ifndef COTREE_INSTRUMENT_PLACE_LOOP_TABLE_H
#define COTREE_INSTRUMENT_PLACE_LOOP_TABLE_H

#include "base/memory.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct moved_counter {
    uint64_t key;     /* of the function's map record */
    uint64_t counter; /* number in its array, header words not included */
    uint64_t most;    /* by how much one passage through the loop counts at most; 0: not known */
};

struct moved_loop {
    uint32_t outer; /* the loop around it; 0: none */
    struct ARRAY_OF(struct moved_counter) counters;
};

struct loop_table ARRAY_OF(struct moved_loop); /* loop i is items[i - 1] */

/* A new loop: its number, from 1. */
uint32_t loop_table_add(struct loop_table *t);
/* One marker of the loop left it. Rounds of inner loops that were unrolled have a marker each: what
 * markers of one counter count is added up. */
void loop_table_add_counter(struct loop_table *t, uint32_t loop, struct moved_counter counter);
/* `inner`, with all loops around it so far, lies in `outer`. */
void loop_table_nest(struct loop_table *t, uint32_t inner, uint32_t outer);
void loop_table_release(struct loop_table *t);

#ifdef __cplusplus
}
#endif

#endif
