/*
 * Plans that count paths. The probes of such a plan are the edges that are cut, in the order of
 * ids; its counters are one for each path, by id (path_count of them). So a plan is as small as its
 * cuts, and the numbering follows from the graph and the cuts.
 */
#ifndef COTREE_PLAN_PATH_PLAN_H
#define COTREE_PLAN_PATH_PLAN_H

#include "plan/path_number.h"
#include "plan/plan.h"

/* How many paths a function may have before further edges are cut; twice its edges, if that is
 * more. */
#define PATH_LIMIT 4096
/* A plan never has more counters than this; readers refuse more. */
#define PATH_COUNTERS_MOST(g) (65536 + 2 * (uint64_t)(g)->edge_count)

/* `also` marks further edges that must be cut, or is NULL. */
bool path_plan_make(struct plan *plan, const struct graph *g, enum placement placement, const double *weights,
                    const bool *also, struct error *error);

/* Makes the acyclic graph and the numbers of a plan. weights and avoid: as for path_numbering_init.
 * Fails where the plan of a file makes no sense, or does not have path_count paths. */
bool path_plan_number(const struct plan *plan, const struct graph *g, const double *weights,
                      const bool *avoid, struct path_graph *p, struct path_numbering *n, struct error *error);

#endif
