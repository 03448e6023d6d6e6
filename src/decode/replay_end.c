/*
 * Where control stood when a signal took it away, for ever: the process died or ended, a handler jumped, or a
 * thread was cancelled. From what the last event proves control went there without one. That way is the only
 * one: of two ways that part, the next events differ, so no block can be come to by both without an event.
 * Where numbers of paths are the witnesses, or bits, it may not be: then the end is not known.
 *
 * An interrupted instruction need not tell its place, and the code behind it does: but between them events
 * may be written, which control has still to write. Then it stands before the first of these, on a way that
 * leads on over as many of them to the place that is known: in the block that the event leads out of. There
 * may be several such blocks, where the compiler made one store of several: then control stands in one of
 * them, and what all ways to them have in common is known.
 *
 * The machine's stack is not replay's: a call in tail position may have become a jump, and its activation is
 * not there. And `calls` may be counted before a call is made, or behind it only when the next one is.
 */
#include "decode/replay_machine.h"

enum { STEPS_MOST = 1 << 16 };

static bool same_place(const struct replay_frame *a, const struct replay_frame *b)
{
    return a->function == b->function && a->block == b->block && a->call == b->call;
}

/* May its last call have become a jump? */
static bool may_be_gone(const struct replay_program *p, const struct replay_frame *f)
{
    return f->call && f->call == replay_block_calls(&p->bodies[f->function], f->block);
}

/* How many activations the frames are, the oldest first, or SIZE_MAX. One whose last call may have become a
 * jump may have no frame. */
static size_t match_frames(const struct replay *r, const struct replay_frame *frames, size_t count)
{
    size_t number = 0, depth = 0;
    while (number < count && depth < r->depth) {
        struct replay_frame f = replay_frame(r, depth);
        if (same_place(&f, &frames[number]))
            number++;
        else if (!may_be_gone(r->program, &f))
            return SIZE_MAX;
        depth++;
    }
    return number == count ? depth : SIZE_MAX;
}

/* Per block: can it be come to from `from`, passing so many events at most? [exit]: can the end? */
static bool *find_reached(const struct replay_body *b, uint32_t from, uint32_t events)
{
    uint32_t exit = graph_exit(b->source->graph);
    uint32_t *least = ALLOC(uint32_t, (size_t)exit + 1); /* events on the way with the fewest */
    bool *reached = ZALLOC(bool, (size_t)exit + 1);
    struct ARRAY_OF(uint32_t) list = {0};
    for (uint32_t v = 0; v <= exit; v++)
        least[v] = UINT32_MAX;
    least[from] = 0;
    ARRAY_PUSH(&list, from);
    while (list.count) {
        uint32_t v = list.items[--list.count];
        reached[v] = true;
        for (uint32_t i = v == exit ? 0 : b->successor_start[v]; v != exit && i < b->successor_start[v + 1];
             i++) {
            uint32_t to = b->successors[i].to, now = least[v] + (b->successors[i].value != 0);
            if (now <= events && now < least[to]) {
                least[to] = now;
                ARRAY_PUSH(&list, to);
            }
        }
    }
    ARRAY_RELEASE(&list);
    free(least);
    return reached;
}

static bool leads_to(const struct replay_body *b, uint32_t from, uint32_t wanted, uint32_t events)
{
    if (from == wanted)
        return true;
    if (from == graph_exit(b->source->graph))
        return false;
    bool *reached = find_reached(b, from, events), leads = reached[wanted];
    free(reached);
    return leads;
}

/* The only way on from a block, over no event, that leads to another one (EXIT: to the end) without any.
 * NULL: there is none, or several. */
static const struct replay_successor *choose(const struct replay_body *b, uint32_t block, uint32_t wanted)
{
    const struct replay_successor *found = NULL;
    for (uint32_t i = b->successor_start[block]; i < b->successor_start[block + 1]; i++) {
        const struct replay_successor *s = &b->successors[i];
        if (s->value || !leads_to(b, s->to, wanted, 0))
            continue;
        if (found)
            return NULL;
        found = s;
    }
    return found;
}

