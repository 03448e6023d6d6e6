/*
 * From the position of an instruction to that of another which comes later, without a branch between: the
 * counts that were not made on the way are found by walking the graphs. Out of the activations that end on
 * the way, within the one that both have, into those that begin; each step must find its counts among the
 * pending ones.
 */
#ifndef COTREE_DECODE_FRAMES_WAYS_H
#define COTREE_DECODE_FRAMES_WAYS_H

#include "decode/frames/resolve.h"

/* What is known of the counter; NULL when the map does not have it. */
struct pending *pending_of(struct resolver *r, uint32_t key, uint32_t counter);

/*
 * Prepares what the walk from the position may and must find: on the way to the anchor, or to a position in
 * another stretch that comes before it, `target`. False: it cannot be told whether a count of its own stretch
 * was made.
 */
bool ways_begin(struct resolver *r, const struct way_point *from, const struct way_point *target);

/* Takes what counts on the way from the chain to the anchor out of what is pending; false when there is no
 * way that finds what it must. */
bool ways_take(struct resolver *r);

#endif
