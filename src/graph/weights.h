/* Guesses how often each edge runs. The weights of a complete graph are positive and conserve flow,
 * up to the rounding of the heaviest. */
#ifndef COTREE_GRAPH_WEIGHTS_H
#define COTREE_GRAPH_WEIGHTS_H

#include "graph/graph.h"

struct weight_options {
    double loop_factor; /* how many iterations a loop is taken to run (10) */
    /* Use Ball & Larus 1994 section 5 as printed, for comparison: it may break Kirchhoff's law. */
    bool paper;
    /* Among the edges out of a block that leave no loop (section 6.4 of the paper varies these; 1
     * is even): how much likelier an edge is that leads to a loop, directly or through blocks with
     * one successor, ... */
    double branch_factor;
    double first_factor; /* ... and how much likelier the first edge is */
};
extern const struct weight_options weight_defaults;

void weights_guess(const struct graph *g, const struct weight_options *options, double *weights);

#endif
