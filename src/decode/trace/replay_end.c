/*
 * Goes to where control stood when a signal took it away for ever: the process died or ended, a
 * handler jumped, or a thread was cancelled.
 *
 * 1. From where the last event proves control to be it went there without an event. There is only
 *    one such way: where two ways part, their next events differ, so no block can be reached by
 *    both without an event. With numbers of paths or bits as witnesses there may be several ways:
 *    then the end is not known.
 * 2. The position of an interrupted instruction may not be known, while that of later code is. If
 *    events are written between them, control has still to write these. Then it stands before the
 *    first of them, in the block that this event leads out of, on a way that leads over as many of
 *    them to the known position. There may be several such blocks, where the compiler made one
 *    store of several: then control stands in one of them, and only the part that all ways to them
 *    have in common is known.
 * 3. Control stood where its whole stack is the one that was recorded: a recursion that returns
 *    comes by the same position again and again. The machine's stack is not replay's: a call in
 *    tail position may have become a jump, and its activation has no frame (replay_match.h). A
 *    function that does so with itself may have come there any number of times: then the end is not
 *    known.
 * 4. `calls` may rise before a call is made; after the call it may rise only when the next one is
 *    made.
 */
#include "decode/trace/replay_machine.h"
#include "decode/trace/replay_match.h"
#include "plan/witness.h"

/* How many steps are tried: a fixed number, and as many as a stack needs to return or to be
 * made. */
enum { STEPS_MOST = 1 << 16, STEPS_OF_FRAME = 64, STEPS_AGAIN = 1 << 12 };

