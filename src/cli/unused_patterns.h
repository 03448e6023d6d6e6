/* Patterns of --function and --file that match nothing, beside others that do: most likely misspelt. */
#ifndef COTREE_CLI_UNUSED_PATTERNS_H
#define COTREE_CLI_UNUSED_PATTERNS_H

#include "format/profile/profile.h"
#include "report/filter.h"

/* A line on stderr, which begins with `who`, for each; of a list of one pattern nothing is said here:
 * then nothing at all is shown, which is an error. */
void unused_patterns_say(const struct report_filter *filter, const struct profile *p, const char *who);

#endif
