/*
 * What drops the frames of functions while the process goes on, wherever it is called from: longjmp
 * and its relatives, changing contexts, cancelling or ending a thread (exceptions: throws.c). Code
 * with counters says so itself (the map's hazards); libraries and pointers to functions do not. So
 * the runtime of an executable stands in front of these functions and notes in the file that one
 * was called.
 */
#include <stdbool.h>
#include <stdint.h>
#include "runtime/file/file.h"
#include "runtime/frames/chains.h"
#include "runtime/frames/frames.h"
#include "runtime/frames/small_stacks.h"
#include "runtime/interpose.h"

#ifdef COTREE_RUNTIME_SHARED

void cotree_jumps_start(void) {}

#else

INTERPOSED(void, longjmp, (void *, int))
INTERPOSED(void, _longjmp, (void *, int))
INTERPOSED(void, siglongjmp, (void *, int))
INTERPOSED(void, __longjmp_chk, (void *, int))
INTERPOSED_WEAKLY(int, setcontext, (const void *))
INTERPOSED(int, swapcontext, (void *, const void *))
INTERPOSED_WEAKLY(int, pthread_cancel, (unsigned long))
INTERPOSED(void, pthread_exit, (void *))
INTERPOSED_WEAKLY(void, thrd_exit, (int))

struct traced_jump {
    const struct cotree_caller *from;
    uint64_t sp, resume_at;
};

static void trace_jump(void *argument)
{
    const struct traced_jump *jump = argument;
    cotree_trace_hooks.jumped(jump->from, jump->sp, jump->resume_at);
}

static inline void note_jump(const uint64_t *target, struct cotree_recording *recording)
{
    uint64_t sp = cotree_unmangled(target[COTREE_KEPT_STACK]),
             resume_at = cotree_unmangled(target[COTREE_KEPT_RETURN]);
    if (cotree_traces())
        cotree_with_room(trace_jump, &(struct traced_jump){&recording->caller, sp, resume_at});
    if (cotree_process.file.header == NULL)
        return;
    if (__builtin_expect(cotree_chain_count(recording, sp, resume_at), 1))
        return; /* the file says already that there are jumps */
    cotree_flag(DATA_FLAG_JUMPED);
    cotree_jump(recording, sp, resume_at);
}

/* The real function is called by the one that records: a signal may come until the very jump
 * (siglongjmp itself lets blocked ones in). */
#define NOTED_JUMP(name)                                                                                     \
    __attribute__((used, noreturn)) static void jump_by_##name(void *target, int value, void *unused,        \
                                                               struct cotree_recording *recording)           \
    {                                                                                                        \
        (void)unused;                                                                                        \
        note_jump(target, recording);                                                                        \
        REAL(name)(target, value);                                                                           \
        __builtin_unreachable();                                                                             \
    }                                                                                                        \
    __attribute__((naked)) void INTERPOSE(name)(__attribute__((unused)) void *target,                        \
                                                __attribute__((unused)) int value)                           \
    {                                                                                                        \
        COTREE_RECORDED_BODY(jump_by_##name);                                                                \
    }

NOTED_JUMP(longjmp)
NOTED_JUMP(_longjmp)
NOTED_JUMP(siglongjmp)
NOTED_JUMP(__longjmp_chk)

/* It is unknown which frames are left, and when: the stack that is left may be gone on with, or
 * not. */
static void note_context(void)
{
    cotree_flag(DATA_FLAG_JUMPED);
    cotree_frames_lost();
    if (cotree_traces())
        cotree_trace_hooks.context_changes();
}

int INTERPOSE(setcontext)(const void *context)
{
    note_context();
    return REAL(setcontext)(context);
}

int INTERPOSE(swapcontext)(void *saved, const void *context)
{
    note_context();
    return REAL(swapcontext)(saved, context);
}

int INTERPOSE(pthread_cancel)(unsigned long thread)
{
    cotree_flag(DATA_FLAG_CANCELLED);
    cotree_thread_will_end();
    return REAL(pthread_cancel)(thread);
}

/* If the first thread ends so, the counts of main show it: main has not returned. */
static void note_thread_exit(void)
{
    cotree_thread_will_end();
    if (cotree_gettid() != cotree_getpid())
        cotree_flag(DATA_FLAG_THREAD_EXIT);
}

__attribute__((noreturn)) void INTERPOSE(pthread_exit)(void *result)
{
    note_thread_exit();
    REAL(pthread_exit)(result);
    __builtin_unreachable();
}

__attribute__((noreturn)) void INTERPOSE(thrd_exit)(int result)
{
    note_thread_exit();
    REAL(thrd_exit)(result);
    __builtin_unreachable();
}

/* Signal handlers jump: everything is looked up now. */
void cotree_jumps_start(void)
{
#ifndef COTREE_RUNTIME_STATIC
    RESOLVE(longjmp);
    RESOLVE(_longjmp);
    RESOLVE(siglongjmp);
    RESOLVE(__longjmp_chk);
    RESOLVE(setcontext);
    RESOLVE(swapcontext);
    RESOLVE(pthread_cancel);
    RESOLVE(pthread_exit);
    RESOLVE(thrd_exit);
#endif
}

#endif

/* Called before a jump that no watched function makes (format/counters.h). */
void cotree_unseen_jump(void);
void cotree_unseen_jump(void)
{
    if (cotree_host != NULL)
        cotree_host->frames_lost();
    else
        cotree_frames_lost();
}
