/*
 * Which wishes are granted: a check of the final code, in every build.
 *
 * Passes move and copy code. Whatever they did, a slot tells the way to a node only if, on every way
 * through the final code to the stop, the last marker of the slot is one of those that the numbering
 * has last before the node, and each marker that adds found the slot as its mark expects it. What
 * does not pass is not claimed.
 */
#ifndef COTREE_INSTRUMENT_CRASH_CHECK_H
#define COTREE_INSTRUMENT_CRASH_CHECK_H

#include "instrument/crash/final.h"

void crash_check(struct crash_final *f);

#endif
