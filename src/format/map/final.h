/*
 * Final functions: what the last pass of the compiler counts.
 *
 * A function of the program, with everything that was inlined into it, is a *final function*. Its
 * code is cut into stretches (straight code without calls and branches). A stretch may have counts
 * of several functions in it; all of them are made together, so one counter is enough for them; and
 * where the flow of control tells how often a stretch ran, it needs none.
 *
 * The record of a final function is a graph. Its vertices are *points* of the code, between
 * stretches; points with nothing counted between them are one vertex. EXIT, the last vertex, stands
 * for everything outside: the code begins there and ends there. Its edges are the stretches that
 * count something, each with what it counts for the functions of the map. Some edges are counted,
 * in the order of their ids; the counts of the others follow by flow conservation (graph/flow.h). A
 * frame that was cut stays at its point.
 *
 * Where flow cannot be relied on (functions that return twice, libraries whose frames nobody sees)
 * the only vertex is EXIT: every edge is a loop there, and counted.
 *
 * The key is the hash of the record, and the first word of the counter array of the final function
 * (format/counters.h).
 *
 *   record   u64 key of the function whose code it is
 *            varint number of keys, u64 each: the functions that it counts for
 *            varint number of points, EXIT included
 *            varint number of edges, each:
 *                varint from << 1 | counted, varint to
 *                varint number of counts, each: varint index of the key, varint counter, varint by
 */
#ifndef COTREE_FORMAT_MAP_FINAL_H
#define COTREE_FORMAT_MAP_FINAL_H

#include "base/buffer.h"
#include "base/error.h"
#include "graph/graph.h"

#define MAP_FINAL_VERSION 1u

/* A stretch adds `by` to a counter of the function with this key. */
struct final_count {
    uint64_t key;
    uint32_t counter;
    uint64_t by;
};

struct final_function {
    uint64_t key; /* filled in by writer and reader */
    uint64_t own; /* the key of the function whose code it is */
    struct graph graph;
    bool *counted;              /* by edge */
    uint32_t *first;            /* edge e counts counts[first[e] .. first[e + 1]) */
    struct final_count *counts; /* by is not 0 */
};

void final_function_release(struct final_function *f);
/* How many counters its array has. */
uint32_t final_function_counters(const struct final_function *f);

/* Appends the record (with its length) to a payload and sets f->key. */
void final_function_write(struct buffer *payload, struct final_function *f);
/* Wraps a payload into a unit record. */
void final_write_unit(struct buffer *out, const struct buffer *payload);

/*
 * Calls visit for each final function of a whole section `.cotree.map`. The visitor owns what it is
 * given. The result is false, with an error, if any unit was damaged (format/map/units.h).
 */
typedef void final_visitor(void *context, struct final_function *f);
bool final_read_section(const void *data, size_t length, final_visitor *visit, void *context,
                        struct error *error);

#endif
