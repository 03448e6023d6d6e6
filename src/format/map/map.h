/*
 * The map: what every counter of a program means. One unit record per object file in the non-loaded section
 * `.cotree.map`; linkers concatenate sections, so a record stands alone and says how long it is.
 *
 *   unit record:  u32 MAP_MAGIC | u32 length of all that follows | u32 version | u32 length of the payload |
 *                 u64 hash of what follows | the payload, packed (format/packed.h)
 *   payload:      function records, each: varint length, bytes
 *
 * Zero bytes between records are padding. A function's key is the hash of its record's bytes: whoever has
 * equal keys has equal names, places, graph and plan, so their counts may be added. MAP_FUNCTION_OPTIONAL is
 * left out of it: a body for inlining counts as the definition it is a copy of; and so is
 * MAP_FUNCTION_ADDRESS_TAKEN, which one unit may do and another not. The key is the first word of the
 * function's counter array (format/counters.h), which is how a counter finds its meaning.
 *
 * The full description is docs/cotree-map.5.scd. Readers accept any bytes: sizes are untrusted.
 */
#ifndef COTREE_FORMAT_MAP_MAP_H
#define COTREE_FORMAT_MAP_MAP_H

#include "base/buffer.h"
#include "base/error.h"
#include "format/map/branches.h"
#include "format/map/trace.h"
#include "graph/graph.h"
#include "plan/plan.h"

#define MAP_MAGIC 0x314d5443u /* "CTM1" */
#define MAP_VERSION 7u
#define MAP_VERSION_NOT_PACKED 3u /* the payload as it is, a zero for its length */
#define MAP_VERSION_OLDEST 2u     /* without entries that follow from calls */
#define MAP_SECTION ".cotree.map"

/* What makes counts of a run inexact when it happens; found per block at compile time. Written into maps. */
enum map_hazard {
    MAP_HAZARD_LONGJMP = 1, /* the block calls longjmp or a relative: frames are dropped */
    MAP_HAZARD_THROW = 2,   /* the block throws */
    MAP_HAZARD_LANDING_PAD =
        4,                 /* an exception arrives here: frames without cleanups in between were dropped */
    MAP_HAZARD_SETJMP = 8, /* the block calls setjmp or another function that returns twice */
    MAP_HAZARD_EXIT = 16,  /* the block ends in a call that ends the process or the thread */
    MAP_HAZARD_FORK = 32,  /* the block calls fork: a child inherits unfinished frames */
    MAP_HAZARD_EARLY =
        64, /* run by an ifunc resolver, the block calls code outside its unit, which may count */
    MAP_PATH_ENDS_EARLY = 128, /* no hazard: a path that ends with the activation is counted before the last
                                  call of the block, which may be a tail call */
    MAP_BLOCK_UNWRITTEN = 256, /* no hazard: nobody wrote its code, and it counts for no line: a clean-up when
                                  an exception passes, a round of a loop of clang's own */
    MAP_HAZARDS = MAP_PATH_ENDS_EARLY - 1,
};

enum map_function_flags {
    MAP_FUNCTION_LOCAL = 1,     /* internal linkage */
    MAP_FUNCTION_COMDAT = 2,    /* may be defined in several units */
    MAP_FUNCTION_MAIN = 4,      /* the program's main */
    MAP_FUNCTION_UNCOUNTED = 8, /* no counters: `why_uncounted` says why */
    MAP_FUNCTION_OPTIONAL =
        16, /* a body that was there for inlining only; its definition is in another unit */
    MAP_FUNCTION_ADDRESS_TAKEN =
        32,                    /* its unit does more with it than call it: whoever has the address may */
    MAP_FUNCTION_DERIVED = 64, /* its edge profile has no counter for entries: they are the calls of it that
                                  records of the module list (map_derived) */
    MAP_FUNCTION_TRACED = 128, /* it records its trace: `trace` says how */
    MAP_FUNCTION_PATHS_TRACED = 256, /* in merged files: its path plan is none of the program's, which has no
                                        such counters; paths were counted by its trace. Neither the flag nor
                                        that plan is part of the key */
    MAP_FUNCTION_ADDRESSES = 512,    /* and the addresses of its loads and stores: `trace->accesses` */
    MAP_FUNCTION_BRANCHES = 1024,    /* `branches` says what decides in it; without, nobody knows */
    MAP_FUNCTION_ONE_BODY = 2048,    /* the linker keeps one traced body for all units, even if they differ */
};

