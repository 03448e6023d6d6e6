/*
 * How a program that records its trace writes it down (-fcotree=trace), and where. Shared by
 * instrument, runtime and decode; no other header is needed to read it.
 *
 * Words
 *   event      one byte, or two, for a witness that control passes (plan/witness.h)
 *   record     a struct trace_record, or several that belong together: what events alone cannot
 *              tell
 *   stream     the events and records of one thread or one signal handler. Both only grow.
 *   region     a part of the file that a stream writes to; a stream may go on in another region
 *   body       the code of a traced function. Calls that are known lead to it.
 *   thunk      the entry for callers that are not traced: the public name of the function. It sees
 *              to it that the thread has a stream, records that the function was entered, and goes
 *              on to the body.
 *   calls      a number of each thread. It rises before and after each call whose callee is not
 *              known.
 *   follower   the process that packs the trace while the program runs
 *
 * A stream has two parts, or three:
 *
 *   events      bytes 2 .. 255 (plan/witness.h), and rounds: TRACE_ROUNDS and what follows it. A
 *               function with more values than bytes writes two bytes for each.
 *   side        records: which function was entered from code that is not traced or through a
 *               pointer, where control landed after a jump or an exception, which frames a child of
 *               fork inherited
 *   addresses   with -fcotree-trace=addresses: words of eight bytes. 13 + the address of each load
 *               and store of traced code, written before the access is made, and marks (enum
 *               trace_mark) where the side stream says that control came from code that is not
 *               traced. The sequence of blocks tells which word is which access's
 *               (format/map/trace.h: struct map_accesses).
 *
 * Example: an untraced caller calls a traced function f, which takes a branch with witness 2 and
 * calls g, which is known and takes none. The thunk of f writes the record {id of f, calls}; then
 * the one event 2 is all that is written. A call of an untraced function costs two increments of
 * `calls` and no byte.
 *
 * Rounds. A loop of the machine that is left in one way only, and writes the same events in every
 * round, writes none: how often they would have been written is known in front of it
 * (instrument/llvm/trace_rounds.cpp). It writes, with one store,
 *
 *   TRACE_ROUNDS | length of the events | the events of one round | number of rounds
 *
 * there. The events may have rounds of a loop inside among them. The number is one byte, 1 + the
 * number, if that is at most TRACE_ROUNDS_SHORT; otherwise 255 and eight bytes, the low seven bits
 * first, each with its highest bit set. Rounds stand for these events, but do not prove that
 * control passed them: what is written after them does. If nothing is, control may still be in the
 * loop, or before it.
 *
 * The streams live in a sparse file beside the data file, with the name of the data file and
 * TRACE_EVENTS_SUFFIX. The program maps it whole and shared:
 *
 *   page 0                       struct trace_header
 *   TRACE_STREAMS_OFFSET         struct trace_stream, TRACE_STREAMS_MOST of them
 *   TRACE_ADDRESSES_OFFSET       struct trace_address_stream, one for each of these
 *   TRACE_REGIONS_OFFSET         regions, given out by adding to `end`
 *
 * Invariants
 *  1. A byte of an event, a `what` of a record and a word are never 0 once they are written. So a
 *     reader sees where a stream ends, whatever happened to its writer.
 *  2. What was written is in the file even after kill -9. Writing needs no system call and no
 *     comparison, and nothing is lost if no process reads along.
 *  3. The thread's place in its stream is in thread-local storage (struct cotree_trace_thread).
 *     Code that is not traced enters traced code through thunks only.
 *  4. A record that a function was entered belongs to the call at which its number `calls` was
 *     reached, and names the module whose code was entered.
 *  5. The follower (`cotree trace --follow`) packs what is complete into chunks of the data file
 *     (format/trace/chunks.h), takes it out of this file, and removes the file when the program has
 *     ended.
 */
#ifndef COTREE_FORMAT_TRACE_LAYOUT_H
#define COTREE_FORMAT_TRACE_LAYOUT_H

#include <stdint.h>

#define TRACE_EVENTS_SUFFIX "-events"
#define TRACE_MAGIC "cotreeT\n"
#define TRACE_VERSION 4u

#define TRACE_ROUNDS 1u
#define TRACE_ROUNDS_SHORT 253u
#define TRACE_ROUNDS_LONG 255u
#define TRACE_ROUNDS_EVENTS 5u /* bytes of one round */
#define TRACE_ROUNDS_MOST 16u  /* bytes in all */
/* Events of one round, once those of loops inside are counted. */
#define TRACE_ROUNDS_WITHIN (1u << 16)

