/*
 * A marker's operands are known here only: the address of the counter; its partner, or the array of
 * a path counter; whether it marks an end; how often it counts; a number that the program computes,
 * or a mark that the marker stays where it is.
 *
 * A counter array is internal to its unit, unless the function may be defined in several units, is
 * a copy for inlining, or is compiled for a linker that inlines over units. Then the linker keeps
 * one definition of the function, but bodies that were inlined before stay everywhere: all of them
 * must count into one array, which therefore has a name with the key in it and a comdat of its own
 * (never the function's: that one may be dropped together with the function).
 */
#include "instrument/marker/marker.h"
#include "base/hash.h"
#include "base/memory.h"
#include "format/counters.h"
#include "instrument/llvm/shim.h"
#include "instrument/marker/attributes.h"

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

LLVMValueRef counter_array_add(LLVMModuleRef module, const char *name, uint64_t key, uint32_t counters,
                               bool pic)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(LLVMGetModuleContext(module));
    size_t words = (size_t)counters + COUNTERS_HEADER_WORDS;
    LLVMValueRef *initial = ALLOC(LLVMValueRef, words), zero = LLVMConstInt(i64, 0, false);
    for (size_t i = 0; i < words; i++)
        initial[i] = zero;
    initial[0] = LLVMConstInt(i64, key, false);
    initial[1] = LLVMConstInt(i64, counters, false);
    LLVMValueRef array = LLVMAddGlobal(module, LLVMArrayType2(i64, words), name);
    LLVMSetInitializer(array, LLVMConstArray2(i64, initial, words));
    LLVMSetAlignment(array, 8);
    LLVMSetLinkage(array, LLVMInternalLinkage);
    if (pic) {
        LLVMSetSection(array, COUNTERS_PIC_SECTION);
    } else {
        LLVMSetThreadLocalMode(array, LLVMLocalExecTLSModel);
        LLVMSetSection(array, COUNTERS_TLS_SECTION);
    }
    free(initial);
    return array;
}

LLVMValueRef marker_make_array(struct marker_maker *m, const struct map_function *map)
{
    m->key = map->key;
    struct buffer name = {0};
    buffer_addf(&name, COUNTERS_SYMBOL_PREFIX "%s", map->name);
    bool anywhere = m->for_linker || map->flags & (MAP_FUNCTION_COMDAT | MAP_FUNCTION_OPTIONAL);
    if (anywhere) /* one program may hold both kinds: -fPIC archives, other objects */
        buffer_addf(&name, ".%016" PRIx64 "%s", map->key, m->pic ? ".pic" : "");
    LLVMValueRef array =
        counter_array_add(m->module, buffer_text(&name), map->key, map_function_counters(map), m->pic);
    if (anywhere) {
        LLVMSetLinkage(array, LLVMLinkOnceODRLinkage);
        LLVMSetVisibility(array, LLVMHiddenVisibility);
        LLVMSetComdat(array, LLVMGetOrInsertComdat(m->module, buffer_text(&name)));
    }
    buffer_release(&name);
    return array;
}

enum { OPERAND_COUNTER, OPERAND_PARTNER, OPERAND_IF_END, OPERAND_BY, OPERAND_TIMES, OPERAND_IDENTITY };

static LLVMValueRef identity(LLVMTypeRef i32, uint64_t of, uint64_t number)
{
    const uint64_t parts[2] = {of, number};
    return LLVMConstInt(i32, hash_bytes(parts, sizeof parts) & UINT32_MAX, false);
}

/* Where the builder stands. */
enum { ARGUMENTS = OPERAND_IDENTITY };
static LLVMValueRef build(struct marker_maker *m, const LLVMValueRef arguments[ARGUMENTS])
{
    LLVMValueRef call = shim_call_bundled(m->builder, m->annotation, arguments, ARGUMENTS,
                                          identity(m->i32, m->key, m->placed++));
    LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex, m->no_merge);
    LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex, m->no_unwind);
    return call;
}

LLVMValueRef marker_half_before(struct marker_maker *m, LLVMValueRef instruction, enum marker_half half,
                                LLVMValueRef counter, LLVMValueRef partner)
{
    LLVMValueRef null = LLVMConstNull(m->pointer), one = LLVMConstInt(m->i32, 1, false);
    bool whole = half == MARKER_WHOLE;
    LLVMValueRef arguments[] = {counter, whole ? null : partner, half == MARKER_END ? counter : null, one,
                                m->stays || !whole ? counter : null};
    LLVMPositionBuilderBefore(m->builder, instruction);
    LLVMSetCurrentDebugLocation2(m->builder, NULL);
    return build(m, arguments);
}

LLVMValueRef marker_before(struct marker_maker *m, LLVMValueRef instruction, LLVMValueRef counter)
{
    return marker_half_before(m, instruction, MARKER_WHOLE, counter, NULL);
}

