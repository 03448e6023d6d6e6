/*
 * Matches replay's activations with the frames of the machine's stack: private to replay_end.c.
 *
 * The two stacks differ where a call became a jump, or where a function that calls itself became a
 * loop: the caller has no frame then. The tables of places tell what became of calls. Where they do
 * not, or where copied code makes them wrong, a last call of a block may have become anything
 * (`lenient`).
 */
#ifndef COTREE_DECODE_TRACE_REPLAY_MATCH_H
#define COTREE_DECODE_TRACE_REPLAY_MATCH_H

#include "decode/trace/replay_machine.h"

#define MATCH_NONE SIZE_MAX

struct match {
    const struct replay *r;
    const struct replay_standing *standing;
    const struct replay_frame *frames; /* oldest first: callers, then the inlined ones, the innermost last */
    size_t count;
    size_t callers; /* how many of them are judged; frames that are inlined after them always fit */
    bool lenient;
    struct ARRAY_OF(size_t) numbers; /* of the first activations, as long as their callers stand still */
};

bool match_same_place(const struct replay_frame *a, const struct replay_frame *b);
/* The number of the frame that the activation is, or has to come to; `count`: after all of them.
 * MATCH_NONE: it is none of the frames, since an activation below it is not where its frame is. */
size_t match_number(struct match *m, size_t index);
/* Forgets the numbers of activations from `depth` on, since they are others now. */
void match_forget(struct match *m, size_t depth);
void match_release(struct match *m);

#endif
