/*
 * Program + data files -> profile. Streams: memory follows the program, not the number of files; the result
 * does not depend on the order of the files.
 */
#ifndef COTREE_DECODE_DECODE_H
#define COTREE_DECODE_DECODE_H

#include "format/profile.h"

struct decode_options {
    bool every_set; /* keep all counter sets apart: for each function also solve each further set and compare
                       (the oracle) */
    bool no_progress;
    const char *const *debug_paths; /* where else maps may be found: unstripped copies, separate debug files;
                                       NULL-terminated or NULL */
    /* Called once for each input that is skipped, with the reason. */
    void (*skipped)(void *context, const char *file, const char *reason);
    void *context;
};

struct decode_totals {
    uint64_t used, skipped; /* data files */
};

/*
 * inputs: data files, merged files, or directories (searched for *.cotree). program may be NULL when all
 * inputs are merged files. False when nothing was usable or the program cannot be read; then error says why.
 */
bool decode(struct profile *profile, const char *program, const char *const *inputs, size_t input_count,
            const struct decode_options *options, struct decode_totals *totals, struct error *error);

#endif
