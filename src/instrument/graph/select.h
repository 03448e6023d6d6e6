/* Which functions are counted. */
#ifndef COTREE_INSTRUMENT_GRAPH_SELECT_H
#define COTREE_INSTRUMENT_GRAPH_SELECT_H

#include "base/hash.h"
#include "instrument/options.h"

#include <llvm-c/Core.h>

struct selection {
    const struct instrument_options *options;
    struct hash_map early;    /* functions that may run before there is thread-local storage */
    struct hash_map resumers; /* with traces: functions that resume coroutines */
};

void selection_init(struct selection *s, LLVMModuleRef module, const struct instrument_options *options);
void selection_release(struct selection *s);

/* Does the function's linkage name or its name in the source match one of them? */
bool function_is_named(LLVMValueRef function, const struct instrument_names *globs);

enum choice {
    CHOICE_COUNT,
    CHOICE_LEAVE,     /* not in the map either */
    CHOICE_UNCOUNTED, /* in the map, with the reason *why */
    CHOICE_EARLY,     /* the same, since ifunc resolvers run it */
};
enum choice selection_choose(const struct selection *s, LLVMValueRef function, const char **why);

#endif
