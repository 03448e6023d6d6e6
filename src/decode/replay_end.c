/*
 * Where a process that died of a signal stood, or a thread that a signal took elsewhere: from what the last
 * event proves control went there without any. That way is the only one: of two ways that part, the next
 * events differ, so no block can be come to by both without an event. Where numbers of paths are the
 * witnesses, or bits, it may not be: then the end is not known.
 *
 * The machine's stack is not replay's: a call in tail position may have become a jump, and its activation is
 * not there. And an interrupted frame is taken to stand at the next branch of the machine's code, which may
 * lie behind an event that was not written; then control stood before that event.
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

/* Per block: can it be come to from `from`, passing so many events at most? [exit]: can the end? */
static bool *find_reached(const struct replay_body *b, uint32_t from, uint32_t events)
{
    uint32_t exit = graph_exit(b->source->graph), count = 0;
    bool *reached = ZALLOC(bool, (size_t)exit + 1), *late = ZALLOC(bool, (size_t)exit + 1);
    uint32_t *list = ALLOC(uint32_t, 2 * ((size_t)exit + 1));
    reached[from] = true;
    list[count++] = from << 1;
    while (count) {
        uint32_t v = list[--count] >> 1, passed = list[count] & 1;
        for (uint32_t i = b->successor_start[v]; i < b->successor_start[v + 1]; i++) {
            uint32_t to = b->successors[i].to, now = passed + (b->successors[i].value != 0);
            bool *seen = now ? &late[to] : &reached[to];
            if (now > events || *seen)
                continue;
            *seen = true;
            if (to != exit)
                list[count++] = to << 1 | now;
        }
    }
    for (uint32_t v = 0; v <= exit; v++)
        reached[v] |= late[v];
    free(late);
    free(list);
    return reached;
}

/* The only way on from a block, over no event, that leads to another one (EXIT: to the end), passing at most
 * so many. NULL: there is none, or several. */
static const struct replay_successor *choose(const struct replay_body *b, uint32_t block, uint32_t wanted,
                                             uint32_t events, bool *several)
{
    *several = false;
    const struct replay_successor *found = NULL;
    uint32_t exit = graph_exit(b->source->graph);
    for (uint32_t i = b->successor_start[block]; i < b->successor_start[block + 1]; i++) {
        const struct replay_successor *s = &b->successors[i];
        bool leads = s->to == wanted;
        if (s->value)
            continue;
        if (!leads && s->to != exit) {
            bool *reached = find_reached(b, s->to, events);
            leads = reached[wanted];
            free(reached);
        }
        if (leads && found) {
            *several = true;
            return NULL;
        }
        if (leads)
            found = s;
    }
    return found;
}

/* Is the next thing on the way an event? */
static bool is_behind_event(const struct replay_body *b, uint32_t block, uint32_t wanted)
{
    for (uint32_t i = b->successor_start[block]; i < b->successor_start[block + 1]; i++) {
        const struct replay_successor *s = &b->successors[i];
        bool leads = s->value && s->to == wanted;
        if (s->value && !leads && s->to != graph_exit(b->source->graph)) {
            bool *reached = find_reached(b, s->to, 0);
            leads = reached[wanted];
            free(reached);
        }
        if (leads)
            return true;
    }
    return false;
}

/* A way that is tried: what it would give out. */
struct attempt {
    struct replay *r;
    struct attempt_runs ARRAY_OF(const struct replay_run *) runs;
};

static void note(struct attempt *a, struct replay_item item, bool branch)
{
    ARRAY_PUSH(&a->runs, replay_single_run(a->r->program, item, 0, branch));
}

enum pace { WENT_ON, ARRIVED, BEFORE_EVENT, STUCK };

