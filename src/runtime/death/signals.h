/*
 * Signals as the kernel sees them.
 */
#ifndef COTREE_RUNTIME_DEATH_SIGNALS_H
#define COTREE_RUNTIME_DEATH_SIGNALS_H

#include <signal.h>
#include <stdint.h>
#include "runtime/runtime.h"

#define SIGNALS 64u              /* they are numbered from 1 */
#define RESTORER_FLAG 0x04000000 /* SA_RESTORER */
#define EVERY_SIGNAL (~UINT64_C(0))
#define SIGNAL_BIT(number) (UINT64_C(1) << ((number) - 1))

/* The argument of rt_sigaction. */
struct kernel_action {
    void (*handler)(int);
    uint64_t flags;
    void (*restorer)(void);
    uint64_t mask;
};

static inline long cotree_signal_action(int number, const struct kernel_action *action,
                                        struct kernel_action *old)
{
    return COTREE_CALL(SYS_rt_sigaction, number, action, old, 8, 0, 0);
}

#endif