struct map_line {
    uint32_t file; /* index into map_function.files */
    uint32_t line;
};

/*
 * A call, invoke or callbr that is neither an intrinsic nor inline assembly. Calls of a block are numbered
 * from 1 in order of execution; number 0 stands for the time before the first.
 */
struct map_call {
    uint32_t callee; /* index into map_function.callees, or MAP_CALLEE_UNKNOWN */
    bool invoke;     /* it has a landing pad: an exception that comes out of it goes on here */
};
#define MAP_CALLEE_UNKNOWN UINT32_MAX

/* All calls of this callee lead to the function with this key and MAP_FUNCTION_DERIVED. */
struct map_derived {
    uint32_t callee; /* index into map_function.callees */
    uint64_t key;
};

struct map_block {
    uint32_t line_count;
    struct map_line *lines; /* in order of execution, equal neighbours once */
    uint32_t call_count;
    struct map_call *calls;
    uint32_t hazards;  /* enum map_hazard, or'ed; "has any" asks for MAP_HAZARDS */
    bool only_returns; /* it does nothing but return: what counts it stands on the ways into it */
};

/* Counter sets of one function, in the order in which their counters stand in its array. */
struct map_function {
    uint64_t key;        /* hash of the record; filled in by writer and reader */
    uint64_t graph_hash; /* graph_hash() of the complete graph, for matching across builds */
    uint32_t flags;
    char *name;          /* linkage name */
    char *why_uncounted; /* or NULL */
    uint32_t file_count;
    char **files;  /* absolute after prefix maps; files[0] is where the function is defined (if file_count) */
    uint32_t line; /* of the definition, 0 if unknown */
    uint32_t callee_count;
    uint32_t *callees;           /* map_name_tag() of each function that is called by name, once */
    struct graph graph;          /* complete */
    struct map_block *blocks;    /* graph.vertex_count - 1 of them */
    uint32_t branch_count;       /* with MAP_FUNCTION_BRANCHES */
    struct map_branch *branches; /* by block, each once */
    uint32_t plan_count;
    struct plan *plans;
    uint32_t derived_count;
    struct map_derived *derived; /* by callee, each once */
    struct map_trace *trace;     /* with MAP_FUNCTION_TRACED, else NULL */
};

void map_function_release(struct map_function *f);
/* A linkage name in 32 bits: who is called is asked only to find cycles of calls, where two functions that
 * are taken for one do no harm, and names would double the map. */
uint32_t map_name_tag(const char *linkage_name);
uint32_t map_function_counters(const struct map_function *f); /* over all plans */
/* The plan that counts paths, or NULL. A map has one at most. */
const struct plan *map_path_plan(const struct map_function *f);

/* The key as it would be if ids of traces, its own and those of callees, were not written. */
uint64_t map_key_without_ids(const struct map_function *f);

/* Appends the function's record (with its length) to a payload and sets f->key. */
void map_write_function(struct buffer *payload, struct map_function *f);
/* Wraps a payload into a unit record. */
void map_write_unit(struct buffer *out, const struct buffer *payload);

/*
 * Calls visit for each function of a whole section (many units); a function is handed over and belongs to the
 * visitor. Damaged units are skipped as far as their length can be trusted and described in error; the result
 * is false if anything was.
 */
typedef void map_visitor(void *context, struct map_function *f);
bool map_read_section(const void *data, size_t length, map_visitor *visit, void *context,
                      struct error *error);
/* Reads one function record (without its length). */
bool map_read_function(struct map_function *f, const void *data, size_t length, struct error *error);

#endif
