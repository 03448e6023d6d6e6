/*
 * Replay: regenerates the blocks that a thread executed from its stream (format/trace/layout.h;
 * Ball & Larus 1994, Figure 15, with a stack). Pure: functions and bytes in, runs of blocks out.
 * There are no files and no recursion.
 *
 * Words
 *   program      the traced functions, as replay walks them, and the tables that replay builds of
 *                them
 *   activation   one execution of a function; replay keeps a stack of them, the oldest first
 *   outside      control is in code that is not traced: in a call of the youngest activation, or,
 *                without any activation, before the first
 *   run          a sequence of items (blocks, entries, returns) that is made once and given out
 *                many times
 *   consumer     the code that the runs are given to
 *   sync record  where control stands and the whole stack, as bytes (replay_save)
 *   frame        here: where an activation stands, as the machine's stack or a sync record tells it
 *
 * To replay a stream:
 *
 *     struct replay_program *program = replay_program_make(functions, count, &error);
 *     struct replay *replay = replay_make(program, &consumer);
 *     replay_begin(replay, address, calls);
 *     for each window: result = replay_feed(replay, &input, &error)
 *
 * Invariants
 *  1. Replay says no more than the data prove: a block is given out when a later event or record
 *     shows that control arrived there. So every prefix of the stream gives a prefix of the
 *     sequence, and a program that never writes (f(){f();}) ends where its data end.
 *  2. Memory is taken for the stack of activations and for the tables only. The tables are built as
 *     far as they are needed.
 *  3. The stream and the sync record are untrusted: what does not fit the program is
 *     REPLAY_DAMAGED.
 */
#ifndef COTREE_DECODE_TRACE_REPLAY_H
#define COTREE_DECODE_TRACE_REPLAY_H

#include "base/buffer.h"
#include "base/error.h"
#include "format/trace/layout.h"
#include "graph/graph.h"

/* What a call means for replay. Calls that may not return or may jump (exit, longjmp, throw) are
 * UNKNOWN, and so is `resume` (an exception is sent on) at the end of its block. */
enum replay_call_kind {
    REPLAY_CALL_PLAIN,   /* no traced code runs in it */
    REPLAY_CALL_KNOWN,   /* the body of a function that is traced */
    REPLAY_CALL_UNKNOWN, /* `calls` rises before and after it; functions entered in it are side records */
    REPLAY_CALL_TWICE,   /* like PLAIN, but control may land after it again: setjmp, vfork */
    /* UNKNOWN in tail position: `calls` rises before it only, and the activation is over. No event
     * and no other call comes between it and EXIT. */
    REPLAY_CALL_JUMP,
};
struct replay_call {
    enum replay_call_kind kind;
    uint64_t function; /* KNOWN: the callee's id */
};

/* The module of the only copy of a function that stands for those of all modules, where it is not
 * known which of them ran. */
#define REPLAY_MODULE_UNKNOWN UINT32_MAX

struct replay_function {
    uint64_t id; /* trace id, not below TRACE_KINDS */
    /* Several modules may have a function with this id, and calls stay in their module. A module's
     * functions have the smallest of its numbers in the data file. */
    uint32_t module;
    /* The id of the function that was linked instead of this one; 0: none was. If no function has
     * that id, entering this one fails. */
    uint64_t instead;
    const struct graph *graph; /* complete */
    const uint32_t *values;    /* per edge: its witness, 0: none (plan/witness.h) */
    uint32_t value_count;      /* more than WITNESS_OF_BYTE: two bytes each */
    /* Where numbers of paths are the witnesses (plan/witness_paths.h): the mark of each edge.
     * `values` says which edges write, not what they write. Otherwise NULL. */
    const uint32_t *marks;
    /* Where witnesses are bits of a byte (plan/witness_bits.h): per block, the bits of the code
     * that decides there. Otherwise NULL. */
    const uint8_t *bits;
    /* Per vertex: control arrives there only by landing. NULL: at no vertex. Edges into such
     * vertices and virtual edges are never walked; edges into such vertices say from which blocks
     * control may land there. */
    const bool *landing;
    /* Calls of block b are calls[call_start[b] .. call_start[b + 1]), in order; number 1 is the
     * first. */
    const uint32_t *call_start;
    const struct replay_call *calls;
};

struct replay_program;
/* The functions, and what they point to, must outlive the program. Fails where witnesses do not
 * decide every branch. If two functions of one module have the same id the program is made, but a
 * stream that enters one of them fails. */
struct replay_program *replay_program_make(const struct replay_function *functions, size_t count,
                                           struct error *error);
/* The module that each number in the data file stands for, as in replay_function.module, or
 * REPLAY_MODULE_UNKNOWN: none that is known. Without this call each number stands for itself. */
