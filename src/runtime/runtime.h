/*
 * What all rooms of the runtime share: the state of the process, the lock, messages, and the hooks
 * of programs that record their trace. The rooms, each of which may use those before it:
 *   arch/     the machine: assembly, registers, the kernel's signal frames
 *   .         this header, system_calls.h, interpose.h and watched_functions.h (functions of the C
 *             library that the runtime stands in front of)
 *   loader/   ELF objects of the running program, and dlsym
 *   file/     the data file: its name, its space, whose block is whose, frame counts, seals
 *   frames/   walking stacks, and counting frames that are left or resumed
 *   death/    how a process ends: exit, exec, signals, its other threads
 *   process/  its beginning, threads, modules, fork, vfork, system calls; start.c comes first
 *   trace/    programs that record their trace: an archive of its own
 *
 * Invariants the chapters refer to by number:
 *  R1. Counting takes no lock and calls nothing. Everything here is the slow path: start, the begin
 *      and end of a thread, fork, exec, exit.
 *  R2. The slow path runs with all signals blocked and cotree_lock held.
 *  R3. A mapping is listed before its pages are mapped and struck off after they are gone: a child
 *      of fork finds all of them.
 *  R4. When something fails the program runs on: its counts stay in ordinary memory, and the loss
 *      is noted in the file if there is one.
 *  R5. errno is left alone; nothing is printed unless COTREE=verbose.
 */
#ifndef COTREE_RUNTIME_RUNTIME_H
#define COTREE_RUNTIME_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "format/data/layout.h"
#include "runtime/system_calls.h"

#if defined(COTREE_RUNTIME_EXEC) + defined(COTREE_RUNTIME_STATIC) + defined(COTREE_RUNTIME_SHARED) != 1
#error "define one of COTREE_RUNTIME_EXEC, COTREE_RUNTIME_STATIC, COTREE_RUNTIME_SHARED"
#endif

#define COTREE_PATH_MAX 4096

/* A range of counters of one loaded ELF module; an executable may have two. Lives in that module;
 * part of the version 2 interface. */
struct cotree_module {
    struct cotree_module *next;
    const char *image;        /* the counters as the linker laid them out: keys, numbers, zeros */
    uint64_t counters_length; /* of the image */
    uint64_t block_length;    /* the same in whole pages; 0: no counters */
    /* 1: counted in thread-local storage (executables), 0: through cotree_delta */
    uint32_t thread_local_range;
    uint32_t index; /* its number in the data file */
    uint32_t build_id_size;
    uint8_t build_id[DATA_BUILD_ID_MAX];
    char path[456];
    char *sink; /* where counts go that cannot be kept, or NULL; cotree_delta only */
    uint64_t code_begin, code_length, bias; /* the module's code; its addresses minus those in the file */
};

/* A block of the data file that is mapped in this process. */
struct cotree_mapping {
    struct cotree_module *module; /* NULL: this entry is free */
    struct data_slot *slot;       /* NULL: in memory only */
    char *address;
    void *thread;  /* thread_local_range: the thread's control block */
    uint32_t tid;  /* otherwise: the thread's id */
    bool asked;    /* stop.c: its thread was told to stop */
    bool recorded; /* atomic: and has recorded its frames, and stands still */
};

/* The data file as this process sees it. */
struct cotree_file {
    struct data_header *header; /* NULL: no file */
    uint64_t window; /* atomic: the file from its start, mapped; may reach beyond its end (file.c) */
    uint64_t device, inode;
    bool shared; /* other processes may count in it too: a pool, or a parent's file */
    bool joined; /* made by another runtime in this process */
    char path[COTREE_PATH_MAX];
};

struct cotree_process {
    uint32_t started; /* atomic: 0 no, 1 in progress, 2 done */
    bool off;         /* COTREE=off or AT_SECURE: no file, ever */
    bool verbose;
    bool range_unusable; /* the pages of thread-local counters hold other data too, or are not pages */
    bool failed;         /* there was to be a file, but it could not be made */
    bool accounts;       /* this runtime counts the process in the header */
    uint32_t pid;        /* of the process this state belongs to; a vfork child or a raw fork has another */
    uint32_t *witness;   /* 1 in that process, 0 in a raw fork of it; NULL: the kernel cannot do that */
    uint64_t start_time, pid_namespace, image;
    uint32_t always_flagged; /* what holds for this process whatever file it counts in */
    uint32_t ended_as;       /* enum data_state that was noted last, or 0 */
    bool sealed;             /* file/seals.c: code that counts, or writes into the file, unseals it first */
    uint64_t handled;        /* what it says in the header of its files */
    struct cotree_module *modules;
    struct cotree_file file;
    /* The name of the file with % escapes; absolute when the starting directory is known. */
    char pattern[COTREE_PATH_MAX];
    char run[64];           /* COTREE_RUN */
    uint64_t trace_most;    /* COTREE_TRACE_MAX, in bytes */
    char follower[456];     /* COTREE_FOLLOWER */
    char program[256];      /* file name of the executable */
    char program_path[456]; /* its path */
};

/* How a guest reaches the host (modules.c). Exported as cotree_runtime_v2; fields are only ever
 * added at the end. */
