/* Replay, together with the records that replay does not use. Shared by walks and packing. */
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
    uint64_t lost, unended; /* unended: threads that left activations without a record of how they ended */
    bool standing;          /* replay knows where control is */
    bool astray;            /* since then, one did where the way is not known */
    bool stood;             /* since the caller set it to false, a process died and its frames were read */
};
void trace_feed_begin(struct trace_feed *f, struct replay_program *program,
                      const struct trace_listener *listener);
void trace_feed_end(struct trace_feed *f);
/* Begins where control is outside all traced code. */
void trace_feed_start(struct trace_feed *f, uint64_t address);
/* An input that begins at the start of both. */
struct replay_input trace_feed_input(const struct buffer *events, const struct trace_records *records,
                                     bool goes_on);
/* Goes as far as the input does. Returns REPLAY_MORE, REPLAY_STOPPED, or REPLAY_DAMAGED: error says
 * where. */
enum replay_result trace_feed(struct trace_feed *f, struct replay_input *input, struct error *error);
/* Leaves all activations where they stand; why: see trace_listener.leave. */
void trace_feed_leave(struct trace_feed *f, const char *why);
bool trace_feed_restore(struct trace_feed *f, const struct buffer *sync, struct error *error);

#endif
