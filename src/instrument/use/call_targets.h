/* Tells LLVM which functions are called through pointers, as far as counts of edges tell: it then
 * calls the likely one directly, and may inline it. */
#ifndef COTREE_INSTRUMENT_USE_CALL_TARGETS_H
#define COTREE_INSTRUMENT_USE_CALL_TARGETS_H

#include "instrument/graph/function_graph.h"
#include "instrument/use/use_profile.h"

struct call_site {
    LLVMValueRef call;
    uint64_t count; /* how often its block ran */
};
struct call_sites ARRAY_OF(struct call_site);

/* Appends the calls through pointers of a function, before it is changed. */
void call_targets_collect(struct call_sites *sites, const struct function_graph *f,
                          const struct profile_function *counts);
/* Notes on each call the functions that it probably calls; releases the list. */
void call_targets_set(LLVMModuleRef module, struct call_sites *sites, const struct used_profile *u);

#endif
