/*
 * One lock for the slow path (R2). It is held with all signals blocked, so a handler never finds it
 * taken by the thread it interrupted. Its value is the holder's pid: a process made by a raw fork
 * system call while another thread held it sees a foreign pid and takes it over.
 */
#include "runtime/runtime.h"

static uint32_t lock_word;

uint64_t cotree_lock(void)
{
    uint64_t mask = cotree_signals_block();
    uint32_t pid = cotree_getpid();
    for (unsigned attempt = 0;; attempt++) {
        uint32_t seen = 0;
        if (__atomic_compare_exchange_n(&lock_word, &seen, pid, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            return mask;
        /* The memory is shared by threads, which have the same pid, and by a vfork child, which
         * does not run while its parent does. */
        if (seen != pid &&
            __atomic_compare_exchange_n(&lock_word, &seen, pid, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            return mask;
        if (attempt < 50) {
            (void)COTREE_CALL(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
        } else { /* the holder may have a lower priority than this thread */
            struct {
                long seconds, nanoseconds;
            } pause = {0, 50000};
            (void)COTREE_CALL(SYS_nanosleep, &pause, 0, 0, 0, 0, 0);
        }
    }
}

void cotree_unlock(uint64_t mask)
{
    __atomic_store_n(&lock_word, 0, __ATOMIC_RELEASE);
    cotree_signals_restore(mask);
}

/* Does a thread of this process hold the lock? It may have given it back since. */
bool cotree_lock_is_taken(void)
{
    return __atomic_load_n(&lock_word, __ATOMIC_ACQUIRE) == cotree_getpid();
}

/* The C library knows whether there is one thread, from 2.32 on. */
extern char __libc_single_threaded __attribute__((weak));

bool cotree_alone(void)
{
    return &__libc_single_threaded != NULL && __libc_single_threaded != 0;
}

/* The thread that forks; guarded by the lock, which it holds meanwhile. Not thread-local: a library
 * that is loaded late has little room for that. */
static uint32_t forking_thread;

void cotree_fork_has_lock(bool has)
{
    __atomic_store_n(&forking_thread, has ? cotree_gettid() : 0, __ATOMIC_RELAXED);
}

uint32_t cotree_forking_thread(void)
{
    return __atomic_load_n(&forking_thread, __ATOMIC_RELAXED);
}

/* A fork handler of the program or of a library may run between the runtime's. */
bool cotree_forks_now(void)
{
    return cotree_forking_thread() == cotree_gettid();
}
