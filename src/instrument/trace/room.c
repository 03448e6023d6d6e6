/*
 * Asks whether there is room for more words of addresses, once a round of every loop that writes
 * some, and before calls that recursion may go through:
 *
 *     if (thread.addresses >= thread.addresses_limit)
 *         cotree_trace_room(&thread);
 *
 * So no program writes past the memory for its words, however little that is and however long it
 * passes no thunk: between two questions there are no more words than the code has accesses.
 *
 * Bodies are called by functions of their unit, or by name; all other calls come through thunks,
 * which ask. A cycle of calls has a call by name, or one that a search through the unit's calls
 * finds leading back.
 */
#include "base/memory.h"
#include "format/trace/layout.h"
#include "graph/analysis.h"
#include "instrument/llvm/shim.h"
#include "instrument/marker/attributes.h"
#include "instrument/marker/marker.h"
#include "instrument/trace/trace.h"

#include <stddef.h>
#include <string.h>

/* ---- Which calls ---- */

enum { UNSEEN = 0, BEING_SEARCHED, SEARCHED };

static uint32_t site_count(const struct unit_function *f)
{
    return f->map.trace->first[f->map.graph.vertex_count - 1];
}

static void search_from(struct unit_function *root)
{
    struct ARRAY_OF(struct unit_function *) stack = {0};
    ARRAY_PUSH(&stack, root);
    root->trace->search = BEING_SEARCHED;
    while (stack.count) {
        struct unit_function *f = stack.items[stack.count - 1];
        if (f->trace->next_site == site_count(f)) {
            f->trace->search = SEARCHED;
            stack.count--;
            continue;
        }
        struct trace_site *site = &f->trace->sites[f->trace->next_site++];
        struct unit_function *callee = site->callee;
        site->asks = site->named || (callee && callee->trace->search == BEING_SEARCHED);
        if (callee && callee->trace->search == UNSEEN) {
            callee->trace->search = BEING_SEARCHED;
            ARRAY_PUSH(&stack, callee);
        }
    }
    ARRAY_RELEASE(&stack);
}

void trace_find_recursion(struct unit_functions *functions)
{
    for (size_t i = 0; i < functions->count; i++)
        if (functions->items[i]->trace && functions->items[i]->trace->search == UNSEEN)
            search_from(functions->items[i]);
}

/* ---- The code ---- */

/* The function's attributes say that it touches the thread's storage and memory of its own only, so
 * that nothing else is loaded again after it. */
static LLVMValueRef room(struct trace_maker *m, LLVMTypeRef type)
{
    static const struct {
        const char *name;
        uint64_t value;
    } attributes[] = {{"nounwind", 0}, {"willreturn", 0}, {"norecurse", 0}, {"nocallback", 0},
                      {"nofree", 0},   {"memory", 15}}; /* what arguments point to, and the inaccessible */
    LLVMValueRef function = LLVMGetNamedFunction(m->module, TRACE_ROOM_SYMBOL);
    if (function)
        return function;
    function = LLVMAddFunction(m->module, TRACE_ROOM_SYMBOL, type);
    attributes_leave_alone(function);
    LLVMSetFunctionCallConv(function, LLVMPreserveMostCallConv);
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        unsigned kind = LLVMGetEnumAttributeKindForName(attributes[i].name, strlen(attributes[i].name));
        LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                                LLVMCreateEnumAttribute(m->context, kind, attributes[i].value));
    }
    return function;
}

static void ask(struct trace_maker *m, LLVMValueRef before)
{
    LLVMTypeRef type = LLVMFunctionType(m->void_type, &m->pointer, 1, false);
    LLVMPositionBuilderBefore(m->builder, before);
    LLVMSetCurrentDebugLocation2(m->builder, NULL);
    LLVMValueRef at = trace_load(m, m->pointer, offsetof(struct cotree_trace_thread, addresses));
    LLVMValueRef limit = trace_load(m, m->pointer, offsetof(struct cotree_trace_thread, addresses_limit));
    LLVMValueRef none = LLVMBuildICmp(m->builder, LLVMIntUGE, at, limit, "");
    LLVMPositionBuilderBefore(m->builder, shim_insert_unlikely(none, before));
    LLVMValueRef call = LLVMBuildCall2(m->builder, type, room(m, type), &m->thread, 1, "");
    LLVMSetInstructionCallConv(call, LLVMPreserveMostCallConv);
}

/* Does control write words in the block without asking? */
static bool writes(const struct unit_function *f, uint32_t block)
{
    const struct map_trace *t = f->map.trace;
    if (t->accesses->first[map_trace_access_place(t, block, 0)] !=
        t->accesses->first[map_trace_access_place(t, block + 1, 0)])
        return true;
    for (uint32_t i = t->first[block]; i < t->first[block + 1]; i++) {
        const struct unit_function *callee = f->trace->sites[i].callee;
        if (callee && !f->trace->sites[i].asks && (callee->trace->accesses.count || site_count(callee)))
            return true;
    }
    return false;
}

static bool holds(const struct loops *loops, uint32_t loop, uint32_t block)
{
    uint32_t at = loops->innermost[block];
    while (at != GRAPH_NONE && at != loop)
        at = loops->parent[at];
    return at == loop;
}

/* Where control enters a loop elsewhere than at its head, a round of the loop around it may miss
 * that head. */
static void ask_around(const struct graph *g, const struct loops *loops, bool *asks)
{
    bool *passed_by = ZALLOC(bool, loops->count + 1);
    for (uint32_t e = 0; e < g->edge_count; e++) {
        uint32_t to = g->edges[e].to, l = loops->innermost[to];
        for (; l != GRAPH_NONE && !holds(loops, l, g->edges[e].from); l = loops->parent[l])
            passed_by[l] |= to != loops->head[l];
    }
    for (uint32_t i = loops->count; i-- > 0;) /* those inside come last */
        if (asks[i] && passed_by[i] && loops->parent[i] != GRAPH_NONE)
            asks[loops->parent[i]] = true;
    free(passed_by);
}

/* Loops inside a loop ask by themselves. */
static void ask_in_loops(struct trace_maker *m, const struct unit_function *f)
{
    struct adjacency adjacency;
    struct depth_first order;
    struct loops loops;
    adjacency_init(&adjacency, &f->f.graph);
    depth_first_init(&order, &f->f.graph, &adjacency);
    loops_init(&loops, &f->f.graph, &adjacency, &order);
    bool *asks = ZALLOC(bool, loops.count + 1);
    for (uint32_t b = 0; b + 1 < f->f.graph.vertex_count; b++)
        if (loops.innermost[b] != GRAPH_NONE && writes(f, b))
            asks[loops.innermost[b]] = true;
    ask_around(&f->f.graph, &loops, asks);
    for (uint32_t i = 0; i < loops.count; i++)
        if (asks[i])
            ask(m, marker_start_of(function_graph_head(&f->f, loops.head[i])));
    free(asks);
    loops_release(&loops);
    depth_first_release(&order);
    adjacency_release(&adjacency);
}

void trace_place_room(struct trace_maker *m, const struct unit_function *f)
{
    ask_in_loops(m, f);
    for (uint32_t i = 0; i < site_count(f); i++)
        if (f->trace->sites[i].asks)
            ask(m, f->trace->sites[i].call);
}
