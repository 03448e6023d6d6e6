#include "decode/model/solve.h"
#include "base/memory.h"
#include "decode/model/paths.h"

uint32_t solve_first_set(const struct map_function *f)
{
    uint32_t blocks = SET_NONE;
    for (uint32_t i = 0; i < f->plan_count; i++) {
        const struct placement_info *info = placement_info(f->plans[i].placement);
        if (info && info->gives_edges)
            return i;
        if (blocks == SET_NONE && f->plans[i].placement != PLACEMENT_BALANCE &&
            !placement_counts_paths(f->plans[i].placement))
            blocks = i;
    }
    return blocks;
}

static const int64_t *counters_of(const struct map_function *f, uint32_t set, const int64_t *counters)
{
    for (uint32_t i = 0; i < set; i++)
        counters += plan_counters(&f->plans[i]);
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

static bool gives_edges(const struct plan *plan)
{
    const struct placement_info *info = placement_info(plan->placement);
    return info && info->gives_edges;
}

static uint32_t entry_edge(const struct graph *g)
{
    uint32_t e = g->edge_count;
    while (e-- > 0 && g->edges[e].kind != EDGE_ENTRY)
        ;
    return e; /* maps have one */
}

/* Takes what the probes counted, and marks the edges and vertices that have probes. Counts are zero
 * before. */
static void take_counters(const struct map_function *f, uint32_t set, const int64_t *counters,
                          int64_t entries, const struct profile_frames *frames, int64_t *edge_counts,
                          int64_t *block_counts, bool *edge_known, bool *vertex_known)
{
    const struct plan *plan = &f->plans[set];
    if (plan->entry_given) {
        uint32_t e = entry_edge(&f->graph);
        edge_counts[e] = entries;
        if (edge_known)
            edge_known[e] = true;
    }
    if (placement_counts_paths(plan->placement))
        return; /* these are read by decode/model/paths.h */
    if (plan->placement == PLACEMENT_REST)
        paths_give(f, plan, paths_counters(f, counters), frames, edge_counts, edge_known);
    counters = counters_of(f, set, counters);
    for (uint32_t i = 0; i < plan->probe_count; i++) {
        const struct probe *probe = &plan->probes[i];
        int64_t *count = probe->kind == PROBE_EDGE ? &edge_counts[probe->id] : &block_counts[probe->id];
        *count = (int64_t)((uint64_t)*count + (uint64_t)counters[i]);
        if (edge_known)
            (probe->kind == PROBE_EDGE ? edge_known : vertex_known)[probe->id] = true;
    }
}

/* Sums up block counts and entries of an edge profile: what flows in. */
static void sum_edges(struct solved *s, const struct graph *g)
{
    memset(s->block_counts, 0, g->vertex_count * sizeof *s->block_counts);
    for (uint32_t e = 0; e < g->edge_count; e++) {
        int64_t *to = &s->block_counts[g->edges[e].to];
        *to = (int64_t)((uint64_t)*to + (uint64_t)s->edge_counts[e]);
        if (g->edges[e].kind == EDGE_ENTRY)
            s->entries = s->edge_counts[e];
    }
}

void solve_set(struct solved *s, const struct map_function *f, uint32_t set, const int64_t *counters,
               int64_t entries, const struct profile_frames *frames, const int64_t *gains)
{
    const struct graph *g = &f->graph;
    *s = (struct solved){.has_edges = gives_edges(&f->plans[set])};
    bool *edge_known = ZALLOC(bool, g->edge_count), *vertex_known = ZALLOC(bool, g->vertex_count);
    s->edge_counts = ZALLOC(int64_t, g->edge_count);
    s->block_counts = ZALLOC(int64_t, g->vertex_count);
    take_counters(f, set, counters, entries, frames, s->edge_counts, s->block_counts, edge_known,
                  vertex_known);
    if (s->has_edges) {
        s->result = flow_solve_edges(g, edge_known, gains, s->edge_counts, &s->where);
        sum_edges(s, g);
    } else {
        s->result = flow_solve_vertices(g, edge_known, s->edge_counts, vertex_known, gains, s->block_counts,
                                        &s->where);
        s->entries = s->block_counts[graph_exit(g)] + (gains ? gains[graph_exit(g)] : 0);
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

static void make_room(struct solver_room *room, const struct graph *g)
{
    if (room->edges < g->edge_count) {
        room->edges = g->edge_count;
        RESIZE(room->edge_counts, room->edges);
    }
    if (room->vertices < g->vertex_count) {
        room->vertices = g->vertex_count;
        RESIZE(room->block_counts, room->vertices);
        RESIZE(room->surplus, room->vertices);
    }
}

static void prepare(struct solver *solver, const struct map_function *f, uint32_t set)
{
    bool *known = ZALLOC(bool, f->graph.edge_count + 1);
    for (uint32_t i = 0; i < f->plans[set].probe_count; i++)
        if (f->plans[set].probes[i].kind == PROBE_EDGE)
            known[f->plans[set].probes[i].id] = true;
    if (f->plans[set].entry_given)
        known[entry_edge(&f->graph)] = true;
    if (f->plans[set].placement == PLACEMENT_REST)
        paths_give(f, &f->plans[set], NULL, NULL, NULL, known);
    flow_order_init(&solver->order, &f->graph, known);
    free(known);
    solver->ready = true;
}

struct solved solver_solve(struct solver *solver, struct solver_room *room, const struct map_function *f,
                           uint32_t set, const int64_t *counters, int64_t entries,
                           const struct profile_frames *frames, const int64_t *gains)
{
    const struct graph *g = &f->graph;
    struct solved s = {.has_edges = gives_edges(&f->plans[set])};
    make_room(room, g);
    if (!s.has_edges) { /* block profiles are solved from scratch */
        struct solved fresh;
        solve_set(&fresh, f, set, counters, entries, frames, gains);
        memcpy(room->block_counts, fresh.block_counts, g->vertex_count * sizeof *room->block_counts);
        s = fresh;
        s.block_counts = room->block_counts;
        solved_release(&fresh);
        return s;
    }
    if (!solver->ready)
        prepare(solver, f, set);
    s.edge_counts = room->edge_counts;
    s.block_counts = room->block_counts;
    memset(s.edge_counts, 0, g->edge_count * sizeof *s.edge_counts);
    take_counters(f, set, counters, entries, frames, s.edge_counts, s.block_counts, NULL, NULL);
    s.result = flow_order_solve(&solver->order, g, gains, s.edge_counts, room->surplus, &s.where);
    sum_edges(&s, g);
    return s;
}

void solver_release(struct solver *solver)
{
    flow_order_release(&solver->order);
    solver->ready = false;
}

void solver_room_release(struct solver_room *room)
{
    free(room->edge_counts);
    free(room->block_counts);
    free(room->surplus);
    *room = (struct solver_room){0};
}
