/* How often each edge is expected to run. Weights of a complete graph are positive and conserve flow, up to
 * the rounding of the heaviest. */
#ifndef COTREE_GRAPH_WEIGHTS_H
#define COTREE_GRAPH_WEIGHTS_H

#include "graph/graph.h"

struct weight_options {
    double loop_factor; /* iterations a loop is taken to run (10) */
    bool paper; /* Ball & Larus 1994 section 5 as printed, for comparison: may break Kirchhoff's law */
    double branch_factor; /* paper only: how much likelier, among edges that leave no loop, one to a loop head
                             is; 1 = even */
};
extern const struct weight_options weight_defaults;

void weights_guess(const struct graph *g, const struct weight_options *options, double *weights);

#endif
