/*
 * Which frames of the machine the activations of replay are: private to replay_end.c. The two stacks differ
 * where a call became a jump, or a function that calls itself a loop: who called has no frame then. What
 * became of calls the tables of places tell; where they do not, or where code that was copied makes them
 * wrong, a last call of a block may have been anything (`lenient`).
 */
#ifndef COTREE_DECODE_TRACE_REPLAY_MATCH_H
#define COTREE_DECODE_TRACE_REPLAY_MATCH_H

#include "decode/trace/replay_machine.h"

#define MATCH_NONE SIZE_MAX

struct match {
    const struct replay *r;
    const struct replay_standing *standing;
    const struct replay_frame *frames; /* oldest first: callers, then those that were inlined last */
    size_t count;
    size_t callers; /* so many of them are judged; whoever is inlined behind them fits */
    bool lenient;
    struct ARRAY_OF(size_t) numbers; /* of the first activations, as long as who called them stands still */
};

bool match_same_place(const struct replay_frame *a, const struct replay_frame *b);
/* The frame that the activation is, or has to come to; `count`: behind all of them. MATCH_NONE: it is none of
 * those that stood, since somebody below it is not where its frame is. */
size_t match_number(struct match *m, size_t index);
/* Activations from `depth` on are others now. */
void match_forget(struct match *m, size_t depth);
void match_release(struct match *m);

#endif
