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
 * Where no such walk exists, the anchor's position is taken. In unrolled loops one position stands for
 * several rounds: counts may be wrong by so many.
 *
 * Inside a loop whose counts were moved out of it, those counts are not believed (decode/moved.h); so between
 * the place where they are made and the first row inside, since that row is on the way.
 */
#include "decode/frames.h"
#include "decode/moved.h"

#include <stdlib.h>

enum { WALK_DEPTH = 64, WALK_STEPS = 20000, BY_MOST = 1 << 20 };

struct element {
    struct decode_function *f;
    uint32_t block, call, lines;
};
struct chain ARRAY_OF(struct element); /* innermost first */

struct pending {
    struct decode_function *f;
    uint32_t counter;
    uint64_t by, left; /* left: not found on the way so far */
    bool computed;     /* and something more, that nobody knows: a count moved out of a loop */
};

struct resolver {
    const struct frames *frames;
    struct decode_module *module;
    const struct place_code *code;
    struct chain chain, anchor;
    struct ARRAY_OF(struct pending) pending;
    struct ARRAY_OF(const struct place_row *) on_way; /* to the anchor, with a known position */
    int64_t doubt;                                    /* by how much counts may be wrong for one event */
    bool anywhere; /* not even the call or branch that comes next is known to be in a loop or not */
    bool strange;  /* the table of places names counters that are not there */
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

static void add_pending(struct resolver *r, const struct place_row *row)
{
    struct decode_function *f = decode_module_find(r->module, r->code->keys[row->value]);
    if (!f || row->counter >= f->counters || row->by > BY_MOST) {
        r->strange = true;
        return;
    }
    for (size_t i = 0; i < r->pending.count; i++)
        if (r->pending.items[i].f == f && r->pending.items[i].counter == row->counter) {
            r->pending.items[i].by += row->by;
            r->pending.items[i].computed |= !row->by;
            return;
        }
    ARRAY_PUSH(&r->pending,
               ((struct pending){.f = f, .counter = row->counter, .by = row->by, .computed = !row->by}));
}

/* A row of what is still to come, seen from `from`: calls and counts that end there were made before. */
static bool is_to_come(const struct place_row *row, uint32_t from)
{
    bool ends = row->kind == PLACE_CALL || row->kind == PLACE_LIBCALL || row->kind == PLACE_INCREMENT;
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
            add_pending(r, at);
        else if (at->value != PLACE_NONE)
            ARRAY_PUSH(&r->on_way, at);
        if (at->kind == PLACE_BRANCH || at->kind == PLACE_CALL)
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
    return w.best_taken >= 0;
}

/* Takes what counts on the way from the instruction's chain to the anchor's; false when there is none. */
static bool take_ways(struct resolver *r)
{
    for (size_t i = 0; i < r->pending.count; i++)
        r->pending.items[i].left = r->pending.items[i].by;
    size_t here = r->chain.count - 1, there = r->anchor.count - 1; /* the outermost */
    const struct element *a = &r->chain.items[here], *b = &r->anchor.items[there];
    while (here && there && a->f == b->f && a->block == b->block && a->call == b->call) {
        a = &r->chain.items[--here]; /* both are inside the same call */
        b = &r->anchor.items[--there];
    }
    if (a->f != b->f)
        return false;
    /* Calls made so far do not get fewer; one that something was inlined for is new. */
    bool ahead = there ? b->call > a->call : b->call >= a->call;
    for (size_t i = 0; i < here; i++) { /* they end on the way, innermost first */
        struct decode_function *f = r->chain.items[i].f;
        if (!take_way(r, f, r->chain.items[i].block, graph_exit(&f->map.graph)))
            return false;
    }
    if (!(a->block == b->block && ahead) && !take_way(r, a->f, a->block, b->block))
        return false;
    while (there-- > 0) { /* they begin */
        struct decode_function *f = r->anchor.items[there].f;
        if (!take_way(r, f, graph_exit(&f->map.graph), r->anchor.items[there].block))
            return false;
    }
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

/*
 * Where an interrupted frame stands, or one in a call that counts may wait for (`call`, or NULL): chain and
 * pending are what to apply. False: nobody knows. Code that was moved up over a branch has the position it
 * came from, and no way leads from there: what follows it is asked then, and the anchor at last.
 */
static bool resolve_interrupted(struct resolver *r, uint32_t offset, const struct place_row *call)
{
    if (call && call->value != PLACE_NONE)
        ARRAY_PUSH(&r->on_way, call);
    const struct place_row *anchor = find_anchor(r, offset);
    bool anchored = read_chain_before(r, anchor, &r->anchor);
    r->anywhere = anchor && !anchored; /* without an anchor the code ends there: in a trap */
    for (size_t i = 0; i < r->pending.count; i++) {
        r->pending.items[i].left = r->pending.items[i].by;
        if (r->pending.items[i].by > 1 && r->doubt < (int64_t)r->pending.items[i].by)
            r->doubt = (int64_t)r->pending.items[i].by; /* several rounds of a loop */
    }
    if (r->strange)
        return false;
    if (!anchored)
        return r->on_way.count && !r->pending.count && read_chain_before(r, r->on_way.items[0], &r->chain);
    /* A jump may belong to the branch it came from, which was counted before it. */
    bool surely =
        r->on_way.count &&
        (call || (r->on_way.items[0]->kind == PLACE_ACCESS && r->on_way.items[0]->offset == offset));
    for (size_t i = r->doubt ? r->on_way.count - 1 : 0; i < r->on_way.count; i++) {
        if (read_chain_before(r, r->on_way.items[i], &r->chain) &&
            (r->on_way.items[i] == anchor || take_ways(r))) {
            r->doubt += i && surely;
            break;
        }
        for (size_t k = 0; k < r->pending.count; k++)
            r->pending.items[k].left = r->pending.items[k].by;
    }
    return true; /* the anchor is the last of them */
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
        r->frames->doubt(r->frames->context, r->module, f, error * most_in_a_chain(r->code, k));
    }
}

/* Counters that are ahead, each once for one event. */
struct ahead {
    const struct resolver *r;
    bool cut;
    int64_t size;
    struct hash_map seen; /* key, counter */
};

static void doubt_moved(struct ahead *a, const struct place_moved *moved)
{
    struct decode_function *f = decode_module_find(a->r->module, a->r->code->keys[moved->key]);
    bool added;
    if (!f || moved->counter >= f->counters || f->set == SET_NONE)
        return;
    hash_map_put(&a->seen, (uint64_t)moved->key << 32 | moved->counter, &added);
    if (!added)
        return;
    touch(a->r->frames, f);
    moved_doubt(f, moved->counter, a->cut, a->size);
}

/* The loops of a position, and of the calls around it that were inlined. */
static void doubt_loops(struct ahead *a, uint32_t position)
{
    const struct place_code *code = a->r->code;
    for (uint32_t at = position; at != PLACE_NONE; at = code->positions[at - 1].outer) {
        uint32_t number = code->positions[at - 1].loop;
        const struct place_loop *loop = number ? &code->loops[number - 1] : NULL;
        for (uint32_t i = 0; loop && i < loop->count; i++)
            doubt_moved(a, &code->moved[loop->first + i]);
    }
}

/* What is not to be believed since the frame may stand in a loop whose counts were moved out. */
static void doubt_counts(const struct resolver *r, const struct place_row *call, bool placed, bool cut,
                         int64_t size)
{
    struct ahead a = {.r = r, .cut = cut, .size = size};
    if (call && placed)
        doubt_loops(&a, call->value);
    for (size_t i = 0; i < r->on_way.count; i++)
        doubt_loops(&a, r->on_way.items[i]->value);
    for (uint32_t i = 0; (r->anywhere || !placed) && i < r->code->moved_count; i++) /* it may be in any */
        doubt_moved(&a, &r->code->moved[i]);
    for (size_t i = 0; i < r->pending.count; i++) {
        struct pending *p = &r->pending.items[i];
        if (!p->computed || p->f->set == SET_NONE)
            continue;
        touch(r->frames, p->f);
        moved_doubt(p->f, p->counter, cut, size);
        r->frames->doubt(r->frames->context, r->module, p->f, size); /* the loop has not begun */
    }
    hash_map_release(&a.seen);
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
            apply(frames, &r.chain.items[i], cut, count, !row);
        }
        for (size_t i = 0; i < r.pending.count; i++) {
            struct pending *p = &r.pending.items[i];
            if (p->left && p->f->set != SET_NONE) {
                touch(frames, p->f);
                uint64_t made = p->left * (uint64_t)count, *counter = (uint64_t *)&p->f->file[p->counter];
                *counter = cut ? *counter + made : *counter - made;
            }
        }
        for (size_t i = 0; r.doubt && i < r.chain.count; i++)
            frames->doubt(frames->context, m, r.chain.items[i].f, r.doubt * size);
    }
    ARRAY_RELEASE(&r.chain);
    ARRAY_RELEASE(&r.anchor);
    ARRAY_RELEASE(&r.pending);
    ARRAY_RELEASE(&r.on_way);
    return true;
}
