/*
 * How a program that records its trace writes it down (-fcotree=trace), and where. Shared by instrument,
 * runtime and decode; no other header is needed to read it.
 *
 * Each thread writes two streams, which only grow:
 *
 *   events  one byte per witness that control passes (plan/witness.h), 1 .. 255; a function with more values
 *           writes two bytes for each, neither of them 0. A byte that was never written is 0, so whoever
 * reads sees where a stream ends, whatever happened to its writer. side    records of struct trace_record:
 * what events alone cannot tell. Which function was entered from code that is not traced, or through a
 * pointer; where control landed after a jump or an exception; which frames a child of fork inherited.
 *
 * A thread's place in both is in thread-local storage (struct cotree_trace_thread). Traced code is entered
 * from outside by thunks alone: the public name of a function is a thunk, which sees to it that the thread
 * has streams, records TRACE_ENTER and goes on to the body; known calls go to the body. `calls` rises before
 * and after each call whose callee is not known; a TRACE_ENTER record belongs to the call at which its own
 * number was reached. So a call of a function that is not traced costs two increments and no byte.
 *
 * With addresses (-fcotree-trace=addresses) a thread writes a third stream, words of eight bytes: 13 + the
 * address of each load and store of traced code, written before the access is made, and marks (enum
 * trace_mark) where the other streams say that control came from code that knows nothing of them. Which word
 * is which access's follows from the sequence of blocks (format/map/trace.h: struct map_accesses).
 *
 * The streams live in a sparse file beside the data file, DATA FILE + TRACE_EVENTS_SUFFIX, mapped whole and
 * shared: what was written is there after kill -9, no system call and no comparison is needed to write, and
 * nothing is lost if nobody reads along. A follower, a process of its own (`cotree trace --follow`), packs
 * what is complete into chunks of the data file (format/trace/chunks.h) and takes it out of the sparse file,
 * which it removes when the program has ended.
 *
 *   page 0                       struct trace_header
 *   TRACE_STREAMS_OFFSET         struct trace_stream, TRACE_STREAMS_MOST of them
 *   TRACE_ADDRESSES_OFFSET       struct trace_address_stream, one for each of these
 *   TRACE_REGIONS_OFFSET         regions, given out by adding to `end`
 */
#ifndef COTREE_FORMAT_TRACE_LAYOUT_H
#define COTREE_FORMAT_TRACE_LAYOUT_H

#include <stdint.h>

#define TRACE_EVENTS_SUFFIX "-events"
#define TRACE_MAGIC "cotreeT\n"
#define TRACE_VERSION 2u

/* Thread-local, initial-exec, one per process: where this thread writes. Zeros: it has no streams yet. */
struct cotree_trace_thread {
    uint8_t *events;
    struct trace_record *side;
    uint64_t calls;
    /* Beyond these the next thunk calls cotree_trace_begin, which moves the thread to a new region (zeros at
     * first, so a thread without streams goes there, too). */
    uint8_t *events_limit;
    struct trace_record *side_limit;
    /* The same for addresses; zeros where there are none. */
    uint64_t *addresses, *addresses_limit;
};
#define TRACE_THREAD_SYMBOL "cotree_trace_thread"
/* void (void): gives the calling thread streams, or new regions of them. Never fails: what cannot be kept
 * goes nowhere, and the loss is noted. */
#define TRACE_BEGIN_SYMBOL "cotree_trace_begin"
/* The same, and a place for addresses: called by thunks of functions that record those. */
#define TRACE_BEGIN_ADDRESSES_SYMBOL "cotree_trace_begin_addresses"
/* void (struct cotree_trace_thread *): called by bodies where `addresses` has reached its limit
 * (instrument/trace/room.c): sees to it that more words can be written. */
#define TRACE_ROOM_SYMBOL "cotree_trace_room"
/*
 * void (uint64_t function, uint32_t block, uint32_t call, uint8_t *entry): control has arrived in an
 * activation that is not the youngest. Called where an exception lands (call 0: at the start of block) and
 * where a call returns once more (setjmp, vfork: behind call number `call` of the block). `entry` is what
 * `events` was when the activation began: it names the activation among those of its function, since between
 * the beginnings of two of them at least one event is written; and, by the region it lies in, the stream.
 */
