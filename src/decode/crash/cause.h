/* What the signal means that ended a process, and what the process said before. */
#ifndef COTREE_DECODE_CRASH_CAUSE_H
#define COTREE_DECODE_CRASH_CAUSE_H

#include "decode/crash/core.h"

#include <elfutils/libdwfl.h>

/* Sets meaning, message, exception and what. The frames are known. */
void core_find_cause(struct core *c, Dwfl *dwfl);

#endif
