/* Is a run file's profile exact, and if not, why? decode/judge.c has the rules and why they are sound. */
#ifndef COTREE_DECODE_JUDGE_H
#define COTREE_DECODE_JUDGE_H

#include "decode/module.h"
#include "format/data.h"

struct judge_file {
    const struct data_file *data;
    struct decode_module **modules; /* those of the file that are known */
    size_t module_count;
    struct decode_function **touched; /* functions with an array in the file; their counters are in ->file */
    size_t touched_count;
    uint64_t late_threads; /* they counted after their process had ended clean */
    struct solver_room *room;
};

/*
 * Adds the file's causes and runs to verdict (of which only those are used). *main_error is the proven bound
 * for main's counts: the activations that did not end, or MAX_ERROR_UNKNOWN. False, with the reason, when
 * counts that should be exact cannot be true.
 */
bool judge(const struct judge_file *file, struct profile *verdict, int64_t *main_error, struct error *error);

#endif
