/* How often edges are expected to run: guessed from the graph (graph/weights.h), and from what the IR says.
 */
#ifndef COTREE_INSTRUMENT_GRAPH_GUESS_H
#define COTREE_INSTRUMENT_GRAPH_GUESS_H

#include "instrument/graph/function_graph.h"

void guess_weights(const struct function_graph *f, double *weights);

/* From how often edges run to what a counter on them costs: one that needs a block of its own brings a jump. */
void guess_costs(const struct function_graph *f, double *weights);

#endif
