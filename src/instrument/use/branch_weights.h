/* The counts of an earlier profile, told to LLVM: what it makes faster and what smaller is then no guess. */
#ifndef COTREE_INSTRUMENT_USE_BRANCH_WEIGHTS_H
#define COTREE_INSTRUMENT_USE_BRANCH_WEIGHTS_H

#include "instrument/graph/function_graph.h"
#include "instrument/use/use_profile.h"

/* How the counts of the whole profile are spread, for a unit without counters; before its functions are
 * looked at. */
void branch_weights_summarise(LLVMModuleRef module, const struct used_profile *u);
/* Entries of the function and the ways its branches go; before it is changed. */
void branch_weights_set(const struct function_graph *f, const struct profile_function *counts);

#endif
