/* Which program data belongs to: the one that was named, or another variant of it (cotree weave). */
#ifndef COTREE_CLI_VARIANTS_H
#define COTREE_CLI_VARIANTS_H

#include "cli/input.h"

/*
 * The path of the variant of in->program that the data is of, newly allocated; NULL if the data is of the
 * program itself, of several builds, or of none that is found. Looked for beside the program and in
 * debug_paths (files or directories, NULL-terminated, or NULL), by its build id. Other programs are not
 * taken, whatever data of theirs is named: a variant has the same origin.
 */
char *variant_of_data(const struct input_words *in, const char *const *debug_paths);

#endif
