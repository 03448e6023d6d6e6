/*
 * What several builds that watch different paths know of the same executions that were cut short.
 *
 * Each build lists the least that is certain of every way (decode/paths/cut_flow.h), and for each
 * block how many more there were. A way counts as often as the build says that is most certain of
 * it; what is then left of the block's number is still not known. Where all paths are watched in
 * the end, the counts of all builds may tell more than those of each.
 */
#ifndef COTREE_DECODE_PROFILE_UNITE_WAYS_H
#define COTREE_DECODE_PROFILE_UNITE_WAYS_H

#include "format/profile/profile.h"

/* Adds to the ways of `to`, which has the path counts of both, and sorts them. */
void unite_ways(struct profile_function *to, const struct profile_ways *from);

#endif
