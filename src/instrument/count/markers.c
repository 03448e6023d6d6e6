/*
 * Plans -> markers, and the counter arrays they mark.
 *
 * Positions: function_graph.c decides for edges (struct function_graph, place); probes of blocks and of the
 * entry edge stand at the start of their block, after phis, the landing pad and, in the first block, the
 * variables.
 *
 * An array is internal to its unit, unless the function may be defined in several units, is a copy for
 * inlining, or is compiled for a linker that inlines over units. Then the linker keeps one definition of the
 * function, but bodies that were inlined before stay everywhere: all of them must count into one array, which
 * therefore has a name with the key in it and a comdat of its own (never the function's: that one may be
 * dropped together with the function).
 */
#include "instrument/count/markers.h"
#include "base/hash.h"
#include "base/memory.h"
#include "format/counters.h"
#include "instrument/count/attributes.h"
#include "instrument/path/markers.h"
#include "instrument/llvm/shim.h"

#include <inttypes.h>
#include <llvm-c/Comdat.h>
#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <string.h>

static LLVMAttributeRef enum_attribute(LLVMContextRef context, const char *name)
{
    return LLVMCreateEnumAttribute(context, LLVMGetEnumAttributeKindForName(name, strlen(name)), 0);
}

/* -fPIC sets the flag "PIC Level" alone, -fPIE "PIE Level" as well. */
static bool is_pic(LLVMModuleRef module)
{
    return LLVMGetModuleFlag(module, "PIC Level", strlen("PIC Level")) &&
           !LLVMGetModuleFlag(module, "PIE Level", strlen("PIE Level"));
}

void marker_maker_init(struct marker_maker *m, LLVMModuleRef module)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    unsigned id = LLVMLookupIntrinsicID("llvm.var.annotation", strlen("llvm.var.annotation"));
    LLVMTypeRef pointer = LLVMPointerTypeInContext(context, 0), overloads[] = {pointer, pointer};
    *m = (struct marker_maker){
        .module = module,
        .context = context,
        .builder = LLVMCreateBuilderInContext(context),
        .i64 = LLVMInt64TypeInContext(context),
        .i32 = LLVMInt32TypeInContext(context),
        .pointer = pointer,
        .annotation = LLVMGetIntrinsicDeclaration(module, id, overloads, 2),
        .no_merge = enum_attribute(context, "nomerge"),
        .no_unwind = enum_attribute(context, "nounwind"),
        .pic = is_pic(module),
    };
}

void marker_maker_release(struct marker_maker *m)
{
    LLVMDisposeBuilder(m->builder);
}

static LLVMValueRef make_array(struct marker_maker *m, const struct map_function *map)
{
    uint32_t counters = map_function_counters(map);
    size_t words = (size_t)counters + COUNTERS_HEADER_WORDS;
    LLVMValueRef *initial = ALLOC(LLVMValueRef, words), zero = LLVMConstInt(m->i64, 0, false);
    for (size_t i = 0; i < words; i++)
        initial[i] = zero;
    initial[0] = LLVMConstInt(m->i64, map->key, false);
    initial[1] = LLVMConstInt(m->i64, counters, false);

    struct buffer name = {0};
    buffer_addf(&name, COUNTERS_SYMBOL_PREFIX "%s", map->name);
    bool anywhere = m->for_linker || map->flags & (MAP_FUNCTION_COMDAT | MAP_FUNCTION_OPTIONAL);
    if (anywhere) /* one program may hold both kinds: -fPIC archives, other objects */
        buffer_addf(&name, ".%016" PRIx64 "%s", map->key, m->pic ? ".pic" : "");
    LLVMValueRef array = LLVMAddGlobal(m->module, LLVMArrayType2(m->i64, words), buffer_text(&name));
    LLVMSetInitializer(array, LLVMConstArray2(m->i64, initial, words));
    LLVMSetAlignment(array, 8);
    if (anywhere) {
        LLVMSetLinkage(array, LLVMLinkOnceODRLinkage);
        LLVMSetVisibility(array, LLVMHiddenVisibility);
        LLVMSetComdat(array, LLVMGetOrInsertComdat(m->module, buffer_text(&name)));
    } else {
        LLVMSetLinkage(array, LLVMInternalLinkage);
    }
    if (m->pic) {
        LLVMSetSection(array, COUNTERS_PIC_SECTION);
    } else {
        LLVMSetThreadLocalMode(array, LLVMLocalExecTLSModel);
        LLVMSetSection(array, COUNTERS_TLS_SECTION);
    }
    buffer_release(&name);
    free(initial);
    return array;
}

