/*
 * A flow graph, drawn: where its blocks stand, and the ways its edges take. Layers from top to bottom, edges
 * of horizontal and vertical pieces that never cross a block. Nothing here knows of counts.
 */
#ifndef COTREE_REPORT_LAYOUT_H
#define COTREE_REPORT_LAYOUT_H

#include "graph/graph.h"
#include "base/memory.h"

/* Blocks are boxes of this size; entry and exit are smaller, and stand in the middle of such a box. */
enum { LAYOUT_BOX_WIDTH = 208, LAYOUT_BOX_HEIGHT = 42, LAYOUT_END_WIDTH = 56, LAYOUT_END_HEIGHT = 22 };

struct layout {
    int width, height;
    int *x, *y; /* the upper left corner: of each vertex (EXIT: the exit), then of the entry */
    /* Edge e starts at points[start[e]] = x, [start[e] + 1] = y; then come, in turn, the y of the next point
     * (on the same x), the x of the next point (on the same y), and so on: the last number is a y. */
    uint32_t *start;
    struct layout_points ARRAY_OF(int) points;
};

/* g must be complete. */
void layout_init(struct layout *l, const struct graph *g);
void layout_release(struct layout *l);

#endif