void replay_name_modules(struct replay_program *program, const uint32_t *modules, size_t count);
void replay_program_free(struct replay_program *program);

/*
 * Runs are made once and given out many times. So a consumer may count how often it got each run
 * (their ids are dense) and look into them when all is done. Functions are indices into the
 * program's array.
 */
enum replay_item_kind {
    REPLAY_FLOW,         /* control went from block `from` to `block` within an activation */
    REPLAY_ENTER,        /* a known call: a new activation; block 0 */
    REPLAY_ENTER_CALLED, /* the same, called through a pointer or by code that is not traced */
    REPLAY_LEAVE,        /* the activation returned from `block`: no new block */
    REPLAY_LAND,         /* `block` begins in an activation that stood in `from`, after an exception */
    REPLAY_LAND_BEHIND,  /* control is after a call of `block` once more (longjmp): no new block */
};
struct replay_item {
    enum replay_item_kind kind;
    uint32_t function, block, from;
    /* Of the function's graph: flow, entry, exit, or from the block that called to the landing pad;
     * GRAPH_NONE with LAND_BEHIND. */
    uint32_t edge;
    uint32_t call; /* LAND_BEHIND: the number of the call, from 1 */
};
struct replay_run {
    uint32_t id;           /* 0 .. replay_run_count() - 1 */
    uint32_t block_count;  /* items that are new blocks */
    uint32_t branch_count; /* items that were chosen among several successors */
    uint32_t call_count;   /* items that are new activations */
    uint32_t event_count;  /* bytes of the event stream */
    uint32_t item_count;
    const struct replay_item *items;
};
uint32_t replay_run_count(const struct replay_program *program);
const struct replay_run *replay_run_at(const struct replay_program *program, uint32_t id);

/* Sets how often each run was given out, over all replays of the program: replay_run_count()
 * numbers. */
void replay_count_runs(const struct replay_program *program, uint64_t *times);
/* What all these runs make together. */
struct replay_totals {
    uint64_t blocks, branches, calls;
};
struct replay_totals replay_totals(const struct replay_program *program);

struct replay_consumer {
    void *context;
    /* Gets the runs, in order. Returns false to stop after these: replay_feed returns
     * REPLAY_STOPPED, and may be called again. May be NULL: runs are counted nevertheless, and
     * faster. */
    bool (*runs)(void *context, const struct replay_run *const *runs, size_t count);
    /* Called before REPLAY_LAND and REPLAY_LAND_BEHIND: activations above the first `depth` are
     * gone. May be NULL. */
    void (*cut)(void *context, size_t depth);
    /* Called for REPLAY_LAND_BEHIND before it is given out. May be NULL. */
    void (*land_behind)(void *context, const struct replay_item *item);
};

struct replay;
struct replay *replay_make(struct replay_program *program, const struct replay_consumer *consumer);
void replay_free(struct replay *replay);

/* Begins without an activation: control is in code that is not traced. `address` is that of the
 * next event byte; `calls` is the thread's number. */
void replay_begin(struct replay *replay, uint64_t address, uint64_t calls);
/* The stack consists of frames, the oldest first. Control is after call number `call` of the last
 * frame's block (0: before the first call) or, if `outside`, still in that call. Without frames it
 * is in code that is not traced. */
#define REPLAY_ENTRY_UNKNOWN UINT64_MAX
#define REPLAY_ALL_LINES UINT32_MAX
struct replay_frame {
    uint32_t function, block, call;
    /* 1 + entries of its block's lines that have begun, or REPLAY_ALL_LINES; 0: those before the
     * call, which the tables tell. */
    uint32_t reached;
    bool called; /* entered from outside: by an UNKNOWN call of its caller, or it has no caller */
    /* The address of the next event byte when it began; later where control cannot land in it; or
     * REPLAY_ENTRY_UNKNOWN: a parent process made it. */
    uint64_t entry;
    /* Of a frame of the machine's stack: the machine function that it was in, for
     * replay_standing.made; or NULL. */
    const void *code;
};
struct replay_place {
    uint64_t address, calls;
    bool outside;
    size_t depth;
};
struct replay_place replay_place(const struct replay *replay);
struct replay_frame replay_frame(const struct replay *replay, size_t index);
/* Replaces the stack. False: the frames are impossible (no such block, a caller that is not in a
 * fitting call). */
bool replay_resume(struct replay *replay, const struct replay_place *place, const struct replay_frame *frames,
                   struct error *error);
/*
 * A point where control may have stood when a signal came. The interrupted code passes some points,
 * and writes some events, before its next call or branch: the events that are not written yet tell
 * how far control came.
 */
