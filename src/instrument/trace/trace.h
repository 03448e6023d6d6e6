/*
 * Functions that record their trace (-fcotree=trace): witnesses on edges (plan/witness.h), records
 * of calls (format/map/trace.h), bodies and thunks (format/trace/layout.h).
 */
#ifndef COTREE_INSTRUMENT_TRACE_TRACE_H
#define COTREE_INSTRUMENT_TRACE_TRACE_H

#include "base/memory.h"
#include "instrument/graph/unit_function.h"
#include "instrument/options.h"
#include "plan/witness_bits.h"
#include "plan/witness_paths.h"

/* A call of a traced function, as the map numbers them. */
struct trace_site {
    LLVMValueRef call;
    struct unit_function *callee; /* of a known call, else NULL */
    LLVMValueRef named;           /* the function of another unit, of a call by name, else NULL */
    bool in_tail;                 /* nothing but the return may follow */
    bool asks;                    /* with addresses: whether there is room is asked before it (room.c) */
};

struct trace_full {
    LLVMValueRef sum; /* loaded from the variable */
    uint32_t limit;
};

struct trace_function {
    struct trace_site *sites;  /* in the order of map_trace.calls */
    uint64_t made_of, next_id; /* while ids are being found */
    LLVMValueRef thunk;        /* the function's public name, once the body was taken out; or NULL */
    struct trace_accesses ARRAY_OF(LLVMValueRef) accesses; /* in the order of map_trace.accesses */
    uint32_t search, next_site;                            /* trace/room.c */
    LLVMValueRef entry;          /* `events` when the activation began; NULL where no code needs it */
    LLVMValueRef sum;            /* of the stretch that has begun (trace/sums.c); NULL where there are none */
    struct witness_paths *paths; /* with WITNESS_PATHS, else NULL: by edge of the function's graph */
    /* With bits (trace/bits.c): how many bits the codes of each block have, and whether the byte is
     * written before the block; and where it is written if the variable has reached a limit. */
    uint8_t *bits;
    bool *full_before;
    struct trace_fulls ARRAY_OF(struct trace_full) fulls;
};

/* What is the same for all functions of a module. */
struct trace_maker {
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMBuilderRef builder;
    LLVMTypeRef i8, i16, i32, i64, pointer, void_type, land_type, begin_type, report_type;
    LLVMValueRef thread, begin, land, report;
    LLVMValueRef number;                         /* where the number of the module is; NULL: it is 0 */
    LLVMValueRef type_of_events, type_of_thread; /* kinds of memory that the program does not have */
    unsigned type_kind;
    bool addresses; /* loads and stores record their address */
    bool reports;   /* every block reports itself: cotree_block(trace id, block) */
};

/* Decides which functions are traced and how, and fills in their maps. If verbose, names the
 * functions that cannot be traced, and why. */
void trace_plan(LLVMModuleRef module, struct unit_functions *functions,
                const struct instrument_options *options);
void trace_release(struct trace_function *t);

void trace_maker_init(struct trace_maker *m, LLVMModuleRef module, const struct instrument_options *options);
void trace_maker_release(struct trace_maker *m);
/* Takes the bodies of traced functions out of their public names and leads known calls to them. */
void trace_split(struct trace_maker *m, struct unit_functions *functions);
/* Puts all code that writes into a function, except that after calls that return twice. */
bool trace_place(struct trace_maker *m, struct unit_function *f, struct error *error);
/* Puts that code, too: it divides blocks, so nothing can be placed by the graph afterwards. */
void trace_place_second_returns(struct trace_maker *m, struct unit_function *f);
/* The thunks, when all bodies are done. */
void trace_make_thunks(struct trace_maker *m, struct unit_functions *functions);

/* trace/calls.c: may the function of another unit be called by name, and may other units call this
 * body so? When bodies are where they belong: names the body, and leads a call to one. */
bool trace_may_call_by_name(LLVMValueRef call);
bool trace_may_be_called_by_name(const struct unit_function *f);
void trace_name_body(struct trace_maker *m, const struct unit_function *f);
void trace_call_by_name(struct trace_maker *m, const struct unit_function *f, const struct trace_site *site);

/* The callee may be traced, whatever it was declared to be: no pass may move, drop or merge the
 * call. */
void trace_widen(LLVMValueRef call);
/* Where the builder stands: `calls` rises. */
void trace_count_call(struct trace_maker *m);
/* Where the builder stands: the address so many bytes after another; what the thread's storage
 * holds at the offset; storing there; and storing an event, record or word of the trace. */
LLVMValueRef trace_address(struct trace_maker *m, LLVMValueRef base, size_t offset);
LLVMValueRef trace_load(struct trace_maker *m, LLVMTypeRef type, size_t offset);
LLVMValueRef trace_store(struct trace_maker *m, LLVMValueRef value, size_t offset);
void trace_store_event(struct trace_maker *m, LLVMValueRef value, LLVMValueRef address);

/* trace/addresses.c: finds the loads and stores that record their address, before anything is
 * placed; puts the code that does; and, where the builder stands, puts a mark among the words. */
void trace_find_accesses(struct unit_function *f);
void trace_place_addresses(struct trace_maker *m, const struct unit_function *f);
void trace_put_mark(struct trace_maker *m, uint64_t mark);
/* trace/room.c: finds the calls that ask whether there is room for words, before anything is
 * placed; and puts the code, which divides blocks as trace_place_second_returns does. */
void trace_find_recursion(struct unit_functions *functions);
void trace_place_room(struct trace_maker *m, const struct unit_function *f);

/* Where the builder stands: writes a byte, which is not 0. */
void trace_put_byte(struct trace_maker *m, LLVMValueRef byte);
/* trace/sums.c: numbers of paths. Puts the variable and the beginnings of stretches; and, where the
 * builder stands, the code of an edge. */
bool trace_place_sums(struct trace_maker *m, struct unit_function *f, struct error *error);
void trace_put_sum(struct trace_maker *m, const struct unit_function *f, uint32_t edge);
bool trace_needs_sum(const struct unit_function *f, uint32_t edge);

/* trace/bits.c: the same with bits; and the code that writes bytes, when nothing more is placed by
 * the graph. */
void trace_place_bits(struct trace_maker *m, struct unit_function *f);
void trace_put_bits(struct trace_maker *m, struct unit_function *f, uint32_t edge);
void trace_put_fulls(struct trace_maker *m, struct unit_function *f);

/* The first edge out of the block: edges are in the order of their blocks (function_graph.c),
 * before the entry edge and the virtual edges. An edge of another block if there is none. */
static inline uint32_t trace_first_edge(const struct graph *g, uint32_t block)
{
    uint32_t count = g->edge_count;
    while (count && (g->edges[count - 1].kind == EDGE_VIRTUAL || g->edges[count - 1].kind == EDGE_ENTRY))
        count--;
    return (uint32_t)FIRST_WITHOUT(count, e, g->edges[e].from < block);
}

#endif
