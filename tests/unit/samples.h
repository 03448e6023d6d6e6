/*
 * How many graphs, programs and inputs the unit tests try. Errors of memory and of arithmetic, which
 * the sanitized build looks for, are in code, not in numbers: it takes one of five of those that are
 * made by a generator, and all that are written by hand. The plain build, and COTREE_LEVELS=all, take
 * all.
 */
#ifndef COTREE_TESTS_SAMPLES_H
#define COTREE_TESTS_SAMPLES_H

#include <stdlib.h>
#include <string.h>

/* One of so many is tried. */
static inline unsigned samples_step(void)
{
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
    const char *levels = getenv("COTREE_LEVELS");
    return levels && !strcmp(levels, "all") ? 1 : 5;
#endif
#endif
    return 1;
}

/* Of so many, the number that is tried. */
static inline unsigned sampled(unsigned all)
{
    return all / samples_step();
}

#endif
