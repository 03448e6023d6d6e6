/*
 * Program + data files -> profile. Streams: memory follows the program, not the number of files; the result
 * does not depend on the order of the files.
 */
#ifndef COTREE_DECODE_DECODE_H
#define COTREE_DECODE_DECODE_H

#include "format/profile/profile.h"
#include "plan/path_graph.h"

/* A count that two counter sets of one function do not agree on. */
struct decode_difference {
    const struct map_function *function;
    enum placement first, other; /* the set that is the profile, and the one it is compared with */
    bool traced;                 /* it is compared with what its trace says, not with a set */
    bool is_edge;                /* id is an edge; otherwise a block, or EXIT for the number of entries */
    bool is_path;                /* or a path */
    uint32_t id;
    int64_t first_count, other_count;
    bool declared; /* the function is not called exact, and the difference is within its max_error */
};

struct decode_options {
    bool
        every_set; /* report every difference between counter sets (the oracle), not only that there is one */
    bool no_progress;
    enum path_ends path_ends; /* count the paths of traced programs, too: what ends them; 0: do not */
    bool keep_negative;       /* do not clamp counts of inexact functions: for merged files (profile_clamp) */
    const char *const *debug_paths; /* where else maps may be found: unstripped copies, separate debug files;
                                       NULL-terminated or NULL */
    /* Called once for each input that is skipped, with the reason. */
    void (*skipped)(void *context, const char *file, const char *reason);
    /* Called for each difference when every_set. */
    void (*difference)(void *context, const struct decode_difference *difference);
    void *context;
};

struct decode_totals {
    uint64_t used, skipped; /* data files */
    bool nothing_there;     /* it failed, since no file was found under any of the names */
    uint64_t differences,
        undeclared;          /* between counter sets; without every_set at most one a function and set */
    enum exit_status status; /* what a command should end with: OK, SKIPPED, UNUSABLE or CANNOT */
};

/*
 * inputs: data files, merged files, or directories (searched for run files *.cotree, at any depth; merged
 * files must be named). A file that is named twice counts once. program may be NULL when all inputs are
 * merged files. False when nothing was usable or the program cannot be read; then error says why.
 */
bool decode(struct profile *profile, const char *program, const char *const *inputs, size_t input_count,
            const struct decode_options *options, struct decode_totals *totals, struct error *error);

#endif
