#include "decode/frames/pending.h"
#include "decode/frames/stretches.h"

#include <stdlib.h>

enum { WALK_DEPTH = 256, WALK_STEPS = 20000 };

/* What is known of the counter; NULL when the map does not have it. */
static struct pending *pending_of(struct pending_counts *all, uint32_t key, uint32_t counter)
{
    struct decode_function *f = decode_module_find(all->ahead->module, all->ahead->code->keys[key]);
    if (!f || counter >= f->counter_count)
        return NULL;
    for (size_t i = 0; i < all->count; i++)
        if (all->items[i].f == f && all->items[i].counter == counter)
            return &all->items[i];
    ARRAY_PUSH(all, ((struct pending){.f = f, .counter = counter}));
    return &all->items[all->count - 1];
}

void pending_counts_init(struct pending_counts *all, const struct code_ahead *ahead)
{
    *all = (struct pending_counts){.ahead = ahead};
    for (size_t i = 0; i < ahead->counts.count; i++) {
        const struct count_ahead *one = &ahead->counts.items[i];
        pending_of(all, one->key, one->counter)->computed |= !one->by;
        if (one->by > 1 && all->several < (int64_t)one->by)
            all->several = (int64_t)one->by;
    }
}

void pending_counts_release(struct pending_counts *all)
{
    ARRAY_RELEASE(all);
}

bool pending_is_unsure(const struct pending *p, const struct chain *chain)
{
    return p->left && (!chain_has(chain, p->f) || p->left < p->by - p->own + p->to_come + p->between);
}

/* Adds what the stretch counts from one of its counts to another to what is to come, or to what
 * lies between; false when the map does not have a counter. */
static bool add_counts(struct pending_counts *all, uint32_t stretch, uint32_t from, uint32_t to, bool between)
{
    const struct place_code *code = all->ahead->code;
    uint32_t first = code->stretches[stretch - 1];
    for (uint32_t i = first + from; i < first + to; i++) {
        const struct place_count *count = &code->counts[i];
        struct pending *p = count->by > BY_MOST ? NULL : pending_of(all, count->key, count->counter);
        if (!p)
            return false;
        *(between ? &p->between : &p->to_come) += count->by;
    }
    return true;
}

/* The edge of a stretch that is not counted never counts before its time: as long as the frame
 * stands in the stretch, its shared counts are ahead. False when the map does not have a counter. */
static bool add_uncounted(struct pending_counts *all, uint32_t stretch)
{
    const struct place_code *code = all->ahead->code;
    const struct decode_final *final = all->ahead->final;
    uint32_t edge = final && stretch ? code->edges[stretch - 1] : 0;
    if (!edge || edge > final->map.graph.edge_count || final->map.counted[edge - 1])
        return true;
    for (uint32_t i = code->stretches[stretch - 1]; i < code->stretches[stretch]; i++) {
        const struct place_count *count = &code->counts[i];
        struct pending *p = NULL;
        if (!count->shared)
            continue;
        if (count->by > BY_MOST || !(p = pending_of(all, count->key, count->counter)))
            return false;
        p->by += count->by;
        p->own += count->by;
    }
    return true;
}

static void forget_ways(struct pending_counts *all)
{
    for (size_t i = 0; i < all->count; i++) {
        struct pending *p = &all->items[i];
        p->left = p->by - p->own + p->to_come + p->between;
    }
}

