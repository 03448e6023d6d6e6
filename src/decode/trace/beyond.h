/*
 * What a program that died of a signal may have done after its last event: it may have passed
 * blocks that need no event. Nothing in the trace says whether they ran.
 */
#ifndef COTREE_DECODE_TRACE_BEYOND_H
#define COTREE_DECODE_TRACE_BEYOND_H

#include "decode/trace/program.h"

/* Calls `doubt` for each function of which a part may have run, with how often any part of it may
 * have at most, or MAX_ERROR_UNKNOWN. runs: the thread was not stopped. */
void trace_beyond(const struct trace_program *program, const struct replay *replay, bool runs,
                  void (*doubt)(void *context, uint32_t function, int64_t most), void *context);

/* The same for functions of which it is not known how many rounds of a loop they did, as part of
 * trace_beyond or alone. */
void trace_doubt_rounds(const struct replay *replay,
                        void (*doubt)(void *context, uint32_t function, int64_t most), void *context);

#endif
