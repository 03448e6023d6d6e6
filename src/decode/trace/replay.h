/*
 * Regenerating what a thread did from its two streams (format/trace/layout.h; Ball & Larus 1994, Figure 15,
 * with a stack). Pure: functions and bytes in, runs of blocks out; no files, no recursion, and no memory but
 * the stack of activations and the tables, which are built as far as they are needed.
 *
 *     struct replay_program *program = replay_program_make(functions, count, &error);
 *     struct replay *replay = replay_make(program, &consumer);
 *     replay_begin(replay, address, calls);
 *     for each window: result = replay_feed(replay, &input, &error)
 *
 * It says no more than the data prove: a block is given out when an event or a record behind it shows that
 * control arrived there. So every prefix of the streams gives a prefix of the sequence, and a program that
 * never writes (f(){f();}) ends where its data end.
 */
#ifndef COTREE_DECODE_TRACE_REPLAY_H
#define COTREE_DECODE_TRACE_REPLAY_H

#include "base/buffer.h"
#include "base/error.h"
#include "format/trace/layout.h"
#include "graph/graph.h"

/* What a call means for replay. Calls that may not return or may jump (exit, longjmp, throw) are UNKNOWN, and
 * so is `resume` at the end of its block. */
enum replay_call_kind {
    REPLAY_CALL_PLAIN,   /* nothing traced happens in it */
    REPLAY_CALL_KNOWN,   /* the body of a function that is traced */
    REPLAY_CALL_UNKNOWN, /* `calls` rises before and after it; functions entered in it are side records */
    REPLAY_CALL_TWICE,   /* like PLAIN, but control may land behind it again: setjmp, vfork */
    REPLAY_CALL_JUMP, /* UNKNOWN in tail position: `calls` rises before it only, and the activation is over;
                         no event and no other call stands between it and EXIT */
};
struct replay_call {
    enum replay_call_kind kind;
    uint64_t function; /* KNOWN: the callee's id */
};

struct replay_function {
    uint64_t id; /* trace id, not below TRACE_KINDS */
    uint64_t
        instead; /* the id of the one that was linked for both; 0: itself; of nobody: who enters it fails */
    bool only_called;          /* who enters it otherwise fails: there are two who say so */
    const struct graph *graph; /* complete */
    const uint32_t *values;    /* per edge: its witness, 0: none (plan/witness.h) */
    uint32_t value_count;      /* more than 255: two bytes each */
    const uint32_t *marks; /* per edge, where numbers of paths are the witnesses (plan/witness_paths.h): which
                              edges write is in values, what is not. Else NULL */
    const uint8_t *bits;   /* per block, where witnesses are bits of a byte (plan/witness_bits.h): of the code
                              that   decides there. Else NULL */
    const bool
        *landing; /* per vertex: control arrives there by landing alone; NULL: nowhere. Edges into such
                     vertices and virtual edges are never walked; those of the former say who lands there */
    /* Calls of block b are calls[call_start[b] .. call_start[b + 1]), in order; number 1 is the first. */
    const uint32_t *call_start;
    const struct replay_call *calls;
};

struct replay_program;
/* The functions and what they point to must outlive the program. Fails where witnesses do not decide every
 * branch. Two functions with one id: the program is made; whoever enters one of them fails. */
struct replay_program *replay_program_make(const struct replay_function *functions, size_t count,
                                           struct error *error);
void replay_program_free(struct replay_program *program);

/*
 * What is given out: runs, made once and given out many times, so a consumer may count how often it got each
 * (runs have dense ids) and look into them when all is done. Functions are indices into the program's array.
 */
enum replay_item_kind {
    REPLAY_FLOW,         /* control went from block `from` to `block` within an activation */
    REPLAY_ENTER,        /* a known call: a new activation; block 0 */
    REPLAY_ENTER_CALLED, /* the same, called through a pointer or by code that is not traced */
    REPLAY_LEAVE,        /* the activation returned from `block`: no new block */
    REPLAY_LAND,         /* `block` begins in an activation that stood in `from`, after an exception */
    REPLAY_LAND_BEHIND,  /* control is behind a call of `block` once more (longjmp): no new block */
};
struct replay_item {
    enum replay_item_kind kind;
    uint32_t function, block, from;
    uint32_t edge; /* of the function's graph: flow, entry, exit, or from the block that called to the landing
                      pad; GRAPH_NONE: LAND_BEHIND */
    uint32_t call; /* LAND_BEHIND: of this number, from 1 */
};
struct replay_run {
    uint32_t id;           /* 0 .. replay_run_count() - 1 */
    uint32_t block_count;  /* items that are new blocks */
    uint32_t branch_count; /* items that were chosen among several */
    uint32_t call_count;   /* items that are new activations */
    uint32_t event_count;  /* bytes of the event stream */
    uint32_t item_count;
    const struct replay_item *items;
};
uint32_t replay_run_count(const struct replay_program *program);
const struct replay_run *replay_run_at(const struct replay_program *program, uint32_t id);

/* How often each run was given out, by all who replay the program: replay_run_count() numbers. And what they
 * make together. */
void replay_count_runs(const struct replay_program *program, uint64_t *times);
struct replay_totals {
    uint64_t blocks, branches, calls;
};
struct replay_totals replay_totals(const struct replay_program *program);

struct replay_consumer {
    void *context;
    /* In order. False: stop after these (replay_feed returns REPLAY_STOPPED, and may go on). NULL: nobody
     * listens; runs are counted nevertheless, and faster. */
    bool (*runs)(void *context, const struct replay_run *const *runs, size_t count);
    /* Before REPLAY_LAND and REPLAY_LAND_BEHIND: activations above the first `depth` are gone. May be NULL.
     */
    void (*cut)(void *context, size_t depth);
    /* REPLAY_LAND_BEHIND, before it is given out. May be NULL. */
    void (*land_behind)(void *context, const struct replay_item *item);
};

