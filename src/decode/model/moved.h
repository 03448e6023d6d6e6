/*
 * Counters that were moved out of loops (instrument/llvm/loop_counts.cpp): the count is made in front of the loop.
 * A frame that is cut inside leaves the counter too high, by what the loop had still to do: no more than the
 * loop counts at most, where that is known, and in all no more than the counter holds, since all of it was
 * added by passages through the loop. A frame that came to be inside (a child of fork, in a signal handler)
 * goes on in a loop that counted elsewhere: there what the counter holds is no bound.
 *
 * Every count of a function is a sum of its counters, each taken once at most, so their errors add up at
 * most.
 */
#ifndef COTREE_DECODE_MODEL_MOVED_H
#define COTREE_DECODE_MODEL_MOVED_H

#include "decode/model/module.h"

struct moved_counts {
    int64_t *most; /* per counter: what one passage counts at most, MAX_ERROR_UNKNOWN; 0: it was not moved */
    int64_t *of_loop; /* per counter: room for finding that */
};

/* Finds the moved counters of all functions of the module, whose places are known. */
void moved_find(struct decode_module *m);
void moved_release(struct moved_counts *moved);

/* What a moved counter counts at most in one passage through one of its loops. */
int64_t moved_most(const struct decode_function *f, uint32_t counter);
/* By how much one passage counts at most, as a bound. */
int64_t moved_bound(const struct place_moved *moved);

/* `times` frames were cut, or came to be, where the counter may not be believed: off by `most` each. */
void moved_doubt(struct decode_function *f, uint32_t counter, bool cut, int64_t times, int64_t most);
/* By how much counts of the function may be wrong because of that, in the file being read. */
int64_t moved_error(const struct decode_function *f);
/* The same if `frames` frames were cut nobody knows where. */
int64_t moved_error_anywhere(const struct decode_function *f, int64_t frames);

#endif
