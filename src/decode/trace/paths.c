#include "decode/trace/paths.h"
#include "decode/model/paths.h"
#include "graph/weights.h"
#include "plan/path_plan.h"

/* ---- Plans ---- */

const struct plan *trace_paths_plan(const struct decode_function *f)
{
    const struct plan *own = map_path_plan(&f->map);
    return own ? own : f->trace_paths.path_count ? &f->trace_paths : NULL;
}

static enum placement placement_of(enum path_ends ends)
{
    return ends == PATH_ENDS_LOOPS   ? PLACEMENT_LOOP_PATHS
           : ends == PATH_ENDS_MIXED ? PLACEMENT_MIXED_PATHS
                                     : PLACEMENT_PATHS;
}

/* Must paths end at the block? As in programs that count paths (instrument/path/markers.c) they
 * also end where exceptions of several blocks land, and where setjmp is called, which may return
 * when the activation is on another path. */
static bool must_end(const struct map_function *f, const uint32_t *ways_in, uint32_t block)
{
    uint32_t hazards = f->blocks[block].hazards;
    return hazards & MAP_HAZARD_SETJMP || (hazards & MAP_HAZARD_LANDING_PAD && ways_in[block] > 1);
}

bool trace_paths_make_plan(struct decode_function *f, enum path_ends ends)
{
    const struct graph *g = &f->map.graph;
    if (!f->map.trace || map_path_plan(&f->map))
        return true;
    if (f->trace_paths.placement)
        return f->trace_paths.placement == placement_of(ends);
    double *weights = ALLOC(double, (size_t)g->edge_count + 1);
    bool *also = ZALLOC(bool, (size_t)g->edge_count + 1);
    uint32_t *ways_in = ZALLOC(uint32_t, g->vertex_count);
    for (uint32_t e = 0; e < g->edge_count; e++)
        ways_in[g->edges[e].to]++;
    for (uint32_t e = 0; e < g->edge_count; e++)
        also[e] = g->edges[e].kind == EDGE_FLOW && must_end(&f->map, ways_in, g->edges[e].to);
    weights_guess(g, &weight_defaults, weights);
    f->file.trace.plan_is_new = true;
    if (!path_plan_make(&f->trace_paths, g, placement_of(ends), weights, also, NULL))
        f->trace_paths = (struct plan){.placement = placement_of(ends)}; /* there are too many paths */
    free(weights);
    free(ways_in);
    free(also);
    return true;
}

struct numbered {
    struct decode_function *f;
    bool known; /* it has paths, and they have numbers: */
    struct path_graph graph;
    struct path_numbering numbers;
};

struct trace_paths {
    size_t count;
    struct numbered *functions;
};

struct trace_paths *trace_paths_make(struct decode_function *const *functions, size_t count)
{
    struct trace_paths *p = ZALLOC(struct trace_paths, 1);
    p->count = count;
    p->functions = ZALLOC(struct numbered, count + 1);
    for (size_t i = 0; i < count; i++) {
        struct numbered *n = &p->functions[i];
        const struct plan *plan = trace_paths_plan(functions[i]);
        n->f = functions[i];
        n->known = plan && path_plan_number(plan, &n->f->map.graph, NULL, NULL, &n->graph, &n->numbers, NULL);
    }
    return p;
}

void trace_paths_free(struct trace_paths *p)
{
    for (size_t i = 0; p && i < p->count; i++)
        if (p->functions[i].known) {
            path_graph_release(&p->functions[i].graph);
            path_numbering_release(&p->functions[i].numbers);
        }
    if (p)
        free(p->functions);
    free(p);
}

static uint32_t arc_of(const struct numbered *n, uint32_t edge)
{
    return n->known && edge != GRAPH_NONE ? n->graph.edge_arc[edge] : GRAPH_NONE;
}

static bool ends_path(const struct numbered *n, uint32_t arc)
{
    return n->graph.arcs.edges[arc].to == graph_exit(&n->graph.arcs);
}

