/*
 * Traced code written by hand, as the compiler would (format/trace/layout.h), for tests of the runtime alone.
 *
 *   EVENT(byte)              a witness
 *   UNKNOWN(call)            a call of code that is not known
 *   ENTERS(id)               first in a function: what its thunk does
 *   LANDS(id, block, call, entry)
 */
#ifndef TRACED_H
#define TRACED_H
#include <stdint.h>
#include "format/trace/layout.h"

extern char cotree_runtime_is_missing_so_link_with_cotree_cc __attribute__((visibility("hidden")));
__attribute__((used)) static char *traced_needs_the_runtime =
    &cotree_runtime_is_missing_so_link_with_cotree_cc;

extern char cotree_traces_are_missing_so_link_with_cotree_cc __attribute__((visibility("hidden")));
__attribute__((used)) static char *traced_needs_the_traces =
    &cotree_traces_are_missing_so_link_with_cotree_cc;

extern __thread struct cotree_trace_thread cotree_trace_thread __attribute__((tls_model("initial-exec")));
void cotree_trace_begin(void);
void cotree_trace_land(uint64_t function, uint32_t block, uint32_t call, uint8_t *entry);

#define EVENT(byte) (*(volatile uint8_t *)cotree_trace_thread.events++ = (byte))
#define UNKNOWN(call)                                                                                        \
    do {                                                                                                     \
        cotree_trace_thread.calls++;                                                                         \
        call;                                                                                                \
        cotree_trace_thread.calls++;                                                                         \
    } while (0)
#define ENTERS(id)                                                                                           \
    do {                                                                                                     \
        if (cotree_trace_thread.side >= cotree_trace_thread.side_limit ||                                    \
            cotree_trace_thread.events >= cotree_trace_thread.events_limit)                                  \
            cotree_trace_begin();                                                                            \
        volatile struct trace_record *traced_record = cotree_trace_thread.side;                              \
        traced_record->calls = cotree_trace_thread.calls;                                                    \
        traced_record->what = (id);                                                                          \
        cotree_trace_thread.side++;                                                                          \
    } while (0)
#define LANDS(id, block, call, entry) cotree_trace_land(id, block, call, entry)
#define HERE() (cotree_trace_thread.events)

#endif
