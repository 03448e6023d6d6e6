/*
 * What a program does to count paths, arc by arc of the acyclic graph: to count all paths, or those
 * that a plan's choice names, in the cheapest of three ways. The counted paths are called watched:
 * each has a counter of its own, which paths that are not watched never reach.
 */
#ifndef COTREE_PLAN_PATH_CODE_H
#define COTREE_PLAN_PATH_CODE_H

#include "plan/path_number.h"
#include "plan/plan.h"

struct path_code {
    uint32_t counters;
    uint64_t *value; /* arc -> the sum of these along a watched path is the number of its counter */
    uint64_t *add; /* arc -> what is added to the sum; where paths start, and where it `sets`: the new sum */
    bool *sets;    /* arc -> the sum becomes `add`: no watched path goes on from here */
    bool *counts;  /* arc into EXIT -> paths that end with it are counted */
    /* Sums may be out of range: a sum that is not below counters - 1 is counted in the last
     * counter. Where an end that does not count shares its code with others, it adds
     * PATH_CODE_NEVER. */
    bool checked;
};
#define PATH_CODE_NEVER (UINT64_C(1) << 62)

/* Makes the code of a plan with this graph and these numbers. If edge_weights is NULL, only `value`
 * and `counters` are valid. Fails where the choice of a file makes no sense. */
bool path_code_init(struct path_code *c, const struct plan *plan, const struct path_graph *p,
                    const struct path_numbering *n, const double *edge_weights, struct error *error);
void path_code_release(struct path_code *c);
/* The counter of a watched path. `arcs` has room for one path. */
uint64_t path_code_counter(const struct path_code *c, const struct path_graph *p,
                           const struct path_numbering *n, uint64_t id, uint32_t *arcs);

/* How many instructions the code is expected to execute, roughly: one for an addition or setting,
 * two for a count, two more where it is checked; none where the sum does not matter any more, since
 * the compiler drops it. */
double path_code_cost(const struct path_code *c, const struct path_graph *p, const double *arc_weights);

/*
 * Gives a path plan without a choice the choice of these paths, in the kind of code that costs
 * least, and among several of these in the one with the fewest counters; or in kind `only`, if it
 * is not 0. wanted: by id. If all paths are wanted, the plan is left without a choice.
 */
bool path_choose(struct plan *plan, const struct graph *g, const double *edge_weights, const bool *wanted,
                 enum path_code_kind only, struct error *error);

/* Is the path counted? If choice is NULL, all are. */
bool path_choice_has(const struct path_choice *choice, uint64_t id);
uint64_t path_choice_size(const struct path_choice *choice);
/* The arcs of all paths of the choice. */
void path_choice_arcs(const struct path_choice *choice, const struct path_graph *p,
                      const struct path_numbering *n, bool *arcs);

#endif
