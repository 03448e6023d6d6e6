/*
 * Programs that record their trace (-fcotree=trace, format/trace/layout.h). What is declared here
 * exists in them alone: it is an archive of its own, which traced units ask for. The rest of the
 * runtime asks cotree_traces().
 *
 * Reading order: trace.c (streams, threads, landing, ends), trace/file.c (the file they lie in, and
 * the sink), trace/addresses.c (where threads write addresses, if they do), trace/threads.c (their
 * ends), trace/levels.c, trace/fork.c, trace/signals.c (handlers; stores that fail), trace/back.c,
 * trace/follower.c, trace/pages.c, trace/lock.c, trace/limits.c.
 *
 *  T1. A thread's events, side and calls are its own: no other thread changes them while it lives.
 *  T2. Space is given out by adding to trace_header.end; a stream's entry is filled before its
 *      state says so.
 *  T3. What cannot be kept goes to the sink, and trace_header.flags says so; the program runs on
 *      (R4).
 *  T4. The file is sparse, and a full file system answers the touch of a hole, by a load too
 *      (tmpfs), with a signal that is blocked here. So the runtime touches only pages that are
 *      real: those that a thread has written to, those that cotree_trace_ready made, and those that
 *      cotree_trace_is_readable knows. Of the lists of streams these are the entries up to
 *      cotree_trace_streams_real and cotree_trace_words_real.
 */
#ifndef COTREE_RUNTIME_TRACE_TRACE_H
#define COTREE_RUNTIME_TRACE_TRACE_H

#include "format/trace/layout.h"
#include "runtime/runtime.h"
#include "runtime/trace/sleeper.h"

/* Where a thread writes. */
enum trace_place {
    TRACE_NOWHERE = 0, /* it has not begun, or the handler that it runs has not */
    TRACE_IN_STREAM,
    TRACE_IN_SINK,
    TRACE_IN_SINK_EARLY, /* until the runtime has started */
};

/* The place that a thread had when a signal came, while the handler has another. */
struct trace_interrupted {
    struct cotree_trace_thread at; /* as it was, to the instruction */
    uint32_t place, stream;
    bool is_broken;
    uint8_t *kept;
    struct trace_record *kept_side;
    uint64_t *kept_addresses;
    uint8_t *events;      /* where its events really end: at.events may not be up to date */
    uint64_t *addresses;  /* the same, of its addresses; NULL: none */
    uint64_t number, pc;  /* of the signal; the next instruction */
    uint64_t sp;          /* the stack pointer, there */
    uint64_t frame;       /* where the kernel's frame is, on the handler's stack */
    uint64_t bottom, top; /* of an alternate stack that it is on, or 0 */
};

#ifdef COTREE_RUNTIME_SHARED
#define TRACE_LEVELS 0u /* handlers are not seen */
#else
/* Handlers that interrupt one another; further ones write where the last one does. */
#define TRACE_LEVELS 8u
#endif

/* The thread-local symbol TRACE_THREAD_SYMBOL: first what traced code knows of it, then what only
 * the runtime does. */
struct trace_own {
    struct cotree_trace_thread at;
    uint32_t place;                  /* enum trace_place */
    uint32_t stream;                 /* its entry */
    uint8_t *kept;                   /* pages of events before this are no longer mapped in */
    struct trace_record *kept_side;  /* the same of records */
    uint64_t *kept_addresses;        /* and of addresses; NULL: none */
    char *sunk;                      /* memory that stands where the file could not be written, or NULL */
    bool is_broken;                  /* it is in such memory */
    bool has_left;                   /* a handler, by a jump: the next landing is one from there */
    bool has_landed;                 /* an exception, in traced code, and was not caught so far */
    uint32_t depth;                  /* handlers that run */
#ifndef COTREE_RUNTIME_SHARED        /* libraries are to take little static thread-local storage */
    uint64_t landing_at, landing_sp; /* where the last jump went */
#endif
    struct trace_interrupted levels[TRACE_LEVELS];
};

#ifdef COTREE_RUNTIME_SHARED
#define TRACE_TLS_MODEL "initial-exec"
#else
#define TRACE_TLS_MODEL "local-exec"
#endif
extern __thread struct trace_own cotree_trace_thread
    __attribute__((visibility("default"), tls_model(TRACE_TLS_MODEL)));

/* Some thunks from here on need not ask whether there is room (format/trace/layout.h). Regions have
 * more to spare than they write. */
static inline void cotree_trace_ask_later(struct cotree_trace_thread *at)
{
    at->side_limit = at->side + TRACE_UNASKED;
}

/*
 * What traced code calls. A library finds the names of functions in itself if it was linked with
 * -Bsymbolic-functions, and cotree_trace_thread elsewhere: there these functions lead on to those of
 * the module that the storage is of, by a table, which is data, too (trace/functions.c).
 */
