/*
 * Plans: the table of placements, the ones that count edges, and what holds for all of them.
 *
 * A new placement is a line in `placements`, a function that fills in probes, and a test. Whatever
 * the function does, plan_make hands out only plans that leave nothing undetermined
 * (plan_undetermined).
 */
#include "plan/plan.h"
#include "plan/path_plan.h"
#include "plan/placements.h"

#include "base/memory.h"
#include "graph/tree.h"

#include <stdio.h>

static bool place_edges(struct plan *plan, const struct plan_input *in, struct error *error);
static bool place_every_edge(struct plan *plan, const struct plan_input *in, struct error *error);
static bool place_every_block(struct plan *plan, const struct plan_input *in, struct error *error);
static bool place_balance(struct plan *plan, const struct plan_input *in, struct error *error);
static bool place_paths(struct plan *plan, const struct plan_input *in, struct error *error);
static bool place_rest(struct plan *plan, const struct plan_input *in, struct error *error);

static const struct {
    struct placement_info info;
    bool (*place)(struct plan *plan, const struct plan_input *in, struct error *error);
} placements[] = {
    {{PLACEMENT_EDGES, "edges", "edge counts from the fewest, cheapest edges (a spanning tree's chords)",
      true},
     place_edges},
    {{PLACEMENT_BLOCKS, "blocks", "block counts from edge counters, by the union-find rule", false},
     place_blocks},
    {{PLACEMENT_FIGURE_11, "figure-11", "block counts from edge counters, by Ball and Larus's Figure 11",
      false},
     place_figure_11},
    {{PLACEMENT_KNUTH, "knuth", "block counts from block counters (Knuth and Stevenson)", false},
     place_knuth},
    {{PLACEMENT_EVERY_EDGE, "every-edge", "a counter on every edge", true}, place_every_edge},
    {{PLACEMENT_EVERY_BLOCK, "every-block", "a counter in every block", false}, place_every_block},
    {{PLACEMENT_BALANCE, "balance", "activations begun and ended, nothing else", false}, place_balance},
    {{PLACEMENT_PATHS, "paths", "path counts", false}, place_paths},
    {{PLACEMENT_LOOP_PATHS, "loop-paths", "path counts; paths also end where a loop is entered", false},
     place_paths},
    {{PLACEMENT_MIXED_PATHS, "mixed-paths",
      "path counts; paths also end where a loop is entered that holds loops or decides at its end", false},
     place_paths},
    {{PLACEMENT_REST, "rest", "edge counts from path counts and few edges more", true}, place_rest},
};
#define PLACEMENT_COUNT (sizeof placements / sizeof *placements)

const struct placement_info *placement_by_name(const char *name)
{
    for (size_t i = 0; i < PLACEMENT_COUNT; i++)
        if (!strcmp(placements[i].info.name, name))
            return &placements[i].info;
    return NULL;
}

const struct placement_info *placement_info(enum placement placement)
{
    for (size_t i = 0; i < PLACEMENT_COUNT; i++)
        if (placements[i].info.placement == placement)
            return &placements[i].info;
    return NULL;
}

void plan_add(struct plan *plan, enum probe_kind kind, uint32_t id)
{
    uint32_t n = plan->probe_count;
    if ((n & (n - 1)) == 0) /* room doubles at every power of two */
        RESIZE(plan->probes, n ? 2 * (size_t)n : 1);
    plan->probes[plan->probe_count++] = (struct probe){.kind = kind, .id = id};
}

uint32_t plan_entry_edge(const struct graph *g)
{
    for (uint32_t e = g->edge_count; e-- > 0;)
        if (g->edges[e].kind == EDGE_ENTRY)
            return e;
    return GRAPH_NONE;
}

