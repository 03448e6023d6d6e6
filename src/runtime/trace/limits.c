/*
 * Programs that limit their address space (RLIMIT_AS) do not mean the events file, 15 TiB of it,
 * which would leave them nothing. So the kernel is told a limit that is larger by what the trace
 * has mapped, and the program, when it asks, what it has set. Before it executes another program
 * the limit is what it has set; the highest that it may set stays larger, since it could not be
 * raised again if that fails. What is started without exec of this process's own (posix_spawn,
 * system) has the larger one.
 *
 * A limit that was there before the trace began is the kernel's alone: the file is small then
 * (trace/file.c). watched_limits.c has the functions that programs call.
 */
#include <errno.h>
#include <sys/resource.h>
#include <sys/types.h>
#include "runtime/trace/trace.h"

static long ask(struct rlimit64 *now)
{
    return COTREE_CALL(SYS_prlimit64, 0, RLIMIT_AS, 0, now, 0, 0);
}

#ifdef COTREE_RUNTIME_SHARED

uint64_t cotree_trace_address_limit(void)
{
    struct rlimit64 now;
    return ask(&now) == 0 ? now.rlim_cur : RLIM64_INFINITY;
}

void cotree_trace_limit_leaves(bool leaves)
{
    (void)leaves;
}

long cotree_trace_limit(int pid, unsigned resource, const struct rlimit64 *new, struct rlimit64 *old)
{
    return COTREE_CALL(SYS_prlimit64, pid, resource, new, old, 0, 0);
}

#else

/* What the program has set, and what the kernel was told instead. */
static struct {
    struct rlimit64 said, told;
    bool are_set;
} limits;

static long tell(const struct rlimit64 *new)
{
    return COTREE_CALL(SYS_prlimit64, 0, RLIMIT_AS, new, 0, 0, 0);
}

static bool are_equal(const struct rlimit64 *a, const struct rlimit64 *b)
{
    return a->rlim_cur == b->rlim_cur && a->rlim_max == b->rlim_max;
}

/* Somebody else may have changed it since. */
static bool is_as_told(const struct rlimit64 *now)
{
    return limits.are_set && are_equal(now, &limits.told);
}

/* As the program knows it. */
static long look(struct rlimit64 *now)
{
    long result = ask(now);
    if (result == 0 && is_as_told(now))
        *now = limits.said;
    return result;
}

uint64_t cotree_trace_address_limit(void)
{
    struct rlimit64 now;
    return look(&now) == 0 ? now.rlim_cur : UINT64_MAX;
}

static uint64_t larger(uint64_t limit, uint64_t by, uint64_t most)
{
    return limit == RLIM64_INFINITY || limit > most ? limit
           : limit > most - by || by > most         ? most
                                                    : limit + by;
}

/* Whether the highest may be raised is the kernel's to say: it is told so where the program wants
 * to. */
static long set(const struct rlimit64 *new)
{
    struct rlimit64 before, told;
    uint64_t mapped = cotree_trace_mapped();
    long result = ask(&before);
    if (result != 0)
        return result;
    if (new->rlim_cur > new->rlim_max)
        return -EINVAL;
    uint64_t highest = is_as_told(&before) ? limits.said.rlim_max : before.rlim_max;
    told.rlim_max =
        larger(new->rlim_max, mapped, new->rlim_max <= highest ? before.rlim_max : RLIM64_INFINITY - 1);
    told.rlim_cur = larger(new->rlim_cur, mapped, told.rlim_max);
    result = tell(&told);
    if (result == 0) {
        limits.said = *new;
        limits.told = told;
        limits.are_set = true;
    }
    return result;
}

/* Is it the address space of this process? A child of vfork shares its parent's memory, not its
 * limits. */
static bool is_ours(int pid, unsigned resource)
{
    uint32_t self = cotree_getpid();
    return resource == RLIMIT_AS && self == cotree_process.pid && (pid == 0 || (uint32_t)pid == self);
}

long cotree_trace_limit(int pid, unsigned resource, const struct rlimit64 *new, struct rlimit64 *old)
{
    struct rlimit64 before;
    if (!is_ours(pid, resource) || cotree_trace_mapped() == 0)
        return COTREE_CALL(SYS_prlimit64, pid, resource, new, old, 0, 0);
    long result = look(&before);
    if (result == 0 && new != NULL)
        result = set(new);
    if (result == 0 && old != NULL)
        *old = before;
    return result;
}

void cotree_trace_limit_leaves(bool leaves)
{
    struct rlimit64 now;
    if (!limits.are_set || cotree_in_sandbox() || ask(&now) != 0 || now.rlim_max != limits.told.rlim_max)
        return;
    if (leaves && now.rlim_cur == limits.told.rlim_cur)
        now.rlim_cur = limits.said.rlim_cur;
    else if (!leaves && now.rlim_cur == limits.said.rlim_cur)
        now.rlim_cur = limits.told.rlim_cur;
    else
        return;
    (void)tell(&now);
}

#endif