struct trace_functions {
    __attribute__((preserve_most)) void (*begin)(void);
    __attribute__((preserve_most)) void (*begin_addresses)(void);
    __attribute__((preserve_most)) uint8_t *(*rounds)(uint8_t *events, uint64_t round, uint64_t number);
    __attribute__((preserve_most)) void (*land)(uint64_t function, uint32_t block, uint32_t call,
                                                uint8_t *entry);
    __attribute__((preserve_most)) void (*room)(struct cotree_trace_thread *at);
};
extern const struct trace_functions cotree_trace_functions __attribute__((visibility("default")));

#ifdef COTREE_RUNTIME_SHARED
#define TRACE_OWN(name) cotree_own_##name
#define TRACE_OWN_VISIBILITY "hidden"
#else
#define TRACE_OWN(name) cotree_##name
#define TRACE_OWN_VISIBILITY "default"
#endif
#define TRACE_CALLED __attribute__((visibility(TRACE_OWN_VISIBILITY), preserve_most))
TRACE_CALLED void TRACE_OWN(trace_begin)(void);
TRACE_CALLED void TRACE_OWN(trace_begin_addresses)(void);
TRACE_CALLED uint8_t *TRACE_OWN(trace_rounds)(uint8_t *events, uint64_t round, uint64_t number);
TRACE_CALLED void TRACE_OWN(trace_land)(uint64_t function, uint32_t block, uint32_t call, uint8_t *entry);
TRACE_CALLED void TRACE_OWN(trace_room)(struct cotree_trace_thread *at);

/* The events file as this process sees it: one mapping, so an address is `base` + offset. */
struct trace_file {
    struct trace_header *header; /* NULL: none */
    char *mapping;               /* still there when it is complete */
    uint64_t length;             /* of the mapping, and of the file */
    uint64_t end;                /* header->end, when a stream was last remembered */
    bool failed;                 /* it could not be made */
    bool over;                   /* it is complete: what still runs is not kept */
    bool joined;                 /* it existed already: the library was loaded again */
    bool is_left;                /* the library is being unloaded */
    uint64_t device, inode;
};
extern struct trace_file cotree_trace_file;

/* The entries of both lists, from the first on, whose pages are real (T4). */
extern uint32_t cotree_trace_streams_real, cotree_trace_words_real;

static inline struct trace_stream *cotree_trace_stream(uint32_t number)
{
    return (struct trace_stream *)(void *)((char *)cotree_trace_file.header + TRACE_STREAMS_OFFSET) + number;
}

struct trace_geometry {
    struct trace_stream stream;
    struct trace_address_stream addresses;
};

/* trace/file.c. Lock held. */
void cotree_trace_remember(uint32_t number); /* where a stream's regions are */
const struct trace_geometry *cotree_trace_remembered(uint32_t number);
long cotree_trace_file_open(void *address);           /* ADDRESS: there, if not NULL. 0 or an error */
void cotree_trace_file_remove(void);                  /* it cannot be used after all */
long cotree_trace_ready(void *from, uint64_t length); /* makes pages real; 0 or an error */
bool cotree_trace_is_readable(const void *at, uintptr_t *last);
long cotree_trace_streams_reach(uint32_t number); /* makes the entries up to that one real; 0 or an error */
long cotree_trace_words_reach(uint32_t number);
struct trace_stream *cotree_trace_stream_new(uint32_t *number, long *error);
void cotree_trace_sink(struct cotree_trace_thread *at);       /* needs no lock */
void cotree_trace_sink_words(struct cotree_trace_thread *at); /* addresses only */
void cotree_trace_sink_make(bool at_end);
bool cotree_trace_name_of(char *out, size_t size, const char *data_path, bool shared);
bool cotree_trace_name_taken(const char *path);
bool cotree_trace_has_addresses(void);
uint64_t cotree_trace_mapped(void); /* bytes of address space */
void cotree_trace_unmap(void);
bool cotree_trace_sink_holds(uint64_t address);
/* A store there failed. Sets how many bytes further back it is to be made; 0: at the same place. */
bool cotree_trace_sink_extend(uint64_t address, uint64_t *back);
bool cotree_trace_sink_over(uint64_t address, char **sunk, uint64_t *back); /* the same, in the file */
void cotree_trace_flag(uint32_t flags);
void cotree_trace_protect(uint32_t stream); /* protects its regions as its entry says */
uint64_t cotree_trace_large_from(uint32_t number, uint64_t address, uint64_t length, uint64_t begin);

/* trace.c */
void cotree_trace_write(struct cotree_trace_thread *at, uint64_t kind, const struct trace_record *parts,
                        unsigned count);
uint8_t *cotree_trace_events_end(const struct trace_own *own);
bool cotree_trace_has_room(const struct cotree_trace_thread *at, unsigned count); /* for records */
void cotree_trace_drop_handler(struct trace_own *own);
void cotree_trace_addresses_let_go(struct trace_own *own); /* of pages */
struct cotree_module *cotree_trace_module_at(uint64_t address);

uint8_t *cotree_trace_events_end_from(const struct trace_stream *stream, const uint8_t *events);

uint8_t *cotree_trace_written_end(uint64_t begin, uint64_t size, uint64_t address, uint64_t length,
                                  const uint64_t *taken);

