/* How often each edge is expected to run. Weights of a complete graph are positive and conserve flow, up to
 * the rounding of the heaviest. */
#ifndef COTREE_GRAPH_WEIGHTS_H
#define COTREE_GRAPH_WEIGHTS_H

#include "graph/graph.h"

struct weight_options {
    double loop_factor; /* iterations a loop is taken to run (10) */
    bool paper; /* Ball & Larus 1994 section 5 as printed, for comparison: may break Kirchhoff's law */
    /* Among the edges out of a block that leave no loop; 1 = even (section 6.4 of the paper varies them): */
    double branch_factor; /* how much likelier one is that leads to a loop, straight or through blocks with
                             one way out */
    double first_factor;  /* how much likelier the first one is */
};
extern const struct weight_options weight_defaults;

void weights_guess(const struct graph *g, const struct weight_options *options, double *weights);

#endif
