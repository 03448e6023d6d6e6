/*
 * The names by which the code of a traced library calls its runtime, which lead to the functions of
 * the module whose storage it writes to. Jumps, since the functions look at their caller's frame. Not
 * in the file that has the table: the compiler would take the library's own.
 */
#include "runtime/trace/trace.h"

#ifdef COTREE_RUNTIME_SHARED

#define LED_ON __attribute__((visibility("default"), preserve_most))

LED_ON void cotree_trace_begin(void);
LED_ON void cotree_trace_begin_addresses(void);
LED_ON uint8_t *cotree_trace_rounds(uint8_t *events, uint64_t round, uint64_t number);
LED_ON void cotree_trace_land(uint64_t function, uint32_t block, uint32_t call, uint8_t *entry);
LED_ON void cotree_trace_room(struct cotree_trace_thread *at);

LED_ON void cotree_trace_begin(void)
{
    __attribute__((musttail)) return cotree_trace_functions.begin();
}

LED_ON void cotree_trace_begin_addresses(void)
{
    __attribute__((musttail)) return cotree_trace_functions.begin_addresses();
}

LED_ON uint8_t *cotree_trace_rounds(uint8_t *events, uint64_t round, uint64_t number)
{
    __attribute__((musttail)) return cotree_trace_functions.rounds(events, round, number);
}

LED_ON void cotree_trace_land(uint64_t function, uint32_t block, uint32_t call, uint8_t *entry)
{
    __attribute__((musttail)) return cotree_trace_functions.land(function, block, call, entry);
}

LED_ON void cotree_trace_room(struct cotree_trace_thread *at)
{
    __attribute__((musttail)) return cotree_trace_functions.room(at);
}

#endif
