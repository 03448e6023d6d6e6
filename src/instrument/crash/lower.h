/*
 * Markers of slots -> single stores into the frame, by the last pass; and the claims about the calls
 * that see them.
 */
#ifndef COTREE_INSTRUMENT_CRASH_LOWER_H
#define COTREE_INSTRUMENT_CRASH_LOWER_H

#include "instrument/crash/table.h"
#include "instrument/place/positions.h"

#include <llvm-c/Types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Drops the markers of a function that nobody can read; true if there were any. In the middle of the
 * optimiser: markers that stay keep code apart. */
bool crash_drop_dead(LLVMValueRef function, const struct crash_table *table,
                     const struct position_table *positions);
/* Lowers all markers of a module. optimised: calls in tail position may become jumps. */
bool crash_lower(LLVMModuleRef module, struct crash_table *table, struct position_table *positions,
                 bool optimised);

#ifdef __cplusplus
}
#endif

#endif
