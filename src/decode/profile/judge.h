/* Is a run file's profile exact, and if not, why? decode/profile/judge.c has the rules, and why
 * they are sound. */
#ifndef COTREE_DECODE_PROFILE_JUDGE_H
#define COTREE_DECODE_PROFILE_JUDGE_H

#include "decode/model/module.h"
#include "format/data/data.h"

struct judge_file {
    const struct data_file *data;
    /* Those modules of the file that are known. */
    struct decode_module **modules;
    size_t module_count;
    /* Modules by their numbers in the file. */
    struct decode_module *const *module_of;
    const char *const *debug_paths;
    /* Functions with counters in the file; these are in file.counters of each. */
    struct decode_function **touched;
    size_t touched_count;
    /* Threads that counted after their process had ended clean. */
    uint64_t late_threads;
    struct solver_room *room;
    void *context;
    /* Called for functions whose counts may be wrong by `error` in this file. */
    void (*doubt)(void *context, struct decode_function *f, int64_t error);
};

struct judgement {
    /* A cause touches all functions of the file, by an unknown amount. */
    bool unbounded;
    /* If so: the proven bound for main, or MAX_ERROR_UNKNOWN. */
    int64_t main_error;
};

/* How many frames were recorded where a signal had interrupted them. */
int64_t judge_interrupted(const struct data_file *d);

/*
 * Adds the file's causes and runs to verdict (of which only those are used; it may hold some
 * before). False, with the reason, when counts that should be exact cannot be true.
 */
bool judge(const struct judge_file *file, struct profile *verdict, struct judgement *judgement,
           struct error *error);

#endif
