/*
 * Why this keeps the counts of ends right. The marker of an end is put after the last call of the
 * activation (markers.c), and no pass moves a call of counted code over it. So before every call
 * that may run counted code the number of activations begun minus those ended is the number of
 * those that are unfinished, whatever was inlined. The places where a marker is moved:
 *
 *  1. Before LLVM turns recursion into a loop, over a call of the function itself. If the call is
 *     gone afterwards, so is the frame that it would have made: the activation has ended where the
 *     next one begins. If the call is still there, the marker is put after it again, before any
 *     other pass sees it.
 *  2. At the very end, over a call that the code generator may turn into a jump. If it does so, the
 *     frame is gone when the callee begins, and with it all activations that were inlined into it:
 *     all their ends have been moved, since nothing but them stands between the call and the
 *     return.
 *  3. If it does not, the row of the call in the table of places says so, and the decoder knows of
 *     the frame's activations what it knows without these counts.
 *
 * A call declared const or pure, of a function in another unit, may be moved by LLVM; that such a
 * function calls back into what called it is not provided for.
 */
#include "instrument/count/tail_calls.h"
#include "base/memory.h"
#include "instrument/graph/cleanup.h"
#include "instrument/graph/function_graph.h"
#include "instrument/llvm/shim.h"
#include "instrument/marker/marker.h"
#include "instrument/place/positions.h"

#include <string.h>

static LLVMValueRef annotation_of(LLVMValueRef function)
{
    return LLVMGetNamedFunction(LLVMGetGlobalParent(function), MARKER_INTRINSIC);
}

static void move_before(LLVMBuilderRef builder, LLVMValueRef instruction, LLVMValueRef place)
{
    LLVMInstructionRemoveFromParent(instruction);
    LLVMPositionBuilderBefore(builder, place);
    LLVMSetCurrentDebugLocation2(builder, NULL);
    LLVMInsertIntoBuilder(builder, instruction);
}

/* A call that is followed by nothing but markers of ends and the return. */
struct tail {
    LLVMBasicBlockRef block;
    LLVMValueRef call;
    LLVMValueRef result;    /* what is returned, as a value of the block; NULL: nothing */
    struct marker_list own; /* after the call, in its block */
    struct marker_list
        later; /* in blocks between that one and the return; other ways may lead through them */
};

static void tail_release(struct tail *t)
{
    ARRAY_RELEASE(&t->own);
    ARRAY_RELEASE(&t->later);
}

/* Follows branches from the end of the block to the return; false if anything else is met on the
 * way. */
static bool follow_to_return(struct tail *t, LLVMValueRef annotation)
{
    enum { LONGEST = 16 };
    LLVMBasicBlockRef path[LONGEST] = {t->block};
    unsigned length = 1;
    LLVMValueRef last = LLVMGetBasicBlockTerminator(t->block);
    while (last && LLVMIsABranchInst(last) && !LLVMIsConditional(last) && length < LONGEST) {
        path[length] = LLVMGetSuccessor(last, 0);
        last = LLVMGetBasicBlockTerminator(path[length]);
        for (LLVMValueRef i = LLVMGetFirstInstruction(path[length]); i != last; i = LLVMGetNextInstruction(i))
            if (marker_is_end(i, annotation))
                ARRAY_PUSH(&t->later, i);
            else if (!LLVMIsAPHINode(i) && !ir_is_lifetime_marker(i))
                return false;
        length++;
    }
    if (!last || !LLVMIsAReturnInst(last))
        return false;
    t->result = LLVMGetNumOperands(last) ? LLVMGetOperand(last, 0) : NULL;
    while (--length && t->result)
        if (LLVMIsAPHINode(t->result) && LLVMGetInstructionParent(t->result) == path[length])
            for (unsigned i = 0, count = LLVMCountIncoming(t->result); i < count; i++)
                if (LLVMGetIncomingBlock(t->result, i) == path[length - 1]) {
                    t->result = LLVMGetIncomingValue(t->result, i);
                    break;
                }
    return true;
}

/* Finds the last call of the block; `may_pass` tells what else may come after it. False if there is
 * no such call, or no marker after it. */
static bool find_tail(struct tail *t, LLVMBasicBlockRef block, LLVMValueRef annotation,
                      bool may_pass(LLVMValueRef instruction))
{
    t->block = block;
    t->own.count = t->later.count = 0;
    LLVMValueRef last = LLVMGetBasicBlockTerminator(block);
    if (!last || !(LLVMIsAReturnInst(last) || LLVMIsABranchInst(last)))
        return false;
    t->call = LLVMGetPreviousInstruction(last);
    for (; t->call && !call_is_numbered(t->call); t->call = LLVMGetPreviousInstruction(t->call))
        if (marker_is_end(t->call, annotation))
            ARRAY_PUSH(&t->own, t->call);
        else if (!may_pass(t->call))
            return false;
    return t->call && follow_to_return(t, annotation) && t->own.count + t->later.count;
}

