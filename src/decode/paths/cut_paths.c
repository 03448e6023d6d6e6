#include "decode/paths/cut_paths.h"

#include "base/memory.h"

/* What the frames of a function say of its blocks. */
struct left {
    int64_t *cuts, *resumes; /* by vertex: of paths that were not counted before */
    bool any, interrupted;
};

static void add(int64_t *count, int64_t more)
{
    *count = (int64_t)((uint64_t)*count + (uint64_t)more);
}

static void read_frames(struct left *left, const struct profile_function *f)
{
    size_t room = f->map.graph.vertex_count;
    *left = (struct left){.cuts = ZALLOC(int64_t, room), .resumes = ZALLOC(int64_t, room)};
    for (size_t i = 0; i < f->frames.count; i++) {
        const struct profile_frame *frame = &f->frames.items[i];
        left->interrupted |= frame->between && (frame->cuts || frame->resumes);
        if (paths_counted_before(&f->map, frame))
            continue;
        add(&left->cuts[frame->block], frame->cuts);
        add(&left->resumes[frame->block], frame->resumes);
        left->any |= frame->cuts != 0;
    }
}

/* Turns edge counts into counts of arcs: an arc that starts paths after cut edges gets the sum of
 * these edges. */
static void take_edges(const struct path_graph *g, const struct graph *graph, const int64_t *edge_counts,
                       int64_t *arcs)
{
    memset(arcs, 0, ((size_t)g->arcs.edge_count + 1) * sizeof *arcs);
    for (uint32_t e = 0; e < graph->edge_count; e++) {
        uint32_t arc = g->edge_arc[e];
        if (arc == GRAPH_NONE)
            continue;
        add(&arcs[arc], edge_counts[e]);
        if (graph->edges[e].to != g->arcs.edges[arc].to)
            add(&arcs[g->start_arc[graph->edges[e].to]], edge_counts[e]);
    }
}

static void take_finished(struct paths *p, const struct profile_function *f, int64_t *arcs)
{
    const struct graph *graph = &f->map.graph;
    for (uint64_t id = 0; id < p->numbers.total; id++) {
        uint32_t count = f->path_counts[id] ? path_decode(&p->graph, &p->numbers, id, p->arcs) : 0;
        for (uint32_t i = 0; i < count; i++)
            add(&arcs[p->arcs[i]], (int64_t)-(uint64_t)f->path_counts[id]);
    }
    int64_t *not_taken = ZALLOC(int64_t, (size_t)graph->edge_count + 1);
    paths_take_back(&f->map, &f->frames, not_taken);
    for (uint32_t e = 0; e < graph->edge_count; e++)
        if (not_taken[e] && p->graph.edge_arc[e] != GRAPH_NONE)
            add(&arcs[p->graph.edge_arc[e]], (int64_t)-(uint64_t)not_taken[e]);
    free(not_taken);
}

/* Is this the flow of what was cut, and of nothing else? Such a flow is conserved, and ends no
 * path; a dead end that was cut before its last call is left by its virtual edge. */
static bool is_flow(const struct path_graph *g, const struct graph *graph, const struct left *left,
                    const int64_t *arcs)
{
    uint32_t exit = graph_exit(&g->arcs);
    uint64_t *stays = ZALLOC(uint64_t, g->arcs.vertex_count);
    bool good = true;
    for (uint32_t a = 0; a < g->arcs.edge_count; a++) {
        const struct edge *arc = &g->arcs.edges[a];
        stays[arc->to] += (uint64_t)arcs[a];
        if (arc->to != exit)
            stays[arc->from] -= (uint64_t)arcs[a];
        else
            good &=
                arcs[a] == (graph->edges[g->arc_edge[a]].kind == EDGE_VIRTUAL ? left->cuts[arc->from] : 0);
    }
    for (uint32_t v = 0; v < g->block_count; v++)
        good &= stays[v] == (uint64_t)left->cuts[v] - (uint64_t)left->resumes[v];
    free(stays);
    return good;
}

