/*
 * What ran for certain, where activations were stopped at unknown places: after kill -9, and while
 * a process still runs. Solving is then wrong by what each of them has not done yet, in either
 * direction. But a counter counts what happened, and what lies on every way to its place happened
 * before.
 */
#ifndef COTREE_DECODE_PROFILE_LEAST_H
#define COTREE_DECODE_PROFILE_LEAST_H

#include "decode/model/module.h"

/* A file that was judged, and what may be concluded from its counters. */
struct least_file {
    struct decode_module *const *modules;
    size_t module_count;
    /* If counts of an activation are in the file, all of its counts are, or its resumption is
     * recorded. Otherwise a counter tells of its own block alone. */
    bool whole;
    /* It is of a child of fork, which began in activations that its parent had made. */
    bool forked;
    /* Calls that returned once more were recorded: setjmp, vfork, fork. */
    bool returns;
    /* No function is exact, not only those with a file.error. */
    bool all;
    /* How many frames may have been stopped elsewhere than in a call, or MAX_ERROR_UNKNOWN. */
    int64_t interrupted;
    struct solver_room *room;
    const char *const *debug_paths;
};
/* Sets file.certain of every function that is not exact: by how much the solved counts exceed what
 * is certain. Asked when the file was judged, before its counts join the totals. */
void least_add_file(const struct least_file *file);
/* By vertex: may it have run though its count is 0? Of the file being read; to be written to. */
bool *may_have_run(struct decode_function *f);
/* The same as least_add_file for counts that a merged file brought. */
void least_add_merged(struct decode_function *f, const struct profile_function *from);

/* Sets `least` of a function whose counts are solved and not clamped yet. */
void least_finish(const struct decode_function *from, struct profile_function *f);

#endif
