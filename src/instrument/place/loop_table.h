/*
 * Loops whose counts were moved out of them (loop_counts.cpp). While such a loop runs, counters hold what it
 * will have counted at its end: a frame that is cut inside leaves them too high. Positions (positions.h) of
 * the loop's instructions name the loop, so that the table of places tells, and by how much.
 */
#ifndef COTREE_INSTRUMENT_PLACE_LOOP_TABLE_H
#define COTREE_INSTRUMENT_PLACE_LOOP_TABLE_H

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

/* A new loop: its number, from 1. */
uint32_t loop_table_add(void);
/* One marker of the loop left it. Rounds of inner loops that were unrolled have a marker each: what markers
 * of one counter count is added up. */
void loop_table_add_counter(uint32_t loop, struct moved_counter counter);
/* `inner`, with all loops around it so far, lies in `outer`. */
void loop_table_nest(uint32_t inner, uint32_t outer);
/* Its counters, then those of the loop around it (0: none). */
const struct moved_counter *loop_table_counters(uint32_t loop, size_t *count, uint32_t *outer);

#ifdef __cplusplus
}
#endif

#endif
