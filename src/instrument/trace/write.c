/*
 * What traced functions write, and where.
 *
 * An event is a byte (two, where a function has many) at the thread's `events`, which moves on. The
 * store is volatile, so that no pass makes one memset of the stores of a loop, or moves one over
 * another. Its type is one that nothing in the source has, and so is that of the thread's storage:
 * LLVM still knows what the program's own memory holds, and `events` stays in a register in loops
 * without calls.
 *
 * The witness of an edge comes after all calls of its source: where the target begins if that has
 * no other edge in, where the source ends if that has no other edge out, on the branch otherwise.
 * Where the branch cannot be split, all edges into the target have the same witness, and it stands
 * where the target begins.
 */
#include "base/memory.h"
#include "format/trace/layout.h"
#include "instrument/graph/describe.h"
#include "instrument/llvm/shim.h"
#include "instrument/marker/attributes.h"
#include "instrument/marker/marker.h"
#include "instrument/trace/names.h"
#include "instrument/trace/trace.h"

#include <stddef.h>
#include <string.h>

static LLVMValueRef runtime_function(struct trace_maker *m, const char *name, LLVMTypeRef type)
{
    LLVMValueRef function = LLVMGetNamedFunction(m->module, name);
    if (function)
        return function;
    function = LLVMAddFunction(m->module, name, type);
    unsigned kind = LLVMGetEnumAttributeKindForName("nounwind", strlen("nounwind"));
    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(m->context, kind, 0));
    attributes_leave_alone(function);
    return function;
}

static bool has_flag(LLVMModuleRef module, const char *name)
{
    return LLVMGetModuleFlag(module, name, strlen(name)) != NULL;
}

void trace_maker_init(struct trace_maker *m, LLVMModuleRef module, const struct instrument_options *options)
{
    LLVMContextRef c = LLVMGetModuleContext(module);
    *m = (struct trace_maker){
        .module = module,
        .context = c,
        .builder = LLVMCreateBuilderInContext(c),
        .i8 = LLVMInt8TypeInContext(c),
        .i16 = LLVMInt16TypeInContext(c),
        .i32 = LLVMInt32TypeInContext(c),
        .i64 = LLVMInt64TypeInContext(c),
        .pointer = LLVMPointerTypeInContext(c, 0),
        .void_type = LLVMVoidTypeInContext(c),
        .type_of_events = shim_memory_type(module, SHIM_EVENTS_TYPE),
        .type_of_thread = shim_memory_type(module, SHIM_THREAD_TYPE),
        .type_kind = LLVMGetMDKindIDInContext(c, "tbaa", strlen("tbaa")),
        .addresses = options->trace_addresses,
        .reports = options->trace_report,
    };
    m->begin_type = LLVMFunctionType(m->void_type, NULL, 0, false);
    m->begin =
        runtime_function(m, m->addresses ? TRACE_BEGIN_ADDRESSES_SYMBOL : TRACE_BEGIN_SYMBOL, m->begin_type);
    /* Thunks then need not save registers around the call. */
    LLVMSetFunctionCallConv(m->begin, LLVMPreserveMostCallConv);
    m->land_type =
        LLVMFunctionType(m->void_type, (LLVMTypeRef[]){m->i64, m->i32, m->i32, m->pointer}, 4, false);
    m->land = runtime_function(m, TRACE_LAND_SYMBOL, m->land_type);
    LLVMSetFunctionCallConv(m->land, LLVMPreserveMostCallConv);
    if (m->reports) {
        m->report_type = LLVMFunctionType(m->void_type, (LLVMTypeRef[]){m->i64, m->i32}, 2, false);
        m->report = runtime_function(m, TRACE_REPORT_SYMBOL, m->report_type);
    }
    m->thread =
        LLVMAddGlobal(module, LLVMArrayType2(m->i8, sizeof(struct cotree_trace_thread)), TRACE_THREAD_SYMBOL);
    LLVMSetAlignment(m->thread, _Alignof(struct cotree_trace_thread));
    bool pic = has_flag(module, "PIC Level") && !has_flag(module, "PIE Level");
    LLVMSetThreadLocalMode(m->thread, pic ? LLVMInitialExecTLSModel : LLVMLocalExecTLSModel);
    if (pic) {
        m->number = LLVMAddGlobal(module, LLVMArrayType2(m->i8, TRACE_MODULE_OFFSET + sizeof(uint32_t)),
                                  TRACE_MODULE_SYMBOL);
        LLVMSetAlignment(m->number, sizeof(uint32_t));
        LLVMSetVisibility(m->number, LLVMHiddenVisibility);
    }
    static const char reference[] = ".pushsection .cotree.needs,\"aR\",@progbits\n"
                                    ".hidden " TRACE_LINK_SYMBOL "\n"
                                    ".long " TRACE_LINK_SYMBOL " - .\n"
                                    ".popsection\n";
    LLVMAppendModuleInlineAsm(module, reference, sizeof reference - 1);
}

