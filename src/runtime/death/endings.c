/*
 * Notes in the slots of a process how it ended: CLEAN when its exit handlers have run, EXEC, EXITED
 * (_exit, quick_exit, abort). The frames that are on the stack then will never return: they are
 * counted as cut (frames/frames.c). Nothing else is done at the end: the counts are in the file
 * already, and a process that could not note anything was cut short (USED).
 *
 * exit and quick_exit are seen from inside, by the handler that runs last: what is on its stack
 * stays there.
 *
 * Only the slots of the calling thread and of threads that are gone are changed: one that stays
 * USED says that a thread was alive. A vfork child shares its parent's memory but is another
 * process: it must not note its parent's end, so every ending compares pids first, except the clean
 * one: a program that locked itself in (seccomp) may be killed for any system call it did not
 * foresee, getpid too. There the memory tells (is_our_memory). Taking the lock is safe even in a
 * signal handler: the thread that holds it has signals blocked.
 */
#include <errno.h>
#include <linux/kcmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>
#include "runtime/death/death.h"
#include "runtime/file/file.h"
#include "runtime/frames/frames.h"
#include "runtime/frames/small_stacks.h"
#include "runtime/interpose.h"

static uint64_t *runs_counter(uint32_t state)
{
    struct data_header *header = cotree_process.file.header;
    switch (state) {
    case DATA_CLEAN:
        return &header->runs_clean;
    case DATA_EXEC:
        return &header->runs_exec;
    case DATA_EXITED:
        return &header->runs_exited;
    case DATA_SIGNALLED:
        return &header->runs_signalled;
    default:
        return NULL;
    }
}

/* Is this the process that the state belongs to? A child that a raw fork made is noted: it counts
 * in its parent's blocks. */
static bool is_our_process(bool may_be_vfork)
{
    uint32_t pid = cotree_getpid();
    if (pid == cotree_process.pid)
        return true;
    /* A vfork child has its parent's memory; kcmp says so, or fails. */
    if (!may_be_vfork || COTREE_CALL(SYS_kcmp, pid, cotree_process.pid, KCMP_VM, 0, 0, 0) > 0)
        cotree_flag(DATA_FLAG_RAW_FORK);
    return false;
}

/* The same at a clean end, by a page that the kernel clears in every child with memory of its
 * own. */
static bool is_our_memory(void)
{
    if (cotree_process.witness == NULL)
        return is_our_process(false);
    if (*cotree_process.witness == 0)
        cotree_flag(DATA_FLAG_RAW_FORK);
    return *cotree_process.witness != 0;
}

/* With other threads the end cannot be noted without system calls. */
static bool may_not_speak(void)
{
    return cotree_in_sandbox() && !cotree_alone();
}

/* A helper thread of the C library (timers have one) lives on, but never ran code of the
 * program. */
static bool never_counted(const struct cotree_mapping *mapping)
{
    const uint64_t *block = (const uint64_t *)(void *)mapping->address;
    const uint64_t *image = (const uint64_t *)(const void *)mapping->module->image;
    return mapping->slot->uses == 1 && image != NULL &&
           cotree_same_words(block, image, mapping->module->counters_length / 8);
}

/* Notes STATE in the slots of the calling thread and of threads that are gone. FROM: the frame that
 * ends the process. MAY_GO_ON: if the end fails, it is taken back, by USED. */
