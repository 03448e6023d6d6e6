/*
 * Coverage bytes of a module in a core (instrument/crash/coverage.h): which blocks of its functions never
 * ran.
 *
 * Invariant: a block is only said to have never run if the core holds its byte, and it is not set.
 */
#ifndef COTREE_DECODE_CRASH_COVERAGE_H
#define COTREE_DECODE_CRASH_COVERAGE_H

#include "base/hash.h"
#include "decode/crash/core.h"
#include "graph/graph.h"

struct coverage {
    uint8_t *bytes; /* the section as the core has it */
    size_t length;
    struct hash_map records; /* key of a function -> offset of its record + 1; 0: there are several */
};

/* Reads those of the module; none if it has none, or the core does not hold them. */
void coverage_read(struct coverage *c, const struct core *core, const struct core_module *module,
                   const char *build_id);
void coverage_release(struct coverage *c);
/* By vertex of the function's graph: it never ran. Newly allocated; NULL: nothing is known. */
bool *coverage_never_ran(const struct coverage *c, uint64_t key, const struct graph *g);

#endif