/* A marker of an activation's begin or end names the other's counter, too. */
enum half { WHOLE, BEGIN, END };
enum { OPERAND_COUNTER, OPERAND_PARTNER, OPERAND_IF_END, OPERAND_BY, OPERAND_TIMES, OPERAND_IDENTITY };

static LLVMValueRef identity(LLVMTypeRef i32, uint64_t of, uint64_t number)
{
    const uint64_t parts[2] = {of, number};
    return LLVMConstInt(i32, hash_bytes(parts, sizeof parts) & UINT32_MAX, false);
}

LLVMValueRef marker_build(struct marker_maker *m, const LLVMValueRef arguments[MARKER_ARGUMENTS])
{
    LLVMValueRef call = shim_call_bundled(m->builder, m->annotation, arguments, MARKER_ARGUMENTS,
                                          identity(m->i32, m->key, m->placed++));
    LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex, m->no_merge);
    LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex, m->no_unwind);
    return call;
}

static LLVMValueRef mark_half_before(struct marker_maker *m, LLVMValueRef instruction, enum half half,
                                     LLVMValueRef counter, LLVMValueRef partner)
{
    LLVMValueRef null = LLVMConstNull(m->pointer), one = LLVMConstInt(m->i32, 1, false);
    LLVMValueRef arguments[] = {counter, half == WHOLE ? null : partner, half == END ? counter : null, one,
                                m->stays || half != WHOLE ? counter : null};
    LLVMPositionBuilderBefore(m->builder, instruction);
    LLVMSetCurrentDebugLocation2(m->builder, NULL);
    return marker_build(m, arguments);
}

static LLVMValueRef mark_before(struct marker_maker *m, LLVMValueRef instruction, LLVMValueRef counter)
{
    return mark_half_before(m, instruction, WHOLE, counter, NULL);
}

LLVMValueRef marker_start_of(LLVMBasicBlockRef block)
{
    LLVMValueRef i = LLVMGetFirstInstruction(block);
    while (LLVMIsAPHINode(i) || LLVMIsALandingPadInst(i) || LLVMIsAAllocaInst(i))
        i = LLVMGetNextInstruction(i);
    return i;
}

static void mark_start(struct marker_maker *m, LLVMBasicBlockRef block, LLVMValueRef counter)
{
    mark_before(m, marker_start_of(block), counter);
}

/* The block that control passes exactly when it takes the branch. */
LLVMBasicBlockRef marker_block_on(struct ir_branch *branch)
{
    if (!branch->split)
        branch->split = shim_split_edge(branch->from, branch->to);
    return branch->split;
}

