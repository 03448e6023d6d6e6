/*
 * The runtime's own rooms and what they share. Reading order: start.c (what happens before main), early.c
 * (before that), name.c and file.c (the data file), slots.c (whose block is whose), threads.c, modules.c
 * (-fPIC code), fork.c, vfork.c, endings.c, stop.c with death/ptrace.c, raw_calls.c, jumps.c, lookup.c with
 * loaded.c, throws.c with unwinders.c, frames.c (what those count), links.c and chains.c (the same once
 * more), events.c, api.c; unwind.c (walking stacks), which stands on call_frames.c and objects.c; trace.h and
 * what it names (traces).
 *
 * Invariants the chapters refer to by number:
 *  R1. Counting takes no lock and calls nothing. Everything here is the slow path: start, the begin and
 *      end of a thread, fork, exec, exit.
 *  R2. The slow path runs with all signals blocked and cotree_lock held.
 *  R3. A mapping is listed before its pages are mapped and struck off after they are gone: a child of fork
 *      finds all of them.
 *  R4. When something fails the program runs on: its counts stay in ordinary memory, and the loss is noted
 *      in the file if there is one.
 *  R5. errno is left alone; nothing is printed unless COTREE=verbose.
 */
#ifndef COTREE_RUNTIME_RUNTIME_H
#define COTREE_RUNTIME_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "format/counters.h"
#include "format/data/layout.h"
#include "format/data/seal.h"
#include "runtime/link_flags.h"
#include "runtime/system_calls.h"
#include "runtime/frames/unwind.h"

#if defined(COTREE_RUNTIME_EXEC) + defined(COTREE_RUNTIME_STATIC) + defined(COTREE_RUNTIME_SHARED) != 1
#error "define one of COTREE_RUNTIME_EXEC, COTREE_RUNTIME_STATIC, COTREE_RUNTIME_SHARED"
#endif

#define COTREE_PATH_MAX 4096

/* A range of counters of one loaded ELF module; an executable may have two. Lives in that module; part of the
 * version 2 interface. */
struct cotree_module {
    struct cotree_module *next;
    const char *image;        /* the counters as the linker laid them out: keys, numbers, zeros */
    uint64_t counters_length; /* of the image */
    uint64_t block_length;    /* the same in whole pages; 0: no counters */
    uint32_t
        thread_local_range; /* 1: counted in thread-local storage (executables), 0: through cotree_delta */
    uint32_t index;         /* its number in the data file */
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
    bool sealed;             /* seals.c: whoever counts, or writes into the file, unseals it first */
    uint64_t handled;        /* what it says in the header of its files */
    struct cotree_module *modules;
    struct cotree_file file;
    char pattern[COTREE_PATH_MAX]; /* file name with % escapes, absolute when the starting directory is known
                                    */
    char run[64];                  /* COTREE_RUN */
    uint64_t trace_most;           /* COTREE_TRACE_MAX, in bytes */
    char follower[456];            /* COTREE_FOLLOWER */
    char program[256];             /* file name of the executable */
    char program_path[456];        /* its path */
};

/* How a guest reaches the host (modules.c). Exported as cotree_runtime_v2; fields are only ever added at the
 * end. */
struct cotree_runtime {
    uint32_t version, size;
    void (*add)(struct cotree_module *module);
    void (*remove)(struct cotree_module *module);
    long (*attach)(struct cotree_module *module, long *delta);
    int (*dump)(const char *path);
    int (*reset)(void);
    void (*frames_lost)(void);
    void (*event)(uint32_t kind, uint64_t pc);
    void (*flag)(uint32_t flags);
};

extern struct cotree_process cotree_process;
extern struct cotree_module cotree_pic_module;

/* start.c */
void cotree_start(char **environment);
void cotree_identify(void); /* fills pid, start_time, pid_namespace */
uint64_t cotree_stat_field(const char *path, unsigned wanted);
long cotree_read_small_file(const char *path, char *out, size_t size);

/* auxiliary.c */
void cotree_auxiliary_start(char **environment);
uint64_t cotree_auxiliary(uint64_t type); /* 0: there is none */

/* early.c */
void cotree_take_early_counts(uint64_t length); /* static programs */

/* lock.c */
uint64_t cotree_lock(void); /* returns the signal mask for cotree_unlock */
void cotree_unlock(uint64_t mask);
bool cotree_lock_is_taken(void);
bool cotree_alone(void);      /* this process has one thread */
void cotree_lock_reset(void); /* in a child of fork */

/* name.c */
int cotree_name(char *out, size_t size, unsigned attempt, bool *pool);

/* file.c */
int cotree_file_open(void);
void cotree_file_close(struct cotree_file *file);
void *cotree_file_at(uint64_t offset, uint64_t length);
void *cotree_file_mapped(uint64_t offset, uint64_t length);
bool cotree_file_may_be(uint64_t length);
int cotree_file_space(uint64_t length, uint64_t *offset);
int cotree_file_map(uint64_t offset, uint64_t length, char *address);
void cotree_flag(uint32_t flags);
void cotree_lost(const char *what, long error);

/* slots.c */
struct data_slot *cotree_slot_claim(struct cotree_module *module, const char *first, long *error);
void cotree_slot_state(struct data_slot *slot, uint32_t state);
struct cotree_mapping *cotree_mapping_new(void);
struct cotree_mapping *cotree_mapping_next(struct cotree_mapping *after);
struct cotree_mapping *cotree_mapping_of_thread(const void *thread);
void cotree_keep_in_memory(char *address, const struct cotree_module *module);

void cotree_slots_seal_free(void);
uint64_t cotree_slots_hash(uint64_t hash);

