/* Which blocks without counts may have run after all: activations may stand in them that passed no counter.
 */
#ifndef COTREE_DECODE_PROFILE_MAYBE_H
#define COTREE_DECODE_PROFILE_MAYBE_H

#include "decode/model/module.h"

/* Sets may_have_run, by what the files counted in which functions are not exact (->doubtful). */
void maybe_find(struct decode_module *const *modules, size_t count, const char *const *debug_paths);

#endif