static void split(struct cut_ways *ways, struct paths *p, const struct profile_function *f,
                  const struct left *left)
{
    struct cut_flow flow = {.graph = &p->graph, .cuts = left->cuts, .resumes = left->resumes};
    int64_t *arcs = ALLOC(int64_t, (size_t)p->graph.arcs.edge_count + 1);
    bool done = false;
    if (f->exact && f->has_edges) {
        const struct graph *graph = &f->map.graph;
        flow.others = p->watched < p->numbers.total;
        flow.residual = arcs;
        if (!left->interrupted) {
            take_edges(&p->graph, graph, f->edge_counts, arcs);
            take_finished(p, f, arcs);
            done = (flow.others || is_flow(&p->graph, graph, left, arcs)) && cut_flow_split(ways, &flow);
        }
        flow.others = true;
        if (!done)
            take_edges(&p->graph, graph, f->edge_counts, arcs);
        done = done || cut_flow_split(ways, &flow);
    }
    flow.residual = NULL;
    if (!done)
        cut_flow_split(ways, &flow);
    free(arcs);
}

/* Adds a way, once for each number of lines of its last block that had begun. If others came to
 * that block by other ways, only the fewest lines of all are known. */
static void add_by_lines(struct profile_ways *ways, const struct cut_way *way,
                         const struct profile_function *f, bool all_took_it)
{
    struct profile_way one = {.blocks = way->blocks,
                              .block_count = way->block_count,
                              .lines = UINT32_MAX,
                              .from_entry = way->from_entry,
                              .count = way->count};
    for (size_t i = 0; i < f->frames.count; i++) {
        const struct profile_frame *frame = &f->frames.items[i];
        if (frame->block != way->blocks[way->block_count - 1] || !frame->cuts ||
            paths_counted_before(&f->map, frame))
            continue;
        if (all_took_it) {
            one.lines = frame->lines;
            one.count = frame->cuts;
            profile_ways_add(ways, &one);
        } else if (frame->lines < one.lines) {
            one.lines = frame->lines;
        }
    }
    if (!all_took_it)
        profile_ways_add(ways, &one);
}

void cut_paths_find(struct profile_ways *to, struct paths *p, const struct profile_function *f)
{
    struct left left;
    struct cut_ways ways = {0};
    read_frames(&left, f);
    if (left.any && f->path_counts)
        split(&ways, p, f, &left);
    int64_t *unknown = ALLOC(int64_t, f->map.graph.vertex_count);
    memcpy(unknown, left.cuts, f->map.graph.vertex_count * sizeof *unknown);
    for (size_t i = 0; i < ways.count; i++) {
        const struct cut_way *way = &ways.items[i];
        uint32_t block = way->blocks[way->block_count - 1];
        unknown[block] -= way->count;
        add_by_lines(to, way, f, way->count == left.cuts[block]);
    }
    for (uint32_t v = 0; left.any && v < graph_exit(&f->map.graph); v++)
        if (unknown[v] > 0)
            profile_ways_add(to, &(struct profile_way){
                                     .blocks = &v, .block_count = 1, .unknown = true, .count = unknown[v]});
    cut_ways_release(&ways);
    free(unknown);
    free(left.cuts);
    free(left.resumes);
}

void cut_paths_init(struct cut_paths *cut, struct paths *p, const struct profile_function *f)
{
    struct profile_ways found = {0};
    const struct profile_ways *ways = &f->ways;
    *cut = (struct cut_paths){0};
    if (!f->ways_known) {
        cut_paths_find(&found, p, f);
        profile_ways_sort(&found);
        ways = &found;
    }
    for (size_t i = 0; i < ways->count; i++) {
        const struct profile_way *way = &ways->items[i];
        if (way->unknown)
            ARRAY_PUSH(&cut->unknown, ((struct cut_unknown){way->blocks[way->block_count - 1], way->count}));
        else
            profile_ways_add(&cut->ways, way);
    }
    profile_ways_release(&found);
}

void cut_paths_release(struct cut_paths *cut)
{
    profile_ways_release(&cut->ways);
    ARRAY_RELEASE(&cut->unknown);
}

struct path_shown cut_path_show(const struct profile_way *path)
{
    return (struct path_shown){.blocks = path->blocks,
                               .block_count = path->block_count,
                               .from_entry = path->from_entry,
                               .next = GRAPH_NONE,
                               .unfinished = true,
                               .last_lines = path->lines};
}