#define TRACE_LAND_SYMBOL "cotree_trace_land"

/* void (uint64_t function, uint32_t block): what every block calls in programs that are judged by themselves.
 * It leads to no traced code. */
#define TRACE_REPORT_SYMBOL "cotree_block"

/* Behind the name of a function: the name by which other units call its body (format/map/trace.h). */
#define TRACE_BODY_SUFFIX ".cotree.body"
/* The same of bodies that record addresses: thunks have seen to it that there is a place for them. */
#define TRACE_BODY_ADDRESSES_SUFFIX ".cotree.body.addresses"

/* Every traced unit refers to it, and no module shows it to others: so an executable has the runtime of
 * traces inside, and libraries that are traced, too, write with it. */
#define TRACE_LINK_SYMBOL "cotree_traces_are_missing_so_link_with_cotree_cc"

struct trace_record {
    uint64_t what;  /* the id of the function that was entered (map: trace id, never below TRACE_KINDS), or
                       enum trace_kind */
    uint64_t calls; /* the thread's counter when that happened */
};

enum trace_kind {
    TRACE_NOTHING = 0, /* never written: the stream ends here */
    TRACE_LAND =
        1, /* followed by two more: {function, block << 32 | call}, {entry, events}: both as addresses */
    TRACE_THREAD =
        2, /* a thread begins in this stream: {thread id, events} follows; frames before are gone */
    TRACE_FRAMES =
        3, /* this stream begins in frames that a parent process made: {number, events} follows, then as many
              {return address, module number} records, youngest first, which a table of places resolves */
    TRACE_SIGNAL = 4, /* this stream belongs to a signal handler: {signal, stream that was interrupted},
                         {its events, its calls}, {next instruction, module} follow */
    TRACE_MOVED =
        5, /* events go on in another region: {address where they ended, address where they go on} follows */
    TRACE_END = 6,  /* the thread, the handler or the process ended: {enum trace_end, events} follows */
    TRACE_LOST = 7, /* what happened from here to the next TRACE_THREAD was not kept: {enum trace_loss,
                       events} follows */
    TRACE_LAND_HANDLER = 8, /* TRACE_LAND after a jump out of a signal handler: control may have been anywhere
                               behind the last event */
    TRACE_STOOD = 9, /* before TRACE_END by a signal: the frames of the thread, as those of TRACE_FRAMES */
    TRACE_LEFT =
        10, /* control left traced code where it stood, wherever that was: a signal handler jumped, or the
               thread is cancelled. The frames of what was interrupted, as those of TRACE_FRAMES */
    TRACE_BACK =
        11, /* control came back to code that is not traced, by a jump or an exception: of the activations
               only those of these frames are left, which follow as those of TRACE_FRAMES do */
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
    /* The thread went on on another stack (swapcontext, setcontext), or where a signal handler made it go on. */
    TRACE_LOSS_CONTEXT = 2,
};

enum trace_flags {
    TRACE_FLAG_LOST = 1, /* a thread or a handler wrote, from some moment on, where nobody reads */
};

/*
 * Words among addresses that are none: 1 << 63 | this, which no address is (such a pointer cannot even be
 * followed). What they stand for is a record in the side stream; records before TRACE_MARK_BEGIN have no
 * mark, and TRACE_ENTER records of functions that record no addresses have none.
 */
enum trace_mark {
    TRACE_MARK_BEGIN =
        1, /* a thread or a handler gets a place for addresses here; TRACE_MARK_ENTER follows */
    TRACE_MARK_ENTER = 2,   /* TRACE_ENTER */
    TRACE_MARK_LAND = 3,    /* TRACE_LAND, TRACE_LAND_HANDLER, TRACE_BACK */
    TRACE_MARK_THREAD = 4,  /* TRACE_THREAD */
    TRACE_MARK_SIGNAL = 5,  /* TRACE_SIGNAL */
    TRACE_MARK_LOST = 6,    /* TRACE_LOST */
    TRACE_MARK_NO_ROOM = 7, /* no record: from here on the thread's addresses are not kept, nor marks */
    TRACE_MARKS = 8,
};
#define TRACE_MARK_WORD(mark) (UINT64_C(1) << 63 | (mark))
/* What is added to addresses, so that no word is 0. Programs do access -1 (MAP_FAILED), and fields of
 * structures before NULL, but hardly -13. */
