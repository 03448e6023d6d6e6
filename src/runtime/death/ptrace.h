/*
 * Threads that are stopped from outside, by a process that has them under ptrace (death/ptrace.c):
 * a core file shows them where they stood.
 */
#ifndef COTREE_RUNTIME_DEATH_PTRACE_H
#define COTREE_RUNTIME_DEATH_PTRACE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/user.h>

struct cotree_ptrace_thread {
    uint32_t tid;
    uint8_t state;  /* enum cotree_ptrace_state */
    uint8_t signal; /* it was about to take this one, or 0 */
    uint8_t resume; /* set by the dying thread: let it run, and stop it once more, a little later */
    uint64_t blocked;
    struct user_regs_struct registers;
};
enum cotree_ptrace_state {
    COTREE_PTRACE_RUNS, /* on the way to its stop */
    COTREE_PTRACE_STOPPED,
    COTREE_PTRACE_GONE,
};

/* Memory that both processes have. */
struct cotree_ptrace {
    /* Atomic, a futex: times that threads were to be stopped, or that it is to end
     * (death/ptrace.c). */
    uint32_t order;
    uint32_t report;       /* atomic, a futex: times that this was done, or that it cannot be */
    uint32_t process, tid; /* that die */
    uint32_t ptracer;      /* its process id */
    uint32_t number, capacity;
    struct cotree_ptrace_thread threads[];
};

/* Makes a ptracer for about THREADS threads of this process, or NULL. All signals are blocked. */
struct cotree_ptrace *cotree_ptrace_new(unsigned threads);
/* All threads but the calling one are stopped, as far as LIMIT (nanoseconds, of the monotonic
 * clock) allows; those to be resumed ran meanwhile. False: the ptracer cannot do it, and has let
 * all go. */
bool cotree_ptrace_stop(struct cotree_ptrace *ptrace, long limit);
/* The process dies now; then its threads may be let go. Those to be resumed run on. False: the
 * ptracer is gone, and it is unknown since when the others run. */
bool cotree_ptrace_dies(struct cotree_ptrace *ptrace);
/* Instead: no thread is under ptrace, all others are parked. */
void cotree_ptrace_leave(struct cotree_ptrace *ptrace);

#endif
