#include "decode/frames/ways.h"
#include "decode/frames/stretches.h"

#include <stdlib.h>

enum { WALK_DEPTH = 256, WALK_STEPS = 20000 };

struct pending *pending_of(struct resolver *r, uint32_t key, uint32_t counter)
{
    struct decode_function *f = decode_module_find(r->module, r->code->keys[key]);
    if (!f || counter >= f->counter_count)
        return NULL;
    for (size_t i = 0; i < r->pending.count; i++)
        if (r->pending.items[i].f == f && r->pending.items[i].counter == counter)
            return &r->pending.items[i];
    ARRAY_PUSH(&r->pending, ((struct pending){.f = f, .counter = counter}));
    return &r->pending.items[r->pending.count - 1];
}

/* Adds what the stretch counts from one of its counts to another to what is to come, or lies between; false
 * when the map does not have a counter. */
static bool add_counts(struct resolver *r, uint32_t stretch, uint32_t from, uint32_t to, bool between)
{
    uint32_t first = r->code->stretches[stretch - 1];
    for (uint32_t i = first + from; i < first + to; i++) {
        const struct place_count *count = &r->code->counts[i];
        struct pending *p = count->by > BY_MOST ? NULL : pending_of(r, count->key, count->counter);
        if (!p)
            return false;
        *(between ? &p->between : &p->to_come) += count->by;
    }
    return true;
}

static void forget_ways(struct resolver *r)
{
    for (size_t i = 0; i < r->pending.count; i++) {
        struct pending *p = &r->pending.items[i];
        p->left = p->by - p->own + p->to_come + p->between;
    }
}

bool ways_begin(struct resolver *r, const struct way_point *from, const struct way_point *target)
{
    const struct place_position *p = &r->code->positions[from->row->value - 1];
    const struct place_position *end = target ? &r->code->positions[target->row->value - 1] : NULL;
    for (size_t i = 0; i < r->pending.count; i++) {
        struct pending *one = &r->pending.items[i];
        *one = (struct pending){.f = one->f, .counter = one->counter, .computed = one->computed};
    }
    for (size_t i = 0; i < (target ? target->counts : r->counts.count); i++) {
        const struct place_row *row = r->counts.items[i];
        struct pending *one = pending_of(r, row->value, row->counter);
        if (end && row->stretch == end->stretch)
            continue;
        bool own = p->stretch && row->stretch == p->stretch;
        if (i < from->counts && !own) {
            one->done += row->by;
            continue;
        }
        one->by += row->by;
        one->own += own ? row->by : 0;
        one->several |= row->by > 1 && !own;
    }
    bool certain = !end || add_counts(r, end->stretch, 0, end->passed, true);
    if (p->stretch) {
        uint32_t length = stretch_length(r, p->stretch);
        certain = certain && length <= COUNTS_MOST && add_counts(r, p->stretch, p->passed, length, false);
        for (uint32_t i = r->code->stretches[p->stretch - 1]; certain && i < r->code->stretches[p->stretch];
             i++)
            certain = stretch_is_ahead(r, p->stretch, &r->code->counts[i]) != AHEAD_UNKNOWN;
    }
    forget_ways(r);
    return certain;
}

/* Did the walk find all that it must? Rounds of other stretches are not told apart. */
static bool found_all(const struct resolver *r)
{
    for (size_t i = 0; i < r->pending.count; i++) {
        const struct pending *p = &r->pending.items[i];
        if (p->left > p->by - p->own || (p->several && p->left))
            return false;
    }
    return true;
}

/* One stretch of the way from the instruction to its anchor, inside one activation. */
struct walk {
    struct resolver *r;
    struct decode_function *f;
    const struct adjacency *adjacency;
    uint32_t target; /* block, or EXIT */
    bool *passed;    /* per block: on the path */
    uint32_t depth, steps;
    uint32_t path[WALK_DEPTH], best[WALK_DEPTH]; /* edges */
    uint32_t best_depth;
    int64_t taken, best_taken; /* counts found on the path; -1: no path yet */
    int64_t most;              /* there are no more to be found */
};

static uint64_t *left_of(struct resolver *r, const struct decode_function *f, uint32_t counter)
{
    for (size_t i = 0; i < r->pending.count; i++)
        if (r->pending.items[i].f == f && r->pending.items[i].counter == counter)
            return &r->pending.items[i].left;
    return NULL;
}

/* Takes every counter of the place out of what is pending, or none of them. */
static bool take_place(struct resolver *r, const struct decode_function *f, const struct standing_list *list,
                       uint32_t place, int64_t *taken)
{
    for (uint32_t i = list->start[place]; i < list->start[place + 1]; i++) {
        uint64_t *left = left_of(r, f, list->items[i]);
        if (left && *left) {
            --*left;
            ++*taken;
            continue;
        }
        while (i-- > list->start[place]) {
            ++*left_of(r, f, list->items[i]);
            --*taken;
        }
        return false;
    }
    return true;
}

static void give_back(struct resolver *r, const struct decode_function *f, const struct standing_list *list,
                      uint32_t place, int64_t *taken)
{
    for (uint32_t i = list->start[place]; i < list->start[place + 1]; i++) {
        ++*left_of(r, f, list->items[i]);
        --*taken;
    }
}

