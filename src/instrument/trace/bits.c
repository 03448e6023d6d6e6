/*
 * Witnesses in bits (plan/witness_bits.h), gathered in a variable that the optimiser keeps in a register: a 1
 * above the bits so far. What is in it when a program dies is not in the trace.
 *
 * Writing a byte only if there is a reason takes a branch, and branches divide blocks. So first only what the
 * variable holds is loaded wherever it may have to be written, and the branches are put there in the end.
 */
#include "base/memory.h"
#include "instrument/marker/marker.h"
#include "instrument/llvm/shim.h"
#include "instrument/trace/trace.h"

static LLVMValueRef number(struct trace_maker *m, uint32_t value)
{
    return LLVMConstInt(m->i8, value, false);
}

static void position(struct trace_maker *m, LLVMValueRef before)
{
    LLVMPositionBuilderBefore(m->builder, before);
    LLVMSetCurrentDebugLocation2(m->builder, NULL);
}

/* At the builder's place the byte is written if it has reached the limit. */
static void put_full(struct trace_maker *m, struct unit_function *f, uint32_t limit)
{
    LLVMValueRef sum = LLVMBuildLoad2(m->builder, m->i8, f->trace->sum, "");
    ARRAY_PUSH(&f->trace->fulls, ((struct trace_full){sum, limit}));
}

static bool leaves(const struct unit_function *f, uint32_t block)
{
    const struct graph *g = &f->map.graph;
    for (uint32_t e = trace_first_edge(g, block); e < g->edge_count && g->edges[e].from == block; e++)
        if (g->edges[e].kind == EDGE_EXIT)
            return true;
    return false;
}

void trace_place_bits(struct trace_maker *m, struct unit_function *f)
{
    const struct map_trace *t = f->map.trace;
    position(m, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(f->f.function)));
    f->trace->sum = LLVMBuildAlloca(m->builder, m->i8, "");
    LLVMBuildStore(m->builder, number(m, 1), f->trace->sum);
    for (uint32_t b = 0; b < graph_exit(&f->map.graph); b++) {
        LLVMValueRef last = LLVMGetBasicBlockTerminator(function_graph_tail(&f->f, b));
        bool twice = false;
        for (uint32_t i = t->first[b]; i < t->first[b + 1]; i++)
            twice |= t->calls[i] == MAP_TRACE_TWICE;
        if (f->trace->full_before[b] && b == GRAPH_ROOT) {
            /* an activation begins with none, and nothing leads back to its first block */
        } else if (f->trace->full_before[b]) {
            position(m, marker_start_of(function_graph_head(&f->f, b)));
            put_full(m, f, 2);
        } else if (leaves(f, b)) {
            position(m, last);
            put_full(m, f, 2);
        }
        if (twice ||
            f->map.blocks[b].hazards & MAP_HAZARD_LANDING_PAD) { /* whatever it held when control left */
            position(m, twice ? last : marker_start_of(function_graph_head(&f->f, b)));
            LLVMBuildStore(m->builder, number(m, 1), f->trace->sum);
        }
    }
}

void trace_put_bits(struct trace_maker *m, struct unit_function *f, uint32_t edge)
{
    uint32_t bits = f->trace->bits[f->map.graph.edges[edge].from];
    put_full(m, f, 1u << (8 - bits));
    LLVMValueRef sum = LLVMBuildLoad2(m->builder, m->i8, f->trace->sum, "");
    sum = LLVMBuildShl(m->builder, sum, number(m, bits), "");
    sum = LLVMBuildOr(m->builder, sum, number(m, f->map.trace->values[edge] - 1), "");
    LLVMBuildStore(m->builder, sum, f->trace->sum);
}

void trace_put_fulls(struct trace_maker *m, struct unit_function *f)
{
    for (size_t i = 0; i < f->trace->fulls.count; i++) {
        const struct trace_full *full = &f->trace->fulls.items[i];
        LLVMValueRef next = LLVMGetNextInstruction(full->sum);
        position(m, next);
        LLVMValueRef reached = LLVMBuildICmp(m->builder, LLVMIntUGE, full->sum, number(m, full->limit), "");
        position(m, shim_insert_unlikely(reached, next));
        trace_put_byte(m, full->sum);
        LLVMBuildStore(m->builder, number(m, 1), f->trace->sum);
    }
}