/* The sum of a path that starts at the block. False: no path does. */
static bool start_at(const struct numbered *n, uint32_t block, uint64_t *sum)
{
    const struct graph *g = &n->f->map.graph;
    uint32_t arc = n->known ? n->graph.start_arc[block] : GRAPH_NONE;
    for (uint32_t e = 0; n->known && arc == GRAPH_NONE && e < g->edge_count; e++)
        if (g->edges[e].kind == EDGE_ENTRY && g->edges[e].to == block)
            arc = n->graph.edge_arc[e];
    *sum = arc == GRAPH_NONE ? 0 : n->numbers.value[arc];
    return arc != GRAPH_NONE;
}

/* The sum at a block to which only one way leads. False: several do. */
static bool only_sum(const struct numbered *n, uint32_t block, uint64_t *sum)
{
    uint32_t exit = graph_exit(&n->f->map.graph), at = block;
    *sum = 0;
    if (!n->known)
        return false;
    do {
        const struct adjacency *a = &n->graph.adjacency;
        if (a->in_start[at + 1] - a->in_start[at] != 1)
            return false;
        uint32_t arc = a->in[a->in_start[at]];
        *sum += n->numbers.value[arc];
        at = n->graph.arcs.edges[arc].from;
    } while (at != exit);
    return true;
}

/* ---- Walking ---- */

#define BASE_UNSEEN UINT32_MAX /* the beginning of its path was not seen */

/* The path that an activation is on. */
struct path_frame {
    uint64_t sum; /* with BASE_UNSEEN: the block where it was found */
    uint32_t function;
    /* 0; 1 + the activation, of those taken over, to whose sum it is added; or BASE_UNSEEN */
    uint32_t base;
};

/* What a run does to the path of the youngest activation. */
enum effect_kind { EFFECT_UNBUILT, EFFECT_SIMPLE, EFFECT_BY_ITEMS };
struct effect {
    uint8_t kind;
    bool ends;    /* the path ends in the run */
    int8_t moves; /* 1: another activation begins at its end; -1: this activation is over */
    uint32_t callee;
    uint32_t whole, whole_count; /* paths that lie in it as a whole: their part of `wholes` */
    uint32_t function;
    uint64_t add, set,
        enter;      /* what is added to the sum up to that end; the sum after it; the callee's sum */
    uint64_t total; /* how many paths the function has */
};
struct whole {
    uint32_t function;
    uint64_t id;
};

/* The end of a path that waits for the part before. */
struct waiting {
    struct path_frame frame;
    bool cut;
    uint32_t block, lines; /* of a cut */
};
struct unseen {
    uint32_t function, block;
};

struct trace_path_walker {
    const struct trace_paths *paths;
    struct effects ARRAY_OF(struct effect) effects; /* by run */
    struct ARRAY_OF(struct whole) wholes;
    uint64_t *times;  /* run -> how often */
    int64_t **counts; /* function -> path -> how often; NULL: never */
    struct path_frame *stack;
    size_t depth, capacity;
    struct ARRAY_OF(struct unseen) unseen; /* paths that ended, and whose beginning was not seen */
    struct trace_path_part *part;
};

struct trace_path_part {
    struct path_frame *stack;
    size_t depth;
    struct waitings ARRAY_OF(struct waiting) waiting;
};

struct trace_path_walker *trace_path_walker_make(const struct trace_paths *p)
{
    struct trace_path_walker *w = ZALLOC(struct trace_path_walker, 1);
    w->paths = p;
    w->counts = ZALLOC(int64_t *, p->count + 1);
    return w;
}

static void add(int64_t *to, uint64_t more)
{
    *to = (int64_t)((uint64_t)*to + more);
}

static int64_t *counts_of(struct trace_path_walker *w, uint32_t function)
{
    const struct numbered *n = &w->paths->functions[function];
    if (!w->counts[function])
        w->counts[function] = ZALLOC(int64_t, (n->known ? n->numbers.total : 0) + 1);
    return w->counts[function];
}