static bool mark_branches(struct marker_maker *m, struct function_graph *f, uint32_t edge,
                          LLVMValueRef counter, struct error *error)
{
    for (uint32_t i = f->branch_start[edge]; i < f->branch_start[edge + 1]; i++) {
        struct ir_branch *branch = &f->branches[i];
        LLVMValueRef last = LLVMGetBasicBlockTerminator(branch->from);
        if (LLVMGetNumSuccessors(last) == 1) { /* the other way out is virtual: an endless loop */
            mark_before(m, last, counter);
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
    switch (f->place[edge]) {
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

/* Executions of a block; of one that does nothing but return, on the ways into it. */
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

/* Activations ended: where every edge into EXIT begins. */
static bool mark_exits(struct marker_maker *m, struct function_graph *f, LLVMValueRef counter,
                       struct error *error)
{
    for (uint32_t e = 0; e < f->graph.edge_count; e++)
        if (f->graph.edges[e].to == graph_exit(&f->graph) && f->place[e] == EDGE_AT_SOURCE &&
            !mark_edge(m, f, e, counter, error))
            return false;
    return true;
}

/*
 * main has really returned only behind its last call: there, and only there, a marker stands between a call
 * and the return (but not behind a call that must be a tail call). Where main itself calls exit, or anything
 * else that does not return, it has ended too: no frame but its own is left behind.
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
        mark_before(m, last, counter);
    }
}

/* The last call of a dead end, which does not come back: at least the one before `unreachable`. */
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
 * Where control enters the region in which the function may call, or leaves it: exactly on the edge, behind
 * every call of the block it comes from. Of blocks that do nothing but return, which are never in the region,
 * where the ways into them end, so that optimisation finds what it looks for (tail_calls.c). A dead end is
 * left before its last call: an activation that stands there is where it stays.
 */
static bool mark_crossing(struct marker_maker *m, struct function_graph *f, uint32_t e, enum half half,
                          LLVMValueRef counter, LLVMValueRef partner, struct error *error)
{
    const struct edge *edge = &f->graph.edges[e];
    if (edge->kind == EDGE_VIRTUAL) {
        LLVMValueRef last = f->place[e] == EDGE_AT_SOURCE ? last_call(f, edge->from) : NULL;
        if (last) /* else an endless loop */
            mark_half_before(m, last, half, counter, partner);
    } else if (f->place[e] == EDGE_AT_TARGET) {
        mark_half_before(m, marker_start_of(function_graph_head(f, edge->to)), half, counter, partner);
    } else if (f->place[e] == EDGE_AT_SOURCE) {
        mark_half_before(m, LLVMGetBasicBlockTerminator(function_graph_tail(f, edge->from)), half, counter,
                         partner);
    } else {
        for (uint32_t i = f->branch_start[e]; i < f->branch_start[e + 1]; i++) {
            if (!marker_block_on(&f->branches[i]))
                return error_set(error, "edge %u cannot be split", e);
            mark_half_before(m, marker_start_of(f->branches[i].split), half, counter, partner);
        }
    }
    return true;
}

static bool mark_region(struct marker_maker *m, struct function_graph *f, LLVMValueRef begun,
                        LLVMValueRef ended, struct error *error)
{
    for (uint32_t e = 0; e < f->graph.edge_count; e++) {
        bool from = f->region[f->graph.edges[e].from], to = f->region[f->graph.edges[e].to];
        if (from != to &&
            !mark_crossing(m, f, e, to ? BEGIN : END, to ? begun : ended, to ? ended : begun, error))
            return false;
    }
    return true;
}

bool markers_place(struct marker_maker *m, struct function_graph *f, const struct map_function *map,
                   struct error *error)
{
    m->key = map->key;
    LLVMValueRef array = make_array(m, map);
    uint64_t word = COUNTERS_HEADER_WORDS;
    for (uint32_t p = 0; p < map->plan_count; p++) {
        const struct plan *plan = &map->plans[p];
        m->stays = plan->placement == PLACEMENT_EVERY_EDGE || plan->placement == PLACEMENT_EVERY_BLOCK ||
                   plan->placement == PLACEMENT_BALANCE;
        if (placement_counts_paths(plan->placement)) { /* last: they see what the others have split */
            word += plan_counters(plan);
            continue;
        }
        if (plan->placement == PLACEMENT_BALANCE && !(map->flags & MAP_FUNCTION_MAIN)) {
            LLVMValueRef halves[2];
            for (int i = 0; i < 2; i++) {
                LLVMValueRef index = LLVMConstInt(m->i64, word++, false);
                halves[i] = LLVMConstInBoundsGEP2(m->i64, array, &index, 1);
            }
            if (!mark_region(m, f, halves[0], halves[1], error))
                return error_prefix(error, "function '%s'", map->name);
            continue;
        }
        for (uint32_t i = 0; i < plan->probe_count; i++) {
            const struct probe *probe = &plan->probes[i];
            LLVMValueRef index = LLVMConstInt(m->i64, word++, false);
            LLVMValueRef counter = LLVMConstInBoundsGEP2(m->i64, array, &index, 1);
            bool ok = true;
            if (probe->kind == PROBE_EDGE)
                ok = mark_edge(m, f, probe->id, counter, error);
            else if (probe->id != graph_exit(&f->graph))
                ok = mark_block(m, f, probe->id, counter, error);
            else if (plan->placement == PLACEMENT_BALANCE)
                mark_returns(m, f, counter);
            else
                ok = mark_exits(m, f, counter, error);
            if (!ok)
                return error_prefix(error, "function '%s'", map->name);
        }
    }
    word = COUNTERS_HEADER_WORDS;
    for (uint32_t p = 0; p < map->plan_count; word += plan_counters(&map->plans[p]), p++)
        if (placement_counts_paths(map->plans[p].placement) &&
            !path_markers_place(m, f, map, &map->plans[p], array, word, error))
            return error_prefix(error, "function '%s'", map->name);
    return true;
}

/* A function of the runtime without parameters or result. */
static LLVMValueRef runtime_function(struct marker_maker *m, const char *name)
{
    LLVMValueRef function = LLVMGetNamedFunction(m->module, name);
    if (!function) {
        function = LLVMAddFunction(m->module, name,
                                   LLVMFunctionType(LLVMVoidTypeInContext(m->context), NULL, 0, false));
        LLVMSetVisibility(function, LLVMHiddenVisibility);
        LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, m->no_unwind);
        attributes_leave_alone(function);
    }
    return function;
}

LLVMValueRef marker_goes_on(struct marker_maker *m, LLVMValueRef resume)
{
    return mark_before(m, resume, runtime_function(m, COUNTERS_GOES_ON_SYMBOL));
}

void marker_unseen_jump(struct marker_maker *m, LLVMValueRef jump)
{
    LLVMValueRef function = runtime_function(m, COUNTERS_UNSEEN_JUMP_SYMBOL);
    LLVMPositionBuilderBefore(m->builder, jump);
    LLVMSetCurrentDebugLocation2(m->builder, LLVMInstructionGetDebugLoc(jump));
    LLVMBuildCall2(m->builder, LLVMGlobalGetValueType(function), function, NULL, 0, "");
}

bool marker_is_goes_on(LLVMValueRef instruction, LLVMValueRef annotation)
{
    if (!LLVMIsACallInst(instruction) || LLVMGetCalledValue(instruction) != annotation)
        return false;
    size_t length;
    LLVMValueRef function = LLVMGetOperand(instruction, 0);
    return LLVMIsAFunction(function) &&
           !strcmp(LLVMGetValueName2(function, &length), COUNTERS_GOES_ON_SYMBOL);
}

/* The array of a counter at a constant address, or NULL. */
static LLVMValueRef array_of(LLVMValueRef counter)
{
    while (LLVMIsAConstantExpr(counter) && LLVMGetConstOpcode(counter) == LLVMGetElementPtr)
        counter = LLVMGetOperand(counter, 0);
    if (!LLVMIsAGlobalVariable(counter))
        return NULL;
    const char *section = LLVMGetSection(counter);
    return section && (!strcmp(section, COUNTERS_TLS_SECTION) || !strcmp(section, COUNTERS_PIC_SECTION))
               ? counter
               : NULL;
}

LLVMValueRef marker_array(LLVMValueRef instruction, LLVMValueRef annotation)
{
    if (!LLVMIsACallInst(instruction) || LLVMGetCalledValue(instruction) != annotation)
        return NULL;
    return array_of(LLVMGetOperand(instruction, 0));
}

bool marker_was_merged(LLVMValueRef instruction, LLVMValueRef annotation)
{
    if (!LLVMIsACallInst(instruction) || LLVMGetCalledValue(instruction) != annotation ||
        LLVMGetNumOperands(instruction) != OPERAND_IDENTITY + 2) /* the program's have no number */
        return false;
    return !LLVMIsAConstantInt(LLVMGetOperand(instruction, OPERAND_BY)) ||
           (!marker_array(instruction, annotation) && !path_marker_array(instruction, annotation) &&
            !marker_is_goes_on(instruction, annotation));
}

enum { MERGED_MOST = 64 }; /* phis and selects that are followed */

/* Is the value always the address of an array or in one? All of them are threads' own, or all are images. */
static bool is_in_arrays(LLVMValueRef value, bool *images)
{
    LLVMValueRef found[MERGED_MOST] = {value};
    size_t count = 1;
    bool in_thread = *images = false;
    for (size_t i = 0; i < count; i++) {
        LLVMValueRef array = array_of(found[i]);
        bool chooses = LLVMIsAPHINode(found[i]) || LLVMIsASelectInst(found[i]);
        if (array)
            *(LLVMIsThreadLocal(array) ? &in_thread : images) = true;
        else if (!chooses)
            return false;
        for (int k = LLVMIsASelectInst(found[i]) ? 1 : 0; chooses && k < LLVMGetNumOperands(found[i]); k++) {
            LLVMValueRef from = LLVMGetOperand(found[i], (unsigned)k);
            size_t known = 0;
            while (known < count && found[known] != from)
                known++;
            if (known == MERGED_MOST)
                return false;
            found[known] = from;
            count += known == count;
        }
    }
    return in_thread != *images;
}

bool marker_merged_counts(LLVMValueRef marker, bool *images)
{
    return LLVMIsAConstantInt(LLVMGetOperand(marker, OPERAND_BY)) &&
           (is_in_arrays(LLVMGetOperand(marker, OPERAND_COUNTER), images) ||
            is_in_arrays(LLVMGetOperand(marker, OPERAND_PARTNER), images)); /* of a path: its array */
}

LLVMValueRef marker_partner(LLVMValueRef marker)
{
    LLVMValueRef partner = LLVMGetOperand(marker, OPERAND_PARTNER);
    return LLVMIsNull(partner) || LLVMIsAGlobalVariable(partner) ? NULL : partner; /* of a path: its array */
}

bool marker_is_end(LLVMValueRef instruction, LLVMValueRef annotation)
{
    return marker_array(instruction, annotation) && !LLVMIsNull(LLVMGetOperand(instruction, OPERAND_IF_END));
}

uint64_t marker_by(LLVMValueRef marker)
{
    return LLVMConstIntGetZExtValue(LLVMGetOperand(marker, OPERAND_BY));
}

LLVMValueRef marker_times(LLVMValueRef marker)
{
    return marker_by(marker) ? NULL : LLVMGetOperand(marker, OPERAND_TIMES);
}

bool marker_may_move(LLVMValueRef marker)
{
    return !marker_by(marker) || LLVMIsNull(LLVMGetOperand(marker, OPERAND_TIMES));
}

void marker_set_times(LLVMValueRef marker, LLVMValueRef times)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(times));
    LLVMTypeRef i32 = LLVMInt32TypeInContext(context), pointer = LLVMPointerTypeInContext(context, 0);
    uint64_t constant = LLVMIsAConstantInt(times) ? LLVMConstIntGetZExtValue(times) : 0;
    bool small = constant && constant <= MARKER_BY_MOST;
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
    LLVMPositionBuilderBefore(builder, marker);
    LLVMSetOperand(marker, OPERAND_BY, LLVMConstInt(i32, small ? constant : 0, false));
    LLVMSetOperand(marker, OPERAND_TIMES,
                   small ? LLVMConstNull(pointer) : LLVMBuildIntToPtr(builder, times, pointer, ""));
    LLVMValueRef before = LLVMGetOperand(marker, OPERAND_IDENTITY);
    LLVMSetOperand(marker, OPERAND_IDENTITY,
                   identity(i32, LLVMConstIntGetZExtValue(before), small ? constant : 0));
    LLVMDisposeBuilder(builder);
}
