/* Cuts further edges where a graph has too many paths. */
#ifndef COTREE_PLAN_PATH_CUT_H
#define COTREE_PLAN_PATH_CUT_H

#include "graph/graph.h"

/*
 * `cut` marks the edges that the definition of paths cuts (path_ends_mark). More are marked until
 * the graph has at most `limit` paths or at most twice as many as it has edges: with every edge cut
 * there is still one path for each edge. Each step cuts where the logarithm of the saving is
 * largest for how often the edge runs. Returns how many edges were added.
 */
uint32_t path_cut(const struct graph *g, const double *weights, uint64_t limit, bool *cut);

#endif