static int64_t *totals_of(const struct numbered *n)
{
    struct trace_counts *t = &n->f->file.trace;
    if (!t->paths) {
        t->paths = ZALLOC(int64_t, n->numbers.total + 1);
        t->path_count = n->numbers.total;
    }
    return t->paths;
}

static void add_unseen(const struct numbered *n, uint32_t block)
{
    if (n->known)
        profile_ways_add(
            &n->f->file.trace.ways,
            &(struct profile_way){.blocks = &block, .block_count = 1, .unknown = true, .count = 1});
}

void trace_path_walker_end(struct trace_path_walker *w, const struct replay_program *replay)
{
    for (size_t id = 0; replay && id < w->effects.count; id++)
        for (uint32_t k = 0; k < w->effects.items[id].whole_count; k++) {
            const struct whole *whole = &w->wholes.items[w->effects.items[id].whole + k];
            add(&totals_of(&w->paths->functions[whole->function])[whole->id], w->times[id]);
        }
    for (size_t i = 0; i < w->paths->count; i++) {
        const struct numbered *n = &w->paths->functions[i];
        for (uint64_t id = 0; replay && w->counts[i] && n->known && id < n->numbers.total; id++)
            if (w->counts[i][id])
                add(&totals_of(n)[id], (uint64_t)w->counts[i][id]);
        free(w->counts[i]);
    }
    for (size_t i = 0; replay && i < w->unseen.count; i++)
        add_unseen(&w->paths->functions[w->unseen.items[i].function], w->unseen.items[i].block);
    ARRAY_RELEASE(&w->effects);
    ARRAY_RELEASE(&w->wholes);
    ARRAY_RELEASE(&w->unseen);
    free(w->times);
    free(w->counts);
    free(w->stack);
    trace_path_part_free(w->part);
    free(w);
}

static void push(struct trace_path_walker *w, uint32_t function, uint64_t sum, uint32_t base)
{
    if (w->depth == w->capacity) {
        w->capacity = w->capacity ? 2 * w->capacity : 64;
        RESIZE(w->stack, w->capacity);
    }
    w->stack[w->depth++] = (struct path_frame){.sum = sum, .function = function, .base = base};
}

void trace_path_begin(struct trace_path_walker *w)
{
    w->depth = 0;
    w->part = ZALLOC(struct trace_path_part, 1);
}

void trace_path_take_over(struct trace_path_walker *w, const struct replay *replay)
{
    size_t depth = replay_place(replay).depth;
    w->depth = 0;
    for (size_t i = 0; i < depth; i++)
        push(w, replay_frame(replay, i).function, 0, (uint32_t)i + 1);
}

void trace_path_resume(struct trace_path_walker *w, const struct replay *replay)
{
    size_t depth = replay_place(replay).depth;
    w->depth = 0;
    for (size_t i = 0; i < depth; i++) {
        struct replay_frame f = replay_frame(replay, i);
        uint64_t sum;
        if (only_sum(&w->paths->functions[f.function], f.block, &sum))
            push(w, f.function, sum, 0);
        else
            push(w, f.function, f.block, BASE_UNSEEN);
    }
}

void trace_path_cut(struct trace_path_walker *w, size_t depth)
{
    if (depth < w->depth)
        w->depth = depth;
}

/* Counts the end of a path. id: its number, less the sum it is added to. */
static void count_end(struct trace_path_walker *w, const struct path_frame *frame, uint64_t id)
{
    const struct numbered *n = &w->paths->functions[frame->function];
    if (!n->known)
        return;
    if (frame->base == BASE_UNSEEN)
        ARRAY_PUSH(&w->unseen, ((struct unseen){frame->function, (uint32_t)frame->sum}));
    else if (frame->base)
        ARRAY_PUSH(&w->part->waiting, ((struct waiting){.frame = {id, frame->function, frame->base}}));
    else if (id < n->numbers.total)
        counts_of(w, frame->function)[id]++;
}

