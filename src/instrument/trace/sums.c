/*
 * Numbers of paths as witnesses (plan/witness_paths.h). The sum of a stretch is a variable of the
 * function, which clang's optimiser keeps in a register: it holds FIRST_BYTE + the number so far. A number
 * that is in it when a program ends in the middle of a stretch is not in the trace.
 *
 * A stretch that begins at a block, by whichever edge control came there, sets the sum where the
 * block begins; if one of the block's calls may return again (setjmp), after the calls. Other
 * stretches set it on the edge after which they begin.
 */
#include "base/memory.h"
#include "instrument/marker/marker.h"
#include "instrument/trace/trace.h"

/* What is written of path number 0: never 0, nor 1 (plan/witness.h). */
enum { FIRST_BYTE = 2 };

static LLVMValueRef number(struct trace_maker *m, uint32_t value)
{
    return LLVMConstInt(m->i8, value, false);
}

/* Per block: may a stretch that began elsewhere go on there? */
static bool goes_on(const struct unit_function *f, uint32_t block)
{
    const struct map_trace *t = f->map.trace;
    for (uint32_t e = 0; e < f->map.graph.edge_count; e++)
        if (f->map.graph.edges[e].to == block && map_trace_edge(&f->map, e) &&
            f->map.graph.edges[e].kind == EDGE_FLOW && witness_path_kind(t->values[e]) == WITNESS_PATH_ADDS)
            return true;
    return false;
}

/* The numbers are planned on the graph of the trace; here they are by edge of the function's
 * graph. */
static bool find_numbers(struct unit_function *f, struct error *error)
{
    struct graph g;
    uint32_t *edge_of, edges = f->map.graph.edge_count;
    map_trace_graph(&f->map, &g, &edge_of);
    struct witness_paths *paths = f->trace->paths = ZALLOC(struct witness_paths, 1);
    uint32_t *marks = ALLOC(uint32_t, (size_t)edges + 1), *add = ZALLOC(uint32_t, (size_t)edges + 1);
    bool *may_emit = ZALLOC(bool, g.vertex_count);
    for (uint32_t e = 0; e < g.edge_count; e++)
        marks[e] = f->map.trace->values[edge_of[e]];
    bool ok = witness_paths_number(paths, &g, marks, may_emit, error);
    if (ok) {
        for (uint32_t e = 0; e < g.edge_count; e++)
            add[edge_of[e]] = paths->add[e];
        free(paths->add);
        paths->add = add;
        add = NULL;
    }
    free(add);
    free(marks);
    free(may_emit);
    free(edge_of);
    graph_release(&g);
    return ok;
}

bool trace_place_sums(struct trace_maker *m, struct unit_function *f, struct error *error)
{
    const struct map_trace *t = f->map.trace;
    if (!find_numbers(f, error))
        return false;
    LLVMValueRef first = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(f->f.function));
    LLVMPositionBuilderBefore(m->builder, first);
    LLVMSetCurrentDebugLocation2(m->builder, NULL);
    f->trace->sum = LLVMBuildAlloca(m->builder, m->i8, "");
    LLVMBuildStore(m->builder, number(m, FIRST_BYTE + f->trace->paths->base[GRAPH_ROOT]), f->trace->sum);
    for (uint32_t b = 1; b < graph_exit(&f->map.graph); b++) {
        bool twice = false;
        if (!f->trace->paths->begins[b] || !f->trace->paths->ways[b] || goes_on(f, b))
            continue;
        for (uint32_t i = t->first[b]; i < t->first[b + 1]; i++)
            twice |= t->calls[i] == MAP_TRACE_TWICE;
        LLVMPositionBuilderBefore(m->builder, twice
                                                  ? LLVMGetBasicBlockTerminator(function_graph_tail(&f->f, b))
                                                  : marker_start_of(function_graph_head(&f->f, b)));
        LLVMBuildStore(m->builder, number(m, FIRST_BYTE + f->trace->paths->base[b]), f->trace->sum);
    }
    return true;
}

static bool begins_after(const struct unit_function *f, uint32_t edge)
{
    const struct edge *e = &f->map.graph.edges[edge];
    return witness_path_kind(f->map.trace->values[edge]) != WITNESS_PATH_ADDS &&
           e->to != graph_exit(&f->map.graph) && goes_on(f, e->to);
}

bool trace_needs_sum(const struct unit_function *f, uint32_t edge)
{
    const struct edge *e = &f->map.graph.edges[edge];
    return e->kind != EDGE_ENTRY && map_trace_edge(&f->map, edge) &&
           (f->trace->paths->add[edge] || map_trace_writes(f->map.trace, edge) || begins_after(f, edge));
}

void trace_put_sum(struct trace_maker *m, const struct unit_function *f, uint32_t edge)
{
    LLVMValueRef sum = LLVMBuildLoad2(m->builder, m->i8, f->trace->sum, "");
    if (f->trace->paths->add[edge])
        sum = LLVMBuildAdd(m->builder, sum, number(m, f->trace->paths->add[edge]), "");
    if (map_trace_writes(f->map.trace, edge))
        trace_put_byte(m, sum);
    if (begins_after(f, edge))
        sum = number(m, FIRST_BYTE + f->trace->paths->base[f->map.graph.edges[edge].to]);
    LLVMBuildStore(m->builder, sum, f->trace->sum);
}