/* A way that is tried: what it would give out. */
struct attempt {
    struct replay *r;
    const struct replay before; /* where it begins */
    struct activation *stack;
    struct attempt_runs ARRAY_OF(const struct replay_run *) runs;
};

static void note(struct attempt *a, struct replay_item item, bool branch)
{
    ARRAY_PUSH(&a->runs, replay_single_run(a->r->program, item, 0, branch));
}

/* Back to where only the first `count` runs were done. */
static void go_back_to(struct attempt *a, size_t count)
{
    struct replay *r = a->r;
    memory_copy(r->stack, a->stack, a->before.depth * sizeof *a->stack);
    r->depth = a->before.depth;
    r->state = a->before.state;
    r->outside = a->before.outside;
    a->runs.count = count;
}

enum pace { WENT_ON, ARRIVED, STUCK };

/* Passes the next call of the youngest activation's block, if it has one. */
static enum pace pass_call(struct attempt *a)
{
    struct replay *r = a->r;
    struct replay_program *p = r->program;
    struct replay_state s = p->states.items[r->state];
    const struct replay_body *b = &p->bodies[s.function];
    uint32_t callee = b->callee[b->source->call_start[s.block] + s.call];
    enum replay_call_kind kind = replay_call_at(b, s.block, s.call + 1)->kind;
    if (kind == REPLAY_CALL_UNKNOWN || kind == REPLAY_CALL_JUMP ||
        (kind == REPLAY_CALL_KNOWN &&
         (callee == GRAPH_NONE || p->bodies[callee].ambiguous || r->depth >= r->depth_most)))
        return STUCK;
    r->state = replay_state_at(p, s.function, s.block, s.call + 1);
    if (kind == REPLAY_CALL_KNOWN) {
        push(r, replay_state_at(p, callee, GRAPH_ROOT, 0), false);
        note(a, (struct replay_item){REPLAY_ENTER, callee, 0, 0, p->bodies[callee].entry_edge}, false);
    }
    return WENT_ON;
}

/* Takes an edge out of the youngest activation's block. */
static void take_edge(struct attempt *a, const struct replay_successor *next)
{
    struct replay *r = a->r;
    struct replay_program *p = r->program;
    struct replay_state s = p->states.items[r->state];
    const struct replay_body *b = &p->bodies[s.function];
    bool leave = next->to == graph_exit(b->source->graph);
    uint32_t ways = b->successor_start[s.block + 1] - b->successor_start[s.block];
    note(a,
         (struct replay_item){leave ? REPLAY_LEAVE : REPLAY_FLOW, s.function, leave ? s.block : next->to,
                              s.block, next->edge},
         ways > 1);
    if (leave)
        pop(r);
    else
        r->state = replay_state_at(p, s.function, next->to, 0);
}

/* One step of the youngest activation: towards the place, or, without one, to its end. */
static enum pace go_on(struct attempt *a, const struct replay_frame *to)
{
    struct replay *r = a->r;
    struct replay_state s = r->program->states.items[r->state];
    const struct replay_body *b = &r->program->bodies[s.function];
    if (b->source->bits)
        return STUCK; /* up to a byte of choices was not written */
    if (to && s.block == to->block && s.call == to->call)
        return ARRIVED;
    if (!s.at_last_call)
        return pass_call(a);
    const struct replay_successor *next = choose(b, s.block, to ? to->block : graph_exit(b->source->graph));
    if (!next)
        return STUCK;
    take_edge(a, next);
    return WENT_ON;
}

/* Frames to which control went, oldest first: those of callers and of a point. */
struct aim {
    const struct replay_frame *frames;
    size_t count;
    bool interrupted; /* the youngest is in no call */
};

/* From where on replay's stack may differ from the frames: activation `index` is frame `number`, and those
 * below are the same. */
