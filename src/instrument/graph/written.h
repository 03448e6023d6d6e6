/*
 * Tells code of the source from code that clang adds: clean-ups that run when an exception passes,
 * loops that build and destroy arrays, and bodies of constructors and destructors that do nothing
 * but call another body of the same one. All of these carry lines, mostly that of a closing brace.
 * A report must not say that such a line never ran because a clean-up did not, nor count each round
 * of such a loop.
 */
#ifndef COTREE_INSTRUMENT_GRAPH_WRITTEN_H
#define COTREE_INSTRUMENT_GRAPH_WRITTEN_H

#include "format/map/map.h"
#include "instrument/graph/function_graph.h"

/* Sets MAP_BLOCK_UNWRITTEN; the blocks have their lines and other hazards. */
void written_find(struct map_function *map, const struct function_graph *f);

#endif
