/* What both weight rules need to know about loops. Private to graph/weights*.c. */
#ifndef COTREE_GRAPH_WEIGHTS_INTERNAL_H
#define COTREE_GRAPH_WEIGHTS_INTERNAL_H

#include "graph/analysis.h"

struct weight_context {
    const struct graph *g;
    struct adjacency a;
    struct depth_first d;
    struct loops loops;
    double loop_factor;
    uint32_t *place; /* vertex -> its place in loops.body, or GRAPH_NONE */
    uint32_t
        *leaves_below; /* edge -> the smallest loop around its source that it does not leave, or GRAPH_NONE */
    uint32_t *outermost_left; /* edge -> the largest loop it leaves, or GRAPH_NONE */
    uint32_t *exits;          /* loop -> number of edges that leave it */
};

void weight_context_init(struct weight_context *c, const struct graph *g, double loop_factor);
void weight_context_release(struct weight_context *c);

void weights_paper(const struct weight_context *c, double branch_factor, double *weights);

#endif
