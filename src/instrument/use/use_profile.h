/* Weights from an earlier profile. */
#ifndef COTREE_INSTRUMENT_USE_USE_PROFILE_H
#define COTREE_INSTRUMENT_USE_USE_PROFILE_H

#include "base/hash.h"
#include "format/profile/profile.h"

struct used_profile {
    bool loaded;
    struct profile profile;
    struct hash_map by_name; /* hash of a linkage name -> 1 + index of the first function of that name */
    uint32_t *next_of_name;  /* function -> 1 + index of the next one, 0 at the end */
    uint32_t matched, changed, missing;
    struct buffer list; /* lines that name the functions that did not match */
};

bool used_profile_load(struct used_profile *u, const char *path, struct error *error);
void used_profile_release(struct used_profile *u);

/* The function's counts, if the profile has it with this graph, else NULL. Counts functions that do
 * not match: ask once a function. */
const struct profile_function *used_profile_find(struct used_profile *u, const struct map_function *f);
/* How often the edge ran; if only blocks were counted, how often it ran at most. */
double used_profile_edge_count(const struct profile_function *p, uint32_t edge);
/* Replaces the guessed weights of a function by these counts; the guess decides between edges of
 * equal count. */
void used_profile_weights(const struct profile_function *p, double *weights);

/* Prints a line on stderr if some function did not match, and with `verbose` the functions. */
void used_profile_remark(const struct used_profile *u, const char *path, const char *unit, bool verbose);

#endif