struct replay;
struct replay *replay_make(struct replay_program *program, const struct replay_consumer *consumer);
void replay_free(struct replay *replay);

/* No activation: control is in code that is not traced, the next event byte has this address, `calls` this
 * value. */
void replay_begin(struct replay *replay, uint64_t address, uint64_t calls);
/* The stack, oldest first. Control is behind call number `call` of the last one's block (0: before the
 * first), or, if `outside`, still in that call, or, without any, in code that is not traced. */
#define REPLAY_ENTRY_UNKNOWN UINT64_MAX
#define REPLAY_ALL_LINES UINT32_MAX
struct replay_frame {
    uint32_t function, block, call;
    uint32_t reached; /* 1 + entries of its block's lines that have begun; REPLAY_ALL_LINES; 0:
                         those before the call, which tables tell */
    bool called;      /* entered from outside: a call of its caller that is UNKNOWN, or no caller */
    uint64_t entry;   /* address of the next event byte when it began, or, where control cannot land in it,
                         later; or REPLAY_ENTRY_UNKNOWN: a parent process made it */
    const void *code; /* of a frame that stood: the machine's function that it was in, for
                         replay_standing.made; or NULL */
};
struct replay_place {
    uint64_t address, calls;
    bool outside;
    size_t depth;
};
struct replay_place replay_place(const struct replay *replay);
struct replay_frame replay_frame(const struct replay *replay, size_t index);
/* Replaces the stack. False: the frames cannot be (no such block, a caller that is not in a fitting call). */
bool replay_resume(struct replay *replay, const struct replay_place *place, const struct replay_frame *frames,
                   struct error *error);
/*
 * Where control stood when a signal took it away. The code that was interrupted comes by some places, and
 * writes some events, until its next call or branch: what is not written yet says how far control has come.
 */
struct replay_point {
    size_t first, count; /* its activations: frames[first .. first + count), those that were inlined last */
    uint32_t events;     /* so many of those that were not written come before it */
};
/* What became of a call in the machine's code, in one copy of it or another: any of these. */
enum replay_made {
    REPLAY_MADE_UNKNOWN = 0,
    REPLAY_MADE_CALL = 1,
    REPLAY_MADE_JUMP = 2,    /* or a loop: who called has no frame any more */
    REPLAY_MADE_INLINED = 4, /* the callee shares its caller's frame */
    REPLAY_MADE_MERGED = 8,  /* one call of the code stands for this one and others */
};
struct replay_standing {
    const struct replay_frame *frames; /* the first `count`: who called, oldest first; and those of points */
    size_t count;
    const struct replay_point
        *points; /* none: the youngest is in a call. Those to be asked first come first */
    size_t point_count;
    const void *merged; /* code in which the youngest, none of the frames, is in a call that stands for
                           several of the source; or NULL */
    bool in_thunk; /* of code that enters a function and may not have said so: the callers are all that is
                      known */
    const uint32_t
        *pending; /* the bytes of each event that was not written, the first one low; 0: not known */
    uint32_t pending_count;
    void *context;
    /* What became of a call of the frame, in the code of the machine that `code` is, if it has such a call,
     * or in any. NULL: nobody knows. */
    enum replay_made (*made)(void *context, const struct replay_frame *frame, const void *code);
};
enum replay_arrival {
    REPLAY_ASTRAY,  /* the way there is not known, and nothing has changed */
    REPLAY_NEARBY,  /* it went as far as all ways do that control may have gone */
    REPLAY_BETWEEN, /* it stands at the end of a block, and which of several ways it is on is not known */
    REPLAY_ARRIVED, /* it stands there, and what its frames have reached is known */
};
/* Goes on to there from what the last event proves, and gives that out. */
enum replay_arrival replay_go_to(struct replay *replay, const struct replay_standing *standing);
/* Of all activations only those of these frames are left, and control is in code that is not traced. False:
 * they are not among them, and nothing has changed. */
bool replay_go_back(struct replay *replay, const struct replay_standing *standing);
/* Control has left traced code where it stands: it goes on elsewhere, and does not come back there. */
void replay_go_outside(struct replay *replay);
/* More activations than this are an error; 1 << 26 unless said otherwise. */
void replay_limit_depth(struct replay *replay, size_t depth);

/* The same as bytes, functions named by id: a sync record. Reading trusts nothing. */
void replay_save(const struct replay *replay, struct buffer *out);
bool replay_restore(struct replay *replay, struct cursor *in, struct error *error);

/*
 * Unread data; replay_feed moves the pointers. Wanted: whatever record was written before the last of these
 * event bytes is here (whoever reads along reads how far events go first, then the records). Events are one
 * sequence of bytes, whatever regions they came from: addresses follow TRACE_MOVED.
 */
struct replay_input {
    const uint8_t *events, *events_end;
    const struct trace_record *side, *side_end;
    bool side_goes_on; /* there are records behind side_end: where the next one matters, MORE is returned */
};
enum replay_result {
    REPLAY_MORE,    /* as far as these data go */
    REPLAY_RECORD,  /* input->side is at a record that replay leaves to its caller (THREAD, FRAMES, SIGNAL,
                       STOOD, LEFT, BACK, END, LOST), and  all before it was given out: read it, move on, call
                       again */
    REPLAY_STOPPED, /* the consumer said so */
    REPLAY_DAMAGED, /* error says what does not fit, and where; replay_resume or replay_restore make a new
                       start */
};
enum replay_result replay_feed(struct replay *replay, struct replay_input *input, struct error *error);

#endif
