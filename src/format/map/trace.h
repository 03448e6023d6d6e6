/*
 * What a map says about a function that records its trace (-fcotree=trace): which edges write
 * witnesses, and what happens at each of its calls. Part of struct map_function (format/map/map.h).
 *
 * Calls by name. The body of a traced function that other units may call has a name that they know;
 * it is the only strong definition of that name. Calls of functions of other units go to that name.
 * The callers have a weak definition of it, which calls the function and counts as an unknown call
 * does. So the functions of a module tell where a call by name leads: to the one that has the name,
 * or to the weak definition.
 */
#ifndef COTREE_FORMAT_MAP_TRACE_H
#define COTREE_FORMAT_MAP_TRACE_H

#include "base/buffer.h"
#include "graph/graph.h"
#include "plan/witness.h"
#include "plan/witness_paths.h"

struct map_function;

/* What happens at a call, as far as traces are concerned. Values are written into maps: never
 * renumber. */
enum map_trace_call {
    MAP_TRACE_PLAIN = 0,   /* it leads to code that never calls traced code: nothing is written */
    MAP_TRACE_UNKNOWN = 1, /* `calls` rises before it and after it (format/trace/layout.h) */
    MAP_TRACE_TWICE = 2,   /* plain, but control may land after it again: setjmp, vfork */
    MAP_TRACE_JUMP = 3,    /* unknown, and only the return follows: `calls` rises before it only */
    /* 4 + i: it leads to the body of the function whose id is callees[i]. With named[i] it leads to
     * the function that was linked under that name; if none was, the call is unknown. */
    MAP_TRACE_KNOWN = 4,
};

/*
 * Loads and stores that record their address, in the order of execution. Calls divide a block into
 * parts, one more than it has calls: part k of block b comes before call k + 1, and has the number
 * map_trace.first[b] + b + k.
 */
enum map_access_kind { MAP_LOAD = 0, MAP_STORE = 1, MAP_LOAD_AND_STORE = 2 };
struct map_accesses {
    uint32_t *first; /* per part, and one after the last: its first access */
    uint32_t *items; /* size in bytes << 2 | enum map_access_kind */
};

#define MAP_TRACE_INSTEAD_UNKNOWN 1u /* not an id: another function was linked, and it is not known which */

struct map_trace {
    /* `what` of its trace records; TRACE_KINDS or more. If ids are equal, so are the map
     * records. */
    uint64_t id;
    /* The id of the function of another unit that was linked instead of this one; 0: none. Not part
     * of the file (decode/trace/bodies.h). */
    uint64_t instead;
    enum witness_placement placement;
    bool silent;   /* neither it nor the functions it calls write events */
    bool has_name; /* other units may call its body by name */
    /* Per edge of the function's graph: 0 or a witness; with WITNESS_PATHS its mark
     * (plan/witness_paths.h); 0 on edges that are not traced. */
    uint32_t *values;
    /* More than WITNESS_OF_BYTE: witnesses are two bytes long (witness_bytes). With WITNESS_PATHS: no mark is
     * larger. */
    uint32_t value_count;
    uint32_t callee_count;
    uint64_t *callees; /* ids; of callees that are named: map_trace_name() */
    bool *named;       /* per callee: the linker decided which function it is */
    /* Per callee that is named: its id, or 0 if no traced function has the name. Per other callee:
     * 0, or its `instead`. Not part of the file: all 0 until map_trace_link and
     * decode/trace/bodies.h set them. */
    uint64_t *linked;
    uint32_t *calls; /* enum map_trace_call, of all calls: block after block, in the order of execution */
    uint32_t *first; /* per block, and one after the last: the index of its first call in `calls` */
    /* Per block: it ends by sending an exception on, before which `calls` rises, as if an unknown
     * call that never returns came after its calls. */
    bool *resumes;
    struct map_accesses *accesses; /* with MAP_FUNCTION_ADDRESSES, else NULL */
};

/* Is a byte written on the edge? */
static inline bool map_trace_writes(const struct map_trace *t, uint32_t edge)
{
    return t->placement == WITNESS_PATHS ? witness_path_kind(t->values[edge]) == WITNESS_PATH_WRITES
                                         : t->values[edge] != 0;
}

/* What call number `call` (from 1) of the block is. A call by name is unknown unless a function was
 * linked. */
static inline uint32_t map_trace_call(const struct map_trace *t, uint32_t block, uint32_t call)
{
    uint32_t kind = t->calls[t->first[block] + call - 1];
    bool unlinked =
        kind >= MAP_TRACE_KNOWN && t->named[kind - MAP_TRACE_KNOWN] && !t->linked[kind - MAP_TRACE_KNOWN];
    return unlinked ? MAP_TRACE_UNKNOWN : kind;
}
/* The id of the function that a known call leads to. */
static inline uint64_t map_trace_callee(const struct map_trace *t, uint32_t kind)
{
    uint32_t i = kind - MAP_TRACE_KNOWN;
    return t->named[i] || t->linked[i] ? t->linked[i] : t->callees[i];
}

/* The part (struct map_accesses) after call number `call` of the block; 0: at its start. */
static inline uint32_t map_trace_access_place(const struct map_trace *t, uint32_t block, uint32_t call)
{
    return t->first[block] + block + call;
}

/*
 * May a trace show that control took the edge? It does not show virtual edges, nor edges into
 * landing pads: where an exception lands is a record of its own.
 */
bool map_trace_edge(const struct map_function *f, uint32_t edge);
/*
 * Makes the graph that witnesses are planned on: the function's graph without edges that are not
 * traced, and without edges to EXIT from blocks that send exceptions on. So landing pads have no
 * edge in, and dead ends none out. (*edge_of)[e] is the id in f->graph of its edge e. The caller
 * releases both.
 */
void map_trace_graph(const struct map_function *f, struct graph *g, uint32_t **edge_of);

/* The hash by which a call by name and the function that has the name find each other. */
uint64_t map_trace_name(const char *name);
/* Fills in `linked` of all functions of a module. If two have the same name, neither is taken. */
void map_trace_link(struct map_function *functions, size_t count);

/* Writes and reads this part of a function's record; the reader is given the parts before it.
 * without_ids: 0 is written for all ids. */
void map_trace_write(struct buffer *out, const struct map_function *f, bool without_ids);
struct map_trace *map_trace_read(struct cursor *c, const struct map_function *f);
void map_trace_release(struct map_trace *t); /* also frees it; t may be NULL */

#endif