/* trace/addresses.c */
extern struct trace_address_stream cotree_trace_no_addresses; /* of a stream that has none: zeros */
static inline struct trace_address_stream *cotree_trace_addresses(uint32_t stream)
{
    if (stream >= cotree_trace_words_real)
        return &cotree_trace_no_addresses;
    return (struct trace_address_stream *)(void *)((char *)cotree_trace_file.header +
                                                   TRACE_ADDRESSES_OFFSET) +
           stream;
}
extern uint32_t cotree_trace_word_streams;        /* no stream from this number on has addresses */
long cotree_trace_addresses_new(uint32_t stream); /* a region for it. Lock held. 0 or an error */
/* The thread goes on in its stream's region of addresses, if that has one. */
void cotree_trace_addresses_take(struct trace_own *own);
void cotree_trace_addresses_limit(struct trace_own *own);
bool cotree_trace_addresses_used_up(const struct trace_own *own);
uint64_t *cotree_trace_addresses_end(const struct trace_own *own);
uint64_t cotree_trace_addresses_last(const struct trace_own *own);
void cotree_trace_addresses_sink(struct trace_own *own); /* they are not kept any more. Lock held */
bool cotree_trace_addresses_sunk(const struct trace_address_stream *stream, const uint64_t *words);
void cotree_trace_mark(struct trace_own *own, enum trace_mark mark);
bool cotree_trace_addresses_hold(uint64_t address); /* is it in a region, or in the unused space after one? */
bool cotree_trace_addresses_map(const struct trace_address_stream *stream); /* this process's file there */
void cotree_trace_addresses_protect(const struct trace_address_stream *stream);
uint64_t cotree_trace_addresses_room(uint64_t address, uint32_t stream); /* how much room is left there */

/* trace/compact.c */
void cotree_trace_compact(void);

/* trace/signals.c */
bool cotree_trace_fault(uint64_t address, struct kernel_context *context);
uint32_t cotree_trace_handler_begins(int number, struct kernel_frame *frame);
void cotree_trace_handler_ends(uint32_t depth);
void cotree_trace_jumped(const struct cotree_caller *from, uint64_t target, uint64_t resume_at);
bool cotree_trace_may_leave_frames(const struct trace_own *own);
void cotree_trace_back(const struct cotree_cursor *to);
void cotree_trace_unwinds(const struct cotree_cursor *from);

/* trace/back.c */
void cotree_trace_landed(struct trace_own *own, uint64_t sp, bool by_jump);
void cotree_trace_lands(const struct cotree_caller *from, uint64_t target, uint64_t resume_at);
void cotree_trace_throws(void);
bool cotree_trace_catches(void);

/* trace/threads.c. Lock held, or no other thread. */
void cotree_trace_own(struct trace_own *own, uint32_t number); /* the stream is that thread's */
void cotree_trace_disown(uint32_t number);
void cotree_trace_disown_all(void);
bool cotree_trace_end_if_gone(uint32_t number);
void cotree_trace_end_all_gone(void);
void cotree_trace_thread_gone(char *thread); /* takes the lock itself */

/* trace/levels.c */
struct trace_level {
    struct cotree_trace_thread *at;
    uint32_t *place;
    uint32_t stream;
    bool is_broken;
    uint8_t *events; /* where they really end */
    uint64_t *addresses;
};
unsigned cotree_trace_levels(struct trace_own *own, uint8_t *events, struct trace_level *levels);
bool cotree_trace_write_frames(const struct trace_level *level, enum trace_kind kind,
                               struct cotree_cursor *cursor);
bool cotree_trace_pass_frames(struct cotree_cursor *cursor);

/* trace/fork.c */
void cotree_trace_forked(const struct cotree_cursor *from);

/* trace/pages.c */
void cotree_trace_share_pages(void);
void cotree_trace_unshare_pages(bool leaves);
const uint32_t *cotree_trace_pages_process(void); /* where its number is */

/* trace/limits.c */
uint64_t cotree_trace_address_limit(void); /* RLIMIT_AS, as the program has set it */
/* The process is about to execute another program; false: it did not. */
void cotree_trace_limit_leaves(bool leaves);
long cotree_trace_limit(int pid, unsigned resource, const struct rlimit64 *new, struct rlimit64 *old);

/* trace/lock.c */
long cotree_trace_lock_memory(int flags);

/* The members of the archive that define watched functions, each of which is asked for by name of
 * these. */
extern const char cotree_trace_watches_catch, cotree_trace_watches_limits, cotree_trace_watches_lock;

/* trace/follower.c */
void cotree_trace_follow(void);
struct trace_others {
    int pages, sleeper; /* descriptors of processes that share this one's memory and were killed; or -1 */
};
struct trace_others cotree_trace_end_others(void);
void cotree_trace_await(struct trace_others others);
/* Makes a process that has this one's memory and nothing else of it, and begins there on a stack of
 * its own. ID: where its number goes, and 0 when it leaves. */
long cotree_clone_beside(uint32_t *id, char *stack_end, void (*function)(void));
void cotree_trace_forks(void); /* before fork, in the parent */

#endif
