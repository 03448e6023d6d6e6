/*
 * Where each counter of a function stands: at the start of a block, or on a branch. That is derived
 * from the map by the rule that put it there (instrument/graph/function_graph.c).
 *
 * While activations run to their end it does not matter. For an activation that is left in the
 * middle of a block it does: a counter at the start of a block may be *ahead*, since it counts the
 * only way out, which was not taken yet. An activation that is cut there has counted too much, one
 * that is resumed there too little.
 */
#ifndef COTREE_DECODE_MODEL_STANDING_H
#define COTREE_DECODE_MODEL_STANDING_H

#include "format/map/map.h"

/* Lists of counters by place: items[start[i] .. start[i + 1]) are the counters of place i, as
 * indices into the function's array. */
struct standing_list {
    uint32_t *start, *items;
};

struct standing {
    bool ready;
    struct standing_list at_start;  /* block -> counters that count when it begins */
    struct standing_list on_branch; /* edge -> counters that count while it is taken */
    bool *dead_end;                 /* by block: nothing but a virtual edge leads on */
    /* block -> counters that count, before the block or at its start, what comes after it */
    struct standing_list ahead;
};

/* Finds it, once; several threads may ask. */
void standing_prepare(struct standing *s, const struct map_function *f);
void standing_release(struct standing *s);

/* Adds `times` to the counters that are ahead in the block: -1 for an activation cut there, 1 for
 * one resumed. */
void standing_correct(const struct standing *s, uint32_t block, int64_t times, int64_t *counters);

#endif