void cotree_note_end(uint32_t state, const struct cotree_cursor *from, bool may_go_on)
{
    /* A single thread needs no lock, and so no system call. */
    bool alone = cotree_alone();
    uint64_t mask = alone ? 0 : cotree_lock();
    const void *self = __builtin_thread_pointer();
    uint32_t tid = alone ? 0 : cotree_gettid();
    bool all = state != DATA_USED; /* no thread has a block in use any more */
    cotree_unseal();
    cotree_parts_end();
    for (struct cotree_mapping *m = cotree_mapping_next(NULL); m != NULL; m = cotree_mapping_next(m)) {
        bool own = alone || __atomic_load_n(&m->recorded, __ATOMIC_ACQUIRE) ||
                   (m->thread != NULL ? m->thread == self : m->tid == tid);
        /* It may count from now on: readers of the file look again. */
        bool idle = !own && never_counted(m);
        if (own || idle || !cotree_thread_alive(m) || cotree_thread_leaving(m)) {
            m->slot->idle = idle && state == DATA_CLEAN;
            cotree_slot_state(m->slot, state);
        } else {
            all = false;
        }
        all = all && !idle;
    }
    if (state != DATA_USED)
        cotree_frames_check_objects();
    if (cotree_process.accounts) {
        uint64_t *before = runs_counter(cotree_process.ended_as), *now = runs_counter(state);
        if (before != NULL)
            __atomic_fetch_sub(before, 1, __ATOMIC_RELAXED);
        if (now != NULL)
            __atomic_fetch_add(now, 1, __ATOMIC_RELAXED);
    }
    cotree_process.ended_as = state == DATA_USED ? 0 : state;
    if (cotree_traces())
        cotree_trace_hooks.ended(state, from, may_go_on);
    /* Where daemon forked, handlers of the program may count until its parent is gone. */
    if (all && !(may_go_on && state == DATA_EXITED))
        cotree_seal(cotree_signals_pass_here);
    if (!alone)
        cotree_unlock(mask);
}

/* A child of vfork notes no end: it leaves its frames to its parent. */
static bool is_vfork_child(const struct cotree_cursor *from)
{
    struct cotree_vfork *call = cotree_vfork_child();
    if (call != NULL)
        cotree_vfork_leaves(call, from, 1);
    return call != NULL;
}

static void note_clean_end(void *argument)
{
    const struct cotree_cursor *from = argument;
    if (cotree_process.file.header == NULL || is_vfork_child(from) || !is_our_memory() || may_not_speak())
        return;
    cotree_stop_threads(from, false);
    cotree_cut_stack(from, 1);
    cotree_note_end(DATA_CLEAN, from, false);
}

/* Called by the exit handler that runs last; FROM is its caller. */
void cotree_note_clean_end(const struct cotree_cursor *from)
{
    cotree_with_room(note_clean_end, (void *)(uintptr_t)from);
}

static void note_exited(void *argument)
{
    const struct cotree_cursor *from = argument;
    /* exit() ends in _exit too: a clean end stays clean. */
    if (cotree_process.file.header == NULL || cotree_process.ended_as == DATA_CLEAN || is_vfork_child(from) ||
        !(cotree_in_sandbox() ? is_our_memory() : is_our_process(true)) || may_not_speak())
        return;
    cotree_stop_threads(from, false);
    cotree_cut_stack(from, 1);
    cotree_note_end(DATA_EXITED, from, false);
}

void cotree_note_exited(const struct cotree_cursor *from)
{
    cotree_with_room(note_exited, (void *)(uintptr_t)from);
}

extern int __cxa_at_quick_exit(void (*)(void *), void *);

static void end_quickly(void *unused)
{
    struct cotree_cursor caller;
    CURSOR_HERE(&caller);
    (void)unused;
    cotree_note_exited(&caller);
}

#ifdef COTREE_RUNTIME_SHARED

extern void *__dso_handle __attribute__((weak, visibility("hidden")));

void cotree_endings_start(void)
{
    (void)__cxa_at_quick_exit(end_quickly, &__dso_handle);
}

#else

INTERPOSED(void, _exit, (int))
INTERPOSED_WEAKLY(void, _Exit, (int))
INTERPOSED_WEAKLY(void, abort, (void))
INTERPOSED_WEAKLY(int, execve, (const char *, char *const *, char *const *))
INTERPOSED_WEAKLY(int, execv, (const char *, char *const *))
INTERPOSED_WEAKLY(int, execvp, (const char *, char *const *))
INTERPOSED_WEAKLY(int, execvpe, (const char *, char *const *, char *const *))
INTERPOSED_WEAKLY(int, execl, (const char *, const char *, ...))
INTERPOSED_WEAKLY(int, execle, (const char *, const char *, ...))
INTERPOSED_WEAKLY(int, execlp, (const char *, const char *, ...))
INTERPOSED_WEAKLY(int, fexecve, (int, char *const *, char *const *))
INTERPOSED_WEAKLY(int, execveat, (int, const char *, char *const *, char *const *, int))
INTERPOSED_WEAKLY(int, daemon, (int, int))

