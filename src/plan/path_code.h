/*
 * What a program does to count paths, arc by arc of the acyclic graph: all paths, or those that a plan's
 * choice names, in whichever of three ways is cheapest there. A watched path's counter is its alone; paths
 * that are not watched never reach one that is a watched path's.
 */
#ifndef COTREE_PLAN_PATH_CODE_H
#define COTREE_PLAN_PATH_CODE_H

#include "plan/path_number.h"
#include "plan/plan.h"

struct path_code {
    uint32_t counters;
    uint64_t *value; /* arc -> the sum of these along a watched path is its counter */
    uint64_t *add; /* arc -> what the sum grows by; what it becomes where paths start, and where it `sets` */
    bool *sets;    /* arc -> the sum becomes `add`: nothing watched goes on from here */
    bool *counts;  /* arc into EXIT -> paths that end with it are counted */
    /* Sums may be out of range: what is not below counters - 1 is counted in the last counter. Where an end
     * that does not count shares its code with others it adds PATH_CODE_NEVER. */
    bool checked;
};
#define PATH_CODE_NEVER (UINT64_C(1) << 62)

/* The code of a plan whose graph and numbers these are. edge_weights NULL: `value` and `counters` alone are
 * good. Fails where a file's choice makes no sense. */
bool path_code_init(struct path_code *c, const struct plan *plan, const struct path_graph *p,
                    const struct path_numbering *n, const double *edge_weights, struct error *error);
void path_code_release(struct path_code *c);
/* The counter of a watched path; arcs: room for one path. */
uint64_t path_code_counter(const struct path_code *c, const struct path_graph *p,
                           const struct path_numbering *n, uint64_t id, uint32_t *arcs);

/* Instructions that the code is expected to execute, roughly: one an addition or setting, two a count, two
 * more where it is checked; nothing where the sum does not matter any more, since then the compiler drops it.
 */
double path_code_cost(const struct path_code *c, const struct path_graph *p, const double *arc_weights);

/*
 * Gives the plan (of paths, with no choice yet) the choice of these paths, in the kind that costs least, of
 * several the one with fewest counters; or in kind `only`, if it is not 0. wanted: by id. All of them: the
 * plan is left without a choice.
 */
bool path_choose(struct plan *plan, const struct graph *g, const double *edge_weights, const bool *wanted,
                 enum path_code_kind only, struct error *error);

/* Is the path counted? choice NULL: all are. */
bool path_choice_has(const struct path_choice *choice, uint64_t id);
uint64_t path_choice_size(const struct path_choice *choice);
/* The arcs of all paths of the choice. */
void path_choice_arcs(const struct path_choice *choice, const struct path_graph *p,
                      const struct path_numbering *n, bool *arcs);

#endif
