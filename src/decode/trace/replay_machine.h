/* The state of a replay: private to replay.c, replay_stack.c and replay_end.c. */
#ifndef COTREE_DECODE_TRACE_REPLAY_MACHINE_H
#define COTREE_DECODE_TRACE_REPLAY_MACHINE_H

#include "decode/trace/replay_tables.h"

enum { REPLAY_BATCH = 512 };

struct activation {
    uint64_t entry;
    uint32_t state; /* where it goes on; while control is in the youngest, replay.state has its state */
    bool called;
};

/* How far an activation has come in its block. Known of activations that stood where a signal came;
 * valid as long as their state is this one. */
struct activation_lines {
    uint32_t state, reached; /* struct replay_frame */
};

struct replay {
    struct replay_program *program;
    struct replay_consumer consumer;
    uint64_t address, calls;
    /* Control is in code that is not traced, called by the youngest activation if there is one. */
    bool outside;
    uint32_t state;
    struct activation *stack;
    size_t depth, capacity, depth_most;
    struct activation_lines *lines; /* of the first line_count activations */
    size_t line_count;
    const struct replay_run *batch[REPLAY_BATCH];
    size_t batch_count;
    bool stopped, damaged;
};

/* Hands the batch over to the consumer. */
void replay_flush(struct replay *r);
/* Notes how far the activation has come in its block, as long as it stands there. */
void replay_note_lines(struct replay *r, size_t index, uint32_t reached);
/* Makes room for one more activation. */
void replay_make_room(struct replay *r);

static inline void pass_on(struct replay *r, const struct replay_run *run)
{
    r->batch[r->batch_count++] = run;
    if (r->batch_count == REPLAY_BATCH)
        replay_flush(r);
}

static inline void give(struct replay *r, const struct replay_run *run)
{
    r->program->times.items[run->id]++;
    if (r->consumer.runs)
        pass_on(r, run);
}

static inline void push(struct replay *r, uint32_t state, bool called)
{
    if (r->depth)
        r->stack[r->depth - 1].state = r->state;
    replay_make_room(r);
    r->stack[r->depth++] = (struct activation){.entry = r->address, .called = called};
    r->state = state;
    r->outside = false;
}

/* Ends the youngest activation. Its caller's state is that after the call; if code that is not
 * traced had called it, control is outside. */
static inline void pop(struct replay *r)
{
    r->outside = r->stack[--r->depth].called;
    if (r->depth)
        r->state = r->stack[r->depth - 1].state;
}

#endif
