/* Calls that may return twice: setjmp and its like, vfork. */
#ifndef COTREE_INSTRUMENT_GRAPH_RETURNS_TWICE_H
#define COTREE_INSTRUMENT_GRAPH_RETURNS_TWICE_H

#include <llvm-c/Core.h>
#include <stdbool.h>

/* Tells LLVM of those that clang may not assume (-fno-builtin, -ffreestanding), and of
 * `__builtin_setjmp`. Must run before call_returns_twice is asked. */
void returns_twice_mark(LLVMModuleRef module);
bool call_returns_twice(LLVMValueRef call);

/* Is it `__builtin_setjmp` or `__builtin_longjmp`, which are intrinsics? */
bool call_is_builtin_jump(LLVMValueRef call);
bool call_is_builtin_longjmp(LLVMValueRef call);

#endif
