/*
 * Paths of many functions, shared out among groups so that the program of each group does about as
 * much.
 *
 * Whole subtrees of the ways from a function's start are shared out: paths that begin alike stay
 * together, so that a group's code is short. A function begins as one such part. A part that is
 * expected to run more than a fourth of a group's fair share is replaced by the parts of its next
 * branch. Then the largest part goes to the group that has least, and so on. Every path has one
 * owner, and all units agree on it: the result depends on graphs, weights and choices alone.
 */
#ifndef COTREE_PLAN_PATH_GROUPS_H
#define COTREE_PLAN_PATH_GROUPS_H

#include "plan/path_number.h"

struct path_shares;
struct path_shares *path_shares_new(void);
/*
 * Adds a function; they are numbered in the order in which they are added. wanted: by id; it is
 * copied. whole: for functions of which several units have a body, so that all units agree: the
 * function is not divided, and its group follows from this number alone, but for its lowest bit,
 * which may be set so that it is not PATH_SHARES_FREE. PATH_SHARES_FREE for all other functions.
 */
void path_shares_add(struct path_shares *s, const struct path_graph *p, const struct path_numbering *n,
                     const double *arc_weights, const bool *wanted, uint64_t whole);
#define PATH_SHARES_FREE 0
void path_shares_divide(struct path_shares *s, uint32_t groups);
/* Takes the paths that other groups own out of `wanted`, that of the function. Groups count from
 * 0. */
void path_shares_take(const struct path_shares *s, size_t function, uint32_t group, bool *wanted);
/* How many paths the group is expected to execute. */
double path_shares_load(const struct path_shares *s, uint32_t group);
void path_shares_free(struct path_shares *s);

#endif
