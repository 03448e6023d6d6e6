/*
 * Turns functions of a built program off and on (-fcotree-crash=tunable): a function that is off begins
 * with a jump to its plain body. The file stays what it is otherwise, its build id included.
 *
 *     struct tuning t;
 *     if (!tuning_open(&t, path, &error))
 *         ...
 *     tuning_set(&t, "hash_*", false);
 *     if (!tuning_write(&t, output))
 *         ...
 *     tuning_release(&t);
 *
 * Invariant: a file whose code is not what its records say is refused, not changed.
 */
#ifndef COTREE_WEAVE_TUNE_TUNE_H
#define COTREE_WEAVE_TUNE_TUNE_H

#include "decode/elf/image.h"
#include "decode/elf/map.h"
#include "format/slots/tunable.h"

#include <stdio.h>

struct tuning {
    struct elf_image image;
    struct elf_module module; /* which has the names */
    struct place_index places;
    struct tunables functions;
    uint8_t *records, *scheme; /* in the image */
};

bool tuning_open(struct tuning *t, const char *path, struct error *error);
void tuning_release(struct tuning *t);
/* The linkage name of a function; NULL: the map does not have it. */
const char *tuning_name(const struct tuning *t, const struct tunable *function);
/* Turns functions on or off whose linkage name, or name in the source, matches; how many match. */
size_t tuning_set(struct tuning *t, const char *glob, bool on);
/* The same for the functions with this key. */
size_t tuning_set_key(struct tuning *t, uint64_t key, bool on);
/* Changes the image and writes it. False: errno says why it cannot be written. */
bool tuning_write(struct tuning *t, FILE *out);

#endif
