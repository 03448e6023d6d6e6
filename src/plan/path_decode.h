/* Finds the path of a number, and the edges of paths. */
#ifndef COTREE_PLAN_PATH_DECODE_H
#define COTREE_PLAN_PATH_DECODE_H

#include "plan/path_number.h"

/*
 * Writes the arcs of path `id`, from the one out of ENTRY to the one into EXIT, to `arcs`, which
 * has room for block_count + 1. Returns how many; 0 when no path has this id.
 */
uint32_t path_decode(const struct path_graph *p, const struct path_numbering *n, uint64_t id, uint32_t *arcs);

/*
 * Writes the arcs that led to block v if the sum of their increments is `sum`: no two ways to v
 * have the same sum. Returns how many; 0 when no way to v has this sum.
 */
uint32_t path_decode_prefix(const struct path_graph *p, const struct path_numbering *n, uint64_t sum,
                            uint32_t v, uint32_t *arcs);

struct path_count {
    uint64_t id;
    int64_t count;
};

/*
 * Adds the counts that the paths imply to edge_counts (by edge). An arc that starts paths is no
 * edge; its count is the sum of those of the cut edges into its block. Returns false when an id is
 * no path's; the edges of the other paths are added then.
 */
bool path_imply_edges(const struct path_graph *p, const struct path_numbering *n,
                      const struct path_count *counts, size_t count, int64_t *edge_counts);

/*
 * Adds to `surplus`, by vertex, how many paths began there and were never counted: the paths that
 * ended with a cut edge into the block, less those that started there after one. It is 0 everywhere
 * when all were counted.
 */
bool path_imply_surplus(const struct path_graph *p, const struct graph *g, const struct path_numbering *n,
                        const struct path_count *counts, size_t count, int64_t *surplus);

#endif
