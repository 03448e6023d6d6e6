/* Which functions of two variants differ in code. */
#ifndef COTREE_WEAVE_DIFF_CODE_H
#define COTREE_WEAVE_DIFF_CODE_H

#include "base/error.h"

#include <stdio.h>

/*
 * Writes a line for each function whose code differs, those that differ most in size first: sizes
 * in both, their difference and the name; then how many there are. Functions are the same where
 * their names are. What only differs because other functions moved is no difference: a reference to
 * the same place by another distance. *differ says whether any function does.
 */
bool diff_code(const char *first, const char *second, FILE *out, bool *differ, struct error *error);

#endif