void marker_of_path(struct marker_maker *m, LLVMValueRef array, LLVMValueRef counter, int by)
{
    LLVMValueRef null = LLVMConstNull(m->pointer);
    LLVMValueRef times = by > 0 ? null : LLVMConstIntToPtr(LLVMConstAllOnes(m->i64), m->pointer);
    const LLVMValueRef arguments[] = {counter, array, null, LLVMConstInt(m->i32, by > 0, false), times};
    build(m, arguments);
}

LLVMValueRef marker_start_of(LLVMBasicBlockRef block)
{
    LLVMValueRef i = LLVMGetFirstInstruction(block);
    while (LLVMIsAPHINode(i) || LLVMIsALandingPadInst(i) || LLVMIsAAllocaInst(i))
        i = LLVMGetNextInstruction(i);
    return i;
}

LLVMBasicBlockRef marker_block_on(struct ir_branch *branch)
{
    if (!branch->split)
        branch->split = shim_split_edge(branch->from, branch->to);
    return branch->split;
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
    LLVMValueRef marker = marker_before(m, resume, runtime_function(m, COUNTERS_GOES_ON_SYMBOL));
    LLVMMetadataRef at = LLVMInstructionGetDebugLoc(resume),
                    scope = LLVMGetSubprogram(LLVMGetBasicBlockParent(LLVMGetInstructionParent(resume)));
    if (!at && scope)
        at = LLVMDIBuilderCreateDebugLocation(m->context, 0, 0, scope, NULL);
    LLVMInstructionSetDebugLoc(marker, at); /* by which copies know that they were inlined */
    return marker;
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

static bool is_array(LLVMValueRef value)
{
    const char *section = LLVMIsAGlobalVariable(value) ? LLVMGetSection(value) : NULL;
    return section && (!strcmp(section, COUNTERS_TLS_SECTION) || !strcmp(section, COUNTERS_PIC_SECTION));
}

/* Do only addresses refer to it that nobody uses? LLVM keeps such constants. */
static bool has_dead_users(LLVMValueRef value)
{
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use))
        if (!LLVMIsAConstantExpr(LLVMGetUser(use)) || LLVMGetFirstUse(LLVMGetUser(use)))
            return false;
    return true;
}

/* Also arrays of other units, which only code referred to that was lowered since: gold takes a name without
 * a relocation for one that is not thread-local. */
void marker_drop_arrays(LLVMModuleRef module)
{
    for (LLVMValueRef v = LLVMGetFirstGlobal(module), next; v; v = next) {
        next = LLVMGetNextGlobal(v);
        if (!is_array(v) || (LLVMGetFirstUse(v) && !(LLVMIsDeclaration(v) && has_dead_users(v))))
            continue;
        LLVMReplaceAllUsesWith(v, LLVMGetUndef(LLVMTypeOf(v)));
        LLVMDeleteGlobal(v);
    }
}

/* The array of a counter at a constant address, or NULL. */
static LLVMValueRef array_of(LLVMValueRef counter)
{
    while (LLVMIsAConstantExpr(counter) && LLVMGetConstOpcode(counter) == LLVMGetElementPtr)
        counter = LLVMGetOperand(counter, 0);
    return is_array(counter) ? counter : NULL;
}

LLVMValueRef marker_array(LLVMValueRef instruction, LLVMValueRef annotation)
{
    if (!LLVMIsACallInst(instruction) || LLVMGetCalledValue(instruction) != annotation)
        return NULL;
    return array_of(LLVMGetOperand(instruction, 0));
}

LLVMValueRef marker_path_array(LLVMValueRef instruction, LLVMValueRef annotation)
{
    if (!LLVMIsACallInst(instruction) || LLVMGetCalledValue(instruction) != annotation ||
        marker_array(instruction, annotation))
        return NULL;
    LLVMValueRef array = LLVMGetOperand(instruction, OPERAND_PARTNER);
    return is_array(array) ? array : NULL;
}

bool marker_was_merged(LLVMValueRef instruction, LLVMValueRef annotation)
{
    if (!LLVMIsACallInst(instruction) || LLVMGetCalledValue(instruction) != annotation ||
        LLVMGetNumOperands(instruction) !=
            OPERAND_IDENTITY + 2) /* annotations of the program have no number */
        return false;
    return !LLVMIsAConstantInt(LLVMGetOperand(instruction, OPERAND_BY)) ||
           (!marker_array(instruction, annotation) && !marker_path_array(instruction, annotation) &&
            !marker_is_goes_on(instruction, annotation));
}

enum { MERGED_MOST = 64 }; /* so many phis and selects are followed */

/* Is the value always an address in an array? All arrays must be threads' own, or all images
 * (*images). */
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
