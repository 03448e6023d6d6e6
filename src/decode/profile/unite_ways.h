/*
 * What several builds that watch different paths know of the same executions that were cut short.
 *
 * Each lists the least that is certain of every way (decode/paths/cut_flow.h), and per block how many more there
 * were: a way counts as often as the most certain of them says, and what is left of the block's is still not
 * known. Where all paths are watched in the end, the counts of all may tell more than those of each.
 */
#ifndef COTREE_DECODE_PROFILE_UNITE_WAYS_H
#define COTREE_DECODE_PROFILE_UNITE_WAYS_H

#include "format/profile/profile.h"

/* `to` has its own ways and the path counts of both. Sorts them. */
void unite_ways(struct profile_function *to, const struct profile_ways *from);

#endif
