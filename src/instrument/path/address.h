/*
 * The address of a path counter, so that one instruction reaches it. LLVM computes which counter it
 * is in several steps: array + 8 * (c ? 6 : 8) - 8 * d. A machine instruction adds up a constant, the
 * thread's base and one register times 8. Two registers, or one that is taken away, would need the
 * thread's base in a register, and instructions that add to it.
 */
#ifndef COTREE_INSTRUMENT_PATH_ADDRESS_H
#define COTREE_INSTRUMENT_PATH_ADDRESS_H

#include <llvm-c/Core.h>

/* An equal address, computed where the builder stands: array + constant + 8 * index. The address
 * itself where it has at most one index already, or is made in another way. */
LLVMValueRef path_address_fold(LLVMBuilderRef builder, LLVMValueRef address);

#endif
