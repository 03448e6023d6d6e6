#include "runtime/frames/small_stacks.h"

#ifndef COTREE_RUNTIME_SHARED

#include "runtime/arch/arch.h"
#include "runtime/runtime.h"
#include "runtime/system_calls.h"

#define ENOUGH 16384u

extern __thread char *cotree_signal_stack __attribute__((tls_model("local-exec"), visibility("hidden")));

__thread struct cotree_own_stack cotree_own_stack
    __attribute__((tls_model("local-exec"), visibility("hidden")));

void cotree_with_room(void (*function)(void *), void *argument)
{
    uint64_t left = (uint64_t)(uintptr_t)__builtin_frame_address(0) - cotree_own_stack.low;
    if (left >= cotree_own_stack.size || left >= ENOUGH || cotree_signal_stack == NULL) {
        function(argument);
        return;
    }
    uint64_t mask = cotree_signals_block();
    cotree_call_on(cotree_signal_stack + COTREE_SIGNAL_STACK_SIZE, function, argument);
    cotree_signals_restore(mask);
}

#endif