__attribute__((noreturn)) void INTERPOSE(_exit)(int status)
{
    struct cotree_cursor caller;
    CURSOR_HERE(&caller);
    cotree_note_exited(&caller);
    REAL(_exit)(status);
    __builtin_unreachable();
}

__attribute__((noreturn)) void INTERPOSE(_Exit)(int status)
{
    struct cotree_cursor caller;
    CURSOR_HERE(&caller);
    cotree_note_exited(&caller);
    REAL(_Exit)(status);
    __builtin_unreachable();
}

/* SIGABRT is seen by signals.c. Nothing of the runtime is left on the stack that a core file
 * shows. */
void INTERPOSE(abort)(void)
{
    cotree_abort_begins();
    __attribute__((musttail)) return REAL(abort)();
}

/* ---- exec: noted before the call, taken back if it fails ---- */

struct beginning {
    struct cotree_exec *exec;
    uint32_t state;
};

static void note_beginning(void *argument)
{
    const struct beginning *b = argument;
    struct cotree_exec *exec = b->exec;
    exec->call = cotree_vfork_child();
    if (exec->call != NULL) {
        cotree_vfork_leaves(exec->call, &exec->from, 1);
    } else if (is_our_process(true)) {
        cotree_stop_threads(&exec->from, false);
        cotree_cut_stack(&exec->from, 1);
        cotree_note_end(b->state, &exec->from, true);
        exec->noted = true;
    }
}

static void end_begins(struct cotree_exec *exec, const struct cotree_cursor *from, uint32_t state)
{
    cotree_copy(&exec->from, from, sizeof *from);
    exec->call = NULL;
    exec->noted = false;
    if (cotree_process.file.header != NULL)
        cotree_with_room(note_beginning, &(struct beginning){exec, state});
}

void cotree_exec_begins(struct cotree_exec *exec, const struct cotree_cursor *from)
{
    end_begins(exec, from, DATA_EXEC);
}

static void take_beginning_back(void *argument)
{
    const struct cotree_exec *exec = argument;
    if (exec->call != NULL)
        cotree_vfork_leaves(exec->call, &exec->from, -1);
    if (exec->noted) {
        cotree_note_end(DATA_USED, &exec->from, true);
        cotree_cut_stack(&exec->from, -1);
        cotree_let_threads_go();
    }
}

void cotree_exec_failed(const struct cotree_exec *exec)
{
    cotree_with_room(take_beginning_back, (void *)(uintptr_t)exec);
}

#define NOTED_EXEC(name, arguments)                                                                          \
    struct cotree_exec exec;                                                                                 \
    struct cotree_cursor caller;                                                                             \
    CURSOR_HERE(&caller);                                                                                    \
    cotree_exec_begins(&exec, &caller);                                                                      \
    int result = REAL(name) arguments;                                                                       \
    cotree_exec_failed(&exec);                                                                               \
    return result;

int INTERPOSE(execve)(const char *path, char *const *arguments, char *const *environment)
{
    NOTED_EXEC(execve, (path, arguments, environment))
}

int INTERPOSE(execv)(const char *path, char *const *arguments)
{
    NOTED_EXEC(execv, (path, arguments))
}

int INTERPOSE(execvp)(const char *file, char *const *arguments)
{
    NOTED_EXEC(execvp, (file, arguments))
}

int INTERPOSE(execvpe)(const char *file, char *const *arguments, char *const *environment)
{
    NOTED_EXEC(execvpe, (file, arguments, environment))
}

int INTERPOSE(fexecve)(int descriptor, char *const *arguments, char *const *environment)
{
    NOTED_EXEC(fexecve, (descriptor, arguments, environment))
}