/* Thread-local, initial-exec, one per process: where this thread writes. Zeros: it has no stream
 * yet. */
struct cotree_trace_thread {
    uint8_t *events;
    struct trace_record *side;
    uint64_t calls;
    /* Beyond side_limit the next thunk calls cotree_trace_begin. It is 0 at first, so a thread
     * without a stream goes there, too; and never more than TRACE_UNASKED records away, so that one
     * comparison is enough: there it is seen whether events have reached their limit. */
    uint8_t *events_limit;
    struct trace_record *side_limit;
    /* The same for addresses; zeros where there are none. */
    uint64_t *addresses, *addresses_limit;
};
#define TRACE_UNASKED 64u
#define TRACE_THREAD_SYMBOL "cotree_trace_thread"
/* void (void): gives the calling thread a stream, or new regions of it. Never fails: if the trace
 * cannot be kept, it is written nowhere, and the loss is noted. */
#define TRACE_BEGIN_SYMBOL "cotree_trace_begin"
/* The same, and room for addresses: called by thunks of functions that record addresses. */
#define TRACE_BEGIN_ADDRESSES_SYMBOL "cotree_trace_begin_addresses"
/* uint8_t *(uint8_t *events, uint64_t round, uint64_t number): writes rounds whose number is more
 * than TRACE_ROUNDS_SHORT, and returns where the next event is written. `round` is all that comes
 * before the number, the first byte low. */
#define TRACE_ROUNDS_SYMBOL "cotree_trace_rounds"
/* void (struct cotree_trace_thread *): called by bodies where `addresses` has reached its limit
 * (instrument/trace/room.c). Sees to it that more words can be written. */
#define TRACE_ROOM_SYMBOL "cotree_trace_room"
/*
 * void (uint64_t function, uint32_t block, uint32_t call, uint8_t *entry): control has arrived in
 * an activation that is not the youngest. Called where an exception lands (call 0: at the start of
 * the block) and where a call returns once more (setjmp, vfork: after call number `call` of the
 * block). `entry` is the value that `events` had when the activation began. It names the activation
 * among those of its function, since at least one event is written between the beginnings of two of
 * them; and, by its region, it names the stream.
 */
#define TRACE_LAND_SYMBOL "cotree_trace_land"

/* void (uint64_t function, uint32_t block): every block calls it in test programs that print what
 * they execute, so that their traces can be judged. It leads to no traced code. */
#define TRACE_REPORT_SYMBOL "cotree_block"

/* Added to the name of a function: the name by which other units call its body
 * (format/map/trace.h). */
#define TRACE_BODY_SUFFIX ".cotree.body"
/* The same for bodies that record addresses: thunks have seen to it that there is room for them. */
#define TRACE_BODY_ADDRESSES_SUFFIX ".cotree.body.addresses"

/* Every traced unit refers to it, and no module exports it. So an executable has the runtime of
 * traces inside, and libraries that are traced, too, write with it. */
#define TRACE_LINK_SYMBOL "cotree_traces_are_missing_so_link_with_cotree_cc"

struct trace_record {
    /* The id of the function that was entered (map_trace.id, never below TRACE_KINDS), or enum
     * trace_kind. */
    uint64_t what;
    /* The thread's number `calls` when that happened. Of a function that was entered, its highest 16
     * bits are the number, in the data file, of the module whose thunk it was: several modules may
     * have the same inline function, with the same id. */
    uint64_t calls;
};
#define TRACE_MODULE_SHIFT 48u
#define TRACE_CALLS_MASK ((UINT64_C(1) << TRACE_MODULE_SHIFT) - 1)
#define TRACE_MODULE_UNKNOWN 0xffffu /* entered before the runtime of its module had started */

/* Hidden, one in each module: the runtime's own record of it, which has the module's number in the
 * data file at that offset. Thunks of code that is -fPIC read the low half of it. All other code is
 * the executable's, whose number is 0. */
#define TRACE_MODULE_SYMBOL "cotree_pic_module"
#define TRACE_MODULE_OFFSET 36u

static inline uint32_t trace_record_module(const struct trace_record *entry)
{
    return (uint32_t)(entry->calls >> TRACE_MODULE_SHIFT);
}

