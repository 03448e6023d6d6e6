/*
 * Where markers stand: function_graph.c decides for edges (struct function_graph, site). Markers
 * of blocks and of the entry edge stand at the start of their block, after phis, the landing pad
 * and, in the first block, the variables.
 */
#include "instrument/count/markers.h"
#include "instrument/llvm/versions.h"

#include <string.h>

static void mark_start(struct marker_maker *m, LLVMBasicBlockRef block, LLVMValueRef counter)
{
    marker_before(m, marker_start_of(block), counter);
}

static bool mark_branches(struct marker_maker *m, struct function_graph *f, uint32_t edge,
                          LLVMValueRef counter, struct error *error)
{
    for (uint32_t i = f->branch_start[edge]; i < f->branch_start[edge + 1]; i++) {
        struct ir_branch *branch = &f->branches[i];
        LLVMValueRef last = LLVMGetBasicBlockTerminator(branch->from);
        if (LLVMGetNumSuccessors(last) == 1) { /* the other edge is virtual: an endless loop */
            marker_before(m, last, counter);
            continue;
        }
        if (!marker_block_on(branch))
            return error_set(error, "edge %u cannot be split", edge);
        mark_start(m, branch->split, counter);
    }
    return true;
}

static bool mark_block(struct marker_maker *m, struct function_graph *f, uint32_t block, LLVMValueRef counter,
                       struct error *error);

static bool mark_edge(struct marker_maker *m, struct function_graph *f, uint32_t edge, LLVMValueRef counter,
                      struct error *error)
{
    const struct edge *e = &f->graph.edges[edge];
    switch (f->site[edge]) {
    case EDGE_AT_TARGET:
        mark_start(m, function_graph_head(f, e->to), counter);
        return true;
    case EDGE_AT_SOURCE:
        if (e->kind != EDGE_FLOW)
            return mark_block(m, f, e->from, counter, error);
        mark_start(m, function_graph_head(f, e->from), counter);
        return true;
    case EDGE_ON_BRANCH:
        return mark_branches(m, f, edge, counter, error);
    case EDGE_NOWHERE:
        break;
    }
    return error_set(error, "a counter was planned on edge %u, where none can stand", edge);
}

/* Marks executions of a block; those of a block that does nothing but return on the edges into
 * it. */
static bool mark_block(struct marker_maker *m, struct function_graph *f, uint32_t block, LLVMValueRef counter,
                       struct error *error)
{
    if (!f->only_returns[block]) {
        mark_start(m, function_graph_head(f, block), counter);
        return true;
    }
    for (uint32_t e = 0; e < f->graph.edge_count; e++)
        if (f->graph.edges[e].to == block && !mark_edge(m, f, e, counter, error))
            return false;
    return true;
}

/* Marks activations ended: where every edge into EXIT begins. */
static bool mark_exits(struct marker_maker *m, struct function_graph *f, LLVMValueRef counter,
                       struct error *error)
{
    for (uint32_t e = 0; e < f->graph.edge_count; e++)
        if (f->graph.edges[e].to == graph_exit(&f->graph) && f->site[e] == EDGE_AT_SOURCE &&
            !mark_edge(m, f, e, counter, error))
            return false;
    return true;
}

/*
 * main has really returned only after its last call: there, and only there, a marker stands between
 * a call and the return (but not after a call that must be a tail call). Where main itself calls
 * exit, or anything else that does not return, it has ended too: no frame but its own stays
 * unfinished.
 */
static void mark_returns(struct marker_maker *m, struct function_graph *f, LLVMValueRef counter)
{
    for (uint32_t e = 0; e < f->graph.edge_count; e++) {
        enum edge_kind kind = f->graph.edges[e].kind;
        if (kind != EDGE_EXIT && kind != EDGE_VIRTUAL)
            continue;
        LLVMValueRef last = LLVMGetBasicBlockTerminator(function_graph_tail(f, f->graph.edges[e].from));
        LLVMValueRef before = LLVMGetPreviousInstruction(last);
        bool after_call = before && LLVMIsACallInst(before);
        if (kind == EDGE_VIRTUAL && !(after_call && LLVMGetInstructionOpcode(last) == LLVMUnreachable))
            continue; /* an endless loop */
        if (kind == EDGE_VIRTUAL || (after_call && LLVMGetTailCallKind(before) == LLVMTailCallKindMustTail))
            last = before;
        marker_before(m, last, counter);
    }
}