/* Takes one edge in an activation. */
static void pass(struct trace_path_walker *w, struct path_frame *frame, uint32_t edge)
{
    const struct numbered *n = &w->paths->functions[frame->function];
    uint32_t arc = arc_of(n, edge);
    if (arc == GRAPH_NONE)
        return;
    if (!ends_path(n, arc)) {
        if (frame->base != BASE_UNSEEN)
            frame->sum += n->numbers.value[arc];
        return;
    }
    count_end(w, frame, frame->sum + n->numbers.value[arc]);
    uint32_t to = n->f->map.graph.edges[edge].to;
    frame->base = 0;
    if (to != graph_exit(&n->f->map.graph))
        start_at(n, to, &frame->sum);
}

static uint64_t entry_sum(const struct numbered *n, uint32_t edge)
{
    uint32_t arc = arc_of(n, edge);
    return arc == GRAPH_NONE ? 0 : n->numbers.value[arc];
}

/* Does a run item by item, which is rarely needed. */
static void do_items(struct trace_path_walker *w, const struct replay_run *run)
{
    for (uint32_t i = 0; i < run->item_count; i++) {
        const struct replay_item *item = &run->items[i];
        bool enters = item->kind == REPLAY_ENTER || item->kind == REPLAY_ENTER_CALLED;
        if (enters)
            push(w, item->function, entry_sum(&w->paths->functions[item->function], item->edge), 0);
        else if (w->depth && item->kind != REPLAY_LAND_BEHIND) {
            struct path_frame *frame = &w->stack[w->depth - 1];
            if (item->edge != GRAPH_NONE)
                pass(w, frame, item->edge);
            else
                *frame = (struct path_frame){item->block, item->function, BASE_UNSEEN};
            w->depth -= item->kind == REPLAY_LEAVE;
        }
    }
}

/* An activation within the run that is being looked at. */
struct within {
    uint32_t function;
    uint64_t sum;
};
enum { WITHIN_MOST = 16 };

static struct effect build(struct trace_path_walker *w, const struct replay_run *run)
{
    struct effect e = {.kind = EFFECT_SIMPLE, .whole = (uint32_t)w->wholes.count};
    const struct effect by_items = {.kind = EFFECT_BY_ITEMS};
    struct within stack[WITHIN_MOST] = {{.function = GRAPH_NONE}};
    uint32_t depth = 1, i = 0;
    for (; i < run->item_count && depth; i++) {
        const struct replay_item *item = &run->items[i];
        struct within *top = &stack[depth - 1];
        if (item->kind == REPLAY_LAND_BEHIND)
            continue;
        if (item->kind == REPLAY_ENTER || item->kind == REPLAY_ENTER_CALLED) {
            if (depth == WITHIN_MOST)
                break;
            stack[depth++] =
                (struct within){item->function, entry_sum(&w->paths->functions[item->function], item->edge)};
            continue;
        }
        const struct numbered *n = &w->paths->functions[item->function];
        uint32_t arc = arc_of(n, item->edge);
        if (depth == 1 && top->function == GRAPH_NONE)
            top->function = item->function;
        if (item->function != top->function || item->edge == GRAPH_NONE)
            break;
        if (arc != GRAPH_NONE) {
            uint64_t sum = top->sum + n->numbers.value[arc];
            if (!ends_path(n, arc)) {
                top->sum = sum;
            } else {
                if (depth == 1 && !e.ends) {
                    e.add = sum;
                    e.total = n->numbers.total;
                    e.ends = true;
                } else if (sum < n->numbers.total) {
                    ARRAY_PUSH(&w->wholes, ((struct whole){item->function, sum}));
                    e.whole_count++;
                }
                if (item->kind != REPLAY_LEAVE)
                    start_at(n, n->f->map.graph.edges[item->edge].to, &top->sum);
            }
        }
        depth -= item->kind == REPLAY_LEAVE;
    }
    if (i < run->item_count || depth > 2) {
        w->wholes.count = e.whole;
        return by_items;
    }
    e.function = stack[0].function;
    e.moves = (int8_t)((int)depth - 1);
    if (!e.ends)
        e.add = stack[0].sum;
    e.set = stack[0].sum;
    if (e.moves > 0) {
        e.callee = stack[1].function;
        e.enter = stack[1].sum;
    }
    return e;
}

