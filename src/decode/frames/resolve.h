/*
 * Where a frame stood: from an address of the code to the activations that were there
 * (decode/frames/chain.h) and to the counts that were not made yet (decode/frames/pending.h).
 *
 *     struct resolver r = {.ahead = {.module = m, .code = place_index_find(&m->places, address)}};
 *     if (r.ahead.code && resolver_find(&r, address, false))
 *         ... r.chain, r.pending ...
 *     resolver_release(&r);
 */
#ifndef COTREE_DECODE_FRAMES_RESOLVE_H
#define COTREE_DECODE_FRAMES_RESOLVE_H

#include "decode/frames/pending.h"

#define RESOLVED_NOWHERE UINT32_MAX

struct resolver {
    /* The code of the address, and what it passes next unless all counts before the address were
     * made. */
    struct code_ahead ahead;
    /* The call in which the frame stood, when all counts before it were made; or NULL. */
    const struct place_row *row;
    /* The activations where it stood. */
    struct chain chain;
    /* The activations at the next call or branch, or at another place on the way to it. */
    struct chain anchor;
    struct pending_counts pending;
    /* The one of ahead.points that it stands at, if there is one. */
    size_t at;
    /* Where in the graph of the final function it stands; RESOLVED_NOWHERE: not known. */
    uint32_t point;
    /* By how much counts may be wrong for one frame. */
    int64_t doubt;
    /* It is not known in which loops the next call or branch is. */
    bool anywhere;
    /* The frame may stand at the instruction whose position is lost (code_ahead.lost). */
    bool passed_lost;
    /* It stood in a thunk, and its function had not begun: there is no chain, and nothing waits. */
    bool not_entered;
    /* It stood in a call that stands for several of the source, before the place that is given. */
    bool merged;
};

/* Finds where the frame stood. Begins with the module and code in ahead; the code has the address.
 * at_call: it is a return address. False: it is not known where the frame stood, or not_entered. */
bool resolver_find(struct resolver *r, uint64_t address, bool at_call);
/* Was the counter of the final function passed, that is, does it count what was done where the frame
 * stands, but was not made yet? */
bool resolver_passed(const struct resolver *r, const struct shared_ahead *shared);
void resolver_release(struct resolver *r);

#endif
