/*
 * How many activations of a function are unfinished, when the runtime did not record where they
 * stood: what functions compiled with -fcotree-durable count for that, and the bound on their error
 * that follows.
 */
#ifndef COTREE_DECODE_FRAMES_UNFINISHED_H
#define COTREE_DECODE_FRAMES_UNFINISHED_H

#include "decode/model/module.h"

/* Is it known how many activations of the function stand in a call? Asked after
 * call_cycles_find. */
bool unfinished_are_counted(const struct decode_function *f);
/* May an activation of it be resumed: after setjmp, vfork, fork? */
bool unfinished_may_resume(const struct decode_function *f);
/* Activations that stand in a call, as counted in the file being read, less those that the runtime
 * recorded; 0 for functions that do not count them. */
int64_t unfinished_count(const struct decode_function *f);
/*
 * The largest error of a count in the file being read, or MAX_ERROR_UNKNOWN if the counters
 * contradict that. interrupted: how many frames, of any function, may have been interrupted
 * elsewhere than in a call.
 */
int64_t unfinished_error(const struct decode_function *f, int64_t interrupted);

#endif
