/* The markers of a plan of edges and blocks; those of paths are in path/markers.h. */
#ifndef COTREE_INSTRUMENT_COUNT_MARKERS_H
#define COTREE_INSTRUMENT_COUNT_MARKERS_H

#include "instrument/marker/marker.h"

/* Puts a marker wherever the plan has a probe; array[first] is the counter of its first one. False:
 * a bug, said in error. */
bool markers_place(struct marker_maker *m, struct function_graph *f, const struct map_function *map,
                   const struct plan *plan, LLVMValueRef array, uint64_t first, struct error *error);

#endif
