#include "instrument/path/address.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define COUNTER_BYTES 8
#define MOST_INDICES 4

/* base + constant + 8 * (the indices) */
struct sum {
    LLVMValueRef base;
    int64_t constant;
    LLVMValueRef indices[MOST_INDICES];
    unsigned count;
    bool subtracts;
};

/* The bytes of an element, 0 where they are not known. */
static int64_t element_bytes(LLVMValueRef step)
{
    LLVMTypeRef type = LLVMGetGEPSourceElementType(step);
    unsigned bits = LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0;
    return bits == 8 || bits == 64 ? bits / 8 : 0;
}

static bool is_truth(LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 1;
}

/* Reads the steps from the address to the array. False: there are others than these. */
static bool read_steps(struct sum *s, LLVMValueRef address)
{
    for (s->base = address; LLVMIsAGetElementPtrInst(s->base); s->base = LLVMGetOperand(s->base, 0)) {
        int64_t bytes = element_bytes(s->base);
        LLVMValueRef index = LLVMGetOperand(s->base, 1);
        if (!bytes || LLVMGetNumOperands(s->base) != 2 || LLVMGetIntTypeWidth(LLVMTypeOf(index)) != 64)
            return false;
        if (LLVMIsAConstantInt(index)) {
            s->constant += bytes * LLVMConstIntGetSExtValue(index);
            continue;
        }
        if (bytes != COUNTER_BYTES || s->count == MOST_INDICES)
            return false;
        s->subtracts |= LLVMIsASExtInst(index) && is_truth(LLVMGetOperand(index, 0));
        s->indices[s->count++] = index;
    }
    return LLVMIsConstant(s->base);
}

/* The index, or another one with the difference in the constant: -c is !c - 1. */
static LLVMValueRef only_added(LLVMBuilderRef builder, struct sum *s, LLVMValueRef index)
{
    if (!LLVMIsASExtInst(index) || !is_truth(LLVMGetOperand(index, 0)))
        return index;
    s->constant -= COUNTER_BYTES;
    return LLVMBuildZExt(builder, LLVMBuildNot(builder, LLVMGetOperand(index, 0), ""), LLVMTypeOf(index), "");
}

/* Does an exception land in the block? */
static bool is_landing_pad(LLVMBasicBlockRef block)
{
    LLVMValueRef first = LLVMGetFirstInstruction(block);
    while (LLVMIsAPHINode(first))
        first = LLVMGetNextInstruction(first);
    return LLVMIsALandingPadInst(first);
}

LLVMValueRef path_address_pin(LLVMBuilderRef builder, LLVMValueRef number)
{
    static const char same[] = "=r,0";
    if (LLVMIsConstant(number) || !is_landing_pad(LLVMGetInsertBlock(builder)))
        return number;
    LLVMTypeRef i64 = LLVMTypeOf(number), type = LLVMFunctionType(i64, &i64, 1, false);
    LLVMValueRef nothing = LLVMGetInlineAsm(type, "", 0, (char *)same, strlen(same), true, false,
                                            LLVMInlineAsmDialectATT, false);
    return LLVMBuildCall2(builder, type, nothing, &number, 1, "");
}

LLVMValueRef path_address_fold(LLVMBuilderRef builder, LLVMValueRef address)
{
    struct sum s = {0};
    if (!read_steps(&s, address) || s.count < 1 || (s.count == 1 && !s.subtracts))
        return address;
    for (unsigned i = 0; i < s.count; i++)
        s.indices[i] = LLVMIsASExtInst(s.indices[i]) ? s.indices[i] : path_address_pin(builder, s.indices[i]);
    LLVMValueRef index = only_added(builder, &s, s.indices[0]);
    LLVMTypeRef i64 = LLVMTypeOf(index), i8 = LLVMInt8TypeInContext(LLVMGetTypeContext(i64));
    for (unsigned i = 1; i < s.count; i++)
        index = LLVMBuildAdd(builder, index, only_added(builder, &s, s.indices[i]), "");
    LLVMValueRef constant = LLVMConstInt(i64, (uint64_t)s.constant, true);
    address = LLVMBuildGEP2(builder, i64, s.base, &index, 1, "");
    return LLVMBuildGEP2(builder, i8, address, &constant, 1, "");
}