static void make_effects(struct trace_path_walker *w, uint32_t id)
{
    size_t count = w->effects.count;
    while (w->effects.count <= id)
        ARRAY_PUSH(&w->effects, ((struct effect){0}));
    if (w->effects.capacity != count) {
        RESIZE(w->times, w->effects.capacity);
        memset(w->times + count, 0, (w->effects.capacity - count) * sizeof *w->times);
    }
}

void trace_path_runs(struct trace_path_walker *w, const struct replay_run *const *runs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t id = runs[i]->id;
        if (id >= w->effects.count)
            make_effects(w, id);
        struct effect *e = &w->effects.items[id];
        if (e->kind == EFFECT_UNBUILT) {
            *e = build(w, runs[i]);
            if (e->ends)
                counts_of(w, e->function);
        }
        if (e->kind == EFFECT_BY_ITEMS) {
            do_items(w, runs[i]);
            continue;
        }
        w->times[id]++;
        if (w->depth) {
            struct path_frame *top = &w->stack[w->depth - 1];
            uint64_t sum = top->sum + e->add;
            if (!e->ends) {
                if (top->base != BASE_UNSEEN)
                    top->sum = sum;
            } else {
                if (top->base || top->function != e->function || sum >= e->total)
                    count_end(w, top, sum);
                else
                    w->counts[e->function][sum]++;
                top->sum = e->set;
                top->base = 0;
            }
            w->depth -= e->moves < 0;
        }
        if (e->moves > 0)
            push(w, e->callee, e->enter, 0);
    }
}

/* ---- Ends ---- */

/* What the edges add to the sum of a path that ends with one of them. False: none of them ends
 * it. */
static bool add_edges(const struct numbered *n, const uint32_t *edges, uint32_t count, uint64_t *more)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t arc = arc_of(n, edges[i]);
        if (arc == GRAPH_NONE)
            return false;
        *more += n->numbers.value[arc];
        if (ends_path(n, arc))
            return true;
    }
    return false;
}

static uint32_t edge_out(const struct graph *g, uint32_t from, enum edge_kind kind)
{
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (g->edges[e].from == from && g->edges[e].kind == kind)
            return e;
    return GRAPH_NONE;
}

/* The rest of a path that counts as finished though its activation was left. */
static bool finish_there(const struct numbered *n, uint32_t block, const struct profile_frame *at,
                         uint64_t *more)
{
    const struct graph *g = &n->f->map.graph;
    if (!paths_counted_before(&n->f->map, at))
        return false;
    if (profile_is_dead_end(g, block))
        return add_edges(n, (const uint32_t[]){edge_out(g, block, EDGE_VIRTUAL)}, 1, more);
    uint32_t edges[2] = {edge_out(g, block, EDGE_EXIT)}, count = 1;
    if (edges[0] == GRAPH_NONE) {
        edges[0] = edge_out(g, block, EDGE_FLOW);
        edges[1] = edges[0] == GRAPH_NONE ? GRAPH_NONE : edge_out(g, g->edges[edges[0]].to, EDGE_EXIT);
        count = 2;
    }
    return add_edges(n, edges, count, more);
}

