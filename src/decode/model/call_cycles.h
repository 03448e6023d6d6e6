/*
 * Which functions may be active more than once in a thread? Those on a cycle of the graph of calls.
 * One node of this graph is "outside": all code without counters, which may call any function whose
 * address it can get.
 */
#ifndef COTREE_DECODE_MODEL_CALL_CYCLES_H
#define COTREE_DECODE_MODEL_CALL_CYCLES_H

#include "decode/model/module.h"

/* Sets on_cycle, most_pending, most_paths, most_ends and ends_unsure of every function of the
 * modules, which are all modules of a run that count. False when that cannot be told, for want of a
 * table of places or of the program. */
bool call_cycles_find(struct decode_module *const *modules, size_t count, const char *const *debug_paths);
/* May code without counters call the function? Asked after call_cycles_find. */
bool call_cycles_from_outside(const struct decode_module *m, const struct decode_function *f);
/* Sets most_pending, most_paths, most_ends and ends_unsure of the module's functions. False: the
 * module has no table of places. */
bool most_pending_find(struct decode_module *m, const char *const *debug_paths);

#endif
