/* The cheapest region of a graph around some of its blocks. */
#ifndef COTREE_PLAN_REGION_H
#define COTREE_PLAN_REGION_H

#include "graph/graph.h"

/*
 * Chooses the blocks between which control may go without being counted. They are all that are
 * `wanted`, never EXIT, and further ones, so that the edges between inside and outside, in both
 * directions, weigh least together. `joined` marks edges that cannot be counted: both ends of such
 * an edge are inside, or both are outside. These edges must not join a wanted block with EXIT.
 */
void plan_region(const struct graph *g, const double *weights, const bool *joined, const bool *wanted,
                 bool *inside);

#endif
