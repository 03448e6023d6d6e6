/*
 * syscall(2) as a function: what it does to processes is what fork, _exit and exec do; it may enter
 * a sandbox. Everything else goes on to the C library without a frame of the runtime, for a few
 * instructions. System calls made by instructions of the program's own are not seen.
 */
#include <linux/prctl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdint.h>
#include "runtime/death/death.h"
#include "runtime/frames/frames.h"
#include "runtime/interpose.h"
#include "runtime/loader/objects.h"
#include "runtime/process/process.h"
#include "runtime/watched_functions.h"

#ifdef COTREE_RUNTIME_SHARED

void cotree_raw_calls_start(void) {}

#else

INTERPOSED_WEAKLY(long, syscall, (long, ...))

/* Does the call make a process that has memory of its own, and goes on where its parent does? */
static bool makes_child(long number, uint64_t first, uint64_t second)
{
    enum { CLONE3_STACK = 5 };
    if (number == SYS_clone3) {
        const uint64_t *arguments = (const uint64_t *)(uintptr_t)first;
        if (second < 8 * (CLONE3_STACK + 1) || !cotree_is_mapped(first & ~(uint64_t)(DATA_PAGE - 1)) ||
            !cotree_is_mapped((first + second - 1) & ~(uint64_t)(DATA_PAGE - 1)))
            return false; /* the kernel will refuse it */
        first = arguments[0];
        second = arguments[CLONE3_STACK];
    }
    return number == SYS_fork || ((first & CLONE_VM) == 0 && second == 0);
}

/* What the call does to control, or WATCHED_CALLS: nothing that matters here. */
static enum watched_effect effect_of(long number)
{
    switch (number) {
#define CASE(name, effect)                                                                                   \
    case SYS_##name:                                                                                         \
        return WATCHED_##effect;
        WATCHED_SYSTEM_CALLS(CASE)
    default:
        return WATCHED_CALLS;
    }
}

/* Makes the calls that INTERPOSE(syscall) picked. Its parameters are those of syscall. */
__attribute__((used)) static long call_with_care(long number, long a, long b, long c, long d, long e, long f)
{
    struct cotree_cursor caller;
    struct cotree_exec exec;
    long result;
    CURSOR_HERE(&caller);
    switch (effect_of(number)) {
    case WATCHED_FORKS:
        if (!makes_child(number, (uint64_t)a, (uint64_t)b) || !cotree_fork_begins())
            break;
        result = REAL(syscall)(number, a, b, c, d, e, f);
        cotree_fork_ends(result == 0, &caller);
        return result;
    case WATCHED_ENDS:
        cotree_note_exited(&caller);
        break;
    case WATCHED_LEAVES:
        if (cotree_alone())
            cotree_note_exited(&caller);
        else
            cotree_cut_stack(&caller, 1);
        break;
    case WATCHED_EXECUTES:
        cotree_exec_begins(&exec, &caller);
        result = REAL(syscall)(number, a, b, c, d, e, f);
        cotree_exec_failed(&exec);
        return result;
    case WATCHED_CONFINES:
        if (number == SYS_prctl ? a != PR_SET_SECCOMP : (unsigned long)a > SECCOMP_SET_MODE_FILTER)
            break;
        bool before = cotree_sandbox_begins();
        result = REAL(syscall)(number, a, b, c, d, e, f);
        if (result < 0)
            cotree_sandbox_failed(before);
        return result;
    default:
        break;
    }
    return REAL(syscall)(number, a, b, c, d, e, f);
}

#define CHECK(name, effect) static_assert(COTREE_CALL_IS_PICKED(SYS_##name), "it is watched");
WATCHED_SYSTEM_CALLS(CHECK)

__attribute__((naked)) long INTERPOSE(syscall)(__attribute__((unused)) long number, ...)
{
#ifdef COTREE_RUNTIME_STATIC
    COTREE_SYSCALL_BODY_WRAPPED(call_with_care, __real_syscall);
#else
    COTREE_SYSCALL_BODY(call_with_care, cotree_next_syscall);
#endif
}

void cotree_raw_calls_start(void)
{
    (void)RESOLVE(syscall);
}

#endif
