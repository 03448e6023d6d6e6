/* Guesses how often edges run, from the graph (graph/weights.h) and from what the IR says. */
#ifndef COTREE_INSTRUMENT_GRAPH_GUESS_H
#define COTREE_INSTRUMENT_GRAPH_GUESS_H

#include "instrument/graph/function_graph.h"

void guess_weights(const struct function_graph *f, double *weights);

/* Makes costs of counters of the weights: a counter that needs a block of its own brings a jump. */
void guess_costs(const struct function_graph *f, double *weights);

#endif
