/*
 * Witnesses in bits (plan/witness_bits.h), gathered in a variable that the optimiser keeps in a
 * register: a 1 above the bits so far. Bits that are in it when a program dies are not in the
 * trace.
 *
 * Writing a byte only if it is full takes a branch, and branches divide blocks. So at first the
 * variable is only loaded wherever the byte may have to be written; the branches are put there in
 * the end.
 */
#include "base/memory.h"
#include "instrument/llvm/shim.h"
#include "instrument/marker/marker.h"
#include "instrument/trace/trace.h"

static LLVMValueRef number(struct trace_maker *m, uint32_t value)
{
    return LLVMConstInt(m->i8, value, false);
}

static void build_before(struct trace_maker *m, LLVMValueRef before)
{
    LLVMPositionBuilderBefore(m->builder, before);
    LLVMSetCurrentDebugLocation2(m->builder, NULL);
}

/* Where the builder stands the byte will be written if it has reached the limit. */
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
    build_before(m, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(f->f.function)));
    f->trace->sum = LLVMBuildAlloca(m->builder, m->i8, "");
    LLVMBuildStore(m->builder, number(m, 1), f->trace->sum);
    for (uint32_t b = 0; b < graph_exit(&f->map.graph); b++) {
        LLVMValueRef last = LLVMGetBasicBlockTerminator(function_graph_tail(&f->f, b));
        bool twice = false;
        for (uint32_t i = t->first[b]; i < t->first[b + 1]; i++)
            twice |= t->calls[i] == MAP_TRACE_TWICE;
        if (f->trace->full_before[b] && b == GRAPH_ROOT) {
            /* an activation begins without bits, and no edge leads back to its first block */
        } else if (f->trace->full_before[b]) {
            build_before(m, marker_start_of(function_graph_head(&f->f, b)));
            put_full(m, f, 2);
        } else if (leaves(f, b)) {
            build_before(m, last);
            put_full(m, f, 2);
        }
        /* Control comes back here by a jump: bits that were gathered before are gone. */
        if (twice || f->map.blocks[b].hazards & MAP_HAZARD_LANDING_PAD) {
            build_before(m, twice ? last : marker_start_of(function_graph_head(&f->f, b)));
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
        build_before(m, next);
        LLVMValueRef reached = LLVMBuildICmp(m->builder, LLVMIntUGE, full->sum, number(m, full->limit), "");
        build_before(m, shim_insert_unlikely(reached, next));
        trace_put_byte(m, full->sum);
        LLVMBuildStore(m->builder, number(m, 1), f->trace->sum);
    }
}
