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
 * itself where it has at most one index already, or is made otherwise. */
LLVMValueRef path_address_fold(LLVMBuilderRef builder, LLVMValueRef address);

/*
 * The number; in a block where an exception lands, one that the code generator takes for computed
 * there. LLVM before 20 moves sums of two phis to before the place where the exception lands
 * (llvm-project issue 114194): the sum would not be made, and registers that are spilled between would
 * be lost.
 */
LLVMValueRef path_address_pin(LLVMBuilderRef builder, LLVMValueRef number);

#endif
