/* Tells LLVM the counts of an earlier profile, so that it need not guess what to make faster and
 * what smaller. */
#ifndef COTREE_INSTRUMENT_USE_BRANCH_WEIGHTS_H
#define COTREE_INSTRUMENT_USE_BRANCH_WEIGHTS_H

#include "instrument/graph/function_graph.h"
#include "instrument/use/use_profile.h"

/* Tells how the counts of the whole profile are spread, in a unit without counters. Comes before
 * branch_weights_set. */
void branch_weights_summarise(LLVMModuleRef module, const struct used_profile *u);
/* Sets the function's number of entries and the weights of its branches; before it is changed. */
void branch_weights_set(const struct function_graph *f, const struct profile_function *counts);

#endif
