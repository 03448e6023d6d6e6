/*
 * Functions that record their trace (-fcotree=trace): witnesses on edges (plan/witness.h), what happens at
 * calls (format/map/trace.h), bodies and thunks (format/trace/layout.h).
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
    bool asks;                    /* with addresses: whether there is room for them (trace/room.c) */
};

struct trace_full {
    LLVMValueRef sum; /* loaded from the variable */
    uint32_t limit;
};

struct trace_function {
    struct trace_site *sites;  /* in the order of map_trace.calls */
    uint64_t made_of, next_id; /* while ids are being found */
    LLVMValueRef thunk;        /* the function as others know it, once the body was taken out; or NULL */
    struct trace_accesses ARRAY_OF(LLVMValueRef) accesses; /* in the order of map_trace.accesses */
    uint32_t search, next_site;                            /* trace/room.c */
    LLVMValueRef entry;          /* `events` when the activation began; NULL where nobody asks */
    LLVMValueRef sum;            /* of the stretch that has begun (trace/sums.c); NULL where there are none */
    struct witness_paths *paths; /* with WITNESS_PATHS, else NULL: by edge of the function's graph */
    /* With bits (trace/bits.c): per block how many its codes have, and whether the byte is written before it;
     * and the places where it is written if the variable has reached a limit. */
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
    LLVMValueRef type_of_events, type_of_thread; /* what memory is accessed: neither is the program's */
    unsigned type_kind;
    bool addresses; /* loads and stores record where */
    bool reports;   /* every block reports itself: cotree_block(trace id, block) */
};

/* Which functions are traced, and how: fills in their maps. Of those that cannot be the reason is told, if
 * verbose. */
void trace_plan(LLVMModuleRef module, struct unit_functions *functions,
                const struct instrument_options *options);
void trace_release(struct trace_function *t);

void trace_maker_init(struct trace_maker *m, LLVMModuleRef module, const struct instrument_options *options);
void trace_maker_release(struct trace_maker *m);
/* Takes the bodies of traced functions out of their public names and leads known calls to them. */
void trace_split(struct trace_maker *m, struct unit_functions *functions);
/* Puts everything that writes into a function, but for what lands behind calls that return twice. */
bool trace_place(struct trace_maker *m, struct unit_function *f, struct error *error);
/* The rest: it divides blocks, so nothing can be placed by the graph afterwards. */
void trace_place_second_returns(struct trace_maker *m, struct unit_function *f);
/* The thunks, when all bodies are done. */
void trace_make_thunks(struct trace_maker *m, struct unit_functions *functions);

/* Calls of functions of other units, and bodies that other units may call (trace/calls.c): whether they can
 * be; and, when bodies are where they belong, leading a call there. */
bool trace_may_call_by_name(LLVMValueRef call);
bool trace_may_be_called_by_name(const struct unit_function *f);
void trace_name_body(struct trace_maker *m, const struct unit_function *f);
void trace_call_by_name(struct trace_maker *m, const struct unit_function *f, const struct trace_site *site);

/* What is called may be traced, whatever it was declared to be: the call stays where it is, as often as it
 * is. */
void trace_widen(LLVMValueRef call);
/* At the builder's place: `calls` rises. */
void trace_count_call(struct trace_maker *m);
/* At the builder's place: an address in bytes behind another; what the thread's place holds at the offset;
 * storing there; and storing what the trace consists of. */
LLVMValueRef trace_address(struct trace_maker *m, LLVMValueRef base, size_t offset);
LLVMValueRef trace_load(struct trace_maker *m, LLVMTypeRef type, size_t offset);
void trace_store(struct trace_maker *m, LLVMValueRef value, size_t offset);
void trace_store_event(struct trace_maker *m, LLVMValueRef value, LLVMValueRef address);

/* trace/addresses.c: which loads and stores record their address, before anything is placed; the code that
 * does; and, at the builder's place, a mark among the words. */
void trace_find_accesses(struct unit_function *f);
void trace_place_addresses(struct trace_maker *m, const struct unit_function *f);
void trace_put_mark(struct trace_maker *m, uint64_t mark);
/* trace/room.c: which calls ask whether there is room for words, before anything is placed; and the code. It
 * divides blocks, as trace_place_second_returns does. */
void trace_find_recursion(struct unit_functions *functions);
void trace_place_room(struct trace_maker *m, const struct unit_function *f);

/* At the builder's place: a byte is written, which is not 0. */
void trace_put_byte(struct trace_maker *m, LLVMValueRef byte);
/* trace/sums.c: numbers of paths. The variable, and where stretches begin; and what an edge does, at the
 * builder's place. */
bool trace_place_sums(struct trace_maker *m, struct unit_function *f, struct error *error);
void trace_put_sum(struct trace_maker *m, const struct unit_function *f, uint32_t edge);
bool trace_needs_sum(const struct unit_function *f, uint32_t edge);

/* trace/bits.c: the same with bits; and, when nothing more is placed by the graph, what writes bytes. */
void trace_place_bits(struct trace_maker *m, struct unit_function *f);
void trace_put_bits(struct trace_maker *m, struct unit_function *f, uint32_t edge);
void trace_put_fulls(struct trace_maker *m, struct unit_function *f);

/* The first edge out of the block, by id: those of one block follow each other, and blocks are in order
 * (function_graph.c); entry and virtual edges are behind. An edge of another block if there is none. */
static inline uint32_t trace_first_edge(const struct graph *g, uint32_t block)
{
    uint32_t low = 0, high = g->edge_count;
    while (high && (g->edges[high - 1].kind == EDGE_VIRTUAL || g->edges[high - 1].kind == EDGE_ENTRY))
        high--;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (g->edges[middle].from < block)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

#endif
