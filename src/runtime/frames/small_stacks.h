/*
 * Handlers of the program run on alternate stacks that may be as small as the kernel allows, and the runtime
 * needs some KB where frames are left. What it does there it does on the thread's stack for signals
 * (death/signal_stacks.c), which is free while the program has an alternate stack of its own.
 */
#ifndef COTREE_RUNTIME_FRAMES_SMALL_STACKS_H
#define COTREE_RUNTIME_FRAMES_SMALL_STACKS_H

#include <stdint.h>

#ifdef COTREE_RUNTIME_SHARED

static inline void cotree_with_room(void (*function)(void *), void *argument)
{
    function(argument);
}

#else

/* The alternate stack that the program gave the calling thread; size 0: none. */
struct cotree_own_stack {
    uint64_t low, size;
};
extern __thread struct cotree_own_stack cotree_own_stack
    __attribute__((tls_model("local-exec"), visibility("hidden")));

/* Calls function(argument): where the program's alternate stack has little left on the thread's stack for
 * signals, with all signals blocked, so that no handler comes there. */
void cotree_with_room(void (*function)(void *), void *argument);

#endif
#endif
