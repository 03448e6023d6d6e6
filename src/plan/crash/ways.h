/*
 * From a node and the number in its region's slot back to the way that control took in the round.
 *
 * Where nodes were left untracked, or the slot is not known, several ways fit. They are not listed:
 * their number is counted, and what all of them share is given as stops. Blocks that are known to have
 * never run are on none of them.
 *
 *     struct crash_ways ways = {0};
 *     if (crash_ways_find(&ways, &regions, &numbering, node, &slot, NULL))
 *         for (size_t i = 0; i < ways.stops.count; i++)
 *             ... ways.stops.items[i].node ...
 *     crash_ways_release(&ways);
 */
#ifndef COTREE_PLAN_CRASH_WAYS_H
#define COTREE_PLAN_CRASH_WAYS_H

#include "base/memory.h"
#include "plan/crash/numbering.h"

/* A node that is on every way that fits. */
struct crash_stop {
    uint32_t node;
    /* The step by which every way comes here, from the stop before; GRAPH_NONE: this is where the
     * round begins, or there are several ways from the stop before (from the beginning, if this is
     * the first stop). */
    uint32_t step;
    bool begins; /* it is a head: the round begins here, on every way */
};

struct crash_ways {
    uint64_t count;                           /* how many ways fit; UINT64_MAX: so many, or more */
    struct ARRAY_OF(struct crash_stop) stops; /* in the order of control; the node is the last */
    struct ARRAY_OF(uint32_t) nodes;          /* all nodes that one of the ways passes; some several times */
};

/* slot: NULL, its content is not known. never: by vertex, it never ran; or NULL. False: no way leaves this
 * number there. */
bool crash_ways_find(struct crash_ways *w, const struct crash_regions *r, const struct crash_numbering *n,
                     uint32_t node, const uint32_t *slot, const bool *never);
void crash_ways_release(struct crash_ways *w);

#endif
