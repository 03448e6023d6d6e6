/*
 * Patterns of --function and --file that match nothing, beside others that do: most likely misspelt.
 *
 *     struct unused_patterns unused;
 *     unused_patterns_init(&unused, &filter);
 *     unused_patterns_try(&unused, f); ... of all functions there are
 *     unused_patterns_say(&unused, "cotree report");
 *     unused_patterns_release(&unused);
 */
#ifndef COTREE_CLI_UNUSED_PATTERNS_H
#define COTREE_CLI_UNUSED_PATTERNS_H

#include "format/profile/profile.h"
#include "report/filter.h"

/* A list of patterns, and which of them have matched. */
struct looked_for {
    const struct globs *globs;
    bool *found;
    size_t missing; /* 0 for a list of one: then nothing at all is shown, which is an error elsewhere */
};

struct unused_patterns {
    struct looked_for functions, files;
};

/* The filter must live as long. */
void unused_patterns_init(struct unused_patterns *u, const struct report_filter *filter);
void unused_patterns_try(struct unused_patterns *u, const struct map_function *f);
/* A line on stderr, which begins with `who`, for each. */
void unused_patterns_say(const struct unused_patterns *u, const char *who);
void unused_patterns_release(struct unused_patterns *u);
/* All of that, for the functions of one profile, or of two; other: may be NULL. */
void unused_patterns_say_of(const struct report_filter *filter, const struct profile *p,
                            const struct profile *other, const char *who);

#endif
