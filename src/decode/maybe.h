/* Which blocks without counts may have run after all: activations may stand in them that passed no counter.
 */
#ifndef COTREE_DECODE_MAYBE_H
#define COTREE_DECODE_MAYBE_H

#include "decode/module.h"

/* Sets may_have_run of functions that are not exact, of modules whose functions have all counters in
 * ->total. */
void maybe_find(struct decode_module *const *modules, size_t count, const char *const *debug_paths);

#endif