struct fork {
    size_t index, number;
};
enum { FORKS_MOST = 64 };

/* The last ones, the deepest last. */
static size_t find_forks(const struct replay *r, const struct aim *aim, struct fork *forks)
{
    size_t found = 0, number = 0;
    bool fits = true;
    for (size_t i = 0; i < r->depth && number < aim->count && fits; i++) {
        struct replay_frame f = replay_frame(r, i);
        if (f.function == aim->frames[number].function)
            forks[found++ % FORKS_MOST] = (struct fork){i, number};
        if (same_place(&f, &aim->frames[number]))
            number++;
        else
            fits = may_be_gone(r->program, &f);
    }
    return found;
}

/* Where the youngest activation is to go: NULL: to its end, since it is none of those that stood. */
static const struct replay_frame *target(const struct replay *r, size_t index, const struct aim *aim)
{
    size_t above = r->depth - 1 - index;
    if (above >= aim->count)
        return NULL;
    for (size_t i = 0; i < above; i++) {
        struct replay_frame f = replay_frame(r, index + i);
        if (!same_place(&f, &aim->frames[i]))
            return NULL;
    }
    struct replay_frame youngest = replay_frame(r, r->depth - 1);
    return youngest.function == aim->frames[above].function ? &aim->frames[above] : NULL;
}

/* A function was entered from outside, and died before it recorded that. */
static bool enter_called(struct attempt *a, uint32_t function)
{
    struct replay *r = a->r;
    const struct replay_body *b = &r->program->bodies[function];
    if (b->ambiguous || r->depth >= r->depth_most)
        return false;
    push(r, replay_state_at(r->program, function, GRAPH_ROOT, 0), true);
    note(a, (struct replay_item){REPLAY_ENTER_CALLED, function, 0, 0, b->entry_edge}, false);
    return true;
}

/* Control was counted into a call whose callee is not known, and is not there: before it, or behind it. */
static enum pace come_out(struct replay *r, const struct replay_frame *to)
{
    struct replay_frame f = replay_frame(r, r->depth - 1);
    if (f.function == to->function && f.block == to->block && f.call == to->call + 1)
        return ARRIVED;
    r->outside = false;
    return WENT_ON;
}

/* `index`: the activation that is the first of the frames. */
static bool attempt_way(struct attempt *a, size_t index, const struct aim *aim)
{
    struct replay *r = a->r;
    for (uint32_t steps = 0; steps < STEPS_MOST && r->depth > index; steps++) {
        const struct replay_frame *to = target(r, index, aim);
        bool is_last = r->depth - index == aim->count;
        if (r->outside && to && is_last && aim->interrupted) {
            if (come_out(r, to) == ARRIVED)
                return true;
            continue;
        }
        if (r->outside) {
            struct replay_frame f = replay_frame(r, r->depth - 1);
            if (!to || !same_place(&f, to) || is_last)
                return to && same_place(&f, to);
            if (!enter_called(a, aim->frames[r->depth - index].function))
                return false;
            continue;
        }
        switch (go_on(a, to)) {
        case WENT_ON:
            break;
        case ARRIVED:
            return is_last;
        case STUCK:
            return false;
        }
    }
    return false;
}

/* Without an event. */
static bool go_to_place(struct attempt *a, const struct aim *aim)
{
    struct fork forks[FORKS_MOST];
    size_t found = find_forks(a->r, aim, forks);
    for (size_t tried = 0; tried < found && tried < FORKS_MOST; tried++) {
        const struct fork *fork = &forks[(found - 1 - tried) % FORKS_MOST];
        const struct aim rest = {aim->frames + fork->number, aim->count - fork->number, aim->interrupted};
        if (attempt_way(a, fork->index, &rest))
            return true;
        go_back_to(a, 0);
    }
    return false;
}

/* ---- To the block before an event ---- */

