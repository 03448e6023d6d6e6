/*
 * The follower: a process that packs the trace while the program runs.
 */
#include "runtime/trace.h"

void cotree_trace_follow(void) {}
