/*
 * Profiles of several builds of one program that watch different paths, put together.
 *
 * Runs of one input, of any number of builds, share their COTREE_RUN. What they counted is the
 * same, so edges are taken once, and every path from a build that watches it. Runs of different
 * inputs are summed; only paths that all of them watched have a sum.
 */
#ifndef COTREE_DECODE_PROFILE_UNITE_H
#define COTREE_DECODE_PROFILE_UNITE_H

#include "format/profile/profile.h"

/*
 * Unites the parts, which are used up. names: of the files, for errors.
 *
 * Profiles whose runs have the same names are of the same inputs; those that have no name in common
 * (or none at all) are of different ones; anything between is refused. Also refused are a part that
 * has no function of its own in common with the first, and functions that cannot be told apart.
 * Where counts of the same inputs differ, the function is not called exact.
 */
bool profiles_unite(struct profile *to, struct profile *parts, const char *const *names, size_t count,
                    struct error *error);

#endif
