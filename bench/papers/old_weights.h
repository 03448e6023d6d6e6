/* Guesses of edge weights that Ball & Larus 1994 compares its own with (section 7.4), and the simplest one.
 */
#ifndef COTREE_BENCH_PAPERS_OLD_WEIGHTS_H
#define COTREE_BENCH_PAPERS_OLD_WEIGHTS_H

#include "graph/graph.h"

void weights_uniform(const struct graph *g, double *weights); /* every edge the same */
void weights_goldberg(const struct graph *g,
                      double *weights); /* postorder number of the source; back edges above all others */
void weights_wall(const struct graph *g, double *weights); /* ten times as often for each loop around it */

#endif
