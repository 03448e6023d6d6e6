#include "instrument/crash/coverage.h"
#include "base/buffer.h"
#include "format/slots/slots.h"
#include "instrument/graph/select.h"
#include "instrument/llvm/shim.h"

#include <llvm-c/Comdat.h>

#include <inttypes.h>
#include <string.h>

/* A byte may cost so much of what an activation executes, unless all ways are asked for. */
#define COVER_COST_SHARE 1e-3

enum { BLOCKS_MOST = 65536, FIELD_BYTES = 4 };

/* Functions that declare to write nothing cannot set bytes. */
static bool may_write(LLVMValueRef function)
{
    static const char *const names[] = {"memory", "readnone", "readonly"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        unsigned kind = LLVMGetEnumAttributeKindForName(names[i], strlen(names[i]));
        if (kind && LLVMGetEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, kind))
            return false;
    }
    return true;
}

static double *runs_of(const struct function_graph *f, const double *weights)
{
    double *runs = ZALLOC(double, f->graph.vertex_count);
    for (uint32_t e = 0; e < f->graph.edge_count; e++)
        runs[f->graph.edges[e].to] += weights[e];
    return runs;
}

/* The blocks that get a byte; returns how many. */
static uint32_t choose(const struct crash_placer *p, const struct unit_function *function,
                       const double *weights, double length, uint32_t *chosen)
{
    const struct instrument_options *o = p->options;
    const struct function_graph *f = &function->f;
    bool entry = function_is_named(f->function, &o->crash_functions),
         calls = function_is_named(f->function, &o->crash_calls),
         blocks = function_is_named(f->function, &o->crash_blocks),
         dear = function_is_named(f->function, &o->crash_paths);
    double *runs = runs_of(f, weights);
    uint32_t count = 0, entered = GRAPH_NONE;
    for (uint32_t e = 0; e < f->graph.edge_count; e++)
        if (f->graph.edges[e].kind == EDGE_ENTRY)
            entered = f->graph.edges[e].to;
    for (uint32_t b = 0; b < graph_exit(&f->graph); b++) {
        bool wanted = blocks || (calls && function->map.blocks[b].call_count);
        if (b == entered ? entry || wanted : wanted && (dear || runs[b] <= COVER_COST_SHARE * length))
            chosen[count++] = b;
    }
    free(runs);
    return count;
}

/* The variable, all bytes 0. */
static LLVMValueRef make_bytes(const struct crash_placer *p, uint64_t key, const uint32_t *blocks,
                               uint32_t count)
{
    struct marker_maker *m = p->maker;
    LLVMTypeRef i16 = LLVMInt16TypeInContext(m->context), i8 = LLVMInt8TypeInContext(m->context);
    LLVMValueRef *numbers = ALLOC(LLVMValueRef, count);
    for (uint32_t i = 0; i < count; i++)
        numbers[i] = LLVMConstInt(i16, blocks[i], false);
    LLVMValueRef fields[FIELD_BYTES + 1] = {
        LLVMConstInt(m->i64, key, false), LLVMConstInt(m->i32, count, false), LLVMConstInt(m->i32, 0, false),
        LLVMConstArray2(i16, numbers, count), LLVMConstNull(LLVMArrayType2(i8, count))};
    LLVMValueRef value = LLVMConstStructInContext(m->context, fields, FIELD_BYTES + 1, false);
    struct buffer name = {0};
    buffer_addf(&name, "cotree.ran.%016" PRIx64, key);
    LLVMValueRef bytes = LLVMAddGlobal(m->module, LLVMTypeOf(value), buffer_text(&name));
    LLVMSetInitializer(bytes, value);
    LLVMSetSection(bytes, COVERAGE_SECTION);
    LLVMSetAlignment(bytes, 8);
    LLVMSetLinkage(bytes, LLVMLinkOnceODRLinkage); /* a function that several units have has one */
    LLVMSetVisibility(bytes, LLVMHiddenVisibility);
    LLVMSetComdat(bytes, LLVMGetOrInsertComdat(m->module, buffer_text(&name)));
    buffer_release(&name);
    free(numbers);
    return bytes;
}

void crash_cover(const struct crash_placer *p, const struct unit_function *function, const double *weights,
                 double length)
{
    const struct function_graph *f = &function->f;
    struct marker_maker *m = p->maker;
    if (graph_exit(&f->graph) >= BLOCKS_MOST || !may_write(f->function))
        return;
    uint32_t *blocks = ALLOC(uint32_t, f->graph.vertex_count);
    uint32_t count = choose(p, function, weights, length, blocks);
    LLVMValueRef bytes = count ? make_bytes(p, function->map.key, blocks, count) : NULL;
    LLVMTypeRef i8 = LLVMInt8TypeInContext(m->context);
    for (uint32_t i = 0; i < count; i++) {
        LLVMValueRef path[] = {LLVMConstInt(m->i32, 0, false), LLVMConstInt(m->i32, FIELD_BYTES, false),
                               LLVMConstInt(m->i32, i, false)};
        LLVMPositionBuilderBefore(m->builder, marker_start_of(function_graph_head(f, blocks[i])));
        LLVMSetCurrentDebugLocation2(m->builder, NULL);
        LLVMValueRef at = LLVMConstInBoundsGEP2(LLVMGlobalGetValueType(bytes), bytes, path, 3);
        LLVMSetVolatile(LLVMBuildStore(m->builder, LLVMConstInt(i8, 1, false), at), true);
    }
    free(blocks);
}

bool crash_is_cover(LLVMValueRef instruction)
{
    if (!LLVMIsAStoreInst(instruction) || !LLVMGetVolatile(instruction))
        return false;
    LLVMValueRef at = LLVMGetOperand(instruction, 1);
    if (LLVMIsAConstantExpr(at))
        at = LLVMGetOperand(at, 0);
    const char *section = LLVMIsAGlobalVariable(at) ? LLVMGetSection(at) : NULL;
    return section && !strcmp(section, COVERAGE_SECTION);
}
