/*
 * A frame at a call is simple: the row of its return address names the position of the call and of the calls
 * around it that the compiler inlined, and every count up to there is in memory.
 *
 * A frame that a signal interrupted stands anywhere. Counts may still be pending (the compiler moves them
 * down to the next call or branch), and the position of the instruction may lie before or behind blocks whose
 * counts are. So the code is followed from there to its *anchor*, the next call or branch: at the anchor, all
 * that was passed on the way (`pending`) counted, the counters fit the anchor's position. The instruction's
 * own position is better, where there is one: the counts on the way from it to the anchor are not made then.
 * They are found by walking the graphs: out of the activations that end on the way, within the one that both
 * have, into those that begin; each step must find its counts among the pending ones. What is left over
 * belongs to what was done before, and is added.
 *
 * In unrolled loops one position stands for several rounds, whose counts are made together. There the table
 * says which of the counts of the stretch come before the instruction; the walk must find all others.
 *
 * Where no such walk exists, the anchor's position is taken: counts may be wrong by as many as are pending.
 *
 * Inside a loop whose counts were moved out of it, those counts are not believed (decode/moved.h); so between
 * the place where they are made and the first row inside, since that row is on the way.
 */
#include "decode/frames.h"
#include "decode/error_bounds.h"
#include "decode/moved.h"

#include <stdlib.h>

enum { WALK_DEPTH = 256, WALK_STEPS = 20000, BY_MOST = 1 << 20, COUNTS_MOST = 1 << 12 };

struct element {
    struct decode_function *f;
    uint32_t block, call, lines;
};
struct chain ARRAY_OF(struct element); /* innermost first */

struct pending {
    struct decode_function *f;
    uint32_t counter;
    /* As seen from the instruction that is being tried: */
    uint64_t done;    /* by increments before it, of other stretches: made, when it stands there */
    uint64_t by;      /* by increments on the way to the anchor */
    uint64_t own;     /* of `by`, what its own stretch counts */
    uint64_t to_come; /* what its own stretch counts behind it */
    uint64_t between; /* what the stretch of the target counts before that */
    uint64_t left;    /* of to_come, between, and what others count, not found on the way so far */
    bool computed;    /* and something more, that nobody knows: a count moved out of a loop */
    bool several;     /* other stretches count it more than once */
};

/* A row with a known position, on the way to the anchor, behind so many increments. */
struct way_point {
    const struct place_row *row;
    size_t counts;
};

struct resolver {
    const struct frames *frames;
    struct decode_module *module;
    const struct place_code *code;
    struct chain chain, anchor;
    struct ARRAY_OF(struct pending) pending;
    struct ARRAY_OF(struct way_point) on_way;         /* to the anchor */
    struct ARRAY_OF(const struct place_row *) counts; /* and the increments */
    int64_t several; /* the largest of these, if it is more than one: rounds of a loop */
    int64_t doubt;   /* by how much counts may be wrong for one event */
    bool strange;    /* the table of places names counters that are not there */
    bool anywhere;   /* not even the call or branch that comes next is known to be in a loop or not */
};

/* The activations of a position; false when it is unknown, or is not what the map says. */
static bool read_chain(struct resolver *r, uint32_t position, struct chain *chain)
{
    chain->count = 0;
    for (uint32_t at = position; at != PLACE_NONE; at = r->code->positions[at - 1].outer) {
        const struct place_position *p = &r->code->positions[at - 1];
        struct decode_function *f = decode_module_find(r->module, r->code->keys[p->key]);
        if (!f || p->block >= graph_exit(&f->map.graph) || p->call > f->map.blocks[p->block].call_count ||
            p->lines > f->map.blocks[p->block].line_count)
            return false;
        ARRAY_PUSH(chain, ((struct element){.f = f, .block = p->block, .call = p->call, .lines = p->lines}));
    }
    return position != PLACE_NONE;
}

/* Code of one function alone, which has no positions (clang made it, and gave it no locations): if that is
 * one block, there is only one place to be. */
