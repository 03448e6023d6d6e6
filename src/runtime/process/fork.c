/*
 * fork: the child gets a block of its own, in a file of its own unless the file is a pool, at the
 * same addresses and before any code of the program.
 *
 * pthread_atfork runs the runtime's child handler first, because it was registered first; signals
 * are blocked from before the fork until the child has its block. The storage of the other threads,
 * which do not exist in the child, is replaced by ordinary memory: the C library will reuse and
 * clear it, and would clear the parent's counts. _Fork and clone run no handlers, so they are
 * interposed, and so is syscall (raw_calls.c). A fork by an instruction of the program's own cannot
 * be seen; endings.c notices it.
 *
 * The frames the child inherits return there as well, without having been called: they are counted
 * so before any code of the program runs.
 *
 * When the child cannot make a file it counts in its parent's, as in a pool.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <unistd.h>
#include "runtime/death/death.h"
#include "runtime/file/file.h"
#include "runtime/frames/frames.h"
#include "runtime/interpose.h"
#include "runtime/process/process.h"

/* Of the thread that forks; guarded by the lock, which it holds meanwhile. */
static uint64_t mask_before;

static struct cotree_file parents_file;

/* pthread_atfork is made of this; a program may have a pthread_atfork of its own. */
extern int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *module);
/* Of crtbegin.o: -nostartfiles has none. */
extern void *__dso_handle __attribute__((weak, visibility("hidden")));

static void prepare(void)
{
    uint64_t mask = cotree_lock();
    mask_before = mask;
    cotree_fork_has_lock(true);
    if (cotree_traces())
        cotree_trace_hooks.forks();
}

static void parent(void)
{
    uint64_t mask = mask_before;
    cotree_fork_has_lock(false);
    cotree_unlock(mask);
#ifndef COTREE_RUNTIME_SHARED
    cotree_forked_parent();
#endif
}

/* Gives MAPPING a new block of the file, at its address. */
static long remap(struct cotree_mapping *mapping)
{
    long error = -ENOENT;
    struct data_slot *slot = cotree_slot_claim(mapping->module, mapping->module->image, &error);
    if (slot == NULL)
        return error;
    error = cotree_file_map(slot->offset, slot->length, mapping->address);
    if (error != 0) {
        cotree_slot_state(slot, DATA_FREE);
        return error;
    }
    slot->thread = cotree_process.pid;
    mapping->slot = slot;
    mapping->tid = cotree_process.pid;
    return 0;
}