static void move_before_call(LLVMBuilderRef builder, struct tail *t)
{
    for (size_t i = 0; i < t->own.count; i++)
        move_before(builder, t->own.items[i], t->call);
    for (size_t i = 0; i < t->later.count; i++) {
        LLVMValueRef copy = LLVMInstructionClone(t->later.items[i]);
        LLVMPositionBuilderBefore(builder, t->call);
        LLVMSetCurrentDebugLocation2(builder, NULL);
        LLVMInsertIntoBuilder(builder, copy);
        t->later.items[i] = copy;
    }
    if (t->later.count)
        shim_return(t->block, t->result);
}

static bool has_no_effect(LLVMValueRef instruction)
{
    return ir_is_lifetime_marker(instruction) || !shim_has_effect(instruction);
}

bool tail_recursion_before(LLVMValueRef function, struct marker_list *moved)
{
    LLVMValueRef annotation = annotation_of(function);
    if (!annotation)
        return false;
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(function)));
    struct tail t = {0};
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
        if (!find_tail(&t, b, annotation, has_no_effect) || LLVMGetCalledValue(t.call) != function)
            continue;
        move_before_call(builder, &t);
        for (size_t i = 0; i < t.own.count; i++)
            ARRAY_PUSH(moved, t.own.items[i]);
        for (size_t i = 0; i < t.later.count; i++)
            ARRAY_PUSH(moved, t.later.items[i]);
    }
    tail_release(&t);
    LLVMDisposeBuilder(builder);
    return moved->count;
}

void tail_recursion_after(LLVMValueRef function, struct marker_list *moved)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(function)));
    LLVMValueRef annotation = annotation_of(function);
    for (size_t i = 0; i < moved->count; i++) {
        LLVMValueRef next = LLVMGetNextInstruction(moved->items[i]);
        while (marker_is_end(next, annotation))
            next = LLVMGetNextInstruction(next);
        if (LLVMIsACallInst(next) && LLVMGetCalledValue(next) == function)
            move_before(builder, moved->items[i], LLVMGetNextInstruction(next));
    }
    ARRAY_RELEASE(moved);
    LLVMDisposeBuilder(builder);
}

/* Does the instruction cost nothing after a call? */
static bool costs_nothing(LLVMValueRef instruction)
{
    return ir_is_lifetime_marker(instruction) || LLVMIsATruncInst(instruction);
}

/* Does the function return nothing, or the call's own result? */
static bool returns_result(const struct tail *t)
{
    LLVMValueRef whole = t->result && LLVMIsATruncInst(t->result) ? LLVMGetOperand(t->result, 0) : t->result;
    if (!t->result || whole == t->call || LLVMIsUndef(t->result))
        return true;
    unsigned returned = LLVMGetEnumAttributeKindForName("returned", strlen("returned"));
    for (unsigned i = 0; i < LLVMGetNumArgOperands(t->call); i++)
        if (LLVMGetOperand(t->call, i) == t->result && LLVMGetCallSiteEnumAttribute(t->call, i + 1, returned))
            return true;
    return false;
}

/* Does one more value of the type fit into the registers for arguments? */
static bool fits(LLVMTypeRef type, unsigned *integers, unsigned *others)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    unsigned *used = kind == LLVMIntegerTypeKind || kind == LLVMPointerTypeKind ? integers : others;
    return ++*used <= (used == integers ? 6u : 8u);
}

/* A call that has arguments on the stack, out of a function that has none, is no tail call. */
static bool needs_stack(LLVMValueRef function, LLVMValueRef call)
{
    unsigned integers = 0, others = 0, by_value = LLVMGetEnumAttributeKindForName("byval", strlen("byval"));
    for (unsigned i = 0; i < LLVMCountParams(function); i++)
        if (!fits(LLVMTypeOf(LLVMGetParam(function, i)), &integers, &others) ||
            LLVMGetEnumAttributeAtIndex(function, i + 1, by_value))
            return false;
    integers = others = 0;
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
        if (!fits(LLVMTypeOf(LLVMGetOperand(call, i)), &integers, &others))
            return true;
    return false;
}

static bool is_forbidden(LLVMValueRef function)
{
    static const char name[] = "disable-tail-calls";
    LLVMAttributeRef attribute =
        LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, name, strlen(name));
    unsigned length = 0;
    const char *value = attribute ? LLVMGetStringAttributeValue(attribute, &length) : NULL;
    return value && length == 4 && !memcmp(value, "true", 4);
}

void tail_calls_hoist(LLVMValueRef function, struct position_table *t)
{
    LLVMValueRef annotation = annotation_of(function);
    if (!annotation || is_forbidden(function))
        return;
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(function)));
    struct tail tail = {0};
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
        if (!find_tail(&tail, b, annotation, costs_nothing) ||
            LLVMGetTailCallKind(tail.call) != LLVMTailCallKindTail || !returns_result(&tail) ||
            needs_stack(function, tail.call))
            continue;
        uint32_t ended = position_ended(t, shim_position(t, tail.call));
        if (!ended) /* the table of places could not say that the code generator made no tail call of it */
            continue;
        shim_mark(t, tail.call, ended);
        move_before_call(builder, &tail);
    }
    tail_release(&tail);
    LLVMDisposeBuilder(builder);
}
