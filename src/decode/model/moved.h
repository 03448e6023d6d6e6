/*
 * Counters that were moved out of loops (instrument/llvm/loop_counts.cpp): the count is made in
 * front of the loop.
 *
 * A frame that is cut inside the loop leaves the counter too high, by what the loop had still to
 * do. That is no more than the loop counts at most, where this is known; and over all frames no
 * more than the counter holds, since all of it was added by passages through the loop. A frame that
 * is resumed inside the loop (a child of fork, in a signal handler) goes on in a loop that counted
 * elsewhere: there what the counter holds is no bound.
 *
 * Every count of a function is a sum of its counters, each taken once at most, so their errors add
 * up at most.
 */
#ifndef COTREE_DECODE_MODEL_MOVED_H
#define COTREE_DECODE_MODEL_MOVED_H

#include "decode/model/module.h"

struct moved_counts {
    /* By counter: what one passage counts at most, or MAX_ERROR_UNKNOWN; 0: it was not moved. */
    int64_t *most;
    /* By counter: room for finding that. */
    int64_t *of_loop;
};

/* Finds the moved counters of all functions of the module, whose table of places was read. */
void moved_find(struct decode_module *m);
void moved_release(struct moved_counts *moved);

/* What a moved counter counts at most in one passage through its loops. */
int64_t moved_most(const struct decode_function *f, uint32_t counter);
/* What one passage counts at most, or MAX_ERROR_UNKNOWN. */
int64_t moved_bound(const struct place_moved *moved);

/* Notes that `times` frames were cut, or resumed, where the counter cannot be relied on: each
 * leaves it wrong by `most` at most. */
void moved_doubt(struct decode_function *f, uint32_t counter, bool cut, int64_t times, int64_t most);
/* By how much counts of the function may be wrong because of that, in the file being read. */
int64_t moved_error(const struct decode_function *f);
/* The same if `frames` frames were cut at unknown places. */
int64_t moved_error_anywhere(const struct decode_function *f, int64_t frames);

#endif
