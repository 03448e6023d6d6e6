/*
 * The functions of a unit that are in its map, from the first look at them until their records are
 * written. All rooms of the first pass work on this list: graph describes the functions, count,
 * path and trace plan and place their probes.
 */
#ifndef COTREE_INSTRUMENT_GRAPH_UNIT_FUNCTION_H
#define COTREE_INSTRUMENT_GRAPH_UNIT_FUNCTION_H

#include "base/hash.h"
#include "format/map/map.h"
#include "instrument/graph/function_graph.h"

struct trace_function;

struct unit_function {
    struct function_graph f;
    struct map_function map;
    struct hash_map lines_begun; /* describe.h */
    double *weights;             /* per edge; NULL unless plans were made */
    bool counted;
    bool traceable;               /* it is traced if it can be */
    struct trace_function *trace; /* trace/trace.h; NULL: it is not traced */
    bool derived;                 /* its entries follow from its calls, and its edge profile is planned so */
};

struct unit_functions {
    struct unit_function **items;
    size_t count, capacity;
    struct hash_map derived; /* tag of a derived function's name -> its index + 1 */
};

/* Releases all but `trace`, which belongs to the room trace. */
void unit_functions_release(struct unit_functions *functions);

/* Notes that function number `index` is derived: callers find it by the tag of its name. */
void unit_functions_set_derived(struct unit_functions *functions, size_t index);
/* The index of the derived function that callee number `callee` of the caller's record is, or
 * SIZE_MAX. */
size_t unit_functions_derived_callee(const struct unit_functions *functions,
                                     const struct unit_function *caller, uint32_t callee);

/*
 * Walks depth-first over calls of derived functions, without recursion. Calls `done` for each
 * function, after all derived functions that it calls, and `cycle` for a derived function that is
 * called while it is on the way itself. Either may be NULL.
 */
typedef void unit_function_visitor(struct unit_functions *functions, size_t index, void *context);
void unit_functions_walk(struct unit_functions *functions, unit_function_visitor *done,
                         unit_function_visitor *cycle, void *context);

#endif
