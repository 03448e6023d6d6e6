/*
 * Where a frame stood: from an address of the code to the activations that were there, and to the counts that
 * were not made yet.
 */
#ifndef COTREE_DECODE_FRAMES_RESOLVE_H
#define COTREE_DECODE_FRAMES_RESOLVE_H

#include "decode/model/module.h"

enum {
    BY_MOST = 1 << 20,
    COUNTS_MOST = 1 << 12
}; /* what one row, one stretch may count: others are damaged */

/* One activation. */
struct element {
    struct decode_function *f;
    uint32_t block, call, lines;
};

struct chain ARRAY_OF(struct element); /* innermost first */

/* A counter that increments on the way count. */
struct pending {
    struct decode_function *f;
    uint32_t counter;
    /* As seen from the instruction that is being tried: */
    uint64_t done;    /* by increments before it, of other stretches: made, when it stands there */
    uint64_t by;      /* by increments on the way to the anchor */
    uint64_t own;     /* of `by`, what its own stretch counts */
    uint64_t to_come; /* what its own stretch counts behind it */
    uint64_t between; /* what the stretch of the target counts before that */
    uint64_t left;    /* of to_come, between, and what others count, not found on the way so far */
    bool computed;    /* and something more, that nobody knows: a count moved out of a loop */
    bool several;     /* other stretches count it more than once */
};

/* A row with a known position, on the way to the anchor, behind so many increments, and events of a trace. */
struct way_point {
    const struct place_row *row;
    size_t counts, events;
};

struct resolver {
    struct decode_module *module;
    const struct place_code *code;
    const struct place_row *row; /* of the call in which it stood, when all counts before it were made */
    struct chain chain;          /* where it stood */
    struct chain anchor;         /* of the next call or branch, or of another place on the way to it */
    struct ARRAY_OF(struct pending) pending;
    struct ARRAY_OF(struct way_point) on_way;         /* to the anchor */
    struct ARRAY_OF(const struct place_row *) counts; /* and the increments */
    struct ARRAY_OF(uint32_t) events;                 /* and what is written to a trace (place_row.event) */
    size_t at;       /* the one of on_way that it stands at, if there is one */
    int64_t several; /* the largest of these, if it is more than one: rounds of a loop */
    int64_t doubt;   /* by how much counts may be wrong for one event */
    bool strange;    /* the table of places names counters that are not there */
    bool anywhere;   /* not even the call or branch that comes next is known to be in a loop or not */
    struct {
        bool any;
        size_t point; /* the one of on_way that comes behind it */
    } lost;           /* the first instruction on the way that others see, and nobody knows the place of */
    bool passed_lost; /* it may stand there */
    bool
        merged; /* it stood in a call that stands for several of the source, before the place that is given */
};

/* Begins with module and code, which has the address; at_call: it is a return address. False: nobody knows
 * where the frame stood. */
bool resolve(struct resolver *r, uint64_t address, bool at_call);
/* The activations of a place on the way, before it; false: they are not what the map says. */
bool resolver_read_point(struct resolver *r, size_t point, struct chain *chain);
void resolver_release(struct resolver *r);

/*
 * What the walk did not find was counted before, and waits; so it is with the activations that stand there.
 * Of others it may as well be an activation that begins and ends on the way, and of what was found in part
 * another round.
 */
bool pending_is_unsure(const struct resolver *r, const struct pending *p);

/* What of the counter is done where the frame stands, and not counted yet; below 0: counted before its time.
 */
static inline uint64_t pending_waits(const struct pending *p)
{
    return p->done + p->own - p->to_come + p->left;
}

#endif
