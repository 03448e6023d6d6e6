/* Attributes of functions that counting makes false. */
#ifndef COTREE_INSTRUMENT_MARKER_ATTRIBUTES_H
#define COTREE_INSTRUMENT_MARKER_ATTRIBUTES_H

#include <llvm-c/Core.h>
#include <stdbool.h>

/*
 * Removes, from every function defined in the module and from calls that may reach one, what is no
 * longer true when functions write counters: that they touch no memory, or only some; and, if they
 * may attach their thread, that they never synchronise or free.
 */
void attributes_widen(LLVMModuleRef module, bool may_attach);

/* Keeps sanitizers away from a function of our runtime: the data flow sanitizer would give it
 * another name. */
void attributes_leave_alone(LLVMValueRef runtime_function);

#endif
