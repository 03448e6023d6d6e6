/*
 * Path plans -> IR: a sum in a local variable, which becomes a register, additions on edges, and
 * markers where paths end. A marker of a path is on the address array + sum (marker_of_path); where
 * optimisation makes that address a constant it is a marker like all others.
 */
#ifndef COTREE_INSTRUMENT_PATH_MARKERS_H
#define COTREE_INSTRUMENT_PATH_MARKERS_H

#include "instrument/graph/function_graph.h"
#include "instrument/marker/marker.h"

/*
 * Per edge: must it end paths? Edges into blocks that may be resumed (setjmp) must, and all edges
 * into a block that one edge leads to on which no code can stand. NULL with the reason when paths
 * of the function cannot be counted. Marks the blocks where paths end early (MAP_PATH_ENDS_EARLY).
 */
bool *path_cuts_needed(const struct function_graph *f, struct map_function *map, struct error *error);

/* Places the code of the plan; array[first] is the counter of path 0. */
bool path_markers_place(struct marker_maker *m, struct function_graph *f, const struct map_function *map,
                        const struct plan *plan, LLVMValueRef array, uint64_t first, struct error *error);

#endif
