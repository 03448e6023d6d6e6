/*
 * Pending counts: what control has done where a frame stands, but no increment has counted yet, and
 * what was counted before its time.
 *
 * Increments ahead of a position count what was done before it, or what is still to come. The
 * position's stretch tells which. Where a table has no stretches, ways through the graphs tell: a
 * walk from the position to another that comes later, without a branch between, leads out of the
 * activations that end, within the one that both have, and into those that begin. Each step must
 * find its counts among the increments; those that no step finds count what was done before.
 */
#ifndef COTREE_DECODE_FRAMES_PENDING_H
#define COTREE_DECODE_FRAMES_PENDING_H

#include "decode/frames/chain.h"

/* A counter that increments ahead count, as seen from the instruction that is being tried. */
struct pending {
    struct decode_function *f;
    uint32_t counter;
    /* Counted by increments before the instruction, of other stretches: done, if the frame stands
     * there. */
    uint64_t done;
    /* Counted by increments between the instruction and the anchor, and how much of that by those
     * of its own stretch. */
    uint64_t by, own;
    /* What its own stretch counts after it. */
    uint64_t to_come;
    /* What the stretch of the target counts before the target. */
    uint64_t between;
    /* Of to_come, between, and what other stretches count: what the walk has not found so far. */
    uint64_t left;
    /* An increment adds a number that is not known: a count that was moved out of a loop. */
    bool computed;
    /* An increment of another stretch counts it more than once. */
    bool several;
};

struct pending_counts {
    const struct code_ahead *ahead;
    struct pending *items;
    size_t count, capacity;
    /* The largest number that one increment adds, if it is more than 1: rounds of a loop. */
    int64_t several;
};

/* Lists the counters of the increments ahead. */
void pending_counts_init(struct pending_counts *pending, const struct code_ahead *ahead);
void pending_counts_release(struct pending_counts *pending);

/*
 * Prepares what the walk from the position may and must find: on the way to the anchor, or to a
 * position in another stretch that comes before it, `target`. False: it cannot be told whether a
 * count of its own stretch was made.
 */
bool pending_counts_begin(struct pending_counts *pending, const struct way_point *from,
                          const struct way_point *target);
/* Takes what counts on the way between the two chains out of what is left; false when no way finds
 * what it must. */
bool pending_counts_walk(struct pending_counts *pending, const struct chain *from, const struct chain *to);

/*
 * What the walk did not find was counted before, and waits: that is certain for activations of the
 * chain where the frame stands. Of other functions it may as well be an activation that begins and
 * ends on the way, and what was found in part may be another round: that is unsure.
 */
bool pending_is_unsure(const struct pending *p, const struct chain *chain);

/* What of the counter is done where the frame stands, and not counted yet; below 0: counted before
 * its time. */
static inline uint64_t pending_waits(const struct pending *p)
{
    return p->done + p->own - p->to_come + p->left;
}

#endif
