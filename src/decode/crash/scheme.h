/*
 * Which functions of a module were off when the process died (`cotree tune`), as far as that matters: which
 * body a frame stands in, its address tells; but code of bodies that are off sets no coverage bytes.
 */
#ifndef COTREE_DECODE_CRASH_SCHEME_H
#define COTREE_DECODE_CRASH_SCHEME_H

#include "decode/crash/core.h"

/* Why coverage bytes of the module tell nothing; NULL: they tell what ran. */
const char *scheme_read(const struct core *core, const struct core_module *module, const char *build_id);

#endif
