/*
 * Waiting for other threads and processes: the time, sleeping until a word changes, and what a
 * thread does.
 */
#ifndef COTREE_RUNTIME_DEATH_WAITING_H
#define COTREE_RUNTIME_DEATH_WAITING_H

#include <time.h>
#include "runtime/runtime.h"

#define MILLISECOND 1000000L

struct cotree_time {
    long seconds, nanoseconds;
};

/* Nanoseconds of the monotonic clock. */
static inline long cotree_now(void)
{
    struct cotree_time time = {0, 0};
    (void)COTREE_CALL(SYS_clock_gettime, CLOCK_MONOTONIC, &time, 0, 0, 0, 0);
    return time.seconds * 1000 * MILLISECOND + time.nanoseconds;
}

/* Sleeps until cotree_wake(WORD), unless the word is not SEEN any more. Works between processes,
 * too. */
static inline void cotree_sleep_on(uint32_t *word, uint32_t seen, long nanoseconds)
{
    struct cotree_time limit = {nanoseconds / (1000 * MILLISECOND), nanoseconds % (1000 * MILLISECOND)};
    (void)COTREE_CALL(SYS_futex, word, 0 /* FUTEX_WAIT */, seen, &limit, 0, 0);
}

static inline void cotree_wake(uint32_t *word)
{
    (void)COTREE_CALL(SYS_futex, word, 1 /* FUTEX_WAKE */, INT32_MAX, 0, 0, 0);
}

/* The letter that proc(5) has for what a thread does, or 0: not known. PROCESS 0: its own. */
char cotree_thread_state(uint32_t process, uint32_t thread);

#endif
