/* The words PROG DATA..., or MERGED..., turned into a profile. */
#ifndef COTREE_CLI_INPUT_H
#define COTREE_CLI_INPUT_H

#include "base/error.h"
#include "decode/decode.h"

/* What ends the paths of traces, unless --path-ends says it: what -fcotree-path-ends does unless told. */
#define INPUT_PATH_ENDS PATH_ENDS_MIXED
/* The value of --path-ends. */
bool input_path_ends(enum path_ends *ends, const char *word, struct error *error);
/* Whether the file begins as an ELF file does: then it is a program, and what follows is data. */
bool input_is_program(const char *path);

/*
 * Decodes what the words name; each skipped input and the reason of a failure get a line on stderr that
 * begins with `who`. Returns EXIT_OK, EXIT_SKIPPED (the profile is there, some inputs are not in it), or
 * another status (there is no profile to show). options: what is to be different from decode's defaults, or
 * NULL; with every_set each difference between counter sets gets a line, and one that was not declared makes
 * the status EXIT_CANNOT. totals: may be NULL.
 */
int input_decode(struct profile *profile, const char *who, char **words, size_t count,
                 const struct decode_options *options, struct decode_totals *totals);

#endif
