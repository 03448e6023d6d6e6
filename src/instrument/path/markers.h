/*
 * Path plans -> IR: a sum in a local variable, which becomes a register, additions on edges, and markers
 * where paths end. A marker of a path is a call of llvm.var.annotation on the address array + sum, with the
 * array itself as second operand; where optimisation makes the address a constant it is a marker as all
 * others are.
 */
#ifndef COTREE_INSTRUMENT_PATH_MARKERS_H
#define COTREE_INSTRUMENT_PATH_MARKERS_H

#include "instrument/graph/function_graph.h"
#include "instrument/marker/marker.h"

/* Edges that must end paths: into blocks that may be resumed without having been entered (setjmp), and where
 * nothing can stand on an edge. NULL with the reason when paths of the function cannot be counted. Marks the
 * blocks where paths end early (MAP_PATH_ENDS_EARLY). */
bool *path_cuts_needed(const struct function_graph *f, struct map_function *map, struct error *error);

/* array[first] is the counter of path 0. */
bool path_markers_place(struct marker_maker *m, struct function_graph *f, const struct map_function *map,
                        const struct plan *plan, LLVMValueRef array, uint64_t first, struct error *error);

#endif
