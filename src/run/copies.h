/*
 * Copies of one run, each of which counts a part of it (plan/parts/slices.h), on this machine.
 *
 * Copies have to do the same, so they get the same: arguments, environment (but for a number of
 * fixed width in COTREE_PART and COTREE_FILE), standard input, descriptors, and addresses that do
 * not vary. What copies other than the first print is thrown away.
 */
#ifndef COTREE_RUN_COPIES_H
#define COTREE_RUN_COPIES_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"

#include <stdint.h>

struct copies_run {
    char **command; /* ends with NULL */
    uint32_t copies;
    uint32_t at_once; /* so many run at the same time */
    char *directory;  /* for the copies' data */
    int status;       /* of the first copy, as a shell says it */
    char **files;     /* the result: the data of each copy */
};

/* Runs them to their end. False, with the reason, if a copy could not be run, left no data or too
 * much, or ended otherwise than the first. */
bool copies_run(struct copies_run *r, struct error *error);
/* Removes the data of the copies. */
void copies_run_release(struct copies_run *r);

#endif
