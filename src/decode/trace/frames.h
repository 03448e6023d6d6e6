/*
 * Frames of a traced program: finds the activations that addresses of its code stand for, by the
 * table of places. These are the frames that a child of fork goes on in, and those that stood where
 * a signal came.
 */
#ifndef COTREE_DECODE_TRACE_FRAMES_H
#define COTREE_DECODE_TRACE_FRAMES_H

#include "base/memory.h"
#include "decode/trace/program.h"

struct decode_module;
struct call_place;

struct trace_frames ARRAY_OF(struct replay_frame);
/* What the counter counts ran so often. beyond: after the point where counters stand. */
struct trace_passed {
    uint32_t function, counter;
    uint64_t times;
    bool beyond;
};
/* Where control stood: struct replay_standing. */
struct trace_standing {
    struct trace_frames frames;
    size_t count;
    struct ARRAY_OF(struct replay_point) points;
    struct ARRAY_OF(uint32_t) pending;
    /* What may lie between the first point, where counters stand, and where a trace stands: what comes
     * before that point and after the last event; and, beyond, what comes before the other points. */
    struct trace_passed_list ARRAY_OF(struct trace_passed) passed;
    /* The code of the youngest, if it is in a call that stands for several calls of the source; or
     * NULL. */
    const struct place_code *merged;
    bool interrupted; /* between calls, whether the position is known or not */
    bool in_thunk;    /* in a thunk, whether it has recorded that it enters its function or not */
    struct ARRAY_OF(
        uint32_t) entered; /* it has entered one of these functions, and the trace does not say so yet */
};

struct trace_resolver {
    void *context;
    /* The module with that number in the data file; NULL: nothing of it is traced. */
    struct decode_module *(*module)(void *context, uint32_t number);
    enum replay_made (*made)(void *context, const struct replay_frame *frame, const void *code);
    const struct trace_program *program;
    const char *const *debug_paths;
};

/* records: {address, module}, the youngest first, `count` of them. frames: those of traced
 * functions, the oldest first. False when the position of one of them cannot be found. */
bool trace_frames_resolve(const struct trace_resolver *r, const struct trace_record *records, size_t count,
                          struct trace_frames *frames);
/* The same where the youngest may have been interrupted. */
bool trace_standing_resolve(const struct trace_resolver *r, const struct trace_record *records, size_t count,
                            struct trace_standing *standing);
void trace_standing_release(struct trace_standing *standing);
/* Translates for replay what became of a call. */
enum replay_made trace_made(const struct call_place *place);

#endif