/* Edge profile: every edge outside a maximum spanning tree (Ball & Larus 1994 section 3.2). */
static bool place_edges(struct plan *plan, const struct plan_input *in, struct error *error)
{
    const struct graph *g = in->g;
    bool *in_tree = ALLOC(bool, (size_t)g->edge_count + 1);
    uint32_t refused = in->entry_given ? spanning_tree_without_entry(g, in->weights, in->must, in_tree)
                                       : spanning_tree(g, in->weights, in->must, in_tree);
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (!in_tree[e] && !(in->entry_given && g->edges[e].kind == EDGE_ENTRY))
            plan_add(plan, PROBE_EDGE, e);
    free(in_tree);
    return refused == GRAPH_NONE || plan_refuse(g, refused, error);
}

static bool place_every_edge(struct plan *plan, const struct plan_input *in, struct error *error)
{
    /* Edges without room for a counter are left out; the check finds out whether the others
     * determine them. */
    (void)error;
    for (uint32_t e = 0; e < in->g->edge_count; e++)
        if (!in->must[e])
            plan_add(plan, PROBE_EDGE, e);
    return true;
}

static bool place_every_block(struct plan *plan, const struct plan_input *in, struct error *error)
{
    (void)error;
    const struct graph *g = in->g;
    bool root_has_predecessors = false;
    for (uint32_t v = 0; v < graph_exit(g); v++)
        plan_add(plan, PROBE_VERTEX, v);
    /* Block counts alone do not tell an activation from a jump back to the first block. */
    for (uint32_t e = 0; e < g->edge_count; e++)
        root_has_predecessors |= g->edges[e].to == GRAPH_ROOT && g->edges[e].kind != EDGE_ENTRY;
    if (root_has_predecessors)
        plan_add(plan, PROBE_EDGE, plan_entry_edge(g));
    return true;
}

static bool place_balance(struct plan *plan, const struct plan_input *in, struct error *error)
{
    (void)error;
    plan_add(plan, PROBE_EDGE, plan_entry_edge(in->g));
    plan_add(plan, PROBE_VERTEX, graph_exit(in->g));
    return true;
}

static bool place_paths(struct plan *plan, const struct plan_input *in, struct error *error)
{
    return path_plan_make(plan, in->g, plan->placement, in->weights, NULL, error);
}

static bool place_rest(struct plan *plan, const struct plan_input *in, struct error *error)
{
    (void)plan;
    (void)in;
    return error_set(error, "it depends on a path plan");
}

bool plan_refuse(const struct graph *g, uint32_t e, struct error *error)
{
    char to[16] = "exit";
    if (g->edges[e].to != graph_exit(g))
        snprintf(to, sizeof to, "%u", g->edges[e].to);
    return error_set(error,
                     "edge %u (%u -> %s) can hold no counter and cannot be derived from those that can", e,
                     g->edges[e].from, to);
}

/* Edge counts are determined when the uncounted edges hold no cycle. Returns an edge that closes a
 * cycle, or GRAPH_NONE. */
static uint32_t undetermined_edge(const struct graph *g, const bool *counted)
{
    struct union_find u;
    union_find_init(&u, g->vertex_count);
    uint32_t found = GRAPH_NONE;
    for (uint32_t e = 0; e < g->edge_count && found == GRAPH_NONE; e++)
        if (!counted[e] && !union_find_join(&u, g->edges[e].from, g->edges[e].to))
            found = e;
    union_find_release(&u);
    return found;
}

/*
 * Vertex counts are determined when the uncounted vertices, as arcs between the components of the
 * bipartite graph of uncounted edges, hold no cycle. Returns a vertex that closes one, or
 * GRAPH_NONE.
 */
static uint32_t undetermined_vertex(const struct graph *g, const bool *edge_counted,
                                    const bool *vertex_counted)
{
    uint32_t n = g->vertex_count, found = GRAPH_NONE;
    struct union_find u;
    union_find_init(&u, 2 * n);
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (!edge_counted[e])
            union_find_join(&u, g->edges[e].from, n + g->edges[e].to);
    for (uint32_t v = 0; v < n && found == GRAPH_NONE; v++)
        if (!vertex_counted[v] && !union_find_join(&u, n + v, v))
            found = v;
    union_find_release(&u);
    return found;
}

