/*
 * Paths that were counted before their last call, and never returned from it.
 *
 * The compiler may make a jump of a call behind which nothing is left but to return; so that it still can,
 * the path is counted before such a call (MAP_PATH_ENDS_EARLY). Where it became a jump the activation has
 * ended with it. Where it did not, a frame that was left in the call says that its path did not end: it is
 * one of those that were counted there. Which one? Of the executions of path p that were counted no more can
 * have ended than left the block behind the call, which edge counts say; the others were cut short. So the
 * least number of each is known, and all of it where one path only led there, or where none of them ended.
 */
#ifndef COTREE_DECODE_PATHS_EARLY_ENDS_H
#define COTREE_DECODE_PATHS_EARLY_ENDS_H

#include "decode/model/paths.h"

/* Adds the ways of such paths of a function whose counts are exact, and of those whose way is not known the
 * block, and to not_ended, by path id, how many of its counted executions they are. */
void early_ends_find(struct profile_ways *ways, int64_t *not_ended, struct paths *p,
                     const struct profile_function *f);

#endif
