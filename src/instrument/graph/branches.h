/* The branches of the source (format/map/branches.h), found in what clang emitted. */
#ifndef COTREE_INSTRUMENT_GRAPH_BRANCHES_H
#define COTREE_INSTRUMENT_GRAPH_BRANCHES_H

#include "format/map/map.h"
#include "instrument/graph/function_graph.h"

/* Fills the branches of the map and sets MAP_FUNCTION_BRANCHES; the blocks have their lines. */
void branches_find(struct map_function *map, const struct function_graph *f);

#endif