uint32_t plan_undetermined(const struct plan *plan, const struct graph *g)
{
    const struct placement_info *info = placement_info(plan->placement);
    if (plan->placement == PLACEMENT_BALANCE || plan->placement == PLACEMENT_REST ||
        placement_counts_paths(plan->placement))
        return GRAPH_NONE;
    bool *edge_counted = ZALLOC(bool, (size_t)g->edge_count + 1),
         *vertex_counted = ZALLOC(bool, g->vertex_count);
    for (uint32_t i = 0; i < plan->probe_count; i++)
        (plan->probes[i].kind == PROBE_EDGE ? edge_counted : vertex_counted)[plan->probes[i].id] = true;
    if (plan->entry_given)
        edge_counted[plan_entry_edge(g)] = true;
    uint32_t found = info->gives_edges ? undetermined_edge(g, edge_counted)
                                       : undetermined_vertex(g, edge_counted, vertex_counted);
    free(edge_counted);
    free(vertex_counted);
    return found;
}

static bool make(struct plan *plan, const struct graph *g, enum placement placement, const double *weights,
                 const bool *no_probe, bool entry_given, struct error *error)
{
    *plan = (struct plan){.placement = placement, .entry_given = entry_given};
    if (!placement_info(placement))
        return error_set(error, "no placement has number %d", (int)placement);
    if (plan_entry_edge(g) == GRAPH_NONE)
        return error_set(error, "the graph has no entry edge: it was not completed");
    /*
     * An activation that stays in an endless loop never passes code that could count that, so the
     * count of the loop's virtual edge must follow from others. That of a dead end can be counted,
     * at the start of its block.
     */
    uint32_t *out_degree = ZALLOC(uint32_t, g->vertex_count);
    bool *must = ALLOC(bool, (size_t)g->edge_count + 1);
    for (uint32_t e = 0; e < g->edge_count; e++)
        out_degree[g->edges[e].from]++;
    for (uint32_t e = 0; e < g->edge_count; e++)
        must[e] = (no_probe && no_probe[e]) ||
                  (g->edges[e].kind == EDGE_VIRTUAL && out_degree[g->edges[e].from] > 1);
    free(out_degree);

    struct plan_input in = {.g = g, .weights = weights, .must = must, .entry_given = entry_given};
    bool ok = false;
    for (size_t i = 0; i < PLACEMENT_COUNT; i++)
        if (placements[i].info.placement == placement)
            ok = placements[i].place(plan, &in, error);
    free(must);
    if (ok) {
        uint32_t missing = plan_undetermined(plan, g);
        if (missing != GRAPH_NONE)
            ok = placement_info(placement)->gives_edges
                     ? plan_refuse(g, missing, error)
                     : error_set(error,
                                 "the count of block %u cannot be derived from where counters can stand",
                                 missing);
    }
    if (!ok)
        plan_release(plan);
    return ok;
}

bool plan_make(struct plan *plan, const struct graph *g, enum placement placement, const double *weights,
               const bool *no_probe, struct error *error)
{
    return make(plan, g, placement, weights, no_probe, false, error);
}

bool plan_make_given(struct plan *plan, const struct graph *g, const double *weights, const bool *no_probe,
                     struct error *error)
{
    return make(plan, g, PLACEMENT_EDGES, weights, no_probe, true, error);
}

void plan_release(struct plan *plan)
{
    free(plan->probes);
    if (plan->choice)
        free(plan->choice->ranges);
    free(plan->choice);
    *plan = (struct plan){0};
}

double plan_cost(const struct plan *plan, const struct graph *g, const double *weights)
{
    double *arrivals = ZALLOC(double, g->vertex_count), cost = 0;
    for (uint32_t e = 0; e < g->edge_count; e++)
        arrivals[g->edges[e].to] += weights[e];
    for (uint32_t i = 0; i < plan->probe_count; i++)
        cost +=
            plan->probes[i].kind == PROBE_EDGE ? weights[plan->probes[i].id] : arrivals[plan->probes[i].id];
    free(arrivals);
    return cost;
}