static bool read_only_block(struct resolver *r, struct chain *chain)
{
    struct decode_function *f =
        r->code->key_count == 1 ? decode_module_find(r->module, r->code->keys[0]) : NULL;
    if (!f || r->code->position_count || graph_exit(&f->map.graph) != 1)
        return false;
    ARRAY_PUSH(chain, ((struct element){.f = f, .lines = f->map.blocks[0].line_count}));
    return true;
}

/* The row of the kind at exactly this offset, or NULL. */
static const struct place_row *row_at(const struct place_code *code, uint32_t offset, enum place_kind kind)
{
    for (uint32_t i = place_first_row(code, offset); i < code->row_count && code->rows[i].offset == offset;
         i++)
        if (code->rows[i].kind == kind)
            return &code->rows[i];
    return NULL;
}

/* What is known of the counter; NULL when the map does not have it. */
static struct pending *pending_of(struct resolver *r, uint32_t key, uint32_t counter)
{
    struct decode_function *f = decode_module_find(r->module, r->code->keys[key]);
    if (!f || counter >= f->counters)
        return NULL;
    for (size_t i = 0; i < r->pending.count; i++)
        if (r->pending.items[i].f == f && r->pending.items[i].counter == counter)
            return &r->pending.items[i];
    ARRAY_PUSH(&r->pending, ((struct pending){.f = f, .counter = counter}));
    return &r->pending.items[r->pending.count - 1];
}

