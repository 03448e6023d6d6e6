/*
 * The map: what every counter of a program means.
 *
 * Words
 *   unit record      what one unit (object file) adds to the section `.cotree.map`, which is not
 *                    loaded
 *   function record  one function's entry in a unit record: names, files, flow graph, blocks, plans
 *   key              the hash of a function record's bytes. It is also the first word of the
 *                    function's counter array (format/counters.h), so a counter finds its meaning
 *                    by it.
 *   counter set      the counters of one plan. A function's array holds its sets one after the
 *                    other.
 *   hazard           something in a block that makes the counts of a run inexact when it happens
 *
 * The section consists of unit records (format/map/units.h). Those with MAP_MAGIC hold function
 * records.
 *
 * To read it:
 *
 *     static void visit(void *context, struct map_function *f)
 *     {
 *         printf("%s has %u counters\n", f->name, map_function_counters(f));
 *         map_function_release(f);
 *     }
 *     bool whole = map_read_section(data, length, visit, NULL, &error);
 *
 * Invariants
 *  1. A unit record stands alone and says how long it is, since linkers concatenate sections. Zero
 *     bytes between records are padding.
 *  2. Functions with equal keys have equal names, places, graphs and plans, so their counts may be
 *     added. Two flags are not part of the key: MAP_FUNCTION_OPTIONAL, since a body that is there
 *     for inlining counts as the definition that it is a copy of, and MAP_FUNCTION_ADDRESS_TAKEN,
 *     which may hold in one unit and not in another.
 *  3. Readers accept any bytes: sizes are untrusted. A function that the reader hands out has at
 *     least one block, one entry edge, and indices that are in range.
 *
 * docs/cotree-map.5.scd has the full description.
 */
#ifndef COTREE_FORMAT_MAP_MAP_H
#define COTREE_FORMAT_MAP_MAP_H

#include "base/buffer.h"
#include "base/error.h"
#include "format/map/branches.h"
#include "format/map/trace.h"
#include "format/map/units.h"
#include "graph/graph.h"
#include "plan/plan.h"

#define MAP_VERSION 8u
#define MAP_VERSION_NOT_PACKED 3u /* the payload is not packed, and 0 stands for its length */
#define MAP_VERSION_OLDEST 2u     /* without entries that are derived from calls */
#define MAP_SECTION ".cotree.map"

/* The hazards of a block, found at compile time, and two marks that are none. Written into maps. */
enum map_hazard {
    MAP_HAZARD_LONGJMP = 1, /* the block calls longjmp or a relative: frames are dropped */
    MAP_HAZARD_THROW = 2,   /* the block throws */
    /* An exception arrives here: frames without clean-ups between its throw and this block were
     * dropped. */
    MAP_HAZARD_LANDING_PAD = 4,
    MAP_HAZARD_SETJMP = 8, /* the block calls setjmp or another function that returns twice */
    MAP_HAZARD_EXIT = 16,  /* the block ends in a call that ends the process or the thread */
    MAP_HAZARD_FORK = 32,  /* the block calls fork: a child inherits unfinished frames */
    /* If an ifunc resolver runs it, the block calls code outside its unit, which may count. */
    MAP_HAZARD_EARLY = 64,
    /* Not a hazard: a path that ends with the activation is counted before the last call of the
     * block, which may be a tail call. */
    MAP_PATH_ENDS_EARLY = 128,
    /* Not a hazard: the source has no code for the block, so it counts for no line. It is a
     * clean-up that runs when an exception passes, or a round of a loop that clang made. */
    MAP_BLOCK_UNWRITTEN = 256,
    MAP_HAZARDS = MAP_PATH_ENDS_EARLY - 1,
};

enum map_function_flags {
    MAP_FUNCTION_LOCAL = 1,     /* internal linkage */
    MAP_FUNCTION_COMDAT = 2,    /* may be defined in several units */
    MAP_FUNCTION_MAIN = 4,      /* the program's main */
    MAP_FUNCTION_UNCOUNTED = 8, /* no counters: `why_uncounted` says why */
    /* Its body was there for inlining only; its definition is in another unit. */
    MAP_FUNCTION_OPTIONAL = 16,
    /* Its unit does more with it than call it: any code that has the address may call it. */
    MAP_FUNCTION_ADDRESS_TAKEN = 32,
    /* Its edge counts have no counter for entries. They are derived from the calls that records of
     * the module list (struct map_derived). */
    MAP_FUNCTION_DERIVED = 64,
    MAP_FUNCTION_TRACED = 128, /* it records its trace: `trace` says how */
    /* In merged files: the program has no counters for its path plan; its paths were counted by its
     * trace. Neither the flag nor that plan is part of the key. */
    MAP_FUNCTION_PATHS_TRACED = 256,
    MAP_FUNCTION_ADDRESSES = 512, /* it records the addresses of its loads and stores: `trace->accesses` */
    MAP_FUNCTION_BRANCHES = 1024, /* `branches` says what decides in it; without the flag that is not known */
    MAP_FUNCTION_IN_PARTS = 4096, /* copies of a run can each count a part of what it does */
    MAP_FUNCTION_ONE_BODY = 2048, /* the linker keeps one traced body for all units, even if they differ */
};

struct map_line {
    uint32_t file; /* index into map_function.files */
    uint32_t line;
};

/*
 * A call, invoke or callbr that is neither of an intrinsic nor of inline assembly. The calls of a
 * block are numbered from 1 in the order of execution; number 0 stands for the time before the
 * first one.
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
    bool only_returns; /* it does nothing but return: its counters stand on the edges into it */
};

/* One function. Its plans, that is its counter sets, are in the order in which they stand in its
 * array. */
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
    uint32_t *callees;           /* map_name_tag() of each function that is called by name, each once */
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
/* A linkage name in 32 bits. Callees are used only to find cycles of calls, where it does no harm
 * to take two functions for one; names would double the size of the map. */
uint32_t map_name_tag(const char *linkage_name);
uint32_t map_function_counters(const struct map_function *f); /* over all plans */
/* The plan that counts paths, or NULL. A map has one at most. */
const struct plan *map_path_plan(const struct map_function *f);

/* The key that the record would have without ids of traces, its own and those of its callees. */
uint64_t map_key_without_ids(const struct map_function *f);

/* Appends the function's record (with its length) to a payload and sets f->key. */
void map_write_function(struct buffer *payload, struct map_function *f);
/* Wraps a payload into a unit record. */
void map_write_unit(struct buffer *out, const struct buffer *payload);

/*
 * Calls visit for each function of a whole section, which may hold many units. The visitor owns the
 * function that it is given. Damaged units are skipped as far as their length can be trusted, and
 * described in error; the result is false if any unit was damaged.
 */
typedef void map_visitor(void *context, struct map_function *f);
bool map_read_section(const void *data, size_t length, map_visitor *visit, void *context,
                      struct error *error);
/* Reads one function record (without its length). */
bool map_read_function(struct map_function *f, const void *data, size_t length, struct error *error);

#endif
