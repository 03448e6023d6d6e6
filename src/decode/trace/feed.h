/* Replay, and what lies between two of its steps: records that are none of its own. Shared by walks and
 * packing. */
#ifndef COTREE_DECODE_TRACE_FEED_H
#define COTREE_DECODE_TRACE_FEED_H

#include "decode/trace/file.h"

struct trace_feed {
    struct replay *replay;
    const struct replay_program *program;
    const struct trace_listener *listener;
    const struct trace_resolver *resolver; /* or NULL */
    struct trace_totals done;
    uint32_t end, thread, signal;
    uint64_t lost, unended; /* unended: threads that left activations, and nobody said how they ended */
    bool standing;          /* replay knows where control is */
    bool stood;             /* since it was set to false: a process died, and its frames told more or less */
};
void trace_feed_begin(struct trace_feed *f, struct replay_program *program,
                      const struct trace_listener *listener);
void trace_feed_end(struct trace_feed *f);
/* Control is outside all traced code. */
void trace_feed_start(struct trace_feed *f, uint64_t address);
/* All of it, to be read from the start. */
struct replay_input trace_feed_input(const struct buffer *events, const struct trace_records *records,
                                     bool goes_on);
/* Goes as far as the input does. REPLAY_MORE, REPLAY_STOPPED or REPLAY_DAMAGED: then error says where. */
enum replay_result trace_feed(struct trace_feed *f, struct replay_input *input, struct error *error);
/* What stands is left; why: see trace_listener.leave. */
void trace_feed_leave(struct trace_feed *f, const char *why);
bool trace_feed_restore(struct trace_feed *f, const struct buffer *sync, struct error *error);

#endif
