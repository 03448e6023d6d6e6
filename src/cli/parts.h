/* Parts of one run (plan/parts/slices.h) to a profile. */
#ifndef COTREE_CLI_PARTS_H
#define COTREE_CLI_PARTS_H

#include "decode/decode.h"

/* Is any of the files the run file of a process, whether a part or not? */
bool parts_are_run_files(char *const *names, size_t count);

/*
 * Unites the parts and decodes the result. called: what messages call the files. Returns EXIT_OK, or
 * another status, with the reason said on stderr in a line that begins with `who`: then there is no
 * profile.
 */
int parts_decode(struct profile *profile, const char *who, const char *program, char *const *files,
                 char *const *called, size_t count, const struct decode_options *options);

#endif
