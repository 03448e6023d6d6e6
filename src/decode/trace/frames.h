/*
 * Frames of a traced program: from addresses of its code to activations, by the table of places. Those that a
 * child of fork goes on in, and those that stood where a signal took control away.
 */
#ifndef COTREE_DECODE_TRACE_FRAMES_H
#define COTREE_DECODE_TRACE_FRAMES_H

#include "base/memory.h"
#include "decode/trace/program.h"

struct decode_module;
struct call_place;

struct trace_frames ARRAY_OF(struct replay_frame);
/* Where control stood: struct replay_standing. */
struct trace_standing {
    struct trace_frames frames;
    size_t count;
    struct ARRAY_OF(struct replay_point) points;
    struct ARRAY_OF(uint32_t) pending;
    const struct place_code
        *merged;      /* of the youngest, in one of several calls that are one there; or NULL */
    bool interrupted; /* between calls, whether the place is known or not */
    bool in_thunk;    /* before the function that it enters, whether it recorded that or not */
    struct ARRAY_OF(uint32_t) entered; /* one of these, and the trace does not say so yet */
};

struct trace_resolver {
    void *context;
    /* The module behind a number of the data file, or NULL: nothing of it is traced. */
    struct decode_module *(*module)(void *context, uint32_t number);
    enum replay_made (*made)(void *context, const struct replay_frame *frame, const void *code);
    const struct trace_program *program;
    const char *const *debug_paths;
};

/* records: {address, module}, youngest first, `count` of them. frames: oldest first, those of traced
 * functions. False when one of them cannot be placed. */
bool trace_frames_resolve(const struct trace_resolver *r, const struct trace_record *records, size_t count,
                          struct trace_frames *frames);
/* The same where the youngest may have been interrupted. */
bool trace_standing_resolve(const struct trace_resolver *r, const struct trace_record *records, size_t count,
                            struct trace_standing *standing);
void trace_standing_release(struct trace_standing *standing);
/* What replay is told of a call. */
enum replay_made trace_made(const struct call_place *place);

#endif
