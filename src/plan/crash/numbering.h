/*
 * Numbers for the ways through a round: what a slot holds, and what it means.
 *
 * Each region of an activation (plan/crash/regions.h) has a slot, one small number in the frame. At
 * a node where several steps meet, a *mark* on each of these steps says what happens to the slot of
 * its region: SET makes it a number, ADD adds one. Ways that arrive at a node with different last
 * marks leave different numbers, so the node and the number tell the way (after Ohmann & Liblit
 * 2016, whose sums are those of Ball & Larus; here no slot is ever cleared, and code that nobody
 * asks about carries no mark).
 *
 *     classes   of a node: how many numbers the slot may hold there. With one class the slot is not
 *               defined there, and nothing is known of the way but that it leads to the node.
 *     tracked   of a node: the steps into it are marked
 *     last      of a node: the last tracked node before it (or it itself), the same on all ways;
 *               GRAPH_NONE with one class
 *     code      a mark that adds 0 needs none
 *
 * Example: steps a -> c, b -> c, c -> e, d -> e, where a, b and d have one class each. c is tracked:
 * SET 0 on a -> c, SET 1 on b -> c, so c has 2 classes. At e: ADD 0 on c -> e (no code), SET 2 on
 * d -> e: 3 classes.
 *
 * Invariants
 *  1. At a tracked node every step is marked, and the numbers that the steps leave do not overlap and
 *     fill [0, classes). Only a step from a node with several classes may ADD.
 *  2. A node that is not tracked has the classes of the nodes before it if all of them have the same
 *     last tracked node, else 1.
 */
#ifndef COTREE_PLAN_CRASH_NUMBERING_H
#define COTREE_PLAN_CRASH_NUMBERING_H

#include "plan/crash/regions.h"

enum crash_op {
    CRASH_UNMARKED,
    CRASH_SET,
    CRASH_ADD,
};

struct crash_mark {
    enum crash_op op;
    uint32_t value;
};

#define CRASH_CLASSES_MOST (UINT32_C(1) << 30)

struct crash_numbering {
    struct crash_mark *marks; /* per edge */
    uint32_t *classes, *last; /* per node */
    /* Of a tracked node that one step adds 0 to, without code: the last tracked node of where this
     * step comes from. GRAPH_NONE: there is no such step. */
    uint32_t *before;
};

/* What the numbering should tell, and what it may cost. */
struct crash_needs {
    const bool *observed;   /* per block: somebody may ask there */
    const bool *rounds;     /* per region: somebody asks where a round of it is completed; NULL: of none */
    const bool *unmarkable; /* per edge: no mark can stand there */
    const double *costs;    /* per edge: what a mark costs */
    double cost_most;       /* marks of one node may cost so much together, unless ways would be lost */
    /* Per block: somebody may ask there, too, if the marks of one node that nobody else asks about cost at
     * most so much. NULL: there are none. */
    const bool *faults;
    double fault_cost_most;
};

/* The regions must stay. */
void crash_number(struct crash_numbering *n, const struct crash_regions *r, const struct crash_needs *w);
/* Takes marks, one an edge, from elsewhere; false if they break an invariant. Releases them then. */
bool crash_numbering_from(struct crash_numbering *n, const struct crash_regions *r, struct crash_mark *marks);
void crash_numbering_release(struct crash_numbering *n);

/* Does the mark need code? */
static inline bool crash_mark_has_code(struct crash_mark mark)
{
    return mark.op == CRASH_SET || (mark.op == CRASH_ADD && mark.value);
}

#endif
