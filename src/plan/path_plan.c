/* Plans that count paths: plan/path_plan.h. */
#include "plan/path_plan.h"

#include "base/memory.h"
#include "plan/path_cut.h"
#include "plan/placements.h"

static bool *cuts_of(const struct plan *plan, const struct graph *g)
{
    bool *cut = ZALLOC(bool, (size_t)g->edge_count + 1);
    for (uint32_t i = 0; i < plan->probe_count; i++)
        if (plan->probes[i].kind == PROBE_EDGE)
            cut[plan->probes[i].id] = true;
    return cut;
}

bool path_plan_number(const struct plan *plan, const struct graph *g, const double *weights,
                      const bool *avoid, struct path_graph *p, struct path_numbering *n, struct error *error)
{
    bool *cut = cuts_of(plan, g), ok = path_graph_init(p, g, cut, error);
    free(cut);
    if (!ok)
        return false;
    ok = path_numbering_init(n, p, weights, avoid, error);
    if (ok && n->total != plan->path_count) {
        path_numbering_release(n);
        ok = error_set(error, "the number of paths is not that of the graph");
    }
    if (!ok)
        path_graph_release(p);
    return ok;
}

bool path_plan_make(struct plan *plan, const struct graph *g, enum placement placement, const double *weights,
                    const bool *also, struct error *error)
{
    *plan = (struct plan){.placement = placement};
    bool *cut = ZALLOC(bool, (size_t)g->edge_count + 1);
    path_ends_mark(g,
                   placement == PLACEMENT_LOOP_PATHS    ? PATH_ENDS_LOOPS
                   : placement == PLACEMENT_MIXED_PATHS ? PATH_ENDS_MIXED
                                                        : PATH_ENDS_BACK,
                   cut);
    for (uint32_t e = 0; also && e < g->edge_count; e++)
        cut[e] |= also[e];
    path_cut(g, weights, PATH_LIMIT, cut);
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (cut[e])
            plan_add(plan, PROBE_EDGE, e);
    free(cut);
    struct path_graph p;
    struct path_numbering n;
    cut = cuts_of(plan, g);
    bool ok = path_graph_init(&p, g, cut, error);
    free(cut);
    if (ok) {
        ok = path_numbering_init(&n, &p, NULL, NULL, error);
        if (ok && n.total > PATH_COUNTERS_MOST(g))
            ok = error_set(error, "there are too many paths, whatever is cut");
        if (ok)
            plan->path_count = (uint32_t)n.total;
        path_numbering_release(&n);
        path_graph_release(&p);
    }
    if (!ok)
        plan_release(plan);
    return ok;
}
