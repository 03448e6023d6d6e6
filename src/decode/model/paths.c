/* The functions here have a path plan in their map. Maps were checked when they were read:
 * numbering the paths cannot fail. */
#include "decode/model/paths.h"

#include "base/memory.h"
#include "plan/path_code.h"
#include "plan/path_plan.h"
#include "plan/path_rest.h"

const int64_t *paths_counters(const struct map_function *f, const int64_t *counters)
{
    for (uint32_t i = 0; i < f->plan_count; i++) {
        if (placement_counts_paths(f->plans[i].placement))
            return counters;
        counters += plan_counters(&f->plans[i]);
    }
    return NULL;
}

void paths_read(const struct map_function *f, const int64_t *counters, int64_t *path_counts)
{
    const struct plan *plan = map_path_plan(f);
    struct paths p;
    struct path_code code;
    if (!plan->choice) {
        memcpy(path_counts, counters, plan->path_count * sizeof *path_counts);
        return;
    }
    memset(path_counts, 0, plan->path_count * sizeof *path_counts);
    if (!paths_init(&p, f))
        return;
    if (path_code_init(&code, plan, &p.graph, &p.numbers, NULL, NULL))
        for (uint32_t i = 0; i < plan->choice->range_count; i++)
            for (uint32_t id = plan->choice->ranges[i].first; id < plan->choice->ranges[i].end; id++)
                path_counts[id] = counters[path_code_counter(&code, &p.graph, &p.numbers, id, p.arcs)];
    path_code_release(&code);
    paths_release(&p);
}

bool paths_init(struct paths *p, const struct map_function *f)
{
    const struct plan *plan = map_path_plan(f);
    *p = (struct paths){.f = f};
    if (!plan || !path_plan_number(plan, &f->graph, NULL, NULL, &p->graph, &p->numbers, NULL))
        return false;
    p->watched = plan->choice ? path_choice_size(plan->choice) : p->numbers.total;
    p->arcs = ALLOC(uint32_t, (size_t)p->graph.block_count + 1);
    p->blocks = ALLOC(uint32_t, (size_t)p->graph.block_count + 1);
    return true;
}

void paths_release(struct paths *p)
{
    if (p->arcs) {
        path_graph_release(&p->graph);
        path_numbering_release(&p->numbers);
    }
    free(p->arcs);
    free(p->blocks);
    *p = (struct paths){0};
}

bool paths_watches(const struct paths *p, uint64_t id)
{
    return id < p->numbers.total && path_choice_has(map_path_plan(p->f)->choice, id);
}

struct path_shown paths_show(struct paths *p, uint64_t id)
{
    struct path_shown shown = {.blocks = p->blocks, .next = GRAPH_NONE};
    uint32_t count = path_decode(&p->graph, &p->numbers, id, p->arcs), exit = graph_exit(&p->f->graph);
    if (!count)
        return shown;
    shown.from_entry = p->graph.arc_edge[p->arcs[0]] != GRAPH_NONE;
    for (uint32_t i = 0; i + 1 < count; i++)
        p->blocks[shown.block_count++] = p->graph.arcs.edges[p->arcs[i]].to;
    uint32_t to = p->f->graph.edges[p->graph.arc_edge[p->arcs[count - 1]]].to;
    shown.next = to == exit ? GRAPH_NONE : to;
    return shown;
}

void paths_imply(struct solved *s, const struct map_function *f, const int64_t *path_counts)
{
    struct paths p;
    const struct graph *g = &f->graph;
    *s = (struct solved){.has_edges = true,
                         .edge_counts = ZALLOC(int64_t, (size_t)g->edge_count + 1),
                         .block_counts = ZALLOC(int64_t, g->vertex_count)};
    if (!paths_init(&p, f))
        return;
    for (uint64_t id = 0; id < p.numbers.total; id++) {
        if (!path_counts[id])
            continue;
        const struct path_count one = {.id = id, .count = path_counts[id]};
        path_imply_edges(&p.graph, &p.numbers, &one, 1, s->edge_counts);
    }
    paths_release(&p);
    for (uint32_t e = 0; e < g->edge_count; e++) {
        int64_t *to = &s->block_counts[g->edges[e].to];
        *to = (int64_t)((uint64_t)*to + (uint64_t)s->edge_counts[e]);
        if (g->edges[e].kind == EDGE_ENTRY)
            s->entries = s->edge_counts[e];
    }
}

static void add(int64_t *count, int64_t more)
{
    *count = (int64_t)((uint64_t)*count + (uint64_t)more);
}

bool paths_ended_early(const struct map_function *f, const struct profile_frame *frame)
{
    const struct map_block *block = &f->blocks[frame->block];
    return block->hazards & MAP_PATH_ENDS_EARLY && frame->call == block->call_count;
}

bool paths_counted_before(const struct map_function *f, const struct profile_frame *frame)
{
    const struct map_block *block = &f->blocks[frame->block];
    return frame->call == block->call_count &&
           (paths_ended_early(f, frame) || profile_is_dead_end(&f->graph, frame->block));
}

void paths_take_back(const struct map_function *f, const struct profile_frames *frames, int64_t *edge_counts)
{
    const struct graph *g = &f->graph;
    for (size_t i = 0; frames && i < frames->count; i++) {
        const struct profile_frame *frame = &frames->items[i];
        if (!paths_ended_early(f, frame))
            continue;
        int64_t more = (int64_t)((uint64_t)frame->resumes - (uint64_t)frame->cuts);
        uint32_t to = graph_exit(g);
        for (uint32_t e = 0; e < g->edge_count; e++)
            if (g->edges[e].from == frame->block) {
                add(&edge_counts[e], more);
                to = g->edges[e].to;
            }
        for (uint32_t e = 0; to != graph_exit(g) && e < g->edge_count; e++)
            if (g->edges[e].from == to && g->edges[e].kind == EDGE_EXIT)
                add(&edge_counts[e], more);
    }
}

void paths_give(const struct map_function *f, const struct plan *rest, const int64_t *path_counts,
                const struct profile_frames *frames, int64_t *edge_counts, bool *known)
{
    const struct plan *plan = map_path_plan(f);
    const struct graph *g = &f->graph;
    if (!plan)
        return;
    bool *calls = ZALLOC(bool, g->vertex_count), *given = ALLOC(bool, (size_t)g->edge_count + 1);
    for (uint32_t b = 0; b < graph_exit(g); b++)
        calls[b] = f->blocks[b].call_count > 0;
    path_rest_needed(g, plan, rest, calls, given);
    for (uint32_t e = 0; known && e < g->edge_count; e++)
        known[e] |= given[e];
    if (edge_counts) {
        struct solved s;
        paths_imply(&s, f, path_counts);
        paths_take_back(f, frames, s.edge_counts);
        for (uint32_t e = 0; e < g->edge_count; e++)
            if (given[e])
                edge_counts[e] = s.edge_counts[e];
        solved_release(&s);
    }
    free(calls);
    free(given);
}

void paths_unfinished(const struct map_function *f, const struct profile_frames *frames, int64_t *less,
                      int64_t *more)
{
    *less = *more = 0;
    for (size_t i = 0; i < frames->count; i++) {
        const struct profile_frame *frame = &frames->items[i];
        add(less, paths_counted_before(f, frame) ? 0 : frame->cuts);
        add(more, frame->resumes);
    }
}
