/* Marks on the vertices of paths in a spanning tree, with logarithmic queries. Private to
 * src/plan. */
#ifndef COTREE_PLAN_TREE_PATHS_H
#define COTREE_PLAN_TREE_PATHS_H

#include "graph/graph.h"

struct tree_paths {
    uint32_t count;
    uint32_t *parent, *depth, *jump; /* of the tree rooted at vertex 0; jump: an ancestor about half way up */
    uint32_t *first, *last;          /* the vertex's preorder number, and the largest below it */
    /* Fenwick tree over preorder numbers: marks between the root and the vertex, as differences. */
    uint32_t *sums;
    bool *marked;
};

/* in_tree must mark a spanning tree of g, edges seen without direction. */
void tree_paths_init(struct tree_paths *t, const struct graph *g, const bool *in_tree);
void tree_paths_release(struct tree_paths *t);
/* Is a vertex of the path between v and w marked, ends included? */
bool tree_paths_marked(const struct tree_paths *t, uint32_t v, uint32_t w);
/* Marks all vertices of that path. */
void tree_paths_mark(struct tree_paths *t, uint32_t v, uint32_t w);

#endif