void trace_maker_release(struct trace_maker *m)
{
    LLVMDisposeBuilder(m->builder);
}

LLVMValueRef trace_address(struct trace_maker *m, LLVMValueRef base, size_t offset)
{
    LLVMValueRef index = LLVMConstInt(m->i64, offset, false);
    return offset ? LLVMBuildInBoundsGEP2(m->builder, m->i8, base, &index, 1, "") : base;
}

LLVMValueRef trace_load(struct trace_maker *m, LLVMTypeRef type, size_t offset)
{
    LLVMValueRef value = LLVMBuildLoad2(m->builder, type, trace_address(m, m->thread, offset), "");
    LLVMSetMetadata(value, m->type_kind, m->type_of_thread);
    return value;
}

LLVMValueRef trace_store(struct trace_maker *m, LLVMValueRef value, size_t offset)
{
    LLVMValueRef store = LLVMBuildStore(m->builder, value, trace_address(m, m->thread, offset));
    LLVMSetMetadata(store, m->type_kind, m->type_of_thread);
    return store;
}

void trace_store_event(struct trace_maker *m, LLVMValueRef value, LLVMValueRef address)
{
    LLVMValueRef store = LLVMBuildStore(m->builder, value, address);
    LLVMSetVolatile(store, true);
    LLVMSetMetadata(store, m->type_kind, m->type_of_events);
    if (LLVMTypeOf(value) != m->i64)
        LLVMSetAlignment(store, 1);
}

static void build_before(struct trace_maker *m, LLVMValueRef before)
{
    LLVMPositionBuilderBefore(m->builder, before);
    LLVMSetCurrentDebugLocation2(m->builder, NULL);
}

static void put_bytes(struct trace_maker *m, LLVMValueRef bytes, unsigned width)
{
    LLVMValueRef at = trace_load(m, m->pointer, offsetof(struct cotree_trace_thread, events));
    trace_store_event(m, bytes, at);
    trace_store(m, trace_address(m, at, width), offsetof(struct cotree_trace_thread, events));
}

void trace_put_byte(struct trace_maker *m, LLVMValueRef byte)
{
    put_bytes(m, byte, 1);
}

/* Puts what the edge writes. */
static void put_event(struct trace_maker *m, struct unit_function *f, uint32_t e, LLVMValueRef before)
{
    const struct map_trace *t = f->map.trace;
    uint8_t bytes[2];
    unsigned width = witness_width(t->value_count);
    build_before(m, before);
    if (f->trace->sum) {
        if (f->trace->paths)
            trace_put_sum(m, f, e);
        else
            trace_put_bits(m, f, e);
        return;
    }
    witness_bytes(t->values[e], bytes);
    LLVMValueRef event = width == 1 ? LLVMConstInt(m->i8, bytes[0], false)
                                    : LLVMConstInt(m->i16, bytes[0] | (unsigned)bytes[1] << 8, false);
    put_bytes(m, event, width);
}

void trace_count_call(struct trace_maker *m)
{
    size_t offset = offsetof(struct cotree_trace_thread, calls);
    LLVMValueRef number = trace_load(m, m->i64, offset);
    LLVMSetVolatile(number, true); /* until traceCountsCalls makes one instruction of it */
    LLVMValueRef more = LLVMBuildAdd(m->builder, number, LLVMConstInt(m->i64, 1, false), "");
    LLVMSetVolatile(trace_store(m, more, offset), true);
}

static void put_calls(struct trace_maker *m, LLVMValueRef before)
{
    build_before(m, before);
    trace_count_call(m);
}

static void put_land(struct trace_maker *m, const struct unit_function *f, uint32_t block, uint32_t call,
                     LLVMValueRef before)
{
    LLVMValueRef arguments[] = {LLVMConstInt(m->i64, f->map.trace->id, false),
                                LLVMConstInt(m->i32, block, false), LLVMConstInt(m->i32, call, false),
                                f->trace->entry};
    LLVMPositionBuilderBefore(m->builder, before);
    LLVMSetCurrentDebugLocation2(m->builder, shim_function_location(f->f.function));
    LLVMValueRef call_of_land = LLVMBuildCall2(m->builder, m->land_type, m->land, arguments, 4, "");
    LLVMSetInstructionCallConv(call_of_land, LLVMPreserveMostCallConv);
}

