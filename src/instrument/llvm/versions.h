/*
 * What LLVM-C lacks in older versions, under the names of newer ones. The headers versions*.hpp
 * have the same for C++. No other file asks for LLVM's version.
 */
#ifndef COTREE_INSTRUMENT_LLVM_VERSIONS_H
#define COTREE_INSTRUMENT_LLVM_VERSIONS_H

#include <llvm-c/Core.h>
#include <llvm/Config/llvm-config.h>

#ifdef __cplusplus
extern "C" {
#endif

#if LLVM_VERSION_MAJOR < 17
#define LLVMArrayType2(type, count) LLVMArrayType(type, (unsigned)(count))
#define LLVMConstArray2(type, values, count) LLVMConstArray(type, values, (unsigned)(count))
#endif

/* The values of cases are operands, each before its block, after the condition and the default. */
#if LLVM_VERSION_MAJOR < 22
#define LLVMGetSwitchCaseValue(instruction, i) LLVMGetOperand(instruction, 2 * (i))
#endif

/* Can functions that promise to preserve most registers return a value? In LLVM 16 they restore
 * rax, too. */
#define VERSIONS_PRESERVE_MOST_RETURNS (LLVM_VERSION_MAJOR >= 18)

#if LLVM_VERSION_MAJOR < 18
typedef enum {
    LLVMTailCallKindNone = 0,
    LLVMTailCallKindTail = 1,
    LLVMTailCallKindMustTail = 2,
    LLVMTailCallKindNoTail = 3,
} LLVMTailCallKind;
LLVMTailCallKind LLVMGetTailCallKind(LLVMValueRef call);
void LLVMSetTailCallKind(LLVMValueRef call, LLVMTailCallKind kind);
#endif

#ifdef __cplusplus
}
#endif

#endif
