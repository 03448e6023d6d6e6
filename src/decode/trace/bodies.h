/*
 * Inline functions of which the linker kept one body for all units (MAP_FUNCTION_ONE_BODY), though
 * the units differ, against the one-definition rule. The table of places tells which one it kept:
 * code that was dropped has no places.
 */
#ifndef COTREE_DECODE_TRACE_BODIES_H
#define COTREE_DECODE_TRACE_BODIES_H

#include "decode/model/module.h"

/* Fills in map_trace.instead of the module's functions. */
void trace_bodies_link(struct decode_module *m, const char *const *debug_paths);

#endif