bool pending_counts_begin(struct pending_counts *all, const struct way_point *from,
                          const struct way_point *target)
{
    const struct code_ahead *ahead = all->ahead;
    const struct place_code *code = ahead->code;
    const struct place_position *p = &code->positions[from->row->value - 1];
    const struct place_position *end = target ? &code->positions[target->row->value - 1] : NULL;
    for (size_t i = 0; i < all->count; i++) {
        struct pending *one = &all->items[i];
        *one = (struct pending){.f = one->f, .counter = one->counter, .computed = one->computed};
    }
    for (size_t i = 0; i < (target ? target->counts : ahead->counts.count); i++) {
        const struct count_ahead *count = &ahead->counts.items[i];
        struct pending *one = pending_of(all, count->key, count->counter);
        if (end && count->stretch == end->stretch)
            continue;
        bool own = p->stretch && count->stretch == p->stretch;
        if (i < from->counts && !own) { /* of shared ones the counter of the edge is corrected */
            one->done += count->shared ? 0 : count->by;
            continue;
        }
        one->by += count->by;
        one->own += own ? count->by : 0;
        one->several |= count->by > 1 && !own;
    }
    if (!add_uncounted(all, p->stretch))
        return false;
    bool certain = !end || add_counts(all, end->stretch, 0, end->passed, true);
    if (p->stretch) {
        uint32_t length = stretch_length(code, p->stretch);
        certain = certain && length <= COUNTS_MOST && add_counts(all, p->stretch, p->passed, length, false);
        for (uint32_t i = code->stretches[p->stretch - 1]; certain && i < code->stretches[p->stretch]; i++)
            certain = stretch_is_ahead(ahead, p->stretch, &code->counts[i]) != AHEAD_UNKNOWN;
    }
    forget_ways(all);
    return certain;
}

/* Did the walk find all that it must? Rounds of other stretches cannot be told apart. */
static bool found_all(const struct pending_counts *all)
{
    for (size_t i = 0; i < all->count; i++) {
        const struct pending *p = &all->items[i];
        if (p->left > p->by - p->own || (p->several && p->left))
            return false;
    }
    return true;
}

/* A walk inside one activation: one part of the way from the instruction to its anchor. */
struct walk {
    struct pending_counts *all;
    struct decode_function *f;
    const struct adjacency *adjacency;
    uint32_t target; /* block, or EXIT */
    bool *passed;    /* by block: it is on the way */
    uint32_t depth, steps;
    uint32_t way[WALK_DEPTH], best[WALK_DEPTH]; /* edges */
    uint32_t best_depth;
    int64_t taken, best_taken; /* counts found on the way; -1: no way yet */
    int64_t most;              /* so many can be found */
};

static uint64_t *left_of(struct pending_counts *all, const struct decode_function *f, uint32_t counter)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->items[i].f == f && all->items[i].counter == counter)
            return &all->items[i].left;
    return NULL;
}

/* Takes every counter of the place out of what is pending, or none of them. */
static bool take_place(struct pending_counts *all, const struct decode_function *f,
                       const struct standing_list *list, uint32_t place, int64_t *taken)
{
    for (uint32_t i = list->start[place]; i < list->start[place + 1]; i++) {
        uint64_t *left = left_of(all, f, list->items[i]);
        if (left && *left) {
            --*left;
            ++*taken;
            continue;
        }
        while (i-- > list->start[place]) {
            ++*left_of(all, f, list->items[i]);
            --*taken;
        }
        return false;
    }
    return true;
}

static void give_back(struct pending_counts *all, const struct decode_function *f,
                      const struct standing_list *list, uint32_t place, int64_t *taken)
{
    for (uint32_t i = list->start[place]; i < list->start[place + 1]; i++) {
        ++*left_of(all, f, list->items[i]);
        --*taken;
    }
}

static void arrive(struct walk *w)
{
    if (w->taken <= w->best_taken)
        return;
    w->best_taken = w->taken;
    w->best_depth = w->depth;
    memory_copy(w->best, w->way, w->depth * sizeof *w->best);
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
        w->way[w->depth] = e;
        if (to == graph_exit(g)) {
            if (w->target == to) {
                w->depth++;
                arrive(w);
                w->depth--;
            }
            continue;
        }
        if (!take_place(w->all, w->f, &s->on_branch, e, &w->taken))
            continue;
        if (take_place(w->all, w->f, &s->at_start, to, &w->taken)) {
            w->depth++;
            if (to == w->target)
                arrive(w);
            if (!w->passed[to]) {
                w->passed[to] = true;
                walk_on(w, to);
                w->passed[to] = false;
            }
            w->depth--;
            give_back(w->all, w->f, &s->at_start, to, &w->taken);
        }
        give_back(w->all, w->f, &s->on_branch, e, &w->taken);
    }
}