struct search {
    struct attempt *a;
    const struct aim *aim;
    const struct replay_standing *standing;
    uint32_t events;          /* that lead to the aim */
    size_t found;             /* blocks from which one of the events leads on */
    struct attempt_runs best; /* what was done up to there, by all of them */
};

/* May the edge be the one whose event comes next? It leads to the aim, or, where the activation was inlined,
 * out of it. */
static bool may_come_next(const struct search *s, const struct replay_state *at,
                          const struct replay_successor *edge, bool inlined)
{
    const struct replay *r = s->a->r;
    const struct replay_body *b = &r->program->bodies[at->function];
    uint32_t bytes = s->standing->pending[0];
    uint32_t value = b->width == 1 ? bytes : ((bytes >> 8) - 1) * 255 + (bytes & 0xff); /* witness_bytes */
    if (!edge->value || bytes > 0xffff || (bytes && !b->source->marks && value != edge->value))
        return false;
    bool leads = inlined && leads_to(b, edge->to, graph_exit(b->source->graph), s->events - 1);
    for (size_t i = s->standing->count; i < s->aim->count && !leads; i++)
        leads = s->aim->frames[i].function == at->function &&
                leads_to(b, edge->to, s->aim->frames[i].block, s->events - 1);
    return leads;
}

static void find(struct search *s)
{
    struct attempt_runs *here = &s->a->runs;
    size_t common = 0;
    if (s->found++) {
        while (common < s->best.count && common < here->count && s->best.items[common] == here->items[common])
            common++;
        s->best.count = common;
        return;
    }
    for (; common < here->count; common++)
        ARRAY_PUSH(&s->best, here->items[common]);
}

/* A way that is still to be tried: out of a block that was come to by the first `runs` of all runs. */
struct crossing {
    size_t runs, depth;
    uint32_t state;
    struct activation *stack;
    const struct replay_successor *edge; /* NULL: from where all ways begin */
};
struct crossings ARRAY_OF(struct crossing);

static void remember(const struct attempt *a, const struct replay_successor *edge, struct crossings *open)
{
    const struct replay *r = a->r;
    struct crossing c = {a->runs.count, r->depth, r->state, ALLOC(struct activation, r->depth + 1), edge};
    memory_copy(c.stack, r->stack, r->depth * sizeof *c.stack);
    ARRAY_PUSH(open, c);
}

static void take_up(struct attempt *a, struct crossing c)
{
    struct replay *r = a->r;
    memory_copy(r->stack, c.stack, c.depth * sizeof *c.stack);
    free(c.stack);
    r->depth = c.depth;
    r->state = c.state;
    r->outside = false;
    a->runs.count = c.runs;
    if (c.edge)
        take_edge(a, c.edge);
}

/* Notes the ways out of the block; returns the only one without an event, or, if there are several, NULL. */
static const struct replay_successor *look_on(struct search *s, struct crossings *open)
{
    const struct replay *r = s->a->r;
    struct replay_state at = r->program->states.items[r->state];
    const struct replay_body *b = &r->program->bodies[at.function];
    const struct replay_successor *only = NULL;
    uint32_t first = b->successor_start[at.block], end = b->successor_start[at.block + 1], ways = 0;
    size_t callers = match_frames(r, s->standing->frames, s->standing->count);
    bool next = false;
    for (uint32_t i = first; i < end; i++) {
        next |= callers < r->depth && may_come_next(s, &at, &b->successors[i], callers + 1 < r->depth);
        if (!b->successors[i].value) {
            only = &b->successors[i];
            ways++;
        }
    }
    if (next)
        find(s);
    for (uint32_t i = first; i < end && ways > 1; i++)
        if (!b->successors[i].value)
            remember(s->a, &b->successors[i], open);
    return ways == 1 ? only : NULL;
}

