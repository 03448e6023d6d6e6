/*
 * The layout of data files: what running programs map, and what readers find afterwards. Integers
 * are little endian; offsets count from the start of the file. Every field is untrusted to readers.
 *
 * Words
 *   container     the first 64 bytes, shared by all files of cotree: magic, version, kind
 *   run file      what a process leaves (DATA_KIND_RUN). A pool is a run file that many processes
 *                 share.
 *   block         here: a piece of the file that holds the counter arrays of one module, in memory
 *                 and in the file alike (format/counters.h)
 *   slot          an entry of a table that says where a block is, which module it is of, and which
 *                 process and thread counts or counted in it
 *   frame count   how often frames were left or resumed at one address
 *   seal          a hash by which a reader knows that a process left a piece like this
 *                 (format/data/seal.h)
 *
 * A run file:
 *
 *   page 0          struct data_header; at DATA_MODULE_OFFSET the struct data_module of the first
 *                   module
 *   page 1          struct data_table: slots
 *   page 2          struct data_frame_count_page: frame counts
 *   further pages   blocks, tables of slots, pages of modules and of frame counts, in any order
 *
 * Invariants
 *  1. A run file is valid at every moment, whatever happens to the processes that write it.
 *  2. Space is given out by adding to `end`, in whole pages. Only the process that could not make
 *     the space real gives it back. Pages below `end` are never moved. The file may be longer than
 *     `end`; it may be shorter by pages that no process uses.
 *  3. A slot is claimed by compare-and-swap on `owner` (pid, state). Its offset, length and module
 *     are written while it is CLAIMED. A slot that stays CLAIMED by a dead process holds no counts.
 *  4. A block begins as a copy of its module's image (headers and zeros), before its slot leaves
 *     CLAIMED for the first time, and its counts only grow. It is reused as it is: counts add up.
 *  5. Tables, module pages and frame count pages are linked lists. `next` goes from 0 to an offset
 *     once, by compare-and-swap.
 *  6. A process that ends seals what no process will write any more. A process that comes to count
 *     takes the header's seal away first.
 */
#ifndef COTREE_FORMAT_DATA_LAYOUT_H
#define COTREE_FORMAT_DATA_LAYOUT_H

#include <stdint.h>

#define DATA_MAGIC "cotree\r\n" /* 8 bytes; damaged by text-mode transfers */
#define DATA_VERSION 2u
#define DATA_PAGE 4096u
#define DATA_BUILD_ID_MAX 32u

enum data_kind {
    DATA_KIND_RUN = 1,    /* written by the runtime */
    DATA_KIND_MERGED = 2, /* written by `cotree merge`: chunks (format/container.h) */
};

/* Why counts may be missing or wrong; or'ed into data_header.flags, each counted where it can
 * be. */
enum data_flags {
    DATA_FLAG_POOL = 1,            /* several processes share this file */
    DATA_FLAG_LOST_THREAD = 2,     /* a thread (or module) got no block: its counts are not in the file */
    DATA_FLAG_NO_THREAD_HOOKS = 4, /* the C library's thread hooks were not reached: threads are not exact */
    DATA_FLAG_RAW_FORK = 8,        /* a process made without fork() shared a block */
    DATA_FLAG_RESET = 16,          /* cotree_reset was called: counts start there */
    DATA_FLAG_DUMPED = 32,         /* a copy made by cotree_dump: its program was still running */
    DATA_FLAG_FORKED = 64,         /* the process began as a child of fork: it inherited frames */
    DATA_FLAG_EARLY = 128,         /* code counted before the runtime started, and it could not be kept */
    DATA_FLAG_WATCHED = 256, /* longjmp, contexts and cancellation would have been seen, in libraries too */
    DATA_FLAG_JUMPED = 512,  /* longjmp or a relative, setcontext or swapcontext was called */
    DATA_FLAG_CANCELLED = 1024,   /* pthread_cancel was called */
    DATA_FLAG_THROWN = 2048,      /* an exception was thrown, by whatever code */
    DATA_FLAG_THREAD_EXIT = 4096, /* a thread other than the first called pthread_exit or thrd_exit */
    DATA_FLAG_EARLY_KEPT = 8192,  /* what ifunc resolvers counted is kept: static programs */
    /* Frames were left that could not be recorded: frames_lost of them. */
    DATA_FLAG_FRAMES_LOST = 16384,
    /* Frames that are left, or come to be without a call, are recorded as frame counts: all of
     * them, unless FRAMES_LOST. */
    DATA_FLAG_FRAMES = 32768,
    /* A handler was installed with SA_NODEFER: it may interrupt itself any number of times. */
    DATA_FLAG_NESTED = 65536,
    /* The process recorded a trace, or tried to. The trace is in the events file or in chunks, or
     * it is lost. */
    DATA_FLAG_TRACED = 131072,
    /* Traced code ran where its trace is not kept: after the trace was complete (signal handlers at
     * the end), or in a library of a program that has counters alone. */
    DATA_FLAG_TRACE_UNKEPT = 262144,
    /* Traced code ran in a library that binds to a runtime of its own (RTLD_DEEPBIND, dlmopen): its
     * trace is not kept. */
    DATA_FLAG_TRACE_APART = 524288,
};

