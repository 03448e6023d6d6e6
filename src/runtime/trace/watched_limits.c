/*
 * Functions that ask for limits or set them, for traces (trace/limits.c). In programs that are not
 * traced they are the system call, as the C library's are; watched_catch.c says why such a program
 * may have them. A program that has functions of these names keeps its own.
 */
#include <errno.h>
#include <sys/resource.h>
#include <sys/types.h>
#include "runtime/trace/trace.h"

const char cotree_trace_watches_limits;

static long limit(int pid, unsigned resource, const struct rlimit64 *new, struct rlimit64 *old)
{
    return cotree_traces() ? cotree_trace_hooks.limit(pid, resource, new, old)
                           : COTREE_CALL(SYS_prlimit64, pid, resource, new, old, 0, 0);
}

static int answer(long result)
{
    if (result == 0)
        return 0;
    errno = (int)-result;
    return -1;
}

#define SHOWN __attribute__((weak, visibility("default")))

SHOWN int setrlimit64(__rlimit_resource_t resource, const struct rlimit64 *new)
{
    return answer(limit(0, resource, new, NULL));
}

SHOWN int getrlimit64(__rlimit_resource_t resource, struct rlimit64 *old)
{
    return answer(limit(0, resource, NULL, old));
}

SHOWN int prlimit64(__pid_t pid, enum __rlimit_resource resource, const struct rlimit64 *new,
                    struct rlimit64 *old)
{
    return answer(limit(pid, resource, new, old));
}

/* Here both structures are the same. */
SHOWN int setrlimit(__rlimit_resource_t resource, const struct rlimit *new)
{
    return setrlimit64(resource, (const struct rlimit64 *)(const void *)new);
}

SHOWN int getrlimit(__rlimit_resource_t resource, struct rlimit *old)
{
    return getrlimit64(resource, (struct rlimit64 *)(void *)old);
}

SHOWN int prlimit(__pid_t pid, enum __rlimit_resource resource, const struct rlimit *new, struct rlimit *old)
{
    return prlimit64(pid, resource, (const struct rlimit64 *)(const void *)new,
                     (struct rlimit64 *)(void *)old);
}