#define TRACE_WORD_MORE 13u

/* In the module number of a TRACE_FRAMES record: the frame was interrupted by a signal, and the address is
 * that of the next instruction. */
#define TRACE_FRAME_INTERRUPTED (UINT64_C(1) << 32)
/* Beside it: the bytes of the event that this instruction writes, the first one low, where they are no part
 * of it; 0: it writes none. */
#define TRACE_FRAME_EVENT_SHIFT 40u
/* The module number of the last of these records where there were more, which is no frame then. */
#define TRACE_FRAMES_CUT UINT32_MAX
/* The same of the only one: there are no frames. */
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
    uint64_t most;     /* bytes of chunks that are to be kept, the last ones; 0: all (COTREE_TRACE_MAX) */
    /* For who writes. Where it is mapped; atomic: 1: a traced library has left it when it was unloaded, and
     * goes on here, at the same addresses, when the process loads it again. */
    uint64_t base, left;
    /* Of a file that its program made small when it ended: format/data/seal.h, of the header (but for
     * follower and seal), the first sealed_streams entries of both lists, in whole pages, and all regions. 0:
     * not sealed. Who takes something out takes the seal away first. */
    uint64_t seal, sealed_streams;
};

/* In the first page, behind the header: the id of the process that sleeps until it is the follower. Not 0
 * once it runs, and has nothing of the traced program's any more. */
#define TRACE_SLEEPER_OFFSET 2048u

/* Where one stream's bytes are. Regions that follow one another belong to one stream: TRACE_MOVED. */
struct trace_stream {
    uint32_t state;  /* atomic: 0 free, 1 being set up, 2 in use, 3 no thread writes (the next one may) */
    uint32_t thread; /* id of the last thread */
    uint64_t events_offset, events_length,
        events_address;    /* in the file; where it is mapped in the program */
    uint64_t events_begin; /* address of the first byte: in a child of fork, where its parent stood */
    uint64_t side_offset, side_length, side_address, side_begin;
    uint64_t events_taken,
        side_taken; /* by the follower, bytes from the regions' starts; taken out of the file */
    uint64_t next;  /* 1 + the stream entry in which events and side go on, 0: none */
    uint64_t events_end, side_end; /* addresses, in state 3: where the next one goes on; 0: not known */
    uint64_t reserved[2];
};
_Static_assert(sizeof(struct trace_stream) == 128, "streams fill pages");

/* Where the addresses of a stream are, beside its entry; length 0: it has none. */
struct trace_address_stream {
    uint64_t offset, length, address; /* as events_offset ... */
    uint64_t begin;                   /* address of the first word */
    uint64_t taken;                   /* by the follower, bytes from the region's start */
    uint64_t end;                     /* in state 3 with side_end: where the next one goes on */
    uint64_t room;   /* for who writes: addresses from the region's start that are nobody else's */
    uint64_t unkept; /* 1: there is no region, since there was no room for one (or in a child of fork, for its
                        parent's): TRACE_MARK_NO_ROOM without a mark */
};
_Static_assert(sizeof(struct trace_address_stream) == 64, "streams fill pages");

#define TRACE_STREAMS_OFFSET 4096u
#ifndef TRACE_STREAMS_MOST /* fewer where files are made and read thousands of times a second: fuzz/ */
#define TRACE_STREAMS_MOST 8192u
#endif
#define TRACE_ADDRESSES_OFFSET (TRACE_STREAMS_OFFSET + TRACE_STREAMS_MOST * 128u)
#define TRACE_REGIONS_OFFSET (2u << 20)

/* The first streams are written to pages of this size from some place on: whoever takes less than a whole one
 * out of the file makes many small ones of it. */
#define TRACE_LARGE_PAGE (2u << 20)
#define TRACE_LARGE_STREAMS 3u

#endif
