/*
 * Which markers somebody will read, and which subjects can share a slot.
 */
#ifndef COTREE_INSTRUMENT_CRASH_LIVE_H
#define COTREE_INSTRUMENT_CRASH_LIVE_H

#include "instrument/crash/final.h"

struct crash_live {
    bool *dead;      /* per site: a marker that nobody reads */
    uint32_t *slot;  /* per subject; SLOTS_NONE: it needs none */
    uint32_t *bytes; /* per slot; of a ring: of each of its numbers */
    uint32_t *ring;  /* per slot: how many numbers its ring has; 0: it is none */
    uint32_t slot_count;
};

/* wishes: all of calls are counted on, and those of faults that were asked for; else those that were
 * granted. */
void crash_live_find(struct crash_live *l, const struct crash_final *f, bool wishes);
void crash_live_release(struct crash_live *l);

#endif