enum data_state {
    DATA_FREE = 0,      /* it has no owner; its counts stay */
    DATA_CLAIMED = 1,   /* it is being set up */
    DATA_USED = 2,      /* a thread of a live process counts here; if the process is gone, it was cut short */
    DATA_CLEAN = 3,     /* its process ran its exit handlers to the end */
    DATA_EXEC = 4,      /* its process called exec */
    DATA_EXITED = 5,    /* its process called _exit, quick_exit or abort, as far as that was seen */
    DATA_SIGNALLED = 6, /* its process died of a signal, and its frames were recorded before */
};

struct data_header {
    char magic[8];
    uint32_t version, kind;
    uint32_t header_size; /* sizeof (struct data_header) of the writer */
    uint32_t flags;       /* enum data_flags; atomic */
    uint64_t end;         /* atomic: file space given out so far */
    uint64_t table;       /* offset of the first slot table */
    uint64_t modules;     /* atomic: offset of the first further page of modules, or 0 */
    /* A random number of the program image (AT_RANDOM): it tells apart what one process ran by
     * exec. */
    uint64_t image;
    uint32_t resets; /* calls of cotree_reset so far */
    uint32_t dumps;  /* copies made by cotree_dump so far; a copy holds its own number */
    /* 64 bytes so far: the container */
    uint64_t runs_started;  /* atomic, processes */
    uint64_t runs_clean;    /* atomic: ended with exit handlers run */
    uint64_t runs_exec;     /* atomic: ended by exec */
    uint64_t runs_exited;   /* atomic: ended by _exit, quick_exit or abort, as far as that was seen */
    uint64_t threads_lost;  /* atomic: threads or modules without a block */
    uint64_t threads_ended; /* atomic */
    uint64_t pid, start_time, pid_namespace; /* of the first process */
    uint64_t started_at;                     /* seconds since the epoch */
    char run[64];                            /* COTREE_RUN, terminated, cut if longer */
    char program[256];                       /* file name of the program, terminated, cut if longer */
    uint64_t frame_counts;                   /* atomic: offset of the first page of frame counts, or 0 */
    uint64_t frames_lost;                    /* atomic: frames left that could not be recorded (at least) */
    uint64_t runs_signalled;                 /* atomic: died of a signal, frames recorded */
    uint64_t handled; /* atomic: bit n - 1: a handler for signal n was installed, as far as that was seen */
    uint64_t traces;  /* atomic: offset of the first page of chunks of traces (format/trace/chunks.h), or 0 */
    uint64_t seal;    /* atomic: format/data/seal.h; 0: not sealed (invariant 6) */
    /* With FLAG_EARLY: the id of the first traced function that ran too early; 0: not known. */
    uint64_t early;
    /* A part of a run (plan/parts/slices.h): `part` of 1 to `parts`. 0 parts: it is whole. */
    uint32_t part, parts;
    uint32_t parts_doubt; /* enum data_parts_doubt */
    uint32_t reserved;
    /* At the end of the first thread: how many switch points it passed; and sums by which parts are
     * compared: of where slices of the part's own ended and others began, and the other way round. */
    uint64_t switch_points, handed_on, taken_over;
};

#define DATA_PARTS_MOST 4096u

/* Why parts may not add up; or'ed into data_header.parts_doubt. */
enum data_parts_doubt {
    DATA_PARTS_HANDLER = 1,     /* a handler of the program ran, or may have: signals do not come alike */
    DATA_PARTS_THREAD = 2,      /* there was more than one thread */
    DATA_PARTS_NOT_STARTED = 4, /* the program passed switch points before the runtime began */
};

_Static_assert(__builtin_offsetof(struct data_header, runs_started) == 64, "the container is 64 bytes");
_Static_assert(sizeof(struct data_header) <= 1024, "the first module follows");

