/*
 * The threads that blocks belong to: are they alive?
 */
#include <errno.h>
#include <pthread.h>
#include <time.h>
#include "runtime/file/file.h"
#include "runtime/interpose.h"

#ifndef COTREE_RUNTIME_SHARED
BORROWED(pthread_getcpuclockid)

void cotree_owners_start(void)
{
    (void)BORROW(pthread_getcpuclockid);
}

/* The public way to read the thread id of a control block that still exists: its clock is made of
 * it. There is none before the thread starts and after it ended. */
uint32_t cotree_thread_id(const void *thread)
{
    clockid_t clock;
    return BORROW(pthread_getcpuclockid)((pthread_t)thread, &clock) == 0 ? (uint32_t)~(clock >> 3) : 0;
}
#endif

/* Is the thread of this mapping alive? Asked for threads of this process only. */
bool cotree_thread_alive(const struct cotree_mapping *mapping)
{
    uint32_t tid = mapping->tid;
#ifndef COTREE_RUNTIME_SHARED
    if (mapping->thread != NULL)
        return mapping->thread == __builtin_thread_pointer() || cotree_thread_id(mapping->thread) != 0;
#endif
    return COTREE_CALL(SYS_tgkill, cotree_process.pid, tid, 0, 0, 0, 0) != -ESRCH;
}

/*
 * A thread that was joined can be found for a moment longer, until the kernel has taken it away: it
 * runs nothing of the program any more. Asked only at the end, where one thread too many would cost
 * exactness.
 */
bool cotree_thread_leaving(const struct cotree_mapping *mapping)
{
    enum { FLAGS_FIELD = 9, EXITING = 4 }; /* proc(5), PF_EXITING */
    char path[64];
    if (mapping->thread != NULL)
        return false;
    size_t at = cotree_append(path, sizeof path, 0, "/proc/self/task/");
    at = cotree_append_number(path, sizeof path, at, mapping->tid);
    cotree_append(path, sizeof path, at, "/stat");
    /* If there is nothing to read, it may have gone just now. */
    return (cotree_stat_field(path, FLAGS_FIELD) & EXITING) != 0 || !cotree_thread_alive(mapping);
}
