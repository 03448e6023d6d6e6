/*
 * Tail calls and the counts of activations ended (-fcotree-durable). An activation that ends in a
 * tail call is over before the call, so its end is counted before it; the end of any other is
 * counted after its last call has returned. Optimisation decides which calls are tail calls, and a
 * marker between a call and the return would keep it from making one.
 */
#ifndef COTREE_INSTRUMENT_COUNT_TAIL_CALLS_H
#define COTREE_INSTRUMENT_COUNT_TAIL_CALLS_H

#include "base/memory.h"

#include <llvm-c/Core.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct position_table;
struct marker_list ARRAY_OF(LLVMValueRef);

/*
 * Around LLVM's elimination of tail recursion: the first moves counts of ends before calls of the
 * function itself that stand right before its return, and notes them in `moved` (false: there are
 * none). The second moves them back after those calls that are still there, and releases `moved`.
 */
bool tail_recursion_before(LLVMValueRef function, struct marker_list *moved);
void tail_recursion_after(LLVMValueRef function, struct marker_list *moved);

/*
 * At the very end: where the code generator will look for tail calls, ends are counted before the
 * call. If it makes no tail call of one, the row of that call says so (PLACE_ENDED_CALL).
 */
void tail_calls_hoist(LLVMValueRef function, struct position_table *t);

#ifdef __cplusplus
}
#endif

#endif