#define DATA_MODULE_OFFSET 1024u

struct data_module {
    uint32_t state;         /* atomic: 0 free, 1 being written, 2 valid */
    uint32_t build_id_size; /* 0: unknown */
    uint8_t build_id[DATA_BUILD_ID_MAX];
    uint64_t block_length;    /* page multiple; 0 = no counters */
    uint64_t counters_length; /* how much of the block may hold counters */
    char path[456];           /* absolute, terminated, cut if longer */
};
_Static_assert(sizeof(struct data_module) == 512, "modules fill their page");

struct data_module_page {
    uint64_t next; /* atomic */
    uint64_t reserved[63];
    struct data_module modules[7];
};
_Static_assert(sizeof(struct data_module_page) == DATA_PAGE, "one page");

/*
 * Frame counts. A frame that did not return, or came to be without a call, is not listed but
 * counted, by kind, module and address. The address is that of the module's code as the linker laid
 * it out (the load address is taken off).
 */
enum data_frame_kind {
    DATA_FRAME_CUT = 1, /* a frame was left for ever, at a call; the address is the return address */
    /* The same between calls, where a signal came; the address is the next instruction's. */
    DATA_FRAME_CUT_AT = 2,
    /* A call returned once more (setjmp, vfork), or in a child (fork); the address is the return
     * address. */
    DATA_FRAME_RESUME = 3,
    DATA_FRAME_RESUME_AT = 4, /* a child inherited a frame that a signal had interrupted */
    /* An exception passed the frame at this return address, or landed in it: the activations
     * inlined there are left, up to the innermost that has a landing pad. */
    DATA_FRAME_UNWIND = 8,
    /* The same where an exception goes on from a landing pad: the innermost activation has left by
     * its own exit. */
    DATA_FRAME_GOES_ON = 9,
};
/* Kind, module and address in one word. */
#define DATA_FRAME_KIND_AND_ADDRESS(kind, module, address)                                                   \
    ((uint64_t)(kind) << 56 | (uint64_t)(module) << 40 | ((address) & 0xffffffffffull))

#define DATA_FRAME_KIND(word) ((uint32_t)((word) >> 56))
#define DATA_FRAME_MODULE(word) ((uint32_t)((word) >> 40) & 0xffffu)
#define DATA_FRAME_ADDRESS(word) ((word) & 0xffffffffffull)

struct data_frame_count {
    /* Atomic: DATA_FRAME_KIND_AND_ADDRESS, or 0 if the entry is free. Claimed once by
     * compare-and-swap, never given back. */
    uint64_t kind_and_address;
    uint64_t count; /* atomic; a count that is taken back (an exec that failed) is subtracted */
};

/* The search for a kind and address begins at entry kind_and_address % 255 of each page, looks at
 * some entries, and takes the first free one it meets. So a kind and address may be there several
 * times; readers add the counts up. */
#define DATA_FRAME_COUNTS_A_PAGE 255u
struct data_frame_count_page {
    uint64_t next; /* atomic */
    uint64_t reserved;
    struct data_frame_count counts[DATA_FRAME_COUNTS_A_PAGE];
};
_Static_assert(sizeof(struct data_frame_count_page) == DATA_PAGE, "one page");

#define DATA_OWNER(pid, state) (((uint64_t)(uint32_t)(pid) << 32) | (uint64_t)(state))
#define DATA_OWNER_PID(owner) ((uint32_t)((owner) >> 32))
#define DATA_OWNER_STATE(owner) ((uint32_t)((owner) & 0xff))

struct data_slot {
    uint64_t owner;      /* atomic: DATA_OWNER(pid, state) */
    uint64_t start_time; /* of the owning process; with pid and namespace it names one process for ever */
    uint64_t pid_namespace;
    uint64_t offset, length; /* of the block; 0 until it has one */
    uint32_t module;         /* 0: the header's module; 1 + 7 * page + index for further ones */
    uint32_t thread;         /* thread id of the last user */
    uint32_t uses;           /* atomic: threads that counted here */
    uint32_t idle; /* 1: CLEAN, but its thread may have lived on; it had counted nothing until then */
    uint64_t seal; /* atomic: of the block (format/data/seal.h); means nothing while CLAIMED or USED */
};
_Static_assert(sizeof(struct data_slot) == 64, "slots fill their page");

struct data_table {
    uint64_t next; /* atomic */
    uint64_t reserved[7];
    struct data_slot slots[63];
};
_Static_assert(sizeof(struct data_table) == DATA_PAGE, "one page");

#endif