static void drop_other_threads(const void *self)
{
    uint32_t forking = cotree_forking_thread();
    for (struct cotree_mapping *m = cotree_mapping_next(NULL); m != NULL; m = cotree_mapping_next(m)) {
        if (m->thread != NULL ? m->thread == self : m->tid == forking && m->module->block_length != 0)
            continue;
        if (m->thread != NULL)
            (void)cotree_mmap(m->address, m->module->block_length, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        else
            cotree_munmap(m->address, m->slot->length);
        m->module = NULL;
        m->thread = NULL;
    }
}

/* The child's file: a new one, or its parent's. Returns whether it is new. */
static bool child_file(void)
{
    struct cotree_file *file = &cotree_process.file;
    if (file->shared)
        return false;
    cotree_copy(&parents_file, file, sizeof *file);
    file->header = NULL;
    if (cotree_file_open() == 0)
        return true;
    cotree_copy(file, &parents_file, sizeof *file);
    file->shared = true;
    cotree_flag(DATA_FLAG_POOL);
    return false;
}

/* FROM: the innermost frame that the child inherits, outwards of the runtime's own. */
static void begin_child(const struct cotree_cursor *from)
{
    uint64_t mask = mask_before;
    cotree_identify();
    cotree_process.ended_as = 0;
#ifndef COTREE_RUNTIME_SHARED
    cotree_signals_forked();
#endif
    if (cotree_process.file.header != NULL) {
        drop_other_threads(__builtin_thread_pointer());
        bool is_new = child_file();
        cotree_account_for_run();
        cotree_flag(DATA_FLAG_FORKED);
        for (struct cotree_mapping *m = cotree_mapping_next(NULL); m != NULL; m = cotree_mapping_next(m)) {
            long error = remap(m);
            if (error != 0) {
                cotree_keep_in_memory(m->address, m->module);
                m->module = NULL;
                cotree_lost("the child counts in memory only, without a block in", error);
            }
        }
        if (is_new)
            cotree_file_close(&parents_file);
        cotree_resume_stack(from);
    }
    if (cotree_traces())
        cotree_trace_hooks.forked(from);
    cotree_fork_has_lock(false);
    cotree_unlock(mask);
}

static void child(void)
{
    struct cotree_cursor caller;
    CURSOR_HERE(&caller);
    begin_child(&caller);
}

/* Around a fork that runs no handlers. In static programs fork calls _Fork, after it ran them. */
bool cotree_fork_begins(void)
{
    if (cotree_process.off || cotree_forks_now())
        return false;
    prepare();
    return true;
}

void cotree_fork_ends(bool in_child, const struct cotree_cursor *caller)
{
    if (in_child)
        begin_child(caller);
    else
        parent();
}

#ifndef COTREE_RUNTIME_SHARED
INTERPOSED_WEAKLY(pid_t, _Fork, (void))
INTERPOSED_WEAKLY(int, clone, (int (*)(void *), void *, int, void *, ...))
INTERPOSED_ALIAS(int, __clone, clone, (int (*)(void *), void *, int, void *, ...))

/*
 * What a child of clone with memory of its own does: it begins like one of fork, in a function that
 * returns to the C library, and ends the process there. Its stack may be small, so what the runtime
 * does is done on a copy of its parent's.
 */
struct cloned {
    int (*function)(void *);
    void *argument;
    struct cotree_cursor caller;
};
#define STACK_IN_USE 8192u /* below it, by the C library's clone */

static void call_on_parents_stack(void (*function)(void *), struct cloned *cloned)
{
    uintptr_t stack = ((uintptr_t)cloned - STACK_IN_USE) & ~(uintptr_t)15;
    cotree_call_on_stack(stack, function, cloned);
}

static void begin_cloned(void *argument)
{
    const struct cloned *cloned = argument;
    cotree_fork_ends(true, &cloned->caller);
}

static void end_cloned(void *argument)
{
    const struct cloned *cloned = argument;
    cotree_note_exited(&cloned->caller);
}

static int run_cloned(void *argument)
{
    struct cloned *cloned = argument;
    CURSOR_HERE(&cloned->caller);
    call_on_parents_stack(begin_cloned, cloned);
    int status = cloned->function(cloned->argument);
    call_on_parents_stack(end_cloned, cloned);
    return status;
}

/* A child that shares memory with a parent that waits for it: what it counts is its parent's, as
 * with vfork. */
struct vforked {
    int (*function)(void *);
    void *argument;
    struct cotree_vfork *call;
};

static int run_vforked(void *argument)
{
    struct vforked *vforked = argument;
    int status = vforked->function(vforked->argument);
    cotree_vfork_returned(vforked->call);
    return status;
}

/* Do child and parent count in one place? A child that shares memory does, unless its parent waits
 * or it has thread-local storage of its own; and so does a child with a copy of the memory that has
 * other storage. */
static bool shares_blocks(int flags)
{
    return (flags & CLONE_VM) == 0 ? (flags & CLONE_SETTLS) != 0
                                   : (flags & (CLONE_VFORK | CLONE_SETTLS)) == 0;
}

int INTERPOSE(clone)(int (*function)(void *), void *stack, int flags, void *argument, ...)
{
    va_list rest;
    va_start(rest, argument);
    void *parent_id = va_arg(rest, void *), *storage = va_arg(rest, void *), *child_id = va_arg(rest, void *);
    va_end(rest);
    if (shares_blocks(flags))
        cotree_flag(DATA_FLAG_RAW_FORK);
    if ((flags & (CLONE_VM | CLONE_VFORK | CLONE_SETTLS)) == (CLONE_VM | CLONE_VFORK) && function != NULL &&
        stack != NULL) {
        struct vforked vforked = {function, argument, cotree_vfork_begins()};
        if (vforked.call != NULL) {
            struct cotree_cursor caller;
            CURSOR_HERE(&caller);
            int result = REAL(clone)(run_vforked, stack, flags, &vforked, parent_id, storage, child_id);
            bool known = cotree_vfork_ends(vforked.call, result > 0);
            if (result > 0 && cotree_traces() && known)
                cotree_trace_hooks.back(&caller);
            else if (result > 0 && cotree_traces())
                cotree_trace_hooks.context_changes();
            return result;
        }
    }
    if ((flags & (CLONE_VM | CLONE_SETTLS)) != 0 || function == NULL || stack == NULL ||
        !cotree_fork_begins())
        return REAL(clone)(function, stack, flags, argument, parent_id, storage, child_id);
    struct cloned cloned = {.function = function, .argument = argument};
    int result = REAL(clone)(run_cloned, stack, flags, &cloned, parent_id, storage, child_id);
    cotree_fork_ends(false, NULL);
    return result;
}

pid_t INTERPOSE(_Fork)(void)
{
    struct cotree_cursor caller;
    CURSOR_HERE(&caller);
    if (!cotree_fork_begins())
        return REAL(_Fork)();
    pid_t result = REAL(_Fork)();
    cotree_fork_ends(result == 0, &caller);
    return result;
}
#endif

void cotree_fork_start(void)
{
#ifndef COTREE_RUNTIME_SHARED
    RESOLVE(clone);
    RESOLVE(_Fork);
#endif
    (void)__register_atfork(prepare, parent, child, &__dso_handle);
}
