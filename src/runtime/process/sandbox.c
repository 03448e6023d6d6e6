/*
 * Programs that lock themselves in: from then on a system call they did not foresee may kill them,
 * be it the runtime's. Counting makes none. Recording how a process dies of a signal, and stopping
 * its other threads, does: neither is done in a sandbox, and slots that stay USED say that frames
 * are not known.
 *
 * A program enters a sandbox by prctl() or by syscall() (raw_calls.c).
 */
#include <linux/prctl.h>
#include "runtime/death/death.h"
#include "runtime/interpose.h"
#include "runtime/process/process.h"

#ifndef COTREE_RUNTIME_SHARED

INTERPOSED(int, prctl, (int, unsigned long, unsigned long, unsigned long, unsigned long))

/* Called before the call that enters: afterwards it may be too late to change the action of a
 * signal. Returns whether the process is in a sandbox already. */
bool cotree_sandbox_begins(void)
{
    bool before = cotree_in_sandbox();
    cotree_signals_retire();
    __atomic_store_n(&cotree_locked_in, true, __ATOMIC_RELEASE);
    return before;
}

/* The call that should have entered it failed. */
void cotree_sandbox_failed(bool before)
{
    if (before)
        return;
    __atomic_store_n(&cotree_locked_in, false, __ATOMIC_RELEASE);
    cotree_signals_return();
}

int INTERPOSE(prctl)(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)
{
    if (option != PR_SET_SECCOMP)
        return REAL(prctl)(option, a, b, c, d);
    bool before = cotree_sandbox_begins();
    int result = REAL(prctl)(option, a, b, c, d);
    if (result < 0)
        cotree_sandbox_failed(before);
    return result;
}

void cotree_sandbox_start(void)
{
    RESOLVE(prctl);
}

#endif
