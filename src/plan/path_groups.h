/*
 * Paths of many functions, shared out among groups so that each group's programs do about as much.
 *
 * What is shared out are whole subtrees of the ways from a function's start: paths that begin alike stay
 * together, so that a group's code is short. A function begins as one such part; a part that is expected to
 * run more than a fourth of a group's fair share is replaced by those of its next branch. Then the largest
 * part goes to the group that has least, and so on. Every path has one owner, whoever computes it: the result
 * depends on graphs, weights and choices alone.
 */
#ifndef COTREE_PLAN_PATH_GROUPS_H
#define COTREE_PLAN_PATH_GROUPS_H

#include "plan/path_number.h"

struct path_shares;
struct path_shares *path_shares_new(void);
/*
 * Functions are numbered in the order in which they are added. wanted: by id; copied. whole: the function is
 * not divided, and its group follows from this number alone, but for its lowest bit, which may say that it is
 * not PATH_SHARES_FREE: for functions of which several units have a body, so that all of them agree;
 * PATH_SHARES_FREE for all others.
 */
void path_shares_add(struct path_shares *s, const struct path_graph *p, const struct path_numbering *n,
                     const double *arc_weights, const bool *wanted, uint64_t whole);
#define PATH_SHARES_FREE 0
void path_shares_divide(struct path_shares *s, uint32_t groups);
/* Takes from wanted (that of the function) what other groups own. group: from 0. */
void path_shares_take(const struct path_shares *s, size_t function, uint32_t group, bool *wanted);
/* What the group is expected to execute: paths. */
double path_shares_load(const struct path_shares *s, uint32_t group);
void path_shares_free(struct path_shares *s);

#endif
