/*
 * Paths that were counted before their last call, and never returned from it.
 *
 * The compiler may make a jump of a call after which nothing is left but to return. So that it
 * still can, the path is counted before such a call (MAP_PATH_ENDS_EARLY). Where the call became a
 * jump the activation has ended with it. Where it did not, a frame that was left in the call says
 * that its path did not end: it is one of those that were counted there. Which one? Of the
 * executions of path p that were counted, no more can have ended than left the block after the
 * call, which edge counts say; the others were cut short. So the least number of each is known, and
 * all of it where only one path led there, or where none of them ended.
 */
#ifndef COTREE_DECODE_PATHS_EARLY_ENDS_H
#define COTREE_DECODE_PATHS_EARLY_ENDS_H

#include "decode/model/paths.h"

/* For a function whose counts are exact: adds the ways of such paths, and where a way is not known
 * the block; and adds to not_ended, by path id, how many of the counted executions they are. */
void early_ends_find(struct profile_ways *ways, int64_t *not_ended, struct paths *p,
                     const struct profile_function *f);

#endif