/* Kinds of records. The braces say which pairs of words follow the first one. `events` in them is
 * the address of the next event. */
enum trace_kind {
    TRACE_NOTHING = 0, /* never written: the stream ends here */
    /* Control landed: {function, block << 32 | call}, {entry, events}; entry is an address, too. */
    TRACE_LAND = 1,
    /* A thread begins in this stream, and has no frames yet: {thread id, events}. */
    TRACE_THREAD = 2,
    /* This stream begins in frames that a parent process made: {number, events}, then that number
     * of {return address, module number}, the youngest first, which a table of places resolves. */
    TRACE_FRAMES = 3,
    /* This stream belongs to a signal handler: {signal, stream that was interrupted}, {its events,
     * its calls}, {next instruction, module}. */
    TRACE_SIGNAL = 4,
    /* Events go on in another region: {address where they ended, address where they go on}. */
    TRACE_MOVED = 5,
    TRACE_END = 6, /* the thread, the handler or the process ended: {enum trace_end, events} */
    /* The trace from here to the next TRACE_THREAD was not kept: {enum trace_loss, events}. */
    TRACE_LOST = 7,
    /* TRACE_LAND after a jump out of a signal handler: control may have been anywhere after the
     * last event. */
    TRACE_LAND_HANDLER = 8,
    TRACE_STOOD = 9, /* before TRACE_END by a signal: the frames of the thread, as those of TRACE_FRAMES */
    /* Control left traced code where it stood, wherever that was, since a signal handler jumped, or
     * the thread is cancelled. The frames of the interrupted code follow, as those of
     * TRACE_FRAMES. */
    TRACE_LEFT = 10,
    /* Control came back to code that is not traced, by a jump or an exception. Of the activations
     * only those of these frames are left, which follow as those of TRACE_FRAMES. */
    TRACE_BACK = 11,
    TRACE_KINDS = 256,
};

enum trace_end {
    TRACE_END_THREAD = 1, /* its function returned, or pthread_exit, or it was cancelled */
    TRACE_END_CLEAN = 2,  /* exit handlers ran to the end */
    TRACE_END_EXEC = 3,
    TRACE_END_EXITED = 4, /* _exit, quick_exit, abort */
    TRACE_END_SIGNAL = 5, /* the process died of a signal */
};

enum trace_loss {
    TRACE_LOSS_NO_ROOM = 1,
    /* The thread went on on another stack (swapcontext, setcontext), or where a signal handler made
     * it go on. */
    TRACE_LOSS_CONTEXT = 2,
};

enum trace_flags {
    TRACE_FLAG_LOST = 1, /* a thread or a handler wrote, from some moment on, where nothing is read */
    /* With it: the process is a child of fork, and so it was with the thread that forked it. */
    TRACE_FLAG_LOST_BEFORE = 2,
};

/*
 * Marks: words among the addresses that are 1 << 63 | mark, which no address is (such a pointer
 * cannot even be followed). A mark stands for a record in the side stream. Records before
 * TRACE_MARK_BEGIN have no mark, nor has the entry of a function that records no addresses.
 */
enum trace_mark {
    /* A thread or a handler gets room for addresses here; TRACE_MARK_ENTER follows. */
    TRACE_MARK_BEGIN = 1,
    TRACE_MARK_ENTER = 2,  /* a function was entered */
    TRACE_MARK_LAND = 3,   /* TRACE_LAND, TRACE_LAND_HANDLER, TRACE_BACK */
    TRACE_MARK_THREAD = 4, /* TRACE_THREAD */
    TRACE_MARK_SIGNAL = 5, /* TRACE_SIGNAL */
    TRACE_MARK_LOST = 6,   /* TRACE_LOST */
    /* Not a record: from here on neither addresses nor marks of the thread are kept. */
    TRACE_MARK_NO_ROOM = 7,
    TRACE_MARKS = 8,
};
#define TRACE_MARK_WORD(mark) (UINT64_C(1) << 63 | (mark))
/* Added to each address, so that no word is 0. Programs do access -1 (MAP_FAILED), and fields of
 * structures before NULL, but hardly -13. */
#define TRACE_WORD_MORE 13u

/* A bit in the module number of a TRACE_FRAMES record: the frame was interrupted by a signal, and
 * the address is that of the next instruction. */
