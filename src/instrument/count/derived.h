/*
 * Functions whose entries need no counter: how often each of their calls ran is known, and there is no other
 * way in (Ball & Larus 1994 count every function by itself; this saves one more counter of many).
 */
#ifndef COTREE_INSTRUMENT_COUNT_DERIVED_H
#define COTREE_INSTRUMENT_COUNT_DERIVED_H

#include "base/hash.h"
#include "format/map/map.h"
#include "instrument/graph/function_graph.h"

struct trace_function;

/* A function of the unit that is in the map. */
struct unit_function {
    struct function_graph f;
    struct map_function map;
    struct hash_map lines_begun; /* describe.h */
    double *weights;             /* per edge; NULL unless counted */
    bool counted;
    bool traceable;               /* it is to be traced, if it can be */
    struct trace_function *trace; /* trace.h; NULL: it is not traced */
    bool derived; /* its entries follow from its calls, and its edge profile is planned so */
};
struct unit_functions {
    struct unit_function **items;
    size_t count, capacity;
};

/* Decides for whom to derive entries, and plans their edge profiles anew. All others are planned before. */
void derived_choose(LLVMModuleRef module, struct unit_functions *functions);

/* Writes the records of all functions, each behind those whose keys it names. */
void derived_write(struct buffer *payload, struct unit_functions *functions);

#endif