static void arrive(struct walk *w)
{
    if (w->taken <= w->best_taken)
        return;
    w->best_taken = w->taken;
    w->best_depth = w->depth;
    memory_copy(w->best, w->path, w->depth * sizeof *w->best);
}

/* Tries all ways on from a block, depth first; few are open, since each must find its counts. */
static void walk_on(struct walk *w, uint32_t block)
{
    const struct standing *s = &w->f->standing;
    const struct graph *g = &w->f->map.graph;
    for (uint32_t i = w->adjacency->out_start[block]; i < w->adjacency->out_start[block + 1]; i++) {
        uint32_t e = w->adjacency->out[i], to = g->edges[e].to;
        if (w->best_taken == w->most)
            return; /* no way is better: where nothing counts, all are as good */
        if (w->depth == WALK_DEPTH || w->steps == WALK_STEPS || g->edges[e].kind == EDGE_VIRTUAL)
            continue;
        w->steps++;
        w->path[w->depth] = e;
        if (to == graph_exit(g)) {
            if (w->target == to) {
                w->depth++;
                arrive(w);
                w->depth--;
            }
            continue;
        }
        if (!take_place(w->r, w->f, &s->on_branch, e, &w->taken))
            continue;
        if (take_place(w->r, w->f, &s->at_start, to, &w->taken)) {
            w->depth++;
            if (to == w->target)
                arrive(w);
            if (!w->passed[to]) {
                w->passed[to] = true;
                walk_on(w, to);
                w->passed[to] = false;
            }
            w->depth--;
            give_back(w->r, w->f, &s->at_start, to, &w->taken);
        }
        give_back(w->r, w->f, &s->on_branch, e, &w->taken);
    }
}

/* Takes what counts on the way from inside block `from` (EXIT: from outside) to `target` (EXIT: to the
 * return).
 */
static bool take_way(struct resolver *r, struct decode_function *f, uint32_t from, uint32_t target)
{
    const struct graph *g = &f->map.graph;
    uint32_t exit = graph_exit(g);
    int64_t ignored = 0;
    standing_prepare(&f->standing, &f->map);
    if (from == exit) {
        if (!take_place(r, f, &f->standing.at_start, GRAPH_ROOT, &ignored))
            return false;
        from = GRAPH_ROOT;
        if (from == target)
            return true;
    }
    struct adjacency adjacency;
    adjacency_init(&adjacency, g);
    struct walk w = {.r = r,
                     .f = f,
                     .adjacency = &adjacency,
                     .target = target,
                     .passed = ZALLOC(bool, g->vertex_count),
                     .best_taken = -1};
    for (size_t i = 0; i < r->pending.count; i++)
        if (r->pending.items[i].f == f)
            w.most += (int64_t)r->pending.items[i].left;
    w.passed[from] = true;
    walk_on(&w, from);
    for (uint32_t i = 0; i < w.best_depth; i++) {
        uint32_t to = g->edges[w.best[i]].to;
        if (to == exit)
            continue;
        take_place(r, f, &f->standing.on_branch, w.best[i], &ignored);
        take_place(r, f, &f->standing.at_start, to, &ignored);
    }
    free(w.passed);
    adjacency_release(&adjacency);
    return w.best_taken >= 0 && w.steps < WALK_STEPS;
}

/*
 * Takes what counts on the way from the instruction's chain to the anchor's, both without their outermost
 * activations, which are the same up to `here` and `there`. In these control stays in the block, or goes
 * round a loop.
 */
static bool take_ways_inside(struct resolver *r, size_t here, size_t there, bool stays)
{
    const struct element *a = &r->chain.items[here], *b = &r->anchor.items[there];
    for (size_t i = 0; i < here; i++) { /* they end on the way, innermost first */
        struct decode_function *f = r->chain.items[i].f;
        if (!take_way(r, f, r->chain.items[i].block, graph_exit(&f->map.graph)))
            return false;
    }
    if (!stays && !take_way(r, a->f, a->block, b->block))
        return false;
    while (there-- > 0) { /* they begin */
        struct decode_function *f = r->anchor.items[there].f;
        if (!take_way(r, f, graph_exit(&f->map.graph), r->anchor.items[there].block))
            return false;
    }
    return true;
}

bool ways_take(struct resolver *r)
{
    size_t here = r->chain.count - 1, there = r->anchor.count - 1; /* the outermost */
    const struct element *a = &r->chain.items[here], *b = &r->anchor.items[there];
    while (here && there && a->f == b->f && a->block == b->block && a->call == b->call) {
        a = &r->chain.items[--here]; /* both are inside the same call */
        b = &r->anchor.items[--there];
    }
    if (a->f == b->f) {
        /* Calls made so far do not get fewer; one that something was inlined for is new. */
        bool stays = a->block == b->block && (there ? b->call > a->call : b->call >= a->call);
        if (take_ways_inside(r, here, there, stays) && found_all(r))
            return true;
        forget_ways(r);
        if (stays && take_ways_inside(r, here, there, false) && found_all(r))
            return true;
    }
    /* Another round of a loop around the call. */
    while (++here < r->chain.count && ++there < r->anchor.count) {
        forget_ways(r);
        if (take_ways_inside(r, here, there, false) && found_all(r))
            return true;
    }
    return false;
}
