/* The state of a replay: private to replay*.c. */
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

/*
 * Rounds that were written in front of a loop (format/trace/layout.h), and were not given out yet:
 * nothing proves that control has left the loop. While `left` is 0 there are none.
 */
struct replay_held {
    uint8_t bytes[TRACE_ROUNDS_MOST]; /* as they were written */
    uint32_t length;
    uint64_t address; /* where they were written; replay.address is behind them */
    uint64_t left;    /* how many rounds are still to be given out */
    uint64_t begun;   /* events of the first of these that were given out: a consumer stopped replay there */
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
    struct replay_held held;
    struct replay_doubt_list ARRAY_OF(struct replay_doubt) doubts; /* replay_doubts() */
    /* While a way is tried, what it would give out is noted here instead; else NULL. */
    struct replay_tried *tried;
};

/* What a way that is tried goes through. */
struct replay_tried ARRAY_OF(const struct replay_run *);

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
    if (r->tried) {
        ARRAY_PUSH(r->tried, run);
        return;
    }
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

/* replay.c: code that is not traced returns; one step of one activation, a call or an edge; steps
 * by the tables, while there are many events. */
enum creep { CREPT, CREEP_NEEDS_EVENT, CREEP_DEAD, CREEP_IMPOSSIBLE };
void replay_return_from_outside(struct replay *r);
enum creep replay_creep(struct replay *r, struct replay_input *in, const uint8_t *limit);
bool replay_run_on(struct replay *r, struct replay_input *in, const uint8_t *limit);

/* replay_rounds.c: reads rounds that begin at `at`. False: there is not all of them, or, with
 * *damaged, they are none. */
bool replay_read_rounds(struct replay_held *rounds, const uint8_t *at, const uint8_t *end, bool *damaged);
/* Does control come from here to where an event decides without an unknown call? */
bool replay_is_near_event(struct replay *r);
/* Gives the rounds out that are held, as far as the consumer wants them; false: they are
 * impossible. */
bool replay_give_rounds(struct replay *r);
/* Where control stood when a signal came, by the rounds that are held. Notes what is to be doubted
 * if it is in them. */
enum replay_side { BEFORE_ROUNDS, IN_ROUNDS, AFTER_ROUNDS };
enum replay_side replay_side_of_rounds(struct replay *r, const struct replay_standing *standing);
/* Goes to a place in the rounds: to the first time that control comes there. */
typedef enum replay_arrival replay_goer(struct replay *r, const struct replay_standing *standing);
enum replay_arrival replay_go_into_rounds(struct replay *r, const struct replay_standing *standing,
                                          replay_goer *go_to);

/* Ends the youngest activation. Its caller's state is that after the call; if code that is not
 * traced had called it, control is outside. */
static inline void pop(struct replay *r)
{
    r->outside = r->stack[--r->depth].called;
    if (r->depth)
        r->state = r->stack[r->depth - 1].state;
}

#endif
