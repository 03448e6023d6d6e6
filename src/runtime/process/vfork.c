/*
 * vfork: the child runs on its parent's stack and in its memory until it ends or executes another
 * program; then the same call returns once more, in the parent. Whatever frames the child left
 * there never return: it is like a longjmp to where vfork returns, made by the child with its last
 * words.
 *
 * No frame of the runtime may be on the stack while vfork returns twice, so the function in front
 * of it notes where it was called, and jumps to the real one. The notes of one thread are a stack:
 * a child may call vfork as well. A child that says nothing (it is killed) is noticed by what its
 * parent does next.
 *
 * Valgrind gives the child memory of its own: there it is fork.
 */
#include <unistd.h>
#include "runtime/frames/frames.h"
#include "runtime/interpose.h"
#include "runtime/process/process.h"

#ifdef COTREE_RUNTIME_SHARED

void cotree_vfork_start(void) {}

#else

INTERPOSED(pid_t, vfork, (void))
INTERPOSED_ALIAS(pid_t, __vfork, vfork, (void))
pid_t INTERPOSE(_Fork)(void);

/* Traced code takes the parent's return for the second one: its frames are written down before. */
static pid_t fork_instead(void)
{
    struct cotree_cursor caller;
    CURSOR_HERE(&caller);
    if (cotree_traces())
        cotree_trace_hooks.unwinds(&caller);
    return INTERPOSE(_Fork)();
}

/* Notes the call. Returns the function to go on to. */
__attribute__((used)) static void *note_vfork(uint64_t sp, uint64_t return_address)
{
    if (cotree_process.file.header != NULL && cotree_runs_on_valgrind())
        return (void *)(uintptr_t)fork_instead;
    cotree_vfork_note(sp, return_address);
    return (void *)(uintptr_t)REAL(vfork);
}

__attribute__((naked, returns_twice)) pid_t INTERPOSE(vfork)(void)
{
    COTREE_VFORK_BODY(note_vfork);
}

void cotree_vfork_start(void)
{
    (void)RESOLVE(vfork);
}

#endif
