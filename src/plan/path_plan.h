/*
 * Plans that count paths. Their probes are the edges that are cut, in the order of ids; their counters are
 * one a path, by id (path_count of them): so a plan is as small as its cuts, and numbering follows from graph
 * and cuts.
 */
#ifndef COTREE_PLAN_PATH_PLAN_H
#define COTREE_PLAN_PATH_PLAN_H

#include "plan/path_number.h"
#include "plan/plan.h"

/* Paths a function may have before further edges are cut; no more than twice its edges are where that is
 * larger. */
#define PATH_LIMIT 4096
/* More counters than this a plan never has, and a reader does not believe. */
#define PATH_COUNTERS_MOST(g) (65536 + 2 * (uint64_t)(g)->edge_count)

/* also: further edges that must be cut, or NULL. */
bool path_plan_make(struct plan *plan, const struct graph *g, enum placement placement, const double *weights,
                    const bool *also, struct error *error);

/* The acyclic graph and the numbers of a plan. weights and avoid: as for path_numbering_init. Fails where a
 * file's plan makes no sense, or does not have path_count paths. */
bool path_plan_number(const struct plan *plan, const struct graph *g, const double *weights,
                      const bool *avoid, struct path_graph *p, struct path_numbering *n, struct error *error);

#endif
