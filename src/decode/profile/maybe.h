/* Which blocks whose count is 0 may have run after all? Activations may stand in them that passed
 * no counter. */
#ifndef COTREE_DECODE_PROFILE_MAYBE_H
#define COTREE_DECODE_PROFILE_MAYBE_H

#include "decode/model/module.h"

/* Sets total.certain.may_have_run, by what was counted in files in which functions are not exact
 * (total.doubtful). */
void maybe_find(struct decode_module *const *modules, size_t count, const char *const *debug_paths);

#endif
