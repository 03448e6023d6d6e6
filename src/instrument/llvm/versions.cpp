// Functions that LLVM-C has from version 18 on.
#include "instrument/llvm/versions.h"

#include "llvm/IR/Instructions.h"

#if LLVM_VERSION_MAJOR < 18
using namespace llvm;

LLVMTailCallKind LLVMGetTailCallKind(LLVMValueRef call)
{
    return static_cast<LLVMTailCallKind>(unwrap<CallInst>(call)->getTailCallKind());
}

void LLVMSetTailCallKind(LLVMValueRef call, LLVMTailCallKind kind)
{
    unwrap<CallInst>(call)->setTailCallKind(static_cast<CallInst::TailCallKind>(kind));
}
#endif
