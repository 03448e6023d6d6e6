/*
 * Which functions have a switch point at their entry: those in which a call, with all that it calls,
 * takes long enough for the switch point to cost little. What calls take is guessed from the graphs
 * and weights of one unit; of functions elsewhere nothing is known.
 */
#ifndef COTREE_PLAN_PARTS_SWITCH_POINTS_H
#define COTREE_PLAN_PARTS_SWITCH_POINTS_H

#include "base/memory.h"

#include <stdbool.h>
#include <stdint.h>

/* Instructions that a call must take: a switch point in a silent copy takes about seven. */
#define PARTS_SWITCH_POINT_COST 300.0
/* What a call of unknown code is taken to cost. */
#define PARTS_UNKNOWN_COST 40.0

struct parts_call {
    uint32_t callee; /* index of a function */
    double times;    /* that an activation makes it */
};

struct parts_cost {
    double own; /* instructions of an activation, without those of functions that it calls */
    struct parts_calls ARRAY_OF(struct parts_call) calls;
    bool never;    /* it shall have no switch point (main, which runs once) */
    double all;    /* the result: with those of functions that it calls */
    bool switches; /* the result */
};

/* Finds what calls cost, in rounds, since functions may call each other in cycles; and the switch
 * points. */
void parts_choose_switch_points(struct parts_cost *functions, uint32_t count);

#endif