/* All ways on without an event, depth first; they never meet, so there are few. False: too many. */
static bool search_on(struct search *s)
{
    struct crossings open = {0};
    struct attempt *a = s->a;
    struct replay *r = a->r;
    uint32_t steps = 0;
    remember(a, NULL, &open);
    while (open.count && steps < STEPS_MOST) {
        take_up(a, open.items[--open.count]);
        for (; steps < STEPS_MOST && r->depth && !r->outside; steps++) {
            const struct replay_successor *next = NULL;
            if (!r->program->states.items[r->state].at_last_call) {
                if (pass_call(a) == STUCK)
                    break;
                continue;
            }
            next = look_on(s, &open);
            if (!next)
                break;
            take_edge(a, next);
        }
    }
    for (size_t i = 0; i < open.count; i++)
        free(open.items[i].stack);
    ARRAY_RELEASE(&open);
    return steps < STEPS_MOST;
}

/* Does again what was done, as far as it is kept. */
static void do_again(struct attempt *a, const struct attempt_runs *runs)
{
    struct replay *r = a->r;
    struct replay_program *p = r->program;
    go_back_to(a, 0);
    r->outside = false;
    for (size_t i = 0; i < runs->count; i++) {
        const struct replay_item *item = &runs->items[i]->items[0];
        ARRAY_PUSH(&a->runs, runs->items[i]);
        switch (item->kind) {
        case REPLAY_FLOW:
            r->state = replay_state_at(p, item->function, item->block, 0);
            break;
        case REPLAY_LEAVE:
            pop(r);
            break;
        default: {
            size_t count = a->runs.count, depth = r->depth;
            while (r->depth == depth && pass_call(a) == WENT_ON)
                ;
            a->runs.count = count;
        }
        }
    }
}

/* Behind the calls of the block where control stands: no event was written since. */
static void go_behind_calls(struct attempt *a)
{
    struct replay *r = a->r;
    for (size_t depth = r->depth; !r->program->states.items[r->state].at_last_call && r->depth == depth;)
        if (pass_call(a) == STUCK)
            return;
}

/* From the block before it over the event to the aim; false: it is not the only one, or does not lead there
 * at once. */
static bool go_over_event(struct search *s)
{
    struct attempt *a = s->a;
    struct replay *r = a->r;
    struct replay_state at = r->program->states.items[r->state];
    const struct replay_body *b = &r->program->bodies[at.function];
    const struct replay_successor *next = NULL;
    size_t callers = match_frames(r, s->standing->frames, s->standing->count), ways = 0;
    for (uint32_t i = b->successor_start[at.block]; i < b->successor_start[at.block + 1]; i++)
        if (may_come_next(s, &at, &b->successors[i], callers + 1 < r->depth)) {
            next = &b->successors[i];
            ways++;
        }
    if (ways != 1 || s->events != 1 || !at.at_last_call)
        return false;
    take_edge(a, next);
    struct fork forks[FORKS_MOST];
    size_t found = find_forks(r, s->aim, forks);
    const struct fork *last = &forks[(found - 1) % FORKS_MOST];
    return found && attempt_way(a, last->index,
                                &(const struct aim){s->aim->frames + last->number,
                                                    s->aim->count - last->number, true});
}

/*
 * Over so many events to the aim. Control stands before the first of them; as with counters it is taken to
 * stand at the aim, since nothing but the event lies between, where that is the only way.
 */
static enum replay_arrival go_before_event(struct attempt *a, const struct aim *aim,
                                           const struct replay_standing *standing, uint32_t events,
                                           bool *at_aim)
{
    struct search s = {.a = a, .aim = aim, .standing = standing, .events = events};
    a->r->outside = false;
    bool all = search_on(&s);
    enum replay_arrival how = !all || !s.found ? REPLAY_ASTRAY
                              : s.found == 1   ? REPLAY_ARRIVED
                                               : REPLAY_NEARBY;
    if (how == REPLAY_ASTRAY)
        go_back_to(a, 0);
    else
        do_again(a, &s.best);
    if (how == REPLAY_ARRIVED) {
        go_behind_calls(a);
        *at_aim = go_over_event(&s);
        if (!*at_aim) {
            do_again(a, &s.best);
            go_behind_calls(a);
        }
    }
    ARRAY_RELEASE(&s.best);
    return how;
}