static void add_increment(struct resolver *r, const struct place_row *row)
{
    bool many = row->by > BY_MOST || r->counts.count == COUNTS_MOST;
    struct pending *p = many ? NULL : pending_of(r, row->value, row->counter);
    if (!p) {
        r->strange = true;
        return;
    }
    p->computed |= !row->by;
    if (row->by > 1 && r->several < (int64_t)row->by)
        r->several = (int64_t)row->by;
    ARRAY_PUSH(&r->counts, row);
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

static uint32_t stretch_length(const struct resolver *r, uint32_t stretch)
{
    return r->code->stretches[stretch] - r->code->stretches[stretch - 1];
}

/*
 * What increments on the way say about a count of the stretch: all of it is ahead, or nothing; otherwise it
 * cannot be told, since one is ahead that may be it or another.
 */
enum whether_ahead { AHEAD_ALL, AHEAD_NOTHING, AHEAD_UNKNOWN };
static enum whether_ahead is_ahead(const struct resolver *r, uint32_t stretch,
                                   const struct place_count *count)
{
    bool own = false, unknown = false;
    for (size_t i = 0; i < r->counts.count; i++) {
        const struct place_row *row = r->counts.items[i];
        if (row->value == count->key && row->counter == count->counter) {
            own |= row->stretch == stretch;
            unknown |= !row->stretch;
        }
    }
    return own ? AHEAD_ALL : unknown ? AHEAD_UNKNOWN : AHEAD_NOTHING;
}

static void forget_ways(struct resolver *r)
{
    for (size_t i = 0; i < r->pending.count; i++) {
        struct pending *p = &r->pending.items[i];
        p->left = p->by - p->own + p->to_come + p->between;
    }
}

/*
 * Prepares what the walk from the position may and must find: on the way to the anchor, or to a position in
 * another stretch that comes before it, `target`. False: it cannot be told whether a count of its own stretch
 * was made.
 */
static bool begin_ways(struct resolver *r, const struct way_point *from, const struct way_point *target)
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
            certain = is_ahead(r, p->stretch, &r->code->counts[i]) != AHEAD_UNKNOWN;
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

/* A row of what is still to come, seen from `from`: calls and counts that end there were made before. */
static bool is_to_come(const struct place_row *row, uint32_t from)
{
    bool ends = row->kind == PLACE_CALL || row->kind == PLACE_LIBCALL || row->kind == PLACE_SETTLED ||
                row->kind == PLACE_INCREMENT;
    return ends ? row->offset > from : row->offset >= from;
}

/*
 * Follows the code to the next call or branch and collects what counts on the way, and the rows that know
 * their positions; NULL when there is none. One row stands for all before it that agree, and code that
 * belongs to no line (an address computed ahead) to what it is there for.
 */
static const struct place_row *find_anchor(struct resolver *r, uint32_t offset)
{
    const struct place_code *code = r->code;
    uint32_t from = offset, row = place_first_row(code, offset);
    for (uint32_t steps = 0; row < code->row_count && steps <= code->row_count; steps++) {
        const struct place_row *at = &code->rows[row++];
        if (!is_to_come(at, from))
            continue;
        if (at->kind == PLACE_INCREMENT)
            add_increment(r, at);
        else if (at->value != PLACE_NONE)
            ARRAY_PUSH(&r->on_way, ((struct way_point){at, r->counts.count}));
        if (at->kind == PLACE_BRANCH || at->kind == PLACE_CALL || at->kind == PLACE_SETTLED)
            return at;
        if (at->kind == PLACE_GOTO) {
            from = at->target;
            row = place_first_row(code, from);
        }
    }
    return NULL;
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
    memcpy(w->best, w->path, w->depth * sizeof *w->best);
}

/* Tries all ways on from a block, depth first; few are open, since each must find its counts. */
static void walk_on(struct walk *w, uint32_t block)
{
    const struct standing *s = &w->f->standing;
    const struct graph *g = &w->f->map.graph;
    for (uint32_t i = w->adjacency->out_start[block]; i < w->adjacency->out_start[block + 1]; i++) {
        uint32_t e = w->adjacency->out[i], to = g->edges[e].to;
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
    if (!f->standing.ready)
        standing_init(&f->standing, &f->map);
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

/* The same for all of both chains; false when there is no way that finds what it must. */
static bool take_ways(struct resolver *r)
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

static bool is_of_balance(const struct decode_function *f, uint32_t counter)
{
    for (uint32_t i = 0; i < f->map.plan_count; i++) {
        if (counter < f->map.plans[i].probe_count)
            return f->map.plans[i].placement == PLACEMENT_BALANCE;
        counter -= f->map.plans[i].probe_count;
    }
    return false;
}

/* Was the counter moved out of a loop? */
static bool is_moved(const struct place_code *code, const struct place_count *count)
{
    for (uint32_t i = 0; i < code->moved_count; i++)
        if (code->moved[i].key == count->key && code->moved[i].counter == count->counter)
            return true;
    return false;
}

enum { COUNTS_NOTHING, COUNTS_IT, COUNTS_OTHERS };

static int counts_at(const struct standing_list *list, uint32_t place, uint32_t counter)
{
    int found = list->start[place] < list->start[place + 1] ? COUNTS_OTHERS : COUNTS_NOTHING;
    for (uint32_t i = list->start[place]; i < list->start[place + 1]; i++)
        if (list->items[i] == counter)
            found = COUNTS_IT;
    return found;
}

/* May one of the block's calls, from the one behind `call` on, be of the function? */
static bool may_call(const struct map_function *f, uint32_t block, uint32_t call,
                     const struct map_function *callee)
{
    const struct map_block *b = &f->blocks[block];
    for (uint32_t i = call; i < b->call_count; i++)
        if (b->calls[i].callee == MAP_CALLEE_UNKNOWN || b->calls[i].callee >= f->callee_count ||
            f->callees[b->calls[i].callee] == map_name_tag(callee->name))
            return true;
    return false;
}

/* What may come next, before anything else is counted. */
struct next {
    bool counts; /* the counter does */
    bool leaves; /* the function is left */
    bool begins; /* the callee is called */
};

/* From inside the block `from`, behind its call `call` (EXIT: from outside). */
static struct next find_next(struct decode_function *f, uint32_t from, uint32_t call, uint32_t counter,
                             const struct map_function *callee)
{
    const struct graph *g = &f->map.graph;
    uint32_t exit = graph_exit(g), *open = ALLOC(uint32_t, g->vertex_count), opened = 0;
    bool *seen = ZALLOC(bool, g->vertex_count);
    struct adjacency adjacency;
    struct next next = {0};
    if (!f->standing.ready)
        standing_init(&f->standing, &f->map);
    const struct standing *s = &f->standing;
    adjacency_init(&adjacency, g);
    if (from == exit) {
        int counts = counts_at(&s->at_start, GRAPH_ROOT, counter);
        next.counts = counts == COUNTS_IT;
        if (counts == COUNTS_NOTHING)
            open[opened++] = GRAPH_ROOT;
    } else {
        open[opened++] = from;
    }
    while (opened) {
        uint32_t block = open[--opened];
        next.begins |= may_call(&f->map, block, block == from && !seen[block] ? call : 0, callee);
        for (uint32_t i = adjacency.out_start[block]; i < adjacency.out_start[block + 1]; i++) {
            uint32_t e = adjacency.out[i], to = g->edges[e].to;
            if (g->edges[e].kind == EDGE_VIRTUAL)
                continue;
            next.leaves |= to == exit;
            int counts = to == exit ? COUNTS_OTHERS : counts_at(&s->on_branch, e, counter);
            next.counts |= counts == COUNTS_IT;
            if (counts != COUNTS_NOTHING)
                continue;
            counts = counts_at(&s->at_start, to, counter);
            next.counts |= counts == COUNTS_IT;
            if (counts == COUNTS_NOTHING && !seen[to]) {
                seen[to] = true;
                open[opened++] = to;
            }
        }
    }
    free(open);
    free(seen);
    adjacency_release(&adjacency);
    return next;
}

/*
 * Does the position of the instruction fit between the counts of its stretch? The one that comes next must be
 * one that control may meet next: in its own activation, in those around it when it ends, or in one that
 * begins.
 */
static bool fits_stretch(const struct resolver *r, const struct chain *chain, const struct place_position *p)
{
    uint32_t at = r->code->stretches[p->stretch - 1] + p->passed, end = r->code->stretches[p->stretch];
    struct decode_function *f = NULL;
    for (; at < end; at++) {
        f = decode_module_find(r->module, r->code->keys[r->code->counts[at].key]);
        if (!f || r->code->counts[at].counter >= f->counters)
            return false;
        if (!is_of_balance(f, r->code->counts[at].counter) && !is_moved(r->code, &r->code->counts[at]))
            break;
    }
    if (at == end)
        return true;
    uint32_t counter = r->code->counts[at].counter;
    struct next next = {.leaves = true};
    bool begins = false;
    for (size_t i = 0; i < chain->count && next.leaves; i++) {
        const struct element *e = &chain->items[i];
        next = find_next(e->f, e->block, e->call, e->f == f ? counter : UINT32_MAX, &f->map);
        if (next.counts)
            return true;
        begins |= next.begins;
    }
    return begins && find_next(f, graph_exit(&f->map.graph), 0, counter, &f->map).counts;
}

static bool is_in(const struct chain *chain, const struct decode_function *f)
{
    for (size_t i = 0; i < chain->count; i++)
        if (chain->items[i].f == f)
            return true;
    return false;
}

/*
 * What the walk did not find was counted before, and waits; so it is with the activations that stand there.
 * Of others it may as well be an activation that begins and ends on the way, and of what was found in part
 * another round.
 */
static bool is_unsure(const struct resolver *r, const struct pending *p)
{
    return p->left && (!is_in(&r->chain, p->f) || p->left < p->by - p->own + p->to_come + p->between);
}

/* Do increments of the instruction's own stretch alone lie ahead? */
static bool is_among_own(const struct resolver *r)
{
    for (size_t i = 0; i < r->pending.count; i++)
        if (r->pending.items[i].by != r->pending.items[i].own)
            return false;
    return true;
}

/* The position of a row as that of what stands before it: a call is not made yet. */
static bool read_chain_before(struct resolver *r, const struct place_row *row, struct chain *chain)
{
    if (!row || !read_chain(r, row->value, chain))
        return false;
    if (row->kind == PLACE_CALL && chain->items[0].call)
        chain->items[0].call--;
    return true;
}

static const struct place_position *position_of(const struct resolver *r, const struct way_point *at)
{
    return &r->code->positions[at->row->value - 1];
}

/* The first position behind on_way[i] in another stretch, all of which is ahead. NULL: there is none. */
static const struct way_point *next_stretch(const struct resolver *r, size_t i)
{
    uint32_t own = position_of(r, &r->on_way.items[i])->stretch;
    for (size_t k = i + 1; k < r->on_way.count; k++) {
        uint32_t other = position_of(r, &r->on_way.items[k])->stretch;
        if (!other || other == own || stretch_length(r, other) > COUNTS_MOST)
            continue;
        for (uint32_t n = r->code->stretches[other - 1]; n < r->code->stretches[other]; n++)
            if (is_ahead(r, other, &r->code->counts[n]) != AHEAD_ALL)
                return NULL;
        return &r->on_way.items[k];
    }
    return NULL;
}

/* Is on_way[i], whose chain is read, where the frame stands? The anchor is, if no other. */
static bool stands_at(struct resolver *r, size_t i, const struct place_row *anchor, bool anchored)
{
    const struct place_position *p = position_of(r, &r->on_way.items[i]);
    const struct way_point *target = next_stretch(r, i);
    if (target && !(read_chain_before(r, target->row, &r->anchor) &&
                    fits_stretch(r, &r->anchor, position_of(r, target))))
        target = NULL;
    if (!target && anchored)
        read_chain_before(r, anchor, &r->anchor);
    bool certain = begin_ways(r, &r->on_way.items[i], target),
         to_come = p->stretch && p->passed < stretch_length(r, p->stretch);
    if (r->on_way.items[i].row == anchor)
        return true;
    if (certain && p->stretch && is_among_own(r) && (to_come || !(target || anchored)) &&
        fits_stretch(r, &r->chain, p)) {
        for (size_t k = 0; k < r->pending.count; k++)
            r->pending.items[k].left = 0;
        return true;
    }
    return target || anchored ? certain && take_ways(r) : !r->counts.count;
}

/* The largest number that the stretch of the position counts at once: of a loop that is counted as a whole,
 * or that became one call of memcpy, nobody knows the round. */
static int64_t counted_at_once(const struct resolver *r, const struct place_position *p)
{
    uint64_t most = 0;
    for (uint32_t i = p->stretch ? r->code->stretches[p->stretch - 1] : 0;
         p->stretch && i < r->code->stretches[p->stretch]; i++)
        if (r->code->counts[i].by > 1 && r->code->counts[i].by > most)
            most = r->code->counts[i].by;
    return (int64_t)(most < BY_MOST ? most : BY_MOST);
}

/*
 * Where an interrupted frame stands, or one in a call that counts may wait for (`call`, or NULL): chain and
 * pending are what to apply. False: nobody knows. Code that was moved up over a branch has the position it
 * came from, and no way leads from there: what follows it is asked then, and the anchor at last.
 */
static bool resolve_interrupted(struct resolver *r, uint32_t offset, const struct place_row *call)
{
    if (call && call->value != PLACE_NONE)
        ARRAY_PUSH(&r->on_way, ((struct way_point){call, 0}));
    const struct place_row *anchor = find_anchor(r, offset);
    bool anchored = read_chain_before(r, anchor, &r->anchor);
    r->anywhere = anchor && !anchored; /* without an anchor the code ends there: in a trap */
    if (r->strange)
        return false;
    /* A jump may belong to the branch it came from, which was counted before it. */
    const struct place_row *first = r->on_way.count ? r->on_way.items[0].row : NULL;
    bool surely = first && (call || (first->kind == PLACE_ACCESS && first->offset == offset));
    for (size_t i = 0; i < r->on_way.count && (anchored || i == 0); i++)
        if (read_chain_before(r, r->on_way.items[i].row, &r->chain) && stands_at(r, i, anchor, anchored)) {
            r->doubt += i ? r->several ? r->several : surely : 0;
            r->doubt += counted_at_once(r, position_of(r, &r->on_way.items[i]));
            r->doubt += i || !call ? 0 : r->several; /* one call for several rounds */
            return true;
        }
    return false;
}

static bool is_invoke(const struct element *e)
{
    return e->call && e->f->map.blocks[e->block].calls[e->call - 1].invoke;
}

static void touch(const struct frames *frames, struct decode_function *f)
{
    frames->touch(frames->context, f);
    if (!f->standing.ready)
        standing_init(&f->standing, &f->map);
}

/* One activation is cut or resumed `count` times; interrupted: between calls. */
static void apply(const struct frames *frames, const struct element *e, bool cut, int64_t count,
                  bool interrupted)
{
    if (e->f->set == SET_NONE)
        return;
    struct profile_frame frame = {
        .block = e->block, .call = e->call, .lines = e->lines, .between = interrupted};
    *(cut ? &frame.cuts : &frame.resumes) = count;
    touch(frames, e->f);
    profile_frames_add(&e->f->file_frames, &frame);
    if (!cut || !e->f->standing.dead_end[e->block]) /* a dead end that is cut is left by its virtual edge */
        standing_correct(&e->f->standing, e->block, cut ? -count : count, e->f->file);
}

/* How often one chain of the code holds the function at most: recursion may have been inlined. */
static int64_t most_in_a_chain(const struct place_code *code, uint32_t key)
{
    int64_t most = 1, *depth = ZALLOC(int64_t, (size_t)code->position_count + 1);
    for (uint32_t i = 0; i < code->position_count; i++) {
        depth[i + 1] = depth[code->positions[i].outer] + (code->positions[i].key == key);
        if (depth[i + 1] > most)
            most = depth[i + 1];
    }
    free(depth);
    return most;
}

static void doubt_code(const struct resolver *r, int64_t error)
{
    for (uint32_t k = 0; k < r->code->key_count; k++) {
        struct decode_function *f = decode_module_find(r->module, r->code->keys[k]);
        r->frames->doubt(r->frames->context, r->module, f, error_times(error, most_in_a_chain(r->code, k)));
    }
}

struct ahead_counter {
    uint32_t key, counter;
    int64_t most;
};

/* Counters that may be ahead because of one event, and by how much. */
struct ahead {
    const struct resolver *r;
    struct hash_map loops; /* that were looked at */
    struct hash_map known; /* key, counter -> index + 1 */
    struct ARRAY_OF(struct ahead_counter) counters;
};

/* A loop has the counters of all around it; in which of several a frame stands is not known. */
static void add_loop(struct ahead *a, uint32_t number)
{
    const struct place_code *code = a->r->code;
    const struct place_loop *loop = &code->loops[number - 1];
    bool added;
    hash_map_put(&a->loops, number, &added);
    if (!added)
        return;
    for (uint32_t i = loop->first; i < loop->first + loop->count; i++) {
        const struct place_moved *moved = &code->moved[i];
        uint64_t *index = hash_map_put(&a->known, (uint64_t)moved->key << 32 | moved->counter, &added);
        if (added) {
            ARRAY_PUSH(&a->counters, ((struct ahead_counter){.key = moved->key, .counter = moved->counter}));
            *index = a->counters.count;
        }
        int64_t *most = &a->counters.items[*index - 1].most;
        *most = error_plus(*most, moved_bound(moved));
    }
}

/* The loops of a position, and of the calls around it that were inlined. */
static void add_loops(struct ahead *a, uint32_t position)
{
    const struct place_code *code = a->r->code;
    for (uint32_t at = position; at != PLACE_NONE; at = code->positions[at - 1].outer)
        if (code->positions[at - 1].loop)
            add_loop(a, code->positions[at - 1].loop);
}

/* What is not to be believed since the frame may stand in a loop whose counts were moved out. */
static void doubt_counts(const struct resolver *r, const struct place_row *call, bool placed, bool cut,
                         int64_t size)
{
    struct ahead a = {.r = r};
    if (call && placed)
        add_loops(&a, call->value);
    for (size_t i = 0; i < r->on_way.count; i++)
        add_loops(&a, r->on_way.items[i].row->value);
    for (uint32_t i = 0; (r->anywhere || !placed) && i < r->code->loop_count; i++) /* it may be in any */
        add_loop(&a, i + 1);
    for (size_t i = 0; i < a.counters.count; i++) {
        const struct ahead_counter *one = &a.counters.items[i];
        struct decode_function *f = decode_module_find(r->module, r->code->keys[one->key]);
        if (!f || one->counter >= f->counters || f->set == SET_NONE)
            continue;
        touch(r->frames, f);
        moved_doubt(f, one->counter, cut, size, one->most);
    }
    for (size_t i = 0; i < r->pending.count; i++) {
        struct pending *p = &r->pending.items[i];
        if (!p->computed || p->f->set == SET_NONE)
            continue;
        touch(r->frames, p->f);
        moved_doubt(p->f, p->counter, cut, size, moved_most(p->f, p->counter));
        r->frames->doubt(r->frames->context, r->module, p->f, size); /* the loop has not begun */
    }
    hash_map_release(&a.loops);
    hash_map_release(&a.known);
    ARRAY_RELEASE(&a.counters);
}

bool frames_apply(const struct frames *frames, struct decode_module *m, uint32_t kind, uint64_t address,
                  int64_t count)
{
    if (!((kind >= DATA_EVENT_CUT && kind <= DATA_EVENT_RESUME_AT) ||
          (kind >= DATA_EVENT_UNWIND && kind <= DATA_EVENT_UNWIND + 1)))
        return false;
    bool at_call = kind != DATA_EVENT_CUT_AT && kind != DATA_EVENT_RESUME_AT;
    bool cut = kind != DATA_EVENT_RESUME && kind != DATA_EVENT_RESUME_AT;
    int64_t size = count < 0 ? -count : count;
    struct resolver r = {.frames = frames, .module = m};
    if (!count)
        return true;
    if (!decode_module_places(m, frames->debug_paths)) {
        frames->doubt(frames->context, m, NULL, MAX_ERROR_UNKNOWN);
        return true;
    }
    r.code =
        place_index_find(&m->places, address - (at_call ? 1 : 0)); /* a return address may be behind it */
    if (!r.code)
        return true;
    uint32_t offset = (uint32_t)(address - r.code->address);
    const struct place_row *row = at_call ? row_at(r.code, offset, PLACE_CALL) : NULL;
    if (at_call && !row)
        row = row_at(r.code, offset, PLACE_SETTLED);
    const struct place_row *libcall = at_call && !row ? row_at(r.code, offset, PLACE_LIBCALL) : NULL;
    bool placed = row ? read_chain(&r, row->value, &r.chain) : resolve_interrupted(&r, offset, libcall);
    placed = placed || (at_call && read_only_block(&r, &r.chain));
    doubt_counts(&r, row, placed, cut, size);
    if (!placed) {
        doubt_code(&r, size);
    } else {
        bool unwinds = kind >= DATA_EVENT_UNWIND;
        /* The innermost has left by its own way out when an exception goes on from it. */
        for (size_t i = kind == DATA_EVENT_UNWIND + 1 ? 1 : 0; i < r.chain.count; i++) {
            if (unwinds && is_invoke(&r.chain.items[i]))
                break;
            apply(frames, &r.chain.items[i], cut, count, !row || row->kind == PLACE_SETTLED);
        }
        for (size_t i = 0; i < r.pending.count; i++) {
            struct pending *p = &r.pending.items[i];
            if (is_unsure(&r, p))
                frames->doubt(frames->context, m, p->f, error_times((int64_t)p->left, size));
            uint64_t waiting = p->done + p->own - p->to_come + p->left; /* below 0: made before its time */
            if (waiting && p->f->set != SET_NONE) {
                touch(frames, p->f);
                uint64_t made = waiting * (uint64_t)count, *counter = (uint64_t *)&p->f->file[p->counter];
                *counter = cut ? *counter + made : *counter - made;
            }
        }
        for (size_t i = 0; r.doubt && i < r.chain.count; i++)
            frames->doubt(frames->context, m, r.chain.items[i].f, error_times(r.doubt, size));
    }
    ARRAY_RELEASE(&r.chain);
    ARRAY_RELEASE(&r.anchor);
    ARRAY_RELEASE(&r.pending);
    ARRAY_RELEASE(&r.on_way);
    ARRAY_RELEASE(&r.counts);
    return true;
}