/* Takes what counts on a way from inside block `from` (EXIT: from outside) to `target` (EXIT: to
 * the return). */
static bool take_way(struct pending_counts *all, struct decode_function *f, uint32_t from, uint32_t target)
{
    const struct graph *g = &f->map.graph;
    uint32_t exit = graph_exit(g);
    int64_t ignored = 0;
    standing_prepare(&f->standing, &f->map);
    if (from == exit) {
        if (!take_place(all, f, &f->standing.at_start, GRAPH_ROOT, &ignored))
            return false;
        from = GRAPH_ROOT;
        if (from == target)
            return true;
    }
    struct adjacency adjacency;
    adjacency_init(&adjacency, g);
    struct walk w = {.all = all,
                     .f = f,
                     .adjacency = &adjacency,
                     .target = target,
                     .passed = ZALLOC(bool, g->vertex_count),
                     .best_taken = -1};
    for (size_t i = 0; i < all->count; i++)
        if (all->items[i].f == f)
            w.most += (int64_t)all->items[i].left;
    w.passed[from] = true;
    walk_on(&w, from);
    for (uint32_t i = 0; i < w.best_depth; i++) {
        uint32_t to = g->edges[w.best[i]].to;
        if (to == exit)
            continue;
        take_place(all, f, &f->standing.on_branch, w.best[i], &ignored);
        take_place(all, f, &f->standing.at_start, to, &ignored);
    }
    free(w.passed);
    adjacency_release(&adjacency);
    return w.best_taken >= 0 && w.steps < WALK_STEPS;
}

/*
 * Takes what counts on the way from the instruction's chain to the anchor's. Activations of the two
 * chains further out than `here` and `there` are the same. In from[here] and to[there], which are
 * one activation, control stays in the block, or goes round a loop.
 */
static bool take_ways_inside(struct pending_counts *all, const struct chain *from, const struct chain *to,
                             size_t here, size_t there, bool stays)
{
    const struct activation *a = &from->items[here], *b = &to->items[there];
    for (size_t i = 0; i < here; i++) { /* they end on the way, innermost first */
        struct decode_function *f = from->items[i].f;
        if (!take_way(all, f, from->items[i].block, graph_exit(&f->map.graph)))
            return false;
    }
    if (!stays && !take_way(all, a->f, a->block, b->block))
        return false;
    while (there-- > 0) { /* they begin */
        struct decode_function *f = to->items[there].f;
        if (!take_way(all, f, graph_exit(&f->map.graph), to->items[there].block))
            return false;
    }
    return true;
}

bool pending_counts_walk(struct pending_counts *all, const struct chain *from, const struct chain *to)
{
    size_t here = from->count - 1, there = to->count - 1; /* the outermost */
    const struct activation *a = &from->items[here], *b = &to->items[there];
    while (here && there && a->f == b->f && a->block == b->block && a->call == b->call) {
        a = &from->items[--here]; /* both are inside the same call */
        b = &to->items[--there];
    }
    if (a->f == b->f) {
        /* Calls made so far do not get fewer; a call that something was inlined for is new. */
        bool stays = a->block == b->block && (there ? b->call > a->call : b->call >= a->call);
        if (take_ways_inside(all, from, to, here, there, stays) && found_all(all))
            return true;
        forget_ways(all);
        if (stays && take_ways_inside(all, from, to, here, there, false) && found_all(all))
            return true;
    }
    /* Another round of a loop around the call. */
    while (++here < from->count && ++there < to->count) {
        forget_ways(all);
        if (take_ways_inside(all, from, to, here, there, false) && found_all(all))
            return true;
    }
    return false;
}
