/* What the map says about a function besides its graph: names, files, lines, calls and hazards of
 * blocks. */
#ifndef COTREE_INSTRUMENT_GRAPH_DESCRIBE_H
#define COTREE_INSTRUMENT_GRAPH_DESCRIBE_H

#include "format/map/map.h"
#include "instrument/graph/function_graph.h"
#include "instrument/options.h"

/*
 * Fills the map record but for the plans; the graph is copied. lines_begun: how many lines of its
 * block have begun, for each instruction with which one begins, and for the first IR block of each
 * block.
 */
void describe_function(struct map_function *map, const struct function_graph *f,
                       const struct instrument_options *options, struct hash_map *lines_begun);

/* The file a function is defined in, absolute, after prefix maps; newly allocated, "" when not
 * known. */
char *describe_file(LLVMValueRef function, const struct instrument_options *options);
/* Notes in the map of a function that ifunc resolvers run which blocks call code outside the
 * unit. */
void describe_early_calls(struct map_function *map, const struct function_graph *f);

/* The name as the linker sees it: of an assembler label, without the byte 1 that LLVM puts before
 * it. */
const char *describe_linkage_name(LLVMValueRef function);

#endif
