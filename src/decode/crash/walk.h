/* Walks the stacks of a core's threads, by libdwfl. */
#ifndef COTREE_DECODE_CRASH_WALK_H
#define COTREE_DECODE_CRASH_WALK_H

#include "decode/crash/core.h"

#include <elfutils/libdwfl.h>

/* Finds the frames of all threads. The core's modules were reported. */
bool core_walk(struct core *c, Dwfl *dwfl, Elf *elf);

#endif
