/*
 * __cxa_begin_catch, for traces: where an exception is caught in code that is not traced, what is
 * left of the frames is written down (trace/back.c). Static programs have none of it, nor have
 * programs linked with -fcotree=none.
 *
 * Watched functions of traces are members of the archive by themselves: a program that is not
 * traced, but calls one of them, takes that one, which goes on to the C library's, and nothing else
 * of the archive. A program that has a function of this name keeps its own.
 */
#include "runtime/frames/unwind.h"
#include "runtime/interpose.h"
#include "runtime/trace/trace.h"

const char cotree_trace_watches_catch;

#ifdef COTREE_RUNTIME_EXEC

__attribute__((weak, visibility("default"))) void *__cxa_begin_catch(void *exception)
{
    static void *(*next)(void *);
    void *(*real)(void *) = __atomic_load_n(&next, __ATOMIC_RELAXED);
    if (real == NULL) {
        real = (void *(*)(void *))(uintptr_t)cotree_dlsym(RTLD_NEXT, "__cxa_begin_catch");
        __atomic_store_n(&next, real, __ATOMIC_RELAXED);
    }
    if (cotree_traces() && cotree_trace_hooks.catches()) {
        struct cotree_cursor caller;
        CURSOR_HERE(&caller);
        cotree_trace_hooks.back(&caller);
    }
    return real(exception);
}

#endif