/* The last call of a dead end, which does not return: at least the one before `unreachable`. */
static LLVMValueRef last_call(const struct function_graph *f, uint32_t block)
{
    LLVMValueRef last = NULL;
    for (uint32_t ir = f->head[block]; ir != IR_NONE; ir = f->next[ir])
        for (LLVMValueRef i = LLVMGetFirstInstruction(f->ir.items[ir].block); i;
             i = LLVMGetNextInstruction(i))
            if (call_is_numbered(i))
                last = i;
    return last;
}

/*
 * Marks where control enters the region in which the function may call, or leaves it: exactly on
 * the edge, after every call of the block that it comes from. A block that does nothing but return
 * is never in the region: markers for it stand where the edges into it leave, so that optimisation
 * finds the tail calls it looks for (tail_calls.c). A dead end leaves the region before its last
 * call: the activation never goes on from there.
 */
static bool mark_crossing(struct marker_maker *m, struct function_graph *f, uint32_t e, enum marker_half half,
                          LLVMValueRef counter, LLVMValueRef partner, struct error *error)
{
    const struct edge *edge = &f->graph.edges[e];
    if (edge->kind == EDGE_VIRTUAL) {
        LLVMValueRef last = f->site[e] == EDGE_AT_SOURCE ? last_call(f, edge->from) : NULL;
        if (last) /* else an endless loop */
            marker_half_before(m, last, half, counter, partner);
    } else if (f->site[e] == EDGE_AT_TARGET) {
        marker_half_before(m, marker_start_of(function_graph_head(f, edge->to)), half, counter, partner);
    } else if (f->site[e] == EDGE_AT_SOURCE) {
        marker_half_before(m, LLVMGetBasicBlockTerminator(function_graph_tail(f, edge->from)), half, counter,
                           partner);
    } else {
        for (uint32_t i = f->branch_start[e]; i < f->branch_start[e + 1]; i++) {
            if (!marker_block_on(&f->branches[i]))
                return error_set(error, "edge %u cannot be split", e);
            marker_half_before(m, marker_start_of(f->branches[i].split), half, counter, partner);
        }
    }
    return true;
}

static bool mark_region(struct marker_maker *m, struct function_graph *f, LLVMValueRef begun,
                        LLVMValueRef ended, struct error *error)
{
    for (uint32_t e = 0; e < f->graph.edge_count; e++) {
        bool from = f->region[f->graph.edges[e].from], to = f->region[f->graph.edges[e].to];
        if (from != to && !mark_crossing(m, f, e, to ? MARKER_BEGIN : MARKER_END, to ? begun : ended,
                                         to ? ended : begun, error))
            return false;
    }
    return true;
}

static LLVMValueRef counter_at(const struct marker_maker *m, LLVMValueRef array, uint64_t word)
{
    LLVMValueRef index = LLVMConstInt(m->i64, word, false);
    return LLVMConstInBoundsGEP2(m->i64, array, &index, 1);
}

static bool mark_probe(struct marker_maker *m, struct function_graph *f, const struct plan *plan,
                       const struct probe *probe, LLVMValueRef counter, struct error *error)
{
    if (probe->kind == PROBE_EDGE)
        return mark_edge(m, f, probe->id, counter, error);
    if (probe->id != graph_exit(&f->graph))
        return mark_block(m, f, probe->id, counter, error);
    if (plan->placement != PLACEMENT_BALANCE)
        return mark_exits(m, f, counter, error);
    mark_returns(m, f, counter);
    return true;
}

bool markers_place(struct marker_maker *m, struct function_graph *f, const struct map_function *map,
                   const struct plan *plan, LLVMValueRef array, uint64_t first, struct error *error)
{
    m->stays = plan->placement == PLACEMENT_EVERY_EDGE || plan->placement == PLACEMENT_EVERY_BLOCK ||
               plan->placement == PLACEMENT_BALANCE;
    bool ok = true;
    if (plan->placement == PLACEMENT_BALANCE && !(map->flags & MAP_FUNCTION_MAIN))
        ok = mark_region(m, f, counter_at(m, array, first), counter_at(m, array, first + 1), error);
    else
        for (uint32_t i = 0; ok && i < plan->probe_count; i++)
            ok = mark_probe(m, f, plan, &plan->probes[i], counter_at(m, array, first + i), error);
    m->stays = false;
    return ok;
}