static void add_way(const struct numbered *n, uint64_t sum, uint32_t block, uint32_t lines)
{
    uint32_t *arcs = ALLOC(uint32_t, (size_t)n->graph.block_count + 1);
    uint32_t count = path_decode_prefix(&n->graph, &n->numbers, sum, block, arcs);
    bool from_entry = count && n->graph.arc_edge[arcs[0]] != GRAPH_NONE;
    for (uint32_t i = 0; i < count; i++)
        arcs[i] = n->graph.arcs.edges[arcs[i]].to;
    const struct profile_way way = {.blocks = count ? arcs : &block,
                                    .block_count = count ? count : 1,
                                    .lines = count ? lines : 0,
                                    .from_entry = from_entry,
                                    .unknown = !count,
                                    .count = 1};
    profile_ways_add(&n->f->file.trace.ways, &way);
    free(arcs);
}

void trace_path_leave(struct trace_path_walker *w, size_t index, const struct replay_frame *frame,
                      const struct profile_frame *at)
{
    if (index >= w->depth || w->stack[index].function != frame->function)
        return;
    struct path_frame left = w->stack[index];
    const struct numbered *n = &w->paths->functions[left.function];
    uint64_t more = 0;
    if (!n->known)
        return;
    if (finish_there(n, frame->block, at, &more))
        count_end(w, &left, left.base == BASE_UNSEEN ? 0 : left.sum + more);
    else if (left.base == BASE_UNSEEN)
        add_unseen(n, frame->block);
    else if (left.base)
        ARRAY_PUSH(&w->part->waiting,
                   ((struct waiting){.frame = left, .cut = true, .block = frame->block, .lines = at->lines}));
    else
        add_way(n, left.sum, frame->block, at->lines);
}

void trace_path_finish(struct trace_path_walker *w, size_t index, const uint32_t *edges, uint32_t count)
{
    for (uint32_t i = 0; index < w->depth && i < count; i++)
        pass(w, &w->stack[index], edges[i]);
}

void trace_path_land_behind(struct trace_path_walker *w, uint32_t block)
{
    if (!w->depth)
        return;
    struct path_frame *top = &w->stack[w->depth - 1];
    if (start_at(&w->paths->functions[top->function], block, &top->sum))
        top->base = 0;
    else
        *top = (struct path_frame){block, top->function, BASE_UNSEEN};
}

/* ---- Parts ---- */

struct trace_path_part *trace_path_end(struct trace_path_walker *w)
{
    struct trace_path_part *part = w->part;
    part->stack = ALLOC(struct path_frame, w->depth + 1);
    memory_copy(part->stack, w->stack, w->depth * sizeof *w->stack);
    part->depth = w->depth;
    w->part = NULL;
    w->depth = 0;
    return part;
}

static void join_frame(struct path_frame *frame, const struct trace_path_part *before, uint32_t block)
{
    size_t index = (size_t)frame->base - 1;
    if (!frame->base || frame->base == BASE_UNSEEN)
        return;
    if (!before || index >= before->depth || before->stack[index].function != frame->function)
        *frame = (struct path_frame){block, frame->function, BASE_UNSEEN};
    else if (before->stack[index].base)
        *frame = before->stack[index];
    else
        *frame = (struct path_frame){frame->sum + before->stack[index].sum, frame->function, 0};
}

void trace_paths_join(const struct trace_paths *p, struct trace_path_part *part,
                      const struct trace_path_part *before)
{
    for (size_t i = 0; i < part->waiting.count; i++) {
        struct waiting *wait = &part->waiting.items[i];
        const struct numbered *n = &p->functions[wait->frame.function];
        join_frame(&wait->frame, before, wait->block);
        if (wait->frame.base)
            add_unseen(n, (uint32_t)wait->frame.sum);
        else if (wait->cut)
            add_way(n, wait->frame.sum, wait->block, wait->lines);
        else if (wait->frame.sum < n->numbers.total)
            add(&totals_of(n)[wait->frame.sum], 1);
    }
    for (size_t i = 0; i < part->depth; i++)
        join_frame(&part->stack[i], before, 0);
}

void trace_path_part_free(struct trace_path_part *part)
{
    if (!part)
        return;
    free(part->stack);
    ARRAY_RELEASE(&part->waiting);
    free(part);
}