struct cotree_runtime {
    uint32_t version, size;
    void (*add)(struct cotree_module *module);
    void (*remove)(struct cotree_module *module);
    long (*attach)(struct cotree_module *module, long *delta);
    int (*dump)(const char *path);
    int (*reset)(void);
    void (*frames_lost)(void);
    void (*frame_count)(uint32_t kind, uint64_t pc);
    void (*flag)(uint32_t flags);
};

extern struct cotree_process cotree_process;

/* The runtime that does the work, if it is in another module (process/modules.c); NULL: this one
 * does. */
extern const struct cotree_runtime *cotree_host;
/* The host was found, but names of this library lead to its own runtime: traced code writes with
 * that. */
extern bool cotree_host_is_apart;

/* lock.c */
uint64_t cotree_lock(void); /* returns the signal mask for cotree_unlock */
void cotree_unlock(uint64_t mask);
bool cotree_lock_is_taken(void);
bool cotree_alone(void);     /* this process has one thread */
bool cotree_forks_now(void); /* this thread is in fork and holds the lock */
void cotree_fork_has_lock(
    bool has); /* the calling thread is in fork, and holds the lock; or is not any more */
uint32_t cotree_forking_thread(void); /* 0: none */

/* Has the program locked itself in (process/sandbox.c)? Then no system call is made but those that
 * cannot be done without. */
extern bool cotree_locked_in; /* atomic */
static inline bool cotree_in_sandbox(void)
{
#ifdef COTREE_RUNTIME_SHARED
    return false; /* only executables see it */
#else
    return __atomic_load_n(&cotree_locked_in, __ATOMIC_ACQUIRE);
#endif
}

/* parts.c: which part of the run this process counts (plan/parts/slices.h). */
bool cotree_parts_choose(const char *text); /* COTREE_PART; false: it is no part */
void cotree_parts_start(void);
void cotree_parts_begin_thread(char *thread); /* its storage; before it starts */
void cotree_parts_describe(struct data_header *header);
void cotree_parts_doubt(uint32_t why); /* enum data_parts_doubt */
void cotree_parts_end(void);
bool cotree_in_part(void); /* it counts a part, not all */

/* small_files.c: files of /proc */
long cotree_read_small_file(const char *path, char *out, size_t size);
uint64_t cotree_stat_field(const char *path, unsigned wanted);

/*
 * trace.c: programs that record their trace have it, others do not. The first three and `fault` are
 * called with the lock held.
 */
struct kernel_frame;
struct kernel_context;
struct rlimit64;
struct cotree_trace_hooks {
    bool (*name_taken)(const char *path); /* is there an events file of a data file of this name? */
    void (*forks)(void);                  /* in the parent, before */
    void (*forked)(const struct cotree_cursor *from); /* in the child */
    /* state: enum data_state; USED: it goes on, after all. from: the frame that ends it */
    void (*ended)(uint32_t state, const struct cotree_cursor *from, bool may_go_on);
    bool (*has_addresses)(void); /* is there anything that an unloaded library must give back? */
    void (*unload)(void); /* the library will be unloaded, after its end: the process may load it again */
    void (*unmap)(void);  /* it is, after its end */
    /* A store there failed: is it one of traced code, and can it be made again, or elsewhere? */
    bool (*fault)(uint64_t address, struct kernel_context *context);
    uint32_t (*handler_begins)(int number, struct kernel_frame *frame); /* one of the program's */
    void (*handler_ends)(uint32_t depth);                               /* what handler_begins returned */
    /* The thread is about to leave frames, from that one on, for the one at this stack pointer, and
     * to go on there. */
    void (*jumped)(const struct cotree_caller *from, uint64_t target, uint64_t resume_at);
    void (*throws)(void);  /* an exception sets out, or goes on */
    bool (*catches)(void); /* one is caught: must `back` be told? */
    /* The thread is cancelled, or ends itself: all frames are left. */
    void (*unwinds)(const struct cotree_cursor *from);
    /* Of the thread's frames only those from here outwards are left. */
    void (*back)(const struct cotree_cursor *to);
    void (*context_changes)(void);     /* the thread goes on elsewhere, on a stack of its own */
    void (*thread_gone)(char *thread); /* its storage goes away; NULL: the C library does not tell */
    /* prlimit64 and mlockall; 0 or an error */
    long (*limit)(int pid, unsigned resource, const struct rlimit64 *new, struct rlimit64 *old);
    long (*lock_memory)(int flags);
};
/* start.c has one without functions, which gives way. (gold does not do well with what may be
 * missing.) */
extern const struct cotree_trace_hooks cotree_trace_hooks;
static inline bool cotree_traces(void)
{
    return cotree_trace_hooks.ended != NULL;
}

/* message.c: COTREE=verbose. Parts end with NULL. */
void cotree_say(const char *first, ...) __attribute__((sentinel));
void cotree_say_error(const char *what, const char *subject, long error);
size_t cotree_length(const char *text);
bool cotree_starts_with(const char *text, const char *start);
bool cotree_same_text(const char *a, const char *b);
size_t cotree_append(char *out, size_t size, size_t at, const char *text);
size_t cotree_append_number(char *out, size_t size, size_t at, uint64_t number);
void cotree_put(char *out, size_t size, const char *text);

#endif
