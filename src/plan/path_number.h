/*
 * Paths as numbers (Ball & Larus 1996; checked by brute force).
 *
 *   value      of an arc: the sum of values along a whole path is its id. Ids are 0 .. total-1.
 *              Every vertex has an out-arc of value 0.
 *   increment  of an arc: what the program adds. The sums along whole paths are the same, but only
 *              chords of a maximum spanning tree have one: increment(u -> w) = value + potential(u)
 *              - potential(w), which is 0 on the tree. Increments are numbers modulo 2^64; they can
 *              be negative.
 *   potential  of a vertex; that of ENTRY and EXIT is 0
 *
 * Nothing is folded: the sum at a block, together with the block, tells the way that led there
 * (plan/path_decode.h).
 */
#ifndef COTREE_PLAN_PATH_NUMBER_H
#define COTREE_PLAN_PATH_NUMBER_H

#include "plan/path_graph.h"

#define PATHS_MOST (UINT64_C(1) << 62)

struct path_numbering {
    uint64_t total;
    uint64_t *paths;     /* vertex -> ways from there to EXIT; EXIT's is 1 */
    uint64_t *value;     /* arc */
    uint64_t *increment; /* arc */
    uint64_t *potential; /* vertex */
};

/*
 * If edge_weights is NULL, increments are the values. `avoid` marks edges where an addition is hard
 * to place, or is NULL: they go to the tree as far as a tree can hold them. Fails when there are
 * PATHS_MOST paths or more.
 */
bool path_numbering_init(struct path_numbering *n, const struct path_graph *p, const double *edge_weights,
                         const bool *avoid, struct error *error);
void path_numbering_release(struct path_numbering *n);

/*
 * Numbers a part of the arcs, from EXIT backwards: those with chosen[arc], or all if it is NULL. A
 * vertex from which no chosen way leads on has 0 paths. Private to src/plan.
 */
bool path_number_values(const struct path_graph *p, const bool *chosen, uint64_t *paths, uint64_t *value,
                        uint64_t *total);
/* Computes potentials and increments from values. Arcs that are not chosen get increment 0. Private
 * to src/plan. */
void path_number_increments(const struct path_graph *p, const bool *chosen, const double *edge_weights,
                            const bool *avoid, const uint64_t *value, uint64_t *potential,
                            uint64_t *increment);

#endif
