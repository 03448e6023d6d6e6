#include "decode/solve.h"
#include "base/memory.h"

uint32_t solve_first_set(const struct map_function *f)
{
    uint32_t blocks = SET_NONE;
    for (uint32_t i = 0; i < f->plan_count; i++) {
        const struct placement_info *info = placement_info(f->plans[i].placement);
        if (info && info->gives_edges)
            return i;
        if (blocks == SET_NONE && f->plans[i].placement != PLACEMENT_BALANCE)
            blocks = i;
    }
    return blocks;
}

static const int64_t *counters_of(const struct map_function *f, uint32_t set, const int64_t *counters)
{
    for (uint32_t i = 0; i < set; i++)
        counters += f->plans[i].probe_count;
    return counters;
}

bool solve_balance(const struct map_function *f, const int64_t *counters, int64_t *begun, int64_t *ended)
{
    for (uint32_t i = 0; i < f->plan_count; i++)
        if (f->plans[i].placement == PLACEMENT_BALANCE && f->plans[i].probe_count == 2) {
            *begun = counters_of(f, i, counters)[0];
            *ended = counters_of(f, i, counters)[1];
            return true;
        }
    return false;
}

void solve_set(struct solved *s, const struct map_function *f, uint32_t set, const int64_t *counters)
{
    const struct graph *g = &f->graph;
    const struct plan *plan = &f->plans[set];
    const struct placement_info *info = placement_info(plan->placement);
    *s = (struct solved){.has_edges = info && info->gives_edges};
    counters = counters_of(f, set, counters);
    bool *edge_known = ZALLOC(bool, g->edge_count), *vertex_known = ZALLOC(bool, g->vertex_count);
    s->edge_counts = ZALLOC(int64_t, g->edge_count);
    s->block_counts = ZALLOC(int64_t, g->vertex_count);
    for (uint32_t i = 0; i < plan->probe_count; i++) {
        const struct probe *probe = &plan->probes[i];
        int64_t *count = probe->kind == PROBE_EDGE ? &s->edge_counts[probe->id] : &s->block_counts[probe->id];
        *count = (int64_t)((uint64_t)*count + (uint64_t)counters[i]);
        (probe->kind == PROBE_EDGE ? edge_known : vertex_known)[probe->id] = true;
    }
    if (s->has_edges) {
        s->result = flow_solve_edges(g, edge_known, s->edge_counts, &s->where);
        for (uint32_t v = 0; v < g->vertex_count; v++)
            s->block_counts[v] = 0;
        for (uint32_t e = 0; e < g->edge_count; e++)
            s->block_counts[g->edges[e].to] =
                (int64_t)((uint64_t)s->block_counts[g->edges[e].to] + (uint64_t)s->edge_counts[e]);
        for (uint32_t e = 0; e < g->edge_count; e++)
            if (g->edges[e].kind == EDGE_ENTRY)
                s->entries = s->edge_counts[e];
    } else {
        s->result =
            flow_solve_vertices(g, edge_known, s->edge_counts, vertex_known, s->block_counts, &s->where);
        s->entries = s->block_counts[graph_exit(g)];
        free(s->edge_counts);
        s->edge_counts = NULL;
    }
    free(edge_known);
    free(vertex_known);
}

void solved_release(struct solved *s)
{
    free(s->block_counts);
    free(s->edge_counts);
    *s = (struct solved){0};
}