int INTERPOSE(execveat)(int directory, const char *path, char *const *arguments, char *const *environment,
                        int flags)
{
    NOTED_EXEC(execveat, (directory, path, arguments, environment, flags))
}

static size_t count_arguments(va_list arguments)
{
    size_t count = 1; /* the first is a named parameter */
    while (va_arg(arguments, const char *) != NULL)
        count++;
    return count;
}

/* The variable arguments as an array on the stack, ended by NULL; `rest` is left after them. */
#define GATHER_ARGUMENTS(first)                                                                              \
    va_list counting, rest;                                                                                  \
    va_start(counting, first);                                                                               \
    size_t count = first == NULL ? 0 : count_arguments(counting);                                            \
    va_end(counting);                                                                                        \
    char *arguments[count + 1];                                                                              \
    arguments[0] = (char *)(uintptr_t)first;                                                                 \
    va_start(rest, first);                                                                                   \
    for (size_t i = 1; i <= count; i++)                                                                      \
        arguments[i] = va_arg(rest, char *);

int INTERPOSE(execl)(const char *path, const char *first, ...)
{
    GATHER_ARGUMENTS(first)
    va_end(rest);
    NOTED_EXEC(execv, (path, arguments))
}

int INTERPOSE(execle)(const char *path, const char *first, ...)
{
    GATHER_ARGUMENTS(first)
    char *const *environment = va_arg(rest, char *const *);
    va_end(rest);
    NOTED_EXEC(execve, (path, arguments, environment))
}

int INTERPOSE(execlp)(const char *file, const char *first, ...)
{
    GATHER_ARGUMENTS(first)
    va_end(rest);
    NOTED_EXEC(execvp, (file, arguments))
}

/*
 * daemon forks, and the parent ends unseen, inside the C library. So its end is noted in the parent
 * when the fork is over (fork.c), and taken back if the call returns there: there is no child then.
 */
static __thread struct cotree_exec *parents_end __attribute__((tls_model("local-exec")));

void cotree_forked_parent(void)
{
    struct cotree_exec *end = parents_end;
    if (end == NULL)
        return;
    parents_end = NULL;
    struct cotree_cursor from;
    cotree_copy(&from, &end->from, sizeof from);
    end_begins(end, &from, DATA_EXITED);
}

int INTERPOSE(daemon)(int stay_in_directory, int keep_streams)
{
    struct cotree_exec end = {.noted = false};
    CURSOR_HERE(&end.from);
    parents_end = &end;
    int result = REAL(daemon)(stay_in_directory, keep_streams);
    parents_end = NULL;
    cotree_exec_failed(&end);
    return result;
}

static void end_program(void *unused)
{
    struct cotree_cursor caller;
    CURSOR_HERE(&caller);
    (void)unused;
    cotree_note_clean_end(&caller);
}

#ifdef COTREE_RUNTIME_STATIC
/* A static program runs its destructors from an exit handler that is registered before the runtime
 * starts, so the runtime's end is the destructor that runs last. */
__attribute__((section(".fini_array.00000"), used)) static void (*const end_entry)(void *) = end_program;

void cotree_endings_start(void)
{
    if (!cotree_process.off)
        (void)__cxa_at_quick_exit(end_quickly, NULL);
}
#else
extern int __cxa_atexit(void (*)(void *), void *, void *);

/* Registered before anything else, so it runs last, after the destructors of all libraries; without
 * a module, or it would run with the destructors of the program. Names are looked up even when
 * nothing is to be noted: later they may be needed in a signal handler or a child of fork. */
void cotree_endings_start(void)
{
    RESOLVE(_exit);
    RESOLVE(_Exit);
    RESOLVE(abort);
    RESOLVE(execve);
    RESOLVE(execv);
    RESOLVE(execvp);
    RESOLVE(execvpe);
    RESOLVE(fexecve);
    RESOLVE(execveat);
    RESOLVE(daemon);
    if (!cotree_process.off) {
        (void)__cxa_atexit(end_program, NULL, NULL);
        (void)__cxa_at_quick_exit(end_quickly, NULL);
    }
}
#endif
#endif
