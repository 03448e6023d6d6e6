/* Fewer paths: further edges are cut where a graph has too many. */
#ifndef COTREE_PLAN_PATH_CUT_H
#define COTREE_PLAN_PATH_CUT_H

#include "graph/graph.h"

/*
 * cut: the edges that the definition of paths cuts (path_ends_mark); more are marked until the graph has at
 * most `limit` paths, or, since with every edge cut there is still one path an edge, at most twice as many as
 * it has edges. Each step cuts where the logarithm of what it saves is largest for how often it runs. Returns
 * how many edges were added.
 */
uint32_t path_cut(const struct graph *g, const double *weights, uint64_t limit, bool *cut);

#endif
