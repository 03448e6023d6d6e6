/*
 * Counting writes memory. The first pass takes back what the user declared (pure, const): a
 * compiler that believed it would drop or merge calls and their counts, so that -O2 would count
 * less than -O0. The last pass takes back what LLVM has inferred meanwhile: markers touch
 * "inaccessible memory" only, but increments write memory like any other code, so the code
 * generator and passes at link time must not rely on it.
 *
 * Calls of functions that are only declared here keep what the user said about them.
 */
#include "instrument/marker/attributes.h"

#include <string.h>

struct kinds {
    unsigned ids[4];
    unsigned count;
};

static void widen_call(LLVMValueRef call, const struct kinds *kinds)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);
    if (LLVMIsAInlineAsm(callee) || (LLVMIsAFunction(callee) && LLVMIsDeclaration(callee)))
        return;
    for (unsigned k = 0; k < kinds->count; k++)
        LLVMRemoveCallSiteEnumAttribute(call, LLVMAttributeFunctionIndex, kinds->ids[k]);
}

void attributes_widen(LLVMModuleRef module, bool may_attach)
{
    static const char *const names[] = {"memory", "speculatable", "nosync", "nofree"};
    struct kinds kinds = {.count = may_attach ? 4 : 2};
    for (unsigned k = 0; k < kinds.count; k++)
        kinds.ids[k] = LLVMGetEnumAttributeKindForName(names[k], strlen(names[k]));
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f))
            continue;
        for (unsigned k = 0; k < kinds.count; k++)
            LLVMRemoveEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, kinds.ids[k]);
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
                LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
                if (opcode == LLVMCall || opcode == LLVMInvoke || opcode == LLVMCallBr)
                    widen_call(i, &kinds);
            }
    }
}

void attributes_leave_alone(LLVMValueRef runtime_function)
{
    static const char name[] = "disable_sanitizer_instrumentation";
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(runtime_function));
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(runtime_function, LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(context, kind, 0));
}
