/* From numbers back to paths, and from paths to edges. */
#ifndef COTREE_PLAN_PATH_DECODE_H
#define COTREE_PLAN_PATH_DECODE_H

#include "plan/path_number.h"

/*
 * The arcs of path `id`, from the one out of ENTRY to the one into EXIT, into `arcs`, which has room for
 * block_count + 1. Returns how many, 0 when id is no path's.
 */
uint32_t path_decode(const struct path_graph *p, const struct path_numbering *n, uint64_t id, uint32_t *arcs);

/*
 * The arcs that led to block v when the sum of their increments is `sum`: every two ways to v have different
 * sums. Returns how many, 0 when no way to v has this sum.
 */
uint32_t path_decode_prefix(const struct path_graph *p, const struct path_numbering *n, uint64_t sum,
                            uint32_t v, uint32_t *arcs);

struct path_count {
    uint64_t id;
    int64_t count;
};

/*
 * Adds to edge_counts (indexed by edge) what the paths imply. An arc that starts paths is no edge: what it
 * should be is the sum of the cut edges into its block. Returns false, with the edges of the others added,
 * when an id is no path's.
 */
bool path_imply_edges(const struct path_graph *p, const struct path_numbering *n,
                      const struct path_count *counts, size_t count, int64_t *edge_counts);

/*
 * Cut edges into each block that ended a path, less the paths that started there after one: how many paths
 * began there and were never counted. 0 everywhere when all were. Adds to surplus, indexed by vertex.
 */
bool path_imply_surplus(const struct path_graph *p, const struct graph *g, const struct path_numbering *n,
                        const struct path_count *counts, size_t count, int64_t *surplus);

#endif
