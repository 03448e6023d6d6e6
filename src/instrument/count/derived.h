/*
 * Functions whose entries need no counter: how often each of their calls ran is known, and nothing
 * else enters them. Ball & Larus 1994 count every function by itself; deriving entries saves many
 * functions one counter.
 */
#ifndef COTREE_INSTRUMENT_COUNT_DERIVED_H
#define COTREE_INSTRUMENT_COUNT_DERIVED_H

#include "instrument/graph/unit_function.h"

/* Decides which functions' entries are derived, and plans their edge profiles anew. All functions
 * have their plans already. */
void derived_choose(LLVMModuleRef module, struct unit_functions *functions);

#endif
