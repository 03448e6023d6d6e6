/* Union-find and maximum spanning trees. */
#ifndef COTREE_GRAPH_TREE_H
#define COTREE_GRAPH_TREE_H

#include "graph/graph.h"

struct union_find {
    uint32_t *parent;
    uint32_t count;
};
void union_find_init(struct union_find *u, uint32_t count);
void union_find_release(struct union_find *u);
uint32_t union_find_root(struct union_find *u, uint32_t x);
/* False when they were together already. */
bool union_find_join(struct union_find *u, uint32_t x, uint32_t y);

/*
 * Marks the edges of a maximum spanning tree in in_tree. Edges are taken in this order: those with
 * must[e], on which no counter can stand; the entry edge; virtual edges; all others by falling
 * weight, and by id where weights are equal. Self loops are never in the tree. Returns the first
 * edge with must[e] that could not be taken, since it closes a cycle of such edges, or GRAPH_NONE.
 * `must` may be NULL.
 */
uint32_t spanning_tree(const struct graph *g, const double *weights, const bool *must, bool *in_tree);
/* The same where the entry edge's count is known: it is not in the tree, and virtual edges come
 * last. */
uint32_t spanning_tree_without_entry(const struct graph *g, const double *weights, const bool *must,
                                     bool *in_tree);

#endif
