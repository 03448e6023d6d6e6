/* What the map says about a function besides its graph: names, files, lines, calls and hazards of blocks. */
#ifndef COTREE_INSTRUMENT_DESCRIBE_H
#define COTREE_INSTRUMENT_DESCRIBE_H

#include "format/map.h"
#include "instrument/function_graph.h"
#include "instrument/options.h"

/* Fills everything of the map record but the plans; the graph is copied. */
void describe_function(struct map_function *map, const struct function_graph *f,
                       const struct instrument_options *options);

/* The file a function is defined in, absolute, after prefix maps; newly allocated, "" when not known. */
char *describe_file(LLVMValueRef function, const struct instrument_options *options);
/* Notes in the map of a function that ifunc resolvers run what it calls outside its unit. */
void describe_early_calls(struct map_function *map, const struct function_graph *f);

#endif
