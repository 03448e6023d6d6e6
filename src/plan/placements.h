/* What a placement is given and how it adds probes. Private to src/plan. */
#ifndef COTREE_PLAN_PLACEMENTS_H
#define COTREE_PLAN_PLACEMENTS_H

#include "plan/plan.h"

struct plan_input {
    const struct graph *g;
    const double *weights;
    const bool *must; /* edges on which no counter can stand: their counts must follow from others */
    bool entry_given; /* the entry edge is known, without a probe; only of edge profiles */
};

void plan_add(struct plan *plan, enum probe_kind kind, uint32_t id);
uint32_t plan_entry_edge(const struct graph *g);
/* The error for an edge that can neither be counted nor derived. Returns false. */
bool plan_refuse(const struct graph *g, uint32_t e, struct error *error);

bool place_blocks(struct plan *plan, const struct plan_input *in, struct error *error);
bool place_figure_11(struct plan *plan, const struct plan_input *in, struct error *error);
bool place_knuth(struct plan *plan, const struct plan_input *in, struct error *error);

#endif