/* Per block: can it be reached from `from` over at most so many events? [exit]: can the end be? */
static bool *find_reached(const struct replay_body *b, uint32_t from, uint32_t events)
{
    uint32_t exit = graph_exit(b->source->graph);
    uint32_t *least = ALLOC(uint32_t, (size_t)exit + 1); /* events on the way that has the fewest */
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

/* The frames to which control went, the oldest first: those of callers, then those of a point. */
struct aim {
    const struct replay_frame *frames;
    size_t count;
    bool interrupted; /* the youngest is in no call */
};

/* A way that is tried, and what it would give out. */
struct attempt {
    struct replay *r;
    const struct replay before; /* where it begins */
    struct activation *stack;
    struct attempt_runs ARRAY_OF(const struct replay_run *) runs;
    struct match match;     /* of the stack, as the way makes it */
    size_t lowest;          /* how many of the activations from which it begins were there all the time */
    size_t steps_left;      /* for all ways that are tried */
    bool several;           /* there are several ways, and nothing tells which control took */
    struct hash_map chosen; /* function, block, wanted -> 1 + number of the successor, or 0 */
};

static void begin_match(struct attempt *a, const struct replay_standing *standing, const struct aim *aim,
                        size_t callers, bool lenient)
{
    match_release(&a->match);
    a->match = (struct match){.r = a->r,
                              .standing = standing,
                              .frames = aim->frames,
                              .count = aim->count,
                              .callers = callers,
                              .lenient = lenient};
}

/* The only silent successor of a block from which silent edges lead to block `wanted` (EXIT: to the
 * end); 1 + its number. 0: there is none, or several. */
static uint32_t find_only_way(const struct replay_body *b, uint32_t block, uint32_t wanted)
{
    uint32_t found = 0;
    for (uint32_t i = b->successor_start[block]; i < b->successor_start[block + 1]; i++) {
        const struct replay_successor *s = &b->successors[i];
        if (s->value || !leads_to(b, s->to, wanted, 0))
            continue;
        if (found)
            return 0;
        found = i + 1;
    }
    return found;
}

static const struct replay_successor *choose(struct attempt *a, uint32_t function, uint32_t block,
                                             uint32_t wanted)
{
    const struct replay_body *b = &a->r->program->bodies[function];
    const uint32_t place[3] = {function, block, wanted};
    bool added;
    uint64_t *known = hash_map_put(&a->chosen, hash_bytes(place, sizeof place), &added);
    if (added)
        *known = find_only_way(b, block, wanted);
    return *known ? &b->successors[*known - 1] : NULL;
}

static void note(struct attempt *a, struct replay_item item, bool branch)
{
    ARRAY_PUSH(&a->runs, replay_single_run(a->r->program, item, 0, branch));
}

/* Goes back to where only the first `count` runs were done. */
static void go_back_to(struct attempt *a, size_t count)
{
    struct replay *r = a->r;
    memory_copy(r->stack, a->stack, a->before.depth * sizeof *a->stack);
    r->depth = a->before.depth;
    r->state = a->before.state;
    r->outside = a->before.outside;
    a->runs.count = count;
    match_forget(&a->match, a->lowest);
}

enum { FORKS_MOST = 64 };
enum pace { WENT_ON, ARRIVED, STUCK };

/*
 * Is the call of code that is not traced none in the machine's code, where the callee was inlined? Then
 * `calls` may rise later, together with those of calls behind it, and control may have passed it.
 */
static bool is_no_call(const struct attempt *a, uint32_t function, uint32_t block, uint32_t call)
{
    const struct replay_standing *standing = a->match.standing;
    if (!standing->point_count || !standing->made || !a->match.count)
        return false;
    enum replay_made made =
        standing->made(standing->context, &(const struct replay_frame){function, block, call},
                       a->match.frames[a->match.count - 1].code);
    return made && !(made & (REPLAY_MADE_CALL | REPLAY_MADE_MERGED));
}

/* Passes the next call of the youngest activation's block, if it has one. */
static enum pace pass_call(struct attempt *a)
{
    struct replay *r = a->r;
    struct replay_program *p = r->program;
    struct replay_state s = p->states.items[r->state];
    const struct replay_body *b = &p->bodies[s.function];
    uint32_t callee = b->callee[b->source->call_start[s.block] + s.call];
    enum replay_call_kind kind = replay_call_at(b, s.block, s.call + 1)->kind;
    if ((kind == REPLAY_CALL_UNKNOWN && !is_no_call(a, s.function, s.block, s.call + 1)) ||
        kind == REPLAY_CALL_JUMP ||
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
    if (!leave) {
        r->state = replay_state_at(p, s.function, next->to, 0);
        return;
    }
    pop(r);
    match_forget(&a->match, r->depth);
    a->lowest = r->depth < a->lowest ? r->depth : a->lowest;
}

/* One step of the youngest activation: towards `to` or, if that is NULL, to its end. */
static enum pace go_on(struct attempt *a, const struct replay_frame *to)
{
    struct replay *r = a->r;
    struct replay_state s = r->program->states.items[r->state];
    const struct replay_body *b = &r->program->bodies[s.function];
    if (b->source->bits)
        return STUCK; /* up to a byte of choices may not have been written */
    if (to && s.block == to->block && s.call == to->call)
        return ARRIVED;
    if (!s.at_last_call)
        return pass_call(a);
    const struct replay_successor *next =
        choose(a, s.function, s.block, to ? to->block : graph_exit(b->source->graph));
    if (!next)
        return STUCK;
    take_edge(a, next);
    return WENT_ON;
}

/* The frame that the youngest activation may be; NULL: it is none of the frames. */
static const struct replay_frame *target(struct attempt *a, const struct aim *aim)
{
    size_t number = match_number(&a->match, a->r->depth - 1);
    struct replay_frame youngest = replay_frame(a->r, a->r->depth - 1);
    return number < aim->count && youngest.function == aim->frames[number].function ? &aim->frames[number]
                                                                                    : NULL;
}

/* Enters a function from outside, which died before it recorded that. */
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

/* `calls` says that control is in a call whose callee is not known, but it is not: it is before or
 * after it. */
static enum pace come_out(struct replay *r, const struct replay_frame *to)
{
    struct replay_frame f = replay_frame(r, r->depth - 1);
    if (f.function == to->function && f.block == to->block && f.call == to->call + 1)
        return ARRIVED;
    r->outside = false;
    return WENT_ON;
}

/* One step of an activation that is in a call of code that is not traced. Control that was interrupted
 * between calls is in none. */
static enum pace go_on_outside(struct attempt *a, const struct aim *aim, const struct replay_frame *to)
{
    struct replay *r = a->r;
    struct replay_frame f = replay_frame(r, r->depth - 1);
    bool is_last = to == &aim->frames[aim->count - 1];
    if (aim->interrupted && to && is_last)
        return come_out(r, to);
    if (!to || !match_same_place(&f, to)) {
        r->outside &= !aim->interrupted;
        return r->outside ? STUCK : WENT_ON;
    }
    if (is_last)
        return ARRIVED;
    return enter_called(a, to[1].function) ? WENT_ON : STUCK;
}

/* Tries the way on which the activations above this one end, and control goes on from there to the
 * frames. *turned: these activations have ended. */
static bool attempt_way(struct attempt *a, size_t index, const struct aim *aim, bool *turned)
{
    struct replay *r = a->r;
    *turned = false;
    while (a->steps_left && r->depth > index) {
        a->steps_left--;
        *turned |= r->depth == index + 1;
        const struct replay_frame *to = *turned ? target(a, aim) : NULL;
        switch (r->outside ? go_on_outside(a, aim, to) : go_on(a, to)) {
        case WENT_ON:
            break;
        case ARRIVED:
            return to == &aim->frames[aim->count - 1];
        case STUCK:
            return false;
        }
    }
    return false;
}

/* The only silent successor of a block; if there are several, the one that leads to the end; or
 * NULL. */
static const struct replay_successor *silent_way(struct attempt *a, const struct replay_state *s)
{
    const struct replay_body *b = &a->r->program->bodies[s->function];
    const struct replay_successor *only = NULL;
    for (uint32_t i = b->successor_start[s->block]; i < b->successor_start[s->block + 1]; i++)
        if (!b->successors[i].value) {
            if (only)
                return choose(a, s->function, s->block, graph_exit(b->source->graph));
            only = &b->successors[i];
        }
    return only;
}

/* May control come there once more without an event, deeper in replay's stack? Functions that call
 * themselves, and have one frame all the time, may make that possible. */
static bool comes_again(struct attempt *a, const struct aim *aim)
{
    struct replay *r = a->r;
    const struct replay_frame *last = &aim->frames[aim->count - 1];
    const size_t depth = r->depth, runs = a->runs.count;
    const uint32_t state = r->state;
    bool again = false;
    for (uint32_t steps = 0; steps < STEPS_AGAIN && r->depth >= depth && !again; steps++) {
        struct replay_state s = r->program->states.items[r->state];
        const struct replay_successor *next = s.at_last_call ? silent_way(a, &s) : NULL;
        bool ends = next && next->to == graph_exit(r->program->bodies[s.function].source->graph);
        if (s.at_last_call ? !next || (ends && r->depth == depth) : pass_call(a) == STUCK)
            break;
        if (next)
            take_edge(a, next);
        struct replay_frame f = replay_frame(r, r->depth - 1);
        again = r->depth > depth && match_same_place(&f, last) && target(a, aim) == last;
    }
    r->depth = depth;
    r->state = state;
    a->runs.count = runs;
    match_forget(&a->match, depth);
    return again;
}

/* Goes to the aim without an event. */
static bool go_to_place(struct attempt *a, const struct aim *aim)
{
    size_t tried = 0, ways = 0, way = 0;
    bool turned = true;
    for (size_t index = a->r->depth; index-- > 0 && turned && tried < FORKS_MOST;) {
        if (match_number(&a->match, index) >= aim->count) /* or MATCH_NONE */
            continue;
        tried++;
        if (attempt_way(a, index, aim, &turned)) {
            way = index;
            ways++;
            if (!a->match.lenient)
                break;
        }
        go_back_to(a, 0);
    }
    a->several = ways > 1 || (ways && tried == FORKS_MOST);
    if (!ways || a->several)
        return false;
    if (a->match.lenient && !attempt_way(a, way, aim, &turned))
        return false;
    a->several = !a->r->outside && comes_again(a, aim);
    return !a->several;
}

/* ---- To the block before an event ---- */

struct search {
    struct attempt *a;
    const struct aim *aim;
    const struct replay_standing *standing;
    uint32_t events;          /* how many lead to the aim */
    size_t found;             /* how many blocks have the event on an edge out of them */
    struct attempt_runs best; /* the runs up to there that all of them have in common */
};

/* Is there a call after the edge by which the function begins once more, in the same frame? */
static bool begins_again(const struct search *s, uint32_t function, const struct replay_successor *edge)
{
    const struct replay_program *p = s->a->r->program;
    const struct replay_body *b = &p->bodies[function];
    uint32_t exit = graph_exit(b->source->graph);
    if (edge->to == exit || !s->standing->made)
        return false;
    bool *reached = find_reached(b, edge->to, 0), begins = false;
    for (uint32_t v = 0; v < exit && !begins; v++)
        for (uint32_t call = 1; reached[v] && call <= replay_block_calls(b, v); call++)
            begins |= replay_call_at(b, v, call)->kind == REPLAY_CALL_KNOWN &&
                      b->callee[b->source->call_start[v] + call - 1] == function &&
                      s->standing->made(s->standing->context, &(const struct replay_frame){function, v, call},
                                        s->aim->frames[s->aim->count - 1].code) &
                          REPLAY_MADE_JUMP;
    free(reached);
    return begins;
}

/* May the edge be the one whose event comes next? It leads to the aim, or, where the activation was
 * inlined, out of it. */
static bool may_come_next(const struct search *s, const struct replay_state *at,
                          const struct replay_successor *edge, bool inlined)
{
    const struct replay *r = s->a->r;
    const struct replay_body *b = &r->program->bodies[at->function];
    uint32_t bytes = s->standing->pending[0];
    uint32_t value = witness_of_bytes(b->width == 1 ? bytes : bytes & 0xff, bytes >> 8, b->width);
    if (!edge->value || bytes > 0xffff || (bytes && !b->source->marks && value != edge->value))
        return false;
    bool leads = inlined && leads_to(b, edge->to, graph_exit(b->source->graph), s->events - 1);
    for (size_t i = s->standing->count; i < s->aim->count && !leads; i++)
        leads = s->aim->frames[i].function == at->function &&
                (leads_to(b, edge->to, s->aim->frames[i].block, s->events - 1) ||
                 begins_again(s, at->function, edge));
    return leads;
}

/* Is the youngest activation above the callers? */
static bool stands_above(const struct search *s)
{
    return match_number(&s->a->match, s->a->r->depth - 1) == s->standing->count;
}

/* Is the one below it above the callers, too? */
static bool is_inlined(const struct search *s)
{
    size_t depth = s->a->r->depth;
    return depth > 1 && stands_above(s) && match_number(&s->a->match, depth - 2) == s->standing->count;
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

/* A way that is still to be tried: out of a block that was reached by the first `runs` of all
 * runs. */
struct crossing {
    size_t runs, depth;
    uint32_t state;
    struct activation *stack;
    const struct replay_successor *edge; /* NULL: the beginning of all ways */
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
    match_forget(&a->match, a->lowest);
    if (c.edge)
        take_edge(a, c.edge);
}

/* Notes the ways out of the block. Returns the only one without an event, or NULL if there are
 * several. */
static const struct replay_successor *look_on(struct search *s, struct crossings *open)
{
    const struct replay *r = s->a->r;
    struct replay_state at = r->program->states.items[r->state];
    const struct replay_body *b = &r->program->bodies[at.function];
    const struct replay_successor *only = NULL;
    uint32_t first = b->successor_start[at.block], end = b->successor_start[at.block + 1], ways = 0;
    bool callers = stands_above(s), next = false;
    for (uint32_t i = first; i < end; i++) {
        next |= callers && may_come_next(s, &at, &b->successors[i], is_inlined(s));
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

/* Tries all ways on without an event, depth first; they never meet, so there are few. False: there
 * are too many, or choices are gathered in bits, up to a byte of which was not written. */
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
            if (r->program->bodies[r->program->states.items[r->state].function].source->bits) {
                steps = STEPS_MOST;
                break;
            }
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

/* Does the runs again that were kept. */
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
            match_forget(&a->match, r->depth);
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

/* Goes on after the calls of the block where control stands: no event was written since. */
static void go_behind_calls(struct attempt *a)
{
    struct replay *r = a->r;
    for (size_t depth = r->depth; !r->program->states.items[r->state].at_last_call && r->depth == depth;)
        if (pass_call(a) == STUCK)
            return;
}

/* Goes from the block before the event over the event to the aim. False: it is not the only block,
 * or the event does not lead there at once. */
static bool go_over_event(struct search *s)
{
    struct attempt *a = s->a;
    struct replay *r = a->r;
    struct replay_state at = r->program->states.items[r->state];
    const struct replay_body *b = &r->program->bodies[at.function];
    const struct replay_successor *next = NULL;
    size_t ways = 0;
    for (uint32_t i = b->successor_start[at.block]; i < b->successor_start[at.block + 1]; i++)
        if (may_come_next(s, &at, &b->successors[i], is_inlined(s))) {
            next = &b->successors[i];
            ways++;
        }
    const struct replay_frame *last = &s->aim->frames[s->aim->count - 1];
    /* Control is in the block already: its event comes before its last code. */
    bool round = at.function == last->function && at.block == last->block;
    if (ways != 1 || s->events != 1 || !at.at_last_call || round)
        return false;
    take_edge(a, next);
    begin_match(a, s->standing, s->aim, s->aim->count, a->match.lenient);
    bool turned;
    for (size_t index = r->depth; index-- > 0;)
        if (match_number(&a->match, index) < s->aim->count)
            return attempt_way(a, index, s->aim, &turned);
    return false;
}

/*
 * Goes to the block before the first of so many events that lead to the aim. Control stands before
 * that event. If there is only one way, it is taken to stand at the aim, as with counters, since
 * only the event lies between.
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

/* ---- The end ---- */

/* Notes how far each of the frames has come. The youngest stands at the aim (at_aim), or before an
 * event at the end of its block. */
static void note_lines(struct attempt *a, const struct aim *aim, bool at_aim)
{
    struct replay *r = a->r;
    for (size_t i = 0; i < r->depth; i++) {
        size_t number = match_number(&a->match, i);
        bool youngest = i + 1 == r->depth;
        if (youngest && !at_aim)
            replay_note_lines(r, i, REPLAY_ALL_LINES);
        else if (number < aim->count && (youngest || match_number(&a->match, i + 1) == number + 1))
            replay_note_lines(r, i, aim->frames[number].reached);
    }
}

static enum replay_arrival go_to_point(struct attempt *a, const struct replay_standing *standing,
                                       const struct replay_point *point, struct replay_frame *room,
                                       bool lenient)
{
    memory_copy(room, standing->frames, standing->count * sizeof *room);
    memory_copy(room + standing->count, standing->frames + point->first, point->count * sizeof *room);
    const struct aim aim = {room, standing->count + point->count, true};
    enum replay_arrival how;
    bool at_aim = true;
    if (!aim.count)
        return REPLAY_ASTRAY;
    begin_match(a, standing, &aim, point->events ? standing->count : aim.count, lenient);
    if (point->events)
        how = go_before_event(a, &aim, standing, point->events, &at_aim);
    else
        how = go_to_place(a, &aim) ? REPLAY_ARRIVED : REPLAY_ASTRAY;
    if (how == REPLAY_ARRIVED)
        note_lines(a, &aim, at_aim);
    else if (how == REPLAY_ASTRAY)
        go_back_to(a, 0);
    return how == REPLAY_ARRIVED && !at_aim ? REPLAY_BETWEEN : how;
}

/* Goes to where the youngest frame is in a call. */
static enum replay_arrival go_to_call(struct attempt *a, const struct replay_standing *standing, bool lenient)
{
    const struct aim aim = {standing->frames, standing->count, false};
    struct replay *r = a->r;
    if (!aim.count)
        return REPLAY_ASTRAY;
    begin_match(a, standing, &aim, aim.count, lenient);
    if (standing->in_thunk) {
        size_t number = match_number(&a->match, r->depth - 1);
        struct replay_frame f = replay_frame(r, r->depth - 1);
        if (!r->outside || number + 1 != aim.count || !match_same_place(&f, &aim.frames[number]))
            return REPLAY_ASTRAY;
    }
    if (!go_to_place(a, &aim)) {
        go_back_to(a, 0);
        return REPLAY_ASTRAY;
    }
    note_lines(a, &aim, true);
    return REPLAY_ARRIVED;
}

/* The length of the longest stack of frames that is aimed at. */
static size_t most_frames(const struct replay_standing *standing)
{
    size_t most = 0;
    for (size_t i = 0; i < standing->point_count; i++)
        most = standing->points[i].count > most ? standing->points[i].count : most;
    return standing->count + most;
}

/* How many activations the frames stand for, or SIZE_MAX. */
static size_t find_depth(const struct replay *r, const struct replay_standing *standing, bool lenient)
{
    struct match m = {.r = r,
                      .standing = standing,
                      .frames = standing->frames,
                      .count = standing->count,
                      .callers = standing->count,
                      .lenient = lenient};
    size_t depth = 0;
    while (depth <= r->depth &&
           match_number(&m, depth) < standing->count) /* r->depth itself comes after all */
        depth++;
    bool all = depth <= r->depth && match_number(&m, depth) == standing->count;
    match_release(&m);
    return all ? depth : SIZE_MAX;
}

/* Is the youngest in a call that stands for several of the source? The trace knows in which one, if
 * all callers fit. */
static bool is_in_merged(const struct replay *r, const struct replay_standing *standing)
{
    struct replay_frame youngest = replay_frame(r, r->depth - 1);
    return r->outside && find_depth(r, standing, false) == r->depth - 1 && standing->made &&
           standing->made(standing->context, &youngest, standing->merged) & REPLAY_MADE_MERGED;
}

/* Control may not have come to the blocks on the way. */
static void doubt_way(struct attempt *a)
{
    for (size_t i = 0; i < a->runs.count; i++) {
        const struct replay_item *item = &a->runs.items[i]->items[0];
        if (item->kind != REPLAY_LEAVE)
            ARRAY_PUSH(&a->r->doubts, ((struct replay_doubt){item->function, 1}));
    }
}

/* Does the way end in a block out of which an event leads to where it began? If that event was written before
 * the last code of the block, control is still there, and has not gone the way. */
static bool goes_round(const struct attempt *a)
{
    const struct replay *r = a->r;
    struct replay_state from = r->program->states.items[a->before.state];
    struct replay_state at = r->program->states.items[r->state];
    const struct replay_body *b = &r->program->bodies[at.function];
    bool round = false;
    if (!a->runs.count || r->depth != a->before.depth || at.function != from.function)
        return false;
    for (uint32_t i = b->successor_start[at.block]; i < b->successor_start[at.block + 1]; i++)
        round |= b->successors[i].value && b->successors[i].to == from.block;
    return round;
}

/* Where the position of the instruction is lost, the point is the next one that is known: the line
 * there may not have begun, and neither may an activation. */
static void doubt_point(struct attempt *a, const struct replay_standing *standing,
                        const struct replay_point *point)
{
    if (point->lost || (point->behind && goes_round(a)))
        doubt_way(a);
    for (size_t i = 0; point->lost && i < point->count; i++)
        ARRAY_PUSH(&a->r->doubts, ((struct replay_doubt){standing->frames[point->first + i].function, 1}));
}

static enum replay_arrival go_to(struct replay *r, const struct replay_standing *standing)
{
    if (r->damaged || !r->depth)
        return REPLAY_ASTRAY;
    if (standing->merged)
        return is_in_merged(r, standing) ? REPLAY_ARRIVED : REPLAY_ASTRAY;
    size_t most = most_frames(standing);
    struct replay_frame *room = ALLOC(struct replay_frame, most + 1);
    struct attempt a = {.r = r,
                        .before = *r,
                        .stack = ALLOC(struct activation, r->depth),
                        .lowest = r->depth,
                        .steps_left = STEPS_MOST + STEPS_OF_FRAME * (r->depth + most)};
    memory_copy(a.stack, r->stack, r->depth * sizeof *a.stack);
    enum replay_arrival how = REPLAY_ASTRAY;
    const struct replay_point *at = NULL;
    for (int lenient = 0; lenient < 2 && how == REPLAY_ASTRAY && !a.several; lenient++) {
        for (size_t i = 0; i < standing->point_count && how == REPLAY_ASTRAY && !a.several; i++)
            at = &standing->points[i], how = go_to_point(&a, standing, at, room, lenient);
        if (!standing->point_count)
            how = go_to_call(&a, standing, lenient);
    }
    if (at && (how == REPLAY_ARRIVED || how == REPLAY_BETWEEN))
        doubt_point(&a, standing, at);
    for (size_t i = 0; how != REPLAY_ASTRAY && i < a.runs.count; i++)
        give(r, a.runs.items[i]);
    replay_flush(r);
    match_release(&a.match);
    hash_map_release(&a.chosen);
    ARRAY_RELEASE(&a.runs);
    free(a.stack);
    free(room);
    return how == REPLAY_ARRIVED && at && at != standing->points ? REPLAY_BEYOND : how;
}

/* If rounds are held, the place tells whether they were done. If it is in them, or the way there is
 * not known, what they add is doubted. */
enum replay_arrival replay_go_to(struct replay *r, const struct replay_standing *standing)
{
    if (!r->held.left || r->damaged) {
        r->doubts.count = 0;
        return go_to(r, standing);
    }
    enum replay_side side = replay_side_of_rounds(r, standing);
    enum replay_arrival how = REPLAY_ASTRAY;
    size_t of_rounds = 0;
    if (side == IN_ROUNDS) {
        how = replay_go_into_rounds(r, standing, go_to);
    } else if (side == BEFORE_ROUNDS || replay_give_rounds(r)) {
        of_rounds = r->doubts.count;
        how = go_to(r, standing);
    }
    r->held.left = 0;
    if (of_rounds && (how == REPLAY_ARRIVED || how == REPLAY_BEYOND || how == REPLAY_BETWEEN)) {
        r->doubts.count -= of_rounds;
        memmove(r->doubts.items, r->doubts.items + of_rounds, r->doubts.count * sizeof *r->doubts.items);
    }
    return how;
}

void replay_go_outside(struct replay *r)
{
    replay_drop_rounds(r);
    r->doubts.count = 0;
    if (r->depth && !r->outside)
        r->stack[r->depth - 1].state = r->state;
    r->outside = true;
}

bool replay_go_back(struct replay *r, const struct replay_standing *standing)
{
    if (r->damaged || !r->outside)
        return false;
    size_t depth = find_depth(r, standing, false);
    if (depth == SIZE_MAX)
        depth = find_depth(r, standing, true);
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