/* ---- */

/* How far each of the frames has come; the youngest stands `at_aim`, or before an event, at the end of its
 * block. */
static void note_lines(struct replay *r, const struct aim *aim, bool at_aim)
{
    size_t number = 0;
    for (size_t i = 0; i < r->depth && number < aim->count; i++) {
        struct replay_frame f = replay_frame(r, i);
        bool youngest = i + 1 == r->depth;
        if (youngest && !at_aim) {
            replay_note_lines(r, i, REPLAY_ALL_LINES);
            return;
        }
        const struct replay_frame *there = &aim->frames[number];
        if (same_place(&f, there) || (youngest && f.function == there->function && f.block == there->block)) {
            replay_note_lines(r, i, there->reached);
            number++;
        }
    }
}

static enum replay_arrival go_to_point(struct attempt *a, const struct replay_standing *standing,
                                       const struct replay_point *point, struct replay_frame *room)
{
    memory_copy(room, standing->frames, standing->count * sizeof *room);
    memory_copy(room + standing->count, standing->frames + point->first, point->count * sizeof *room);
    const struct aim aim = {room, standing->count + point->count, true};
    enum replay_arrival how;
    bool at_aim = true;
    if (point->events)
        how = go_before_event(a, &aim, standing, point->events, &at_aim);
    else
        how = go_to_place(a, &aim) ? REPLAY_ARRIVED : REPLAY_ASTRAY;
    if (how == REPLAY_ARRIVED)
        note_lines(a->r, &aim, at_aim);
    return how == REPLAY_ARRIVED && !at_aim ? REPLAY_BETWEEN : how;
}

enum replay_arrival replay_go_to(struct replay *r, const struct replay_standing *standing)
{
    if (r->damaged || !r->depth)
        return REPLAY_ASTRAY;
    size_t most = standing->count;
    for (size_t i = 0; i < standing->point_count; i++)
        if (standing->count + standing->points[i].count > most)
            most = standing->count + standing->points[i].count;
    struct replay_frame *room = ALLOC(struct replay_frame, most + 1);
    struct attempt a = {.r = r, .before = *r, .stack = ALLOC(struct activation, r->depth)};
    memory_copy(a.stack, r->stack, r->depth * sizeof *a.stack);
    enum replay_arrival how = REPLAY_ASTRAY;
    for (size_t i = 0; i < standing->point_count && how == REPLAY_ASTRAY; i++)
        how = go_to_point(&a, standing, &standing->points[i], room);
    if (!standing->point_count) {
        const struct aim aim = {standing->frames, standing->count, false};
        bool is_entered = standing->in_thunk &&
                          !(r->outside && match_frames(r, standing->frames, standing->count) == r->depth);
        how = !is_entered && go_to_place(&a, &aim) ? REPLAY_ARRIVED : REPLAY_ASTRAY;
        if (how == REPLAY_ARRIVED)
            note_lines(r, &aim, true);
    }
    for (size_t i = 0; how != REPLAY_ASTRAY && i < a.runs.count; i++)
        give(r, a.runs.items[i]);
    replay_flush(r);
    ARRAY_RELEASE(&a.runs);
    free(a.stack);
    free(room);
    return how;
}

void replay_go_outside(struct replay *r)
{
    if (r->depth && !r->outside)
        r->stack[r->depth - 1].state = r->state;
    r->outside = true;
}

bool replay_go_back(struct replay *r, const struct replay_frame *frames, size_t count)
{
    size_t depth = r->damaged || !r->outside ? SIZE_MAX : match_frames(r, frames, count);
    if (depth == SIZE_MAX)
        return false;
    replay_flush(r);
    if (r->consumer.cut)
        r->consumer.cut(r->consumer.context, depth);
    r->depth = depth;
    if (depth)
        r->state = r->stack[depth - 1].state;
    return true;
}
