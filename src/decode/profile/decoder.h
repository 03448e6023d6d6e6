/* The state of one decoding, shared by decode.c (the road), run_file.c, merged_file.c and
 * finish.c. */
#ifndef COTREE_DECODE_PROFILE_DECODER_H
#define COTREE_DECODE_PROFILE_DECODER_H

#include "base/progress.h"
#include "decode/model/module.h"

struct decoder {
    const struct decode_options *options;
    struct decode_totals *totals;
    /* As given, or NULL. */
    const char *program;
    /* The file that is being read. */
    const char *path;
    /* The build whose data is wanted; NULL until the first merged file when there is no program. */
    char *build_id;
    /* modules.items[0] is the program, if there is one. */
    struct decoder_modules ARRAY_OF(struct decode_module *) modules;
    /* Runs, causes; and from merged files program and mode. */
    struct profile sums;
    struct solver_room room;
    /* How far reading is, or NULL. */
    struct progress *progress;
    /* No program was named, and the merged files are of several builds. */
    bool undecided;
    /* Some run had a trace. */
    bool traced;
    /* The proven bound for main so far, or MAX_ERROR_UNKNOWN. */
    int64_t main_error;
};

/* The module with this identity; NULL if there is none yet. */
struct decode_module *decoder_find_module(const struct decoder *d, const char *build_id, const char *path);

/* Each takes fd. False, with the reason, when the file is not used; then nothing of it was
 * added. */
bool decoder_add_run_file(struct decoder *d, int fd, struct error *error);
bool decoder_add_merged_file(struct decoder *d, int fd, uint64_t size, struct error *error);

/* Solves the sums into a profile. */
void decoder_finish(struct decoder *d, struct profile *profile);

#endif
