/* The words PROG DATA..., or MERGED..., turned into a profile. */
#ifndef COTREE_CLI_INPUT_H
#define COTREE_CLI_INPUT_H

#include "base/error.h"
#include "format/profile.h"

/* Whether the file begins as an ELF file does: then it is a program, and what follows is data. */
bool input_is_program(const char *path);

/*
 * Decodes what the words name; each skipped input and the reason of a failure get a line on stderr that
 * begins with `who`. Returns EXIT_OK, EXIT_SKIPPED (the profile is there, some inputs are not in it), or
 * another status (there is no profile).
 */
int input_decode(struct profile *profile, const char *who, char **words, size_t count, bool check_sets);

#endif