#define TRACE_FRAME_INTERRUPTED (UINT64_C(1) << 32)
/* With that bit: the bytes of the event that this instruction writes, the first one low, if they
 * are not part of the instruction; 0: it writes none. */
#define TRACE_FRAME_EVENT_SHIFT 40u
/* The module number of the last of these records if there were more frames; that record is no frame
 * then. */
#define TRACE_FRAMES_CUT UINT32_MAX
/* The module number of the only record if there are no frames. */
#define TRACE_FRAMES_NONE (UINT32_MAX - 1)
#define TRACE_FRAMES_MOST (1u << 19) /* a stack of 8 MB */

struct trace_header {
    char magic[8];
    uint32_t version, flags; /* enum trace_flags; atomic */
    uint64_t end;            /* atomic: file space given out so far */
    uint64_t image;          /* data_header.image of the data file it belongs to */
    uint64_t pid, start_time, pid_namespace;
    uint64_t follower; /* atomic: pid of the follower, 0: none */
    uint64_t finished; /* atomic: 1: the process has ended in an orderly way; no more will be written */
    uint64_t most;     /* how many bytes of chunks are kept, the last ones; 0: all (COTREE_TRACE_MAX) */
    /* For the writer: where the file is mapped. */
    uint64_t base;
    /* For the writer; atomic: 1: a traced library left the file when it was unloaded, and goes on
     * in it, at the same addresses, when the process loads it again. */
    uint64_t left;
    /* Of a file that its program made small when it ended (format/data/seal.h): covers the header
     * (but for follower and seal), the first sealed_streams entries of both lists, in whole pages,
     * and all regions. 0: not sealed. A process that takes something out of the file takes the seal
     * away first. */
    uint64_t seal, sealed_streams;
};

/* In the first page, after the header: the id of the sleeper, which waits until it becomes the
 * follower. Not 0 once it runs and holds nothing of the traced program any more. */
#define TRACE_SLEEPER_OFFSET 2048u

/* Where the bytes of a stream are. A stream that goes on in another region (TRACE_MOVED) has an
 * entry for each. */
struct trace_stream {
    uint32_t state;  /* atomic: 0 free, 1 being set up, 2 in use, 3 no thread writes now (the next one may) */
    uint32_t thread; /* id of the last thread */
    uint64_t events_offset, events_length; /* in the file */
    uint64_t events_address;               /* where the region is mapped in the program */
    uint64_t events_begin; /* address of the first byte: in a child of fork, where its parent stood */
    uint64_t side_offset, side_length, side_address, side_begin;
    /* Bytes from the regions' starts that the follower has taken out of the file. */
    uint64_t events_taken, side_taken;
    uint64_t next;                 /* 1 + the stream entry in which events and side go on, 0: none */
    uint64_t events_end, side_end; /* in state 3: addresses where the next thread goes on; 0: not known */
    uint64_t reserved[2];
};
_Static_assert(sizeof(struct trace_stream) == 128, "streams fill pages");

/* Where the addresses of a stream are. Length 0: it has none. */
struct trace_address_stream {
    uint64_t offset, length, address; /* as events_offset ... */
    uint64_t begin;                   /* address of the first word */
    uint64_t taken;                   /* by the follower, bytes from the region's start */
    uint64_t end;                     /* in state 3, with side_end: where the next thread goes on */
    /* For the writer: how many bytes from the region's start are reserved for this region alone. */
    uint64_t room;
    /* 1: there is no region, since there was no room for it (in a child of fork: for its parent's).
     * It means the same as TRACE_MARK_NO_ROOM, without a mark. */
    uint64_t unkept;
};
_Static_assert(sizeof(struct trace_address_stream) == 64, "streams fill pages");

#define TRACE_STREAMS_OFFSET 4096u
#ifndef TRACE_STREAMS_MOST /* fewer where files are made and read thousands of times a second: fuzz/ */
#define TRACE_STREAMS_MOST 8192u
#endif
#define TRACE_ADDRESSES_OFFSET (TRACE_STREAMS_OFFSET + TRACE_STREAMS_MOST * 128u)
#define TRACE_REGIONS_OFFSET (2u << 20)

/* The first streams are written to pages of this size, from some place on. Taking less than a whole
 * page of them out of the file would split it into many small ones. */
#define TRACE_LARGE_PAGE (2u << 20)
#define TRACE_LARGE_STREAMS 3u

#endif
