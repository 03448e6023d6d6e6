/* Weights from an earlier profile. */
#ifndef COTREE_INSTRUMENT_USE_PROFILE_H
#define COTREE_INSTRUMENT_USE_PROFILE_H

#include "format/profile.h"
#include "base/hash.h"

struct used_profile {
    bool loaded;
    struct profile profile;
    struct hash_map by_name; /* hash of a linkage name -> 1 + index of the first function of that name */
    uint32_t *next_of_name;  /* function -> 1 + index of the next one, 0 at the end */
    uint32_t matched, changed, missing;
    struct buffer list; /* lines that say what did not match */
};

bool used_profile_load(struct used_profile *u, const char *path, struct error *error);
void used_profile_release(struct used_profile *u);

/*
 * Replaces guessed weights of a function by its counts, if the profile knows the function with this graph;
 * counts what does not match. `weights` has the guess, which decides between edges of equal count.
 */
void used_profile_weights(struct used_profile *u, const struct map_function *f, double *weights);

/* One line on stderr if something did not match, and with verbose the functions. */
void used_profile_remark(const struct used_profile *u, const char *path, const char *unit, bool verbose);

#endif
