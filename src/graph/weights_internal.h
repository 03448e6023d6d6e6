/* What both rules for weights need to know about loops. Private to graph/weights*.c. */
#ifndef COTREE_GRAPH_WEIGHTS_INTERNAL_H
#define COTREE_GRAPH_WEIGHTS_INTERNAL_H

#include "graph/analysis.h"
#include "graph/weights.h"

struct weight_context {
    const struct graph *g;
    struct adjacency a;
    struct depth_first d;
    struct loops loops;
    const struct weight_options *options;
    uint32_t *rank; /* vertex -> its rank in loops.body, or GRAPH_NONE */
    /* edge -> the smallest loop around its source that it does not leave, or GRAPH_NONE */
    uint32_t *leaves_below;
    uint32_t *outermost_left; /* edge -> the largest loop it leaves, or GRAPH_NONE */
    uint32_t *exits;          /* loop -> number of edges that leave it */
    bool *leads_to_loop;      /* vertex -> a loop begins there, or after it without a choice */
};

/* How likely the edge is beside the other edges out of its block, apart from the loops that it
 * leaves: 1, or the factors of the options. */
double weight_share(const struct weight_context *c, uint32_t edge);

void weights_paper(const struct weight_context *c, double *weights);

#endif
