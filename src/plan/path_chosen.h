/*
 * Chosen paths: a program counts only these, which costs less. A path is chosen when all its arcs
 * are.
 *
 * There are two numberings; neither is always the cheaper one. (The first labels of Apiwattanapong
 * & Harrold, SPP 2002, let a path that is not chosen share the sum of a chosen one; a test keeps
 * the examples.)
 */
#ifndef COTREE_PLAN_PATH_CHOSEN_H
#define COTREE_PLAN_PATH_CHOSEN_H

#include "plan/path_number.h"

/* Takes arcs out of the choice that are on no path of chosen arcs alone. Returns whether any arc is
 * left. */
bool path_choice_prune(const struct path_graph *p, bool *chosen);

/*
 * PSPP (Afraz, Saha & Kanade 2015), tight: start with sum 0, add each arc's label, count at the end
 * in a table of `span` counters. No other path has the sum of a chosen path. Ids are sums: below
 * span, with gaps; all other counters belong to paths that are not chosen.
 */
struct path_pspp {
    uint64_t span;
    uint64_t *spans; /* vertex -> sums from there are below this; EXIT's is 1 */
    uint64_t *value; /* arc -> label before labels were pushed down: what decoding needs */
    uint64_t *label; /* arc -> what the program adds */
};
/* `chosen` must be pruned, here and below. Fails when sums could reach PATHS_MOST. */
bool path_pspp_init(struct path_pspp *s, const struct path_graph *p, const bool *chosen, struct error *error);
void path_pspp_release(struct path_pspp *s);
/* The arcs of the chosen path with this sum. Returns how many; 0 when no chosen path has the
 * sum. */
uint32_t path_pspp_decode(const struct path_pspp *s, const struct path_graph *p, const bool *chosen,
                          uint64_t sum, uint32_t *arcs);

/*
 * Compact: only the chosen arcs are numbered, so ids are 0 .. total-1 without gaps, and the table
 * is as small as it can be, however many paths there are. An arc that leaves the chosen ones
 * *poisons* the sum: the sum becomes `poison`, so low that no sum of increments brings it back into
 * range before the path ends. At a chosen arc into EXIT the program adds the increment, and counts
 * if the sum as an unsigned number is below total. At other arcs into EXIT it does nothing.
 */
struct path_compact {
    uint64_t total;
    uint64_t poison;     /* a negative number, modulo 2^64 */
    uint64_t *paths;     /* vertex -> chosen ways from there to EXIT */
    uint64_t *value;     /* arc */
    uint64_t *increment; /* arc; 0 where not chosen */
    uint64_t *potential; /* vertex */
    bool *poisons;       /* arc -> it sets the sum to poison; an arc that starts a path may, too */
};
bool path_compact_init(struct path_compact *c, const struct path_graph *p, const bool *chosen,
                       const double *edge_weights, struct error *error);
void path_compact_release(struct path_compact *c);
uint32_t path_compact_decode(const struct path_compact *c, const struct path_graph *p, const bool *chosen,
                             uint64_t id, uint32_t *arcs);

/* How often the code that each adds to a program is expected to run: additions, settings and tests;
 * a count is one more. */
double path_pspp_cost(const struct path_pspp *s, const struct path_graph *p, const double *arc_weights);
double path_compact_cost(const struct path_compact *c, const struct path_graph *p, const bool *chosen,
                         const double *arc_weights);

#endif