struct replay_point {
    size_t first, count; /* its activations: frames[first .. first + count), the innermost inlined one last */
    uint32_t events;     /* how many of the events that were not written come before it */
    bool lost;           /* control may stand before it, at an instruction whose position is not known */
    bool behind; /* the straight code there has written an event, perhaps that of a way out of the block */
};
/* What became of a call in the machine's code: any of these, or several, as the code may have
 * copies. */
enum replay_made {
    REPLAY_MADE_UNKNOWN = 0,
    REPLAY_MADE_CALL = 1,
    REPLAY_MADE_JUMP = 2,    /* or a loop: the caller has no frame any more */
    REPLAY_MADE_INLINED = 4, /* the callee shares its caller's frame */
    REPLAY_MADE_MERGED = 8,  /* one call of the code stands for this one and others */
};
struct replay_standing {
    /* The first `count` are the callers, the oldest first; then those of points. */
    const struct replay_frame *frames;
    size_t count;
    /* Points, those to be tried first come first. None: the youngest frame is in a call. */
    const struct replay_point *points;
    size_t point_count;
    /* The machine function in which the youngest activation, which is none of the frames, is in a
     * call that stands for several calls of the source; or NULL. */
    const void *merged;
    /* Control was in a thunk, which may not have recorded yet that it enters its function: only the
     * callers are known. */
    bool in_thunk;
    /* The bytes of each event that was not written, the first one low; 0: not known. */
    const uint32_t *pending;
    uint32_t pending_count;
    void *context;
    /* What became of the call that the frame stands in, in the machine function `code` if that has
     * such a call, or in any. NULL: not known. */
    enum replay_made (*made)(void *context, const struct replay_frame *frame, const void *code);
};
enum replay_arrival {
    REPLAY_ASTRAY, /* the way there is not known, and nothing has changed */
    REPLAY_NEARBY, /* it went as far as all ways agree that control may have gone */
    /* It stands at the end of a block, and it is not known on which of several ways control is. */
    REPLAY_BETWEEN,
    /* It stands at another point than the first: code between them was moved behind events. */
    REPLAY_BEYOND,
    REPLAY_ARRIVED, /* it stands there, and what its frames have reached is known */
};
/* Goes on from where the last event proves control to be to where it stood, and gives the way
 * out. */
enum replay_arrival replay_go_to(struct replay *replay, const struct replay_standing *standing);
/* Drops all activations but those of these frames; control is in code that is not traced then.
 * False: the frames are not among the activations, and nothing has changed. */
bool replay_go_back(struct replay *replay, const struct replay_standing *standing);
/* Says that control has left traced code where it stands; it goes on elsewhere, and does not come
 * back. */
void replay_go_outside(struct replay *replay);
/*
 * Rounds of a loop that nothing proves to be done (format/trace/layout.h) are not given out. The
 * caller drops them where control does not come back. Then, and after replay_go_to, these functions
 * may have done more than was given out, or less, until replay goes on elsewhere.
 */
struct replay_doubt {
    uint32_t function;
    uint64_t most; /* times that any part of it ran; 0: not known */
};
void replay_drop_rounds(struct replay *replay);
size_t replay_doubts(const struct replay *replay, const struct replay_doubt **doubts);

/* Makes more activations than this an error; 1 << 26 by default. */
void replay_limit_depth(struct replay *replay, size_t depth);

/* Writes and reads a sync record, in which functions are named by id. Reading trusts nothing. */
void replay_save(const struct replay *replay, struct buffer *out);
bool replay_restore(struct replay *replay, struct cursor *in, struct error *error);

/*
 * Unread data; replay_feed moves the pointers. The caller sees to it that every record that was
 * written before the last of these event bytes is here: a reader that follows a running program
 * reads first how far the events go, then the records. Events are one sequence of bytes, whatever
 * regions they came from; replay follows their addresses by TRACE_MOVED.
 */
struct replay_input {
    const uint8_t *events, *events_end;
    const struct trace_record *side, *side_end;
    bool side_goes_on; /* there are records after side_end: where the next one matters, MORE is returned */
};
enum replay_result {
    REPLAY_MORE, /* it went as far as these data go */
    /* input->side is at a record that replay does not use (THREAD, FRAMES, SIGNAL, STOOD, LEFT,
     * BACK, END, LOST), and everything before it was given out. The caller reads the record, moves
     * on, and calls again. */
    REPLAY_RECORD,
    REPLAY_STOPPED, /* the consumer stopped it */
    /* error says what does not fit, and where; replay_resume or replay_restore begin anew. */
    REPLAY_DAMAGED,
};
enum replay_result replay_feed(struct replay *replay, struct replay_input *input, struct error *error);

#endif
