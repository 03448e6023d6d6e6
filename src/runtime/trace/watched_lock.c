/*
 * mlockall, for traces (trace/lock.c). In programs that are not traced it is the system call;
 * watched_catch.c says why such a program may have it. A program that has a function of this name
 * keeps its own.
 */
#include <errno.h>
#include <sys/mman.h>
#include "runtime/trace/trace.h"

const char cotree_trace_watches_lock;

__attribute__((weak, visibility("default"))) int mlockall(int flags)
{
    long result = cotree_traces() ? cotree_trace_hooks.lock_memory(flags)
                                  : COTREE_CALL(SYS_mlockall, flags, 0, 0, 0, 0, 0);
    if (result == 0)
        return 0;
    errno = (int)-result;
    return -1;
}