/* Per block: do all edges into it have one witness, at its start? */
static bool *find_shared(const struct unit_function *f)
{
    bool *shared = ZALLOC(bool, f->f.graph.vertex_count);
    for (uint32_t e = 0; e < f->f.graph.edge_count; e++)
        if (f->f.no_probe[e] && f->map.trace->values[e] && !f->trace->sum)
            shared[f->f.graph.edges[e].to] = true;
    return shared;
}

static bool put_on_edge(struct trace_maker *m, struct unit_function *to, uint32_t e, struct error *error)
{
    struct function_graph *f = &to->f;
    const struct edge *edge = &f->graph.edges[e];
    switch (f->site[e]) {
    case EDGE_AT_TARGET:
        put_event(m, to, e, marker_start_of(function_graph_head(f, edge->to)));
        return true;
    case EDGE_AT_SOURCE:
        put_event(m, to, e, LLVMGetBasicBlockTerminator(function_graph_tail(f, edge->from)));
        return true;
    case EDGE_ON_BRANCH:
        for (uint32_t i = f->branch_start[e]; i < f->branch_start[e + 1]; i++) {
            struct ir_branch *branch = &f->branches[i];
            LLVMValueRef last = LLVMGetBasicBlockTerminator(branch->from);
            if (LLVMGetNumSuccessors(last) == 1) {
                put_event(m, to, e, last);
                continue;
            }
            if (!marker_block_on(branch))
                return error_set(error, "edge %u cannot be split", e);
            put_event(m, to, e, marker_start_of(branch->split));
        }
        return true;
    case EDGE_NOWHERE:
        break;
    }
    return error_set(error, "a witness was planned on edge %u, where none can stand", e);
}

/* The instruction at which control goes on when the call has returned. */
static LLVMValueRef after_call(struct function_graph *f, uint32_t block, LLVMValueRef call,
                               struct error *error)
{
    if (LLVMIsACallInst(call))
        return LLVMGetNextInstruction(call);
    LLVMBasicBlockRef normal = LLVMGetNormalDest(call);
    for (uint32_t e = trace_first_edge(&f->graph, block);
         e < f->graph.edge_count && f->graph.edges[e].from == block; e++)
        for (uint32_t i = f->branch_start[e]; i < f->branch_start[e + 1]; i++) {
            struct ir_branch *branch = &f->branches[i];
            LLVMBasicBlockRef on =
                branch->to == normal || branch->split == normal ? marker_block_on(branch) : NULL;
            if (on)
                return marker_start_of(on);
        }
    error_set(error, "there is no place after a call");
    return NULL;
}

void trace_widen(LLVMValueRef call)
{
    static const char *const names[] = {"memory", "speculatable"};
    LLVMValueRef callee = LLVMGetCalledValue(call);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        unsigned kind = LLVMGetEnumAttributeKindForName(names[i], strlen(names[i]));
        LLVMRemoveCallSiteEnumAttribute(call, LLVMAttributeFunctionIndex, kind);
        if (LLVMIsAFunction(callee))
            LLVMRemoveEnumAttributeAtIndex(callee, LLVMAttributeFunctionIndex, kind);
    }
    if (!LLVMIsAFunction(callee) || !trace_name_allocates(describe_linkage_name(callee)))
        return;
    /* The program may bring its own allocator, which is traced: LLVM must not assume what it does
     * by its name. */
    unsigned builtin = LLVMGetEnumAttributeKindForName("builtin", strlen("builtin"));
    unsigned other = LLVMGetEnumAttributeKindForName("nobuiltin", strlen("nobuiltin"));
    LLVMAttributeRef no_builtin = LLVMCreateEnumAttribute(LLVMGetTypeContext(LLVMTypeOf(callee)), other, 0);
    LLVMRemoveCallSiteEnumAttribute(call, LLVMAttributeFunctionIndex, builtin);
    LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex, no_builtin);
    LLVMAddAttributeAtIndex(callee, LLVMAttributeFunctionIndex, no_builtin);
}

