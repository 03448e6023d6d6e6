/*
 * What LLVM-C lacks in older versions, under the names it has in newer ones. versions.hpp has the same for
 * C++. Nothing else asks for LLVM's version.
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

/* Values of cases are operands there, each before its block, behind the condition and the default. */
#if LLVM_VERSION_MAJOR < 22
#define LLVMGetSwitchCaseValue(instruction, i) LLVMGetOperand(instruction, 2 * (i))
#endif

/* Whether functions return something that promise to preserve most registers: in LLVM 16 they restore rax,
 * too. */
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
