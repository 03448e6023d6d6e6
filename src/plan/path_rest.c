#include "plan/path_rest.h"

#include "base/memory.h"
#include "graph/analysis.h"
#include "graph/tree.h"
#include "plan/placements.h"

/* Finds the blocks that hold a call, or from which one can be reached without an edge that is
 * cut. */
static bool *find_reaching(const struct graph *g, const bool *cut, const bool *calls)
{
    struct adjacency a;
    adjacency_init(&a, g);
    bool *reaching = ZALLOC(bool, g->vertex_count);
    uint32_t *open = ALLOC(uint32_t, g->vertex_count), opened = 0;
    for (uint32_t b = 0; b < graph_exit(g); b++)
        if ((reaching[b] = calls[b]))
            open[opened++] = b;
    while (opened) {
        uint32_t v = open[--opened];
        for (uint32_t i = a.in_start[v]; i < a.in_start[v + 1]; i++) {
            const struct edge *e = &g->edges[a.in[i]];
            if (e->kind == EDGE_FLOW && !cut[a.in[i]] && !reaching[e->from]) {
                reaching[e->from] = true;
                open[opened++] = e->from;
            }
        }
    }
    free(open);
    adjacency_release(&a);
    return reaching;
}

/* The edges that path counts give. */
static void find_given(const struct graph *g, const struct plan *paths, const bool *calls, bool *given)
{
    bool *cut = ZALLOC(bool, (size_t)g->edge_count + 1);
    for (uint32_t i = 0; i < paths->probe_count; i++)
        if (paths->probes[i].kind == PROBE_EDGE)
            cut[paths->probes[i].id] = true;
    bool *reaching = find_reaching(g, cut, calls);
    for (uint32_t e = 0; e < g->edge_count; e++) {
        enum edge_kind kind = g->edges[e].kind;
        given[e] = kind == EDGE_EXIT || (kind == EDGE_FLOW && (cut[e] || !reaching[g->edges[e].to]));
    }
    free(reaching);
    free(cut);
}

void path_rest_needed(const struct graph *g, const struct plan *paths, const struct plan *rest,
                      const bool *calls, bool *given)
{
    bool *counted = ZALLOC(bool, (size_t)g->edge_count + 1);
    for (uint32_t i = 0; i < rest->probe_count; i++)
        if (rest->probes[i].kind == PROBE_EDGE)
            counted[rest->probes[i].id] = true;
    find_given(g, paths, calls, given);
    struct union_find u;
    union_find_init(&u, g->vertex_count);
    for (int known = 0; known < 2; known++)
        for (uint32_t e = 0; e < g->edge_count; e++) {
            if (counted[e])
                given[e] = false;
            else if (given[e] == known && union_find_join(&u, g->edges[e].from, g->edges[e].to))
                given[e] = false;
        }
    union_find_release(&u);
    free(counted);
}

bool path_rest_make(struct plan *rest, const struct graph *g, const struct plan *paths, const bool *calls,
                    const double *weights, const bool *no_probe, struct error *error)
{
    size_t room = (size_t)g->edge_count + 1;
    bool *given = ALLOC(bool, room), *must = ALLOC(bool, room), *in_tree = ALLOC(bool, room);
    double *open_weights = ALLOC(double, room);
    uint32_t *edge_of = ALLOC(uint32_t, room), *out_degree = ZALLOC(uint32_t, g->vertex_count), count = 0;
    for (uint32_t e = 0; e < g->edge_count; e++)
        out_degree[g->edges[e].from]++;
    *rest = (struct plan){.placement = PLACEMENT_REST};
    find_given(g, paths, calls, given);
    struct graph open; /* the edges that are not given */
    graph_init(&open, graph_exit(g));
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (!given[e]) {
            graph_add_edge(&open, g->edges[e].from, g->edges[e].to, g->edges[e].kind);
            must[count] = (no_probe && no_probe[e]) ||
                          (g->edges[e].kind == EDGE_VIRTUAL &&
                           out_degree[g->edges[e].from] > 1); /* the virtual edges of endless loops */
            open_weights[count] = weights[e];
            edge_of[count++] = e;
        }
    uint32_t refused = spanning_tree(&open, open_weights, must, in_tree);
    for (uint32_t i = 0; i < count; i++)
        if (!in_tree[i])
            plan_add(rest, PROBE_EDGE, edge_of[i]);
    if (refused != GRAPH_NONE) {
        plan_release(rest);
        plan_refuse(g, edge_of[refused], error);
    }
    graph_release(&open);
    free(out_degree);
    free(given);
    free(must);
    free(in_tree);
    free(open_weights);
    free(edge_of);
    return refused == GRAPH_NONE;
}
