/*
 * Active code: which blocks of its function an activation can have run.
 *
 * What its history shows did run. What lies on no candidate of its history did not, unless it is in a
 * loop that was entered: of its earlier rounds nothing is known, so all of the loop may have run. Other
 * activations of the function are another matter.
 *
 * Invariant: no block that ran is ruled out, and no block is called certain that did not run. (As in
 * history.h: of a program that overwrote its stack, nothing is certain.)
 */
#ifndef COTREE_DECODE_CRASH_ACTIVE_H
#define COTREE_DECODE_CRASH_ACTIVE_H

#include "format/map/map.h"
#include "plan/crash/ways.h"

enum active {
    ACTIVE_NO,
    ACTIVE_MAYBE,
    ACTIVE_CERTAIN,
};

/* By block, newly allocated; all are ACTIVE_NO. */
enum active *active_new(const struct graph *g);
/* All blocks that the root leads to may have run: nothing is known of the activation. */
void active_add_all(enum active *active, const struct graph *g);
/* Adds a part of the history: what its ways pass. */
void active_add_ways(enum active *active, const struct crash_regions *r, const struct crash_ways *ways);

struct active_line {
    uint32_t file; /* of the function's files */
    uint32_t line;
    enum active active;
};
struct active_lines ARRAY_OF(struct active_line);
/* The lines of a function, by file and line, each once. block, lines: where the activation stands, and
 * how many of the block's lines had begun there; GRAPH_NONE: that is not known. */
void active_lines(struct active_lines *to, const struct map_function *f, const enum active *active,
                  uint32_t block, uint32_t lines);

#endif