/* One step of the youngest activation: towards the place, or, without one, to its end. */
static enum pace go_on(struct attempt *a, const struct replay_frame *to)
{
    struct replay *r = a->r;
    struct replay_program *p = r->program;
    struct replay_state s = p->states.items[r->state];
    const struct replay_body *b = &p->bodies[s.function];
    uint32_t exit = graph_exit(b->source->graph), wanted = to ? to->block : exit;
    if (b->source->bits)
        return STUCK; /* up to a byte of choices was not written */
    if (to && s.block == to->block && s.call == to->call)
        return ARRIVED;
    if (!s.at_last_call) {
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
    bool several;
    const struct replay_successor *next = choose(b, s.block, wanted, 0, &several);
    if (several)
        return STUCK;
    if (!next && is_behind_event(b, s.block, wanted))
        return BEFORE_EVENT;
    if (!next)
        next = choose(b, s.block, wanted, 1, &several);
    if (!next)
        return STUCK;
    bool leave = next->to == exit;
    uint32_t ways = b->successor_start[s.block + 1] - b->successor_start[s.block];
    note(a,
         (struct replay_item){leave ? REPLAY_LEAVE : REPLAY_FLOW, s.function, leave ? s.block : next->to,
                              s.block, next->edge},
         ways > 1);
    if (leave)
        pop(r);
    else
        r->state = replay_state_at(p, s.function, next->to, 0);
    return WENT_ON;
}

/* From where on replay's stack may differ from the frames: activation `index` is frame `number`, and those
 * below are the same. */
struct fork {
    size_t index, number;
};
enum { FORKS_MOST = 64 };

/* The last ones, the deepest last. */
static size_t find_forks(const struct replay *r, const struct replay_frame *frames, size_t count,
                         struct fork *forks)
{
    size_t found = 0, number = 0;
    bool fits = true;
    for (size_t i = 0; i < r->depth && number < count && fits; i++) {
        struct replay_frame f = replay_frame(r, i);
        if (f.function == frames[number].function)
            forks[found++ % FORKS_MOST] = (struct fork){i, number};
        if (same_place(&f, &frames[number]))
            number++;
        else
            fits = may_be_gone(r->program, &f);
    }
    return found;
}

/* Where the youngest activation is to go: NULL: to its end, since it is none of those that stood. */
static const struct replay_frame *target(const struct replay *r, size_t index,
                                         const struct replay_frame *frames, size_t count)
{
    size_t above = r->depth - 1 - index;
    if (above >= count)
        return NULL;
    for (size_t i = 0; i < above; i++) {
        struct replay_frame f = replay_frame(r, index + i);
        if (!same_place(&f, &frames[i]))
            return NULL;
    }
    struct replay_frame youngest = replay_frame(r, r->depth - 1);
    return youngest.function == frames[above].function ? &frames[above] : NULL;
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

/* `index`: the activation that is the first of the frames. */
static bool attempt_way(struct attempt *a, size_t index, const struct replay_frame *frames, size_t count)
{
    struct replay *r = a->r;
    for (uint32_t steps = 0; steps < STEPS_MOST && r->depth > index; steps++) {
        const struct replay_frame *to = target(r, index, frames, count);
        if (r->outside) {
            struct replay_frame f = replay_frame(r, r->depth - 1);
            if (!to || !same_place(&f, to) || r->depth - index == count)
                return to && same_place(&f, to);
            if (!enter_called(a, frames[r->depth - index].function))
                return false;
            continue;
        }
        switch (go_on(a, to)) {
        case WENT_ON:
            break;
        case ARRIVED:
            return r->depth - index == count;
        case BEFORE_EVENT:
            return to;
        case STUCK:
            return false;
        }
    }
    return false;
}

static void put_back(struct replay *r, const struct replay *before, const struct activation *stack)
{
    memcpy(r->stack, stack, before->depth * sizeof *stack);
    r->depth = before->depth;
    r->state = before->state;
    r->outside = before->outside;
}

bool replay_go_to(struct replay *r, const struct replay_frame *frames, size_t count)
{
    if (r->damaged || !r->depth)
        return false;
    struct attempt a = {.r = r};
    struct fork forks[FORKS_MOST];
    size_t found = find_forks(r, frames, count, forks);
    const struct replay before = *r;
    struct activation *stack = ALLOC(struct activation, r->depth);
    memcpy(stack, r->stack, r->depth * sizeof *stack);
    bool arrived = false;
    for (size_t tried = 0; tried < found && tried < FORKS_MOST && !arrived; tried++) {
        const struct fork *fork = &forks[(found - 1 - tried) % FORKS_MOST];
        a.runs.count = 0;
        put_back(r, &before, stack);
        arrived = attempt_way(&a, fork->index, frames + fork->number, count - fork->number);
    }
    if (!arrived)
        put_back(r, &before, stack);
    for (size_t i = 0; arrived && i < a.runs.count; i++)
        give(r, a.runs.items[i]);
    replay_flush(r);
    ARRAY_RELEASE(&a.runs);
    free(stack);
    return arrived;
}

void replay_go_outside(struct replay *r)
{
    if (r->depth && !r->outside)
        r->stack[r->depth - 1].state = r->state;
    r->outside = true;
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