/* seals.c */
void cotree_seal_slot(struct data_slot *slot, const void *block);
void cotree_seal(void);
void cotree_unseal(void);

/* modules.c */
int cotree_module_in_file(struct cotree_module *module);
void cotree_module_describe(struct data_module *record, const struct cotree_module *module);
void cotree_module_path(struct cotree_module *module);
void cotree_modules_start(void);
long cotree_attach_here(long *delta); /* attach.c */
void cotree_open_and_attach(void);
void cotree_account_for_run(void);
const struct cotree_runtime *cotree_host(void);
bool cotree_host_is_apart(void); /* it was found, but names of this library lead to its own runtime */

/* threads.c */
void cotree_threads_start(void);
uint32_t cotree_thread_id(const void *thread); /* 0: it has not started, or has ended */
bool cotree_thread_alive(const struct cotree_mapping *mapping);
bool cotree_thread_leaving(const struct cotree_mapping *mapping);
char *cotree_thread_range(const void *thread);

/* fork.c */
void cotree_fork_start(void);
bool cotree_fork_begins(void); /* false: nothing to do */
void cotree_fork_ends(bool in_child, const struct cotree_cursor *caller);
bool cotree_forks_now(void); /* this thread is in fork and holds the lock */

/* vfork.c */
void cotree_vfork_start(void);

/* endings.c */
void cotree_endings_start(void);
void cotree_note_clean_end(const struct cotree_cursor *from);
void cotree_note_end(uint32_t state, const struct cotree_cursor *from, bool may_go_on);
void cotree_note_exited(const struct cotree_cursor *from);
struct cotree_exec {
    struct cotree_cursor from;
    struct cotree_vfork *call; /* in a child of vfork */
    bool noted;
};
void cotree_exec_begins(struct cotree_exec *exec, const struct cotree_cursor *from);
void cotree_exec_failed(const struct cotree_exec *exec);
void cotree_forked_parent(void); /* after a fork, in the parent */

/* watch.c */
void cotree_watch_start(void);
void cotree_only_noted(void);

/* raw_calls.c */
void cotree_raw_calls_start(void);

/* events.c; what records events is in events.h, frames in frames.h */
void cotree_code_add(struct cotree_module *module);
void cotree_code_ends(const struct cotree_module *module);
void cotree_frames_forget(void);
void cotree_events_clear(void);

/* stop.c */
void cotree_stop_threads(const struct cotree_cursor *here, bool dumps_core);
void cotree_let_threads_go(void);
bool cotree_another_ends(void);
void cotree_wait_for_the_end(void);

/* signals.c */
void cotree_signals_start(void);
void cotree_signals_forked(void);
void cotree_abort_begins(void);
void cotree_signals_retire(void);
void cotree_signals_return(void);
bool cotree_signals_pass_here(void);
bool cotree_signal_is_foreign(int number);
bool cotree_under_valgrind(void);

/* sandbox.c */
void cotree_sandbox_start(void);
bool cotree_in_sandbox(void);
bool cotree_sandbox_begins(void);
void cotree_sandbox_failed(bool before);

/* signal_stacks.c */
struct kernel_frame;
void cotree_signal_stacks_start(void);
void cotree_signal_stacks_stop(void);
char *cotree_signal_stack_for(void *(**start)(void *), void **argument);
void cotree_signal_stack_unused(char *stack);
void cotree_signal_stack_left(void *thread);
struct kernel_frame *cotree_leave_signal_stack(struct kernel_frame *frame);

/* api.c */
int cotree_dump_now(const char *path);
int cotree_reset_now(void);
void cotree_clear_counters(uint64_t *block, uint64_t words);

/* jumps.c */
void cotree_jumps_start(void);

/* throws.c, unwinders.c */
void cotree_throws_start(void);
void cotree_thread_will_end(void);

/*
 * trace.c: programs that record their trace have it, others do not. The first three and `fault` are called
 * with the lock held.
 */
struct kernel_frame;
struct kernel_context;
struct cotree_trace_hooks {
    bool (*name_taken)(const char *path); /* is there an events file of a data file of this name? */
    void (*forks)(void);                  /* in the parent, before */
    void (*forked)(const struct cotree_cursor *from); /* in the child */
    /* state: enum data_state; USED: it goes on, after all. from: who ends it */
    void (*ended)(uint32_t state, const struct cotree_cursor *from, bool may_go_on);
    bool (*has_addresses)(void); /* is there anything that an unloaded library must give back? */
    void (*unload)(void); /* the library will be unloaded, after its end: the process may load it again */
    void (*unmap)(void);  /* it is, after its end */
    /* A store there failed: is it ours, and can it be made again, or elsewhere? */
    bool (*fault)(uint64_t address, struct kernel_context *context);
    uint32_t (*handler_begins)(int number, struct kernel_frame *frame); /* one of the program's */
    void (*handler_ends)(uint32_t depth);                               /* what handler_begins returned */
    /* The thread is about to leave frames, from that one on, for the one at this stack pointer, and to go on
     * there. */
    void (*jumped)(const struct cotree_caller *from, uint64_t target, uint64_t resume_at);
    void (*throws)(void); /* an exception sets out, or goes on */
    void (*unwinds)(
        const struct cotree_cursor *from); /* it is cancelled, or ends itself: all frames are left */
    void (*context_changes)(void);         /* the thread goes on elsewhere, on a stack of its own */
    void (*thread_gone)(char *thread);     /* its storage goes away; NULL: the C library does not tell */
};
/* start.c has one without functions, which gives way. (gold does not do well with what may be missing.) */
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

static inline uint64_t cotree_whole_pages(uint64_t length)
{
    return (length + DATA_PAGE - 1) & ~(uint64_t)(DATA_PAGE - 1);
}

#endif
