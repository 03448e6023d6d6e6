/*
 * What ran for certain, where activations were stopped and nobody knows where: after kill -9, and while a
 * process still runs. Solving is then wrong by what each of them has not done yet, in either direction; but a
 * counter counts what happened, and what lies on every way there happened before.
 */
#ifndef COTREE_DECODE_PROFILE_LEAST_H
#define COTREE_DECODE_PROFILE_LEAST_H

#include "decode/model/module.h"

/* What may be concluded from the counters of a file. */
struct least_file {
    struct decode_module *const *modules;
    size_t module_count;
    bool whole; /* an activation whose counts are there has all of them there, or its resumption is recorded;
                   otherwise a counter tells of its own block alone */
    bool returns;        /* calls that returned once more were recorded: setjmp, vfork, fork */
    bool all;            /* no function is exact, not only those with a file_error */
    int64_t interrupted; /* how many frames may have been stopped elsewhere than in a call, or
                            MAX_ERROR_UNKNOWN */
    struct solver_room *room;
    const char *const *debug_paths;
};
/* Asked when the file is judged and its counters are still in ->file: adds to `slack` of every function that
 * is not exact by how much the solved counts exceed what is certain. */
void least_add_file(const struct least_file *file);
/* The same of counts that a merged file brought. */
void least_add_merged(struct decode_function *f, const struct profile_function *from);

/* Sets `least` of a function whose counts are solved and not clamped yet. */
void least_finish(const struct decode_function *from, struct profile_function *f);

#endif
