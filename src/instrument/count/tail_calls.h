/*
 * Tail calls and the counting of ends. An activation that ends in a tail call has returned, so its end is
 * counted before the call; any other has not before its last call came back. Which calls are tail calls only
 * optimisation decides, and what stands between a call and the return would keep it from it.
 */
#ifndef COTREE_INSTRUMENT_COUNT_TAIL_CALLS_H
#define COTREE_INSTRUMENT_COUNT_TAIL_CALLS_H

#include <llvm-c/Core.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Around LLVM's elimination of tail recursion: moves counts of ends before calls of the function itself that
 * stand right before its return (false: there are none), then back behind those that are still there.
 */
bool tail_recursion_before(LLVMValueRef function);
void tail_recursion_behind(LLVMValueRef function);

/*
 * At the very end: where the code generator will look for tail calls, ends are counted before the call.
 * Should it not make a tail call of it, then its place says so (PLACE_ENDED_CALL).
 */
void tail_calls_hoist(LLVMValueRef function);

#ifdef __cplusplus
}
#endif

#endif
