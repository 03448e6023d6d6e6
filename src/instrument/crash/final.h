/*
 * A final function, as crash histories see it: per block of the IR, in order, the markers of slots and
 * the stops at which somebody may read them.
 *
 * Words
 *   subject   a slot or ring that is wanted: one region of one activation. Activations that were inlined
 *             are told apart by the location of the call that they replaced (`instance`).
 *   stop      a call that has a return address, or a copy of memory that becomes one. A call in tail
 *             position that may become a jump is none. Also, where that is asked for, an instruction
 *             that may fault, or at which control has a choice (`between`): a signal may come there.
 *   site      a marker or a stop
 *   wish      what a stop would like to claim: that a subject's slot tells the way to a node
 */
#ifndef COTREE_INSTRUMENT_CRASH_FINAL_H
#define COTREE_INSTRUMENT_CRASH_FINAL_H

#include "instrument/crash/place.h"

struct crash_subject {
    const struct crash_function *f;
    LLVMMetadataRef instance; /* NULL: not inlined */
    uint32_t region;
    bool ring; /* it is the ring of the region, a loop */
};

struct crash_wish {
    uint32_t subject;
    uint32_t depth, region, node;
    bool ring;    /* it is about a ring: there is no node */
    bool granted; /* the claim is made */
};

struct crash_site {
    LLVMValueRef instruction;
    bool is_stop;
    uint32_t subject, edge;      /* of a marker */
    uint32_t first_wish, wishes; /* of a stop, or of a marker of a ring: the slot of the round */
    bool placed;                 /* of a stop: where control stands there is certain */
    bool between;                /* of a stop: it is no call */
};

struct crash_block {
    LLVMBasicBlockRef block;
    uint32_t first, end;                  /* sites */
    uint32_t successors, successor_count; /* in crash_final.successors */
};

struct crash_final {
    LLVMValueRef function;
    const struct crash_table *table;
    const struct position_table *positions;
    struct ARRAY_OF(struct crash_block) blocks;
    struct ARRAY_OF(uint32_t) successors;
    struct ARRAY_OF(struct crash_site) sites;
    struct ARRAY_OF(struct crash_wish) wishes;
    struct ARRAY_OF(struct crash_subject) subjects;
    struct ARRAY_OF(LLVMValueRef) strays; /* markers that a pass has changed, or whose activation is lost */
    struct hash_map index_of_block, subject_of; /* number + 1; the hash of a subject -> number + 1 */
};

/* Whose stops there are. */
enum crash_stops {
    CRASH_CALLS = 1,
    CRASH_JUMPS = 2, /* calls in tail position may become jumps */
    CRASH_FAULTS = 4,
};
/* stops: several of these. False: the function has no markers and no stops. */
bool crash_final_init(struct crash_final *f, const struct crash_table *table,
                      const struct position_table *positions, LLVMValueRef function, unsigned stops);
void crash_final_release(struct crash_final *f);

/* Is the site a marker of a ring? */
static inline bool crash_site_is_ring(const struct crash_final *f, const struct crash_site *e)
{
    return !e->is_stop && f->subjects.items[e->subject].ring;
}

/* The mark of a marker of a slot. */
static inline struct crash_mark crash_site_mark(const struct crash_final *f, const struct crash_site *e)
{
    return f->subjects.items[e->subject].f->numbering.marks[e->edge];
}

#endif