/* `calls` rises before and after calls whose callee is not known. */
static bool put_around(struct trace_maker *m, struct unit_function *f, uint32_t block, uint32_t i,
                       struct error *error)
{
    uint32_t kind = f->map.trace->calls[i];
    LLVMValueRef call = f->trace->sites[i].call;
    if (kind != MAP_TRACE_UNKNOWN && kind != MAP_TRACE_JUMP)
        return true;
    trace_widen(call);
    put_calls(m, call);
    LLVMValueRef next = kind == MAP_TRACE_JUMP ? NULL : after_call(&f->f, block, call, error);
    if (next && !LLVMIsAUnreachableInst(next)) /* count/markers.c looks for a call there (mark_returns) */
        put_calls(m, next);
    return kind == MAP_TRACE_JUMP || next;
}

static bool lands(const struct unit_function *f)
{
    for (uint32_t b = 0; b + 1 < f->map.graph.vertex_count; b++)
        if (f->map.blocks[b].hazards & MAP_HAZARD_LANDING_PAD)
            return true;
    for (uint32_t i = 0; i < f->map.trace->first[f->map.graph.vertex_count - 1]; i++)
        if (f->map.trace->calls[i] == MAP_TRACE_TWICE)
            return true;
    return false;
}

bool trace_place(struct trace_maker *m, struct unit_function *f, struct error *error)
{
    const struct map_trace *t = f->map.trace;
    uint32_t blocks = f->map.graph.vertex_count - 1;
    if (m->addresses)
        trace_place_addresses(m, f);
    bool ok = t->placement != WITNESS_PATHS || trace_place_sums(m, f, error);
    if (f->trace->bits)
        trace_place_bits(m, f);
    bool *shared = find_shared(f), *begun = ZALLOC(bool, f->map.graph.vertex_count);
    for (uint32_t e = 0; ok && e < f->f.graph.edge_count; e++) {
        uint32_t target = f->f.graph.edges[e].to;
        if (f->trace->paths)
            ok = !trace_needs_sum(f, e) || put_on_edge(m, f, e, error);
        else if (t->values[e] && !shared[target])
            ok = put_on_edge(m, f, e, error);
        else if (t->values[e] && !begun[target])
            put_event(m, f, e, marker_start_of(function_graph_head(&f->f, target)));
        begun[target] |= shared[target] && t->values[e];
    }
    free(shared);
    free(begun);
    for (uint32_t b = 0; ok && b < blocks; b++)
        for (uint32_t i = t->first[b]; ok && i < t->first[b + 1]; i++)
            ok = put_around(m, f, b, i, error);
    if (!ok)
        return error_prefix(error, "function '%s'", f->map.name);
    for (uint32_t b = 0; b < blocks; b++)
        if (t->resumes[b])
            put_calls(m, LLVMGetBasicBlockTerminator(function_graph_tail(&f->f, b)));
    if (lands(f)) {
        build_before(m, marker_start_of(function_graph_head(&f->f, GRAPH_ROOT)));
        f->trace->entry = trace_load(m, m->pointer, offsetof(struct cotree_trace_thread, events));
        for (uint32_t b = 0; b < blocks; b++)
            if (f->map.blocks[b].hazards & MAP_HAZARD_LANDING_PAD)
                put_land(m, f, b, 0, marker_start_of(function_graph_head(&f->f, b)));
    }
    for (uint32_t b = 0; m->reports && b < blocks; b++) {
        LLVMValueRef arguments[] = {LLVMConstInt(m->i64, t->id, false), LLVMConstInt(m->i32, b, false)};
        LLVMPositionBuilderBefore(m->builder, marker_start_of(function_graph_head(&f->f, b)));
        LLVMSetCurrentDebugLocation2(m->builder, shim_function_location(f->f.function));
        LLVMBuildCall2(m->builder, m->report_type, m->report, arguments, 2, "");
    }
    return true;
}

void trace_place_second_returns(struct trace_maker *m, struct unit_function *f)
{
    const struct map_trace *t = f->map.trace;
    trace_put_fulls(m, f);
    for (uint32_t b = 0; b + 1 < f->map.graph.vertex_count; b++)
        for (uint32_t i = t->first[b]; i < t->first[b + 1]; i++) {
            if (t->calls[i] != MAP_TRACE_TWICE)
                continue;
            LLVMValueRef call = f->trace->sites[i].call, next = LLVMGetNextInstruction(call);
            build_before(m, next);
            LLVMValueRef again =
                LLVMBuildICmp(m->builder, LLVMIntNE, call, LLVMConstNull(LLVMTypeOf(call)), "");
            put_land(m, f, b, i - t->first[b] + 1, shim_insert_unlikely(again, next));
        }
    if (m->addresses)
        trace_place_room(m, f);
}
