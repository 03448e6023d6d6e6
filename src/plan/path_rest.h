/*
 * Edge counts from path counts, when some paths did not end.
 *
 * An activation that is left in a call for ever has passed edges of a path that was never counted.
 * Edge counts need little beside the path counts, since most edges are passed for certain when a
 * path that holds them is counted, and not before. These edges are *given* by the paths:
 *
 *  1. edges that are cut: a path is counted on them;
 *  2. edges that end the activation (where the count stands before a last call the decoder knows
 *     it: MAP_PATH_ENDS_EARLY);
 *  3. edges after which there is no call up to the end of the path.
 *
 * The others lie between the start of a path and a call. Where several ways lead to a call, one
 * edge of each cycle that they close is counted (PLACEMENT_REST). Flow conservation gives all the
 * rest, since the block where the frame stands is known. A single way needs no counter at all.
 *
 * Why this is right for frames left in calls: a counter of the rest counts one edge; a given edge
 * is passed once for each counted path that holds it; and a frame that stands in a call has passed
 * no edge of kind 3 of its path, nor ended it. A frame that was left between calls may have, and
 * its path may be counted or not: its counts are wrong by one unit along a path of the tree, at
 * most.
 */
#ifndef COTREE_PLAN_PATH_REST_H
#define COTREE_PLAN_PATH_REST_H

#include "plan/plan.h"

/* Sets given[e] for the edges whose counts the path counts give, less those that solving does not
 * need: with the counters of `rest` they determine all other edges, and no count follows in two
 * ways. `paths` is the path plan; calls[b] says that frames may be left in block b. */
void path_rest_needed(const struct graph *g, const struct plan *paths, const struct plan *rest,
                      const bool *calls, bool *given);

/* Plans the edges that are counted beside the paths. no_probe: as for plan_make. Fails when
 * counters cannot stand where they are needed. */
bool path_rest_make(struct plan *rest, const struct graph *g, const struct plan *paths, const bool *calls,
                    const double *weights, const bool *no_probe, struct error *error);

#endif
