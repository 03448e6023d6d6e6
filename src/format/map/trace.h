/*
 * What a map says about a function that records its trace (-fcotree=trace): the edges that write witnesses,
 * and what happens at each of its calls. Part of struct map_function (format/map/map.h).
 */
#ifndef COTREE_FORMAT_MAP_TRACE_H
#define COTREE_FORMAT_MAP_TRACE_H

#include "base/buffer.h"
#include "graph/graph.h"
#include "plan/witness.h"
#include "plan/witness_paths.h"

struct map_function;

/* What happens at a call, as far as traces are concerned. Values are written into maps: never renumber. */
enum map_trace_call {
    MAP_TRACE_PLAIN = 0,   /* it leads to code that never calls traced code: nothing is written */
    MAP_TRACE_UNKNOWN = 1, /* `calls` rises before it and behind it (format/trace/layout.h) */
    MAP_TRACE_TWICE = 2,   /* plain, but control may land behind it again: setjmp, vfork */
    MAP_TRACE_JUMP = 3,    /* unknown, and nothing but the return behind it: `calls` rises before it only */
    MAP_TRACE_KNOWN = 4,   /* 4 + i: it leads to the body of the function whose id is callees[i]; if named[i],
                              of   the one that was linked under that name, or it is unknown */
};

/*
 * Loads and stores that record their address, in order of execution. Calls divide a block into places, one
 * more than it has calls; place k of block b (before call k + 1) is number map_trace.first[b] + b + k.
 */
enum map_access_kind { MAP_LOAD = 0, MAP_STORE = 1, MAP_LOAD_AND_STORE = 2 };
struct map_accesses {
    uint32_t *first; /* per place, and one behind the last: its first access */
    uint32_t *items; /* size in bytes << 2 | enum map_access_kind */
};

#define MAP_TRACE_INSTEAD_UNKNOWN 1u /* no id: somebody was linked, but nobody knows who */

struct map_trace {
    uint64_t id;      /* what TRACE_ENTER says; TRACE_KINDS or more. Equal ids: the records are equal */
    uint64_t instead; /* the id of the function of another unit that was linked for this one; 0: none. Not
                         written (decode/trace/bodies.h) */
    enum witness_placement placement;
    bool silent;          /* it writes no events, nor does what it calls */
    bool has_name;        /* other units may call its body by name */
    uint32_t *values;     /* per edge of the function's graph: 0 or a witness; with WITNESS_PATHS its mark
                             (plan/witness_paths.h); 0 on edges that are not traced */
    uint32_t value_count; /* more than 255: witnesses are two bytes long (witness_bytes); WITNESS_PATHS: no
                             mark is larger */
    uint32_t callee_count;
    uint64_t *callees; /* ids; of those that are named: map_trace_name() */
    bool *named;       /* per callee: the linker decided who it is */
    uint64_t *linked;  /* per callee that is named: its id, 0: nobody who is traced; of others, 0 or `instead`
                          of  theirs. Not written; all 0 until somebody has looked (map_trace_link,
                          decode/trace/bodies.h) */
    uint32_t *calls;   /* enum map_trace_call, of all calls: block after block, in order of execution */
    uint32_t *first;   /* per block, and one behind the last: its first place in calls */
    bool *resumes;     /* per block: it ends by sending an exception on, before which `calls` rises: as if
                          behind its calls there were an unknown one that never returns */
    struct map_accesses *accesses; /* with MAP_FUNCTION_ADDRESSES, else NULL */
};

/* Is a byte written on the edge? */
static inline bool map_trace_writes(const struct map_trace *t, uint32_t edge)
{
    return t->placement == WITNESS_PATHS ? witness_path_kind(t->values[edge]) == WITNESS_PATH_WRITES
                                         : t->values[edge] != 0;
}

/* What the call (from 1) of the block is; one by name is unknown unless somebody was linked. */
static inline uint32_t map_trace_call(const struct map_trace *t, uint32_t block, uint32_t call)
{
    uint32_t kind = t->calls[t->first[block] + call - 1];
    bool nobody =
        kind >= MAP_TRACE_KNOWN && t->named[kind - MAP_TRACE_KNOWN] && !t->linked[kind - MAP_TRACE_KNOWN];
    return nobody ? MAP_TRACE_UNKNOWN : kind;
}
/* The id of whom such a call, which is known, leads to. */
static inline uint64_t map_trace_callee(const struct map_trace *t, uint32_t kind)
{
    uint32_t i = kind - MAP_TRACE_KNOWN;
    return t->named[i] || t->linked[i] ? t->linked[i] : t->callees[i];
}

/* The place (struct map_accesses) behind call number `call` of the block; 0: at its start. */
static inline uint32_t map_trace_access_place(const struct map_trace *t, uint32_t block, uint32_t call)
{
    return t->first[block] + block + call;
}

/*
 * May control be seen to take the edge? Not virtual edges, and not edges into landing pads: where an
 * exception lands is a record of its own.
 */
bool map_trace_edge(const struct map_function *f, uint32_t edge);
/*
 * The graph that witnesses are planned on: the function's without edges that are not traced, nor edges to
 * EXIT from blocks that send exceptions on. So landing pads have no way in and dead ends no way out. edge_of,
 * one for each of its edges: the id in f->graph. Both are the caller's.
 */
void map_trace_graph(const struct map_function *f, struct graph *g, uint32_t **edge_of);

/*
 * Who is called by name. The body of a traced function that other units may call has a name that they know,
 * and the only strong definition of it; calls of functions of other units go to that name. Callers have a
 * weak definition, a way out, which counts as an unknown call does, and calls the function. So whom a call by
 * name leads to follows from the functions that are in the module: the one that has the name, or nobody.
 */
uint64_t map_trace_name(const char *name);
/* Fills in `linked` of all functions of a module. Of two that have the same name neither is known. */
void map_trace_link(struct map_function *functions, size_t count);

/* Its part of a function's record; the reader is given what was read before. Without ids: 0 for all of them.
 */
void map_trace_write(struct buffer *out, const struct map_function *f, bool without_ids);
struct map_trace *map_trace_read(struct cursor *c, const struct map_function *f);
void map_trace_release(struct map_trace *t); /* and frees it; NULL: nothing */

#endif
