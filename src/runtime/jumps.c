/*
 * What drops the frames of functions while the process goes on, wherever it is called from: longjmp and its
 * relatives, changing contexts, cancelling a thread. Code with counters says so itself (the map's hazards);
 * libraries do not. So the runtime of an executable stands in front of these functions and notes in the file
 * that one was called, and, first of all, that it would have been noted.
 */
#include <stdint.h>
#include "runtime/interpose.h"
#include "runtime/runtime.h"

#ifdef COTREE_RUNTIME_SHARED

void cotree_jumps_start(void) {}

#else

INTERPOSED(void, longjmp, (void *, int))
INTERPOSED(void, _longjmp, (void *, int))
INTERPOSED(void, siglongjmp, (void *, int))
INTERPOSED(void, __longjmp_chk, (void *, int))
INTERPOSED(int, setcontext, (const void *))
INTERPOSED(int, swapcontext, (void *, const void *))
INTERPOSED(int, pthread_cancel, (unsigned long))

__attribute__((noreturn)) void INTERPOSE(longjmp)(void *target, int value)
{
    cotree_flag(DATA_FLAG_JUMPED);
    REAL(longjmp)(target, value);
    __builtin_unreachable();
}

__attribute__((noreturn)) void INTERPOSE(_longjmp)(void *target, int value)
{
    cotree_flag(DATA_FLAG_JUMPED);
    REAL(_longjmp)(target, value);
    __builtin_unreachable();
}

__attribute__((noreturn)) void INTERPOSE(siglongjmp)(void *target, int value)
{
    cotree_flag(DATA_FLAG_JUMPED);
    REAL(siglongjmp)(target, value);
    __builtin_unreachable();
}

__attribute__((noreturn)) void INTERPOSE(__longjmp_chk)(void *target, int value)
{
    cotree_flag(DATA_FLAG_JUMPED);
    REAL(__longjmp_chk)(target, value);
    __builtin_unreachable();
}

int INTERPOSE(setcontext)(const void *context)
{
    cotree_flag(DATA_FLAG_JUMPED);
    return REAL(setcontext)(context);
}

int INTERPOSE(swapcontext)(void *saved, const void *context)
{
    cotree_flag(DATA_FLAG_JUMPED);
    return REAL(swapcontext)(saved, context);
}

int INTERPOSE(pthread_cancel)(unsigned long thread)
{
    cotree_flag(DATA_FLAG_CANCELLED);
    return REAL(pthread_cancel)(thread);
}

/* Signal handlers jump: everything is looked up now. Watching is claimed only if libraries, too, will find
 * our definitions. */
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
    if (dlsym(RTLD_DEFAULT, "longjmp") != (void *)(uintptr_t)longjmp)
        return;
#endif
    cotree_process.always_flagged |= DATA_FLAG_WATCHED;
    cotree_flag(DATA_FLAG_WATCHED);
}

#endif
