/*
 * Replay: one stream after the other through one machine. Its state is a stack of activations, and
 * whether control is inside one of them or in code that is not traced. While enough events lie
 * ahead, replay goes by the tables, a step for each event (replay_tables.h). Near the end of the
 * data it creeps, block by block, as far as something proves that control went there: an event, or
 * a record that says that `calls` is higher or that control came out of traced code.
 *
 * Records that replay takes itself, and when:
 *   an entry       outside, when `calls` is equal
 *   LAND, MOVED    outside, when `calls` and the address are equal: the code that jumped, threw or
 *                  moved was called
 *   LAND_HANDLER   when `calls` and the address are equal, wherever control is: a signal handler
 *                  jumped
 */
#include "decode/trace/replay_machine.h"
#include "plan/witness_bits.h"

#include <inttypes.h>

enum { FAST_EVENTS = 4 };

/* The record at the head of the side stream. */
enum head_kind {
    HEAD_NONE,      /* no record was written before the events that are here */
    HEAD_UNKNOWN,   /* the next record is not here yet */
    HEAD_ENTER,     /* taken outside */
    HEAD_LAND,      /* taken outside, once the address fits */
    HEAD_END,       /* the same, left to the caller */
    HEAD_INTERRUPT, /* taken anywhere once address and calls fit: LAND_HANDLER */
    HEAD_DEATH,     /* the same, left to the caller: STOOD, LEFT, END by a signal */
    HEAD_MOVED,     /* taken outside: thunks move streams */
    HEAD_BEGIN,     /* once the address fits, left to the caller: THREAD, FRAMES */
    HEAD_NOW,       /* left to the caller at once: SIGNAL, and unknown kinds */
};
struct head {
    enum head_kind kind;
    uint64_t calls, address;
    uint32_t records; /* how many replay passes when it takes it */
};

static bool is_addressed(enum head_kind kind)
{
    return kind >= HEAD_LAND && kind <= HEAD_BEGIN;
}

/* Control comes out of traced code before the record is written. */
static bool is_met_outside(enum head_kind kind)
{
    return kind == HEAD_ENTER || kind == HEAD_LAND || kind == HEAD_END || kind == HEAD_MOVED;
}

static struct head read_head(const struct replay_input *in)
{
    size_t left = (size_t)(in->side_end - in->side);
    if (!left || in->side->what == TRACE_NOTHING)
        return (struct head){.kind = left || !in->side_goes_on ? HEAD_NONE : HEAD_UNKNOWN};
    struct head head = {.calls = in->side->calls, .records = 1, .kind = HEAD_ENTER};
    if (in->side->what >= TRACE_KINDS) {
        head.calls &= TRACE_CALLS_MASK;
        return head;
    }
    switch (in->side->what) {
    case TRACE_LAND:
    case TRACE_LAND_HANDLER:
        head.kind = in->side->what == TRACE_LAND ? HEAD_LAND : HEAD_INTERRUPT;
        head.records = 3;
        break;
    case TRACE_MOVED:
        head.kind = HEAD_MOVED;
        head.records = 2;
        break;
    case TRACE_THREAD:
    case TRACE_FRAMES:
        head.kind = HEAD_BEGIN;
        head.records = 2;
        break;
    case TRACE_STOOD:
    case TRACE_LEFT:
        head.kind = HEAD_DEATH;
        head.records = 2;
        break;
    case TRACE_END:
    case TRACE_LOST:
    case TRACE_BACK:
        head.kind = HEAD_END;
        head.records = 2;
        break;
    default:
        head.kind = HEAD_NOW;
        return head;
    }
    if (left < head.records)
        return (struct head){.kind = HEAD_UNKNOWN};
    head.address = head.kind == HEAD_MOVED ? in->side[1].what : in->side[head.records - 1].calls;
    if (in->side->what == TRACE_END && in->side[1].what == TRACE_END_SIGNAL)
        head.kind = HEAD_DEATH;
    return head;
}

/* ---- Moving ---- */

static enum replay_result damaged(struct replay *r, struct error *error, const char *what)
{
    const struct replay_state *s = r->depth ? &r->program->states.items[r->state] : NULL;
    r->damaged = true;
    if (r->depth)
        error_set(error,
                  "does not fit its program: %s, in function %016" PRIx64
                  ", block %u, at event address %" PRIx64 ", calls %" PRIu64,
                  what, r->program->bodies[s->function].source->id, s->block, r->address, r->calls);
    else
        error_set(
            error,
            "does not fit its program: %s, though no traced function was running, at event address %" PRIx64
            ", calls %" PRIu64,
            what, r->address, r->calls);
    return REPLAY_DAMAGED;
}

static const char *what_is_impossible(const struct replay *r, const char *otherwise)
{
    return r->depth >= r->depth_most ? "too many activations" : otherwise;
}

/* Code that is not traced returns to the youngest activation. */
void replay_return_from_outside(struct replay *r)
{
    r->calls += r->program->states.items[r->state].behind_unknown;
    r->outside = false;
}

static uint32_t value_at(const uint8_t *event, uint32_t width)
{
    if (width == 1)
        return event[0] - 1u; /* no witness is 0, or as large as that of a byte 0 */
    return witness_of_bytes(event[0], event[1], 2);
}

static uint32_t edge_between(const struct graph *g, uint32_t from, uint32_t to)
{
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (g->edges[e].from == from && g->edges[e].to == to)
            return e;
    return GRAPH_NONE;
}

/*
 * Finds the activation in which control landed: the youngest of the function that began at that
 * address. If two began at the same address, no event was written between them. An exception does
 * not pass an activation in whose call it could land, so the youngest that stands in such a call is
 * meant.
 */
static size_t find_landing(const struct replay *r, uint64_t id, uint32_t block, uint32_t call, uint64_t entry)
{
    size_t fallback = r->depth;
    for (size_t i = r->depth; i-- > 0;) {
        if (r->stack[i].entry != entry)
            continue;
        struct replay_frame f = replay_frame(r, i);
        const struct replay_function *source = r->program->bodies[f.function].source;
        if (source->id != id)
            continue;
        bool in_last_call =
            r->program->states.items[replay_state_at(r->program, f.function, f.block, f.call)].at_last_call;
        if (call || (f.call && in_last_call && edge_between(source->graph, f.block, block) != GRAPH_NONE))
            return i;
        if (fallback == r->depth)
            fallback = i;
    }
    return fallback;
}

/* Does the activation exist in which a record lands? If not, nothing has proved yet that it
 * began. */
static bool has_landing(const struct replay *r, const struct trace_record *record)
{
    for (size_t i = r->depth; i-- > 0;)
        if ((r->stack[i].entry == record[2].what || r->stack[i].entry == REPLAY_ENTRY_UNKNOWN) &&
            r->program->bodies[replay_frame(r, i).function].source->id == record[1].what)
            return true;
    return false;
}

static bool land(struct replay *r, const struct trace_record *record, struct error *error)
{
    const uint64_t id = record[1].what;
    uint32_t block = (uint32_t)(record[1].calls >> 32), call = (uint32_t)record[1].calls;
    if (!replay_places_know(&r->program->places, id))
        return damaged(r, error, "control landed in a function that is in no map") == REPLAY_MORE;
    size_t index = find_landing(r, id, block, call, record[2].what);
    if (index == r->depth) /* it is not known when a frame began that a child of fork inherited */
        index = find_landing(r, id, block, call, REPLAY_ENTRY_UNKNOWN);
    if (index == r->depth)
        return damaged(r, error, "control landed in no activation") == REPLAY_MORE;
    const uint32_t function = replay_frame(r, index).function;
    const struct replay_body *b = &r->program->bodies[function];
    if (block >= graph_exit(b->source->graph) || call > replay_block_calls(b, block))
        return damaged(r, error, "control landed in no block") == REPLAY_MORE;
    struct replay_item item = {.kind = call ? REPLAY_LAND_BEHIND : REPLAY_LAND,
                               .function = function,
                               .block = block,
                               .from = call ? block : replay_frame(r, index).block,
                               .edge = GRAPH_NONE,
                               .call = call};
    if (!call)
        item.edge = edge_between(b->source->graph, item.from, block);
    replay_flush(r);
    replay_drop_rounds(r);
    if (r->consumer.cut)
        r->consumer.cut(r->consumer.context, index + 1);
    r->doubts.count = 0;
    r->depth = index + 1;
    r->state = replay_state_at(r->program, function, block, call);
    r->calls = record->calls;
    r->outside = false;
    if (call && r->consumer.land_behind)
        r->consumer.land_behind(r->consumer.context, &item);
    give(r, replay_single_run(r->program, item, 0, false));
    return true;
}

/* Goes as far as the codes of one byte lead: only plain calls happen between them. */
static enum creep creep_byte(struct replay *r, struct replay_input *in)
{
    struct replay_program *p = r->program;
    uint32_t byte = *in->events, left = witness_bits_in(byte);
    while (left) {
        struct replay_state s = p->states.items[r->state];
        const struct replay_body *b = &p->bodies[s.function];
        if (!s.at_last_call) {
            if (replay_call_at(b, s.block, s.call + 1)->kind != REPLAY_CALL_PLAIN)
                return CREEP_IMPOSSIBLE;
            r->state = replay_state_at(p, s.function, s.block, s.call + 1);
            continue;
        }
        uint32_t count = b->successor_start[s.block + 1] - b->successor_start[s.block];
        const struct replay_successor *next = &b->successors[b->successor_start[s.block]];
        if (count > 1 || (count && next->value)) {
            uint32_t code = replay_code(b, s.block, byte, left);
            next = code ? replay_decide(p, s.function, s.block, code) : NULL;
        }
        if (!count || !next)
            return CREEP_IMPOSSIBLE;
        left -= next->value ? b->source->bits[s.block] : 0;
        bool leave = next->to == graph_exit(b->source->graph);
        if (leave && left)
            return CREEP_IMPOSSIBLE;
        give(r, replay_single_run(p,
                                  (struct replay_item){leave ? REPLAY_LEAVE : REPLAY_FLOW, s.function,
                                                       leave ? s.block : next->to, s.block, next->edge},
                                  0, count > 1));
        if (leave)
            pop(r);
        else
            r->state = replay_state_at(p, s.function, next->to, 0);
    }
    in->events++;
    r->address++;
    return CREPT;
}

enum creep replay_creep(struct replay *r, struct replay_input *in, const uint8_t *limit)
{
    struct replay_program *p = r->program;
    struct replay_state s = p->states.items[r->state];
    const struct replay_body *b = &p->bodies[s.function];
    uint32_t exit = graph_exit(b->source->graph);
    if (!s.at_last_call) {
        uint32_t number = s.call + 1, callee = b->callee[b->source->call_start[s.block] + s.call];
        switch (replay_call_at(b, s.block, number)->kind) {
        case REPLAY_CALL_PLAIN:
        case REPLAY_CALL_TWICE:
            r->state = replay_state_at(p, s.function, s.block, number);
            return CREPT;
        case REPLAY_CALL_UNKNOWN:
            r->state = replay_state_at(p, s.function, s.block, number);
            r->stack[r->depth - 1].state = r->state;
            r->calls++;
            r->outside = true;
            return CREPT;
        case REPLAY_CALL_JUMP: {
            if (s.kind == STEP_UNBUILT)
                replay_build_state(p, r->state);
            const struct replay_step *step = &p->steps.items[p->states.items[r->state].first];
            give(r, p->runs.items[step->run - 1]);
            r->calls++;
            pop(r);
            r->outside = true;
            return CREPT;
        }
        case REPLAY_CALL_KNOWN:
            if (callee == GRAPH_NONE || p->bodies[callee].ambiguous || r->depth >= r->depth_most)
                return CREEP_IMPOSSIBLE;
            r->state = replay_state_at(p, s.function, s.block, number);
            push(r, replay_state_at(p, callee, GRAPH_ROOT, 0), false);
            give(r, replay_single_run(
                        p, (struct replay_item){REPLAY_ENTER, callee, 0, 0, p->bodies[callee].entry_edge}, 0,
                        false));
            return CREPT;
        }
    }
    uint32_t count = b->successor_start[s.block + 1] - b->successor_start[s.block];
    const struct replay_successor *next = &b->successors[b->successor_start[s.block]];
    if (!count)
        return CREEP_DEAD;
    if (count > 1 || next->value) {
        if (limit - in->events < b->width)
            return CREEP_NEEDS_EVENT;
        if (b->source->bits)
            return *in->events > 1 ? creep_byte(r, in) : CREEP_IMPOSSIBLE;
        next = replay_decide(p, s.function, s.block, value_at(in->events, b->width));
        if (!next)
            return CREEP_IMPOSSIBLE;
    }
    uint32_t events = next->value ? b->width : 0;
    bool leave = next->to == exit;
    in->events += events;
    r->address += events;
    give(r, replay_single_run(p,
                              (struct replay_item){leave ? REPLAY_LEAVE : REPLAY_FLOW, s.function,
                                                   leave ? s.block : next->to, s.block, next->edge},
                              events, count > 1));
    if (leave)
        pop(r);
    else
        r->state = replay_state_at(p, s.function, next->to, 0);
    return CREPT;
}

/* Puts the activations of leaves that tables saw through on the stack. */
static void leave_tables(struct replay *r)
{
    uint32_t outer = r->program->states.items[r->state].outer;
    if (!outer)
        return;
    struct replay_state inner = r->program->states.items[r->state];
    r->state = outer - 1;
    leave_tables(r); /* as deep as leaves are */
    push(r, replay_state_at(r->program, inner.function, inner.block, inner.call), false);
}

/* Makes room for one more activation; false: there are too many. */
static bool grow(struct replay *r, size_t depth, size_t *room)
{
    r->depth = depth;
    if (depth >= r->depth_most)
        return false;
    replay_make_room(r);
    *room = r->capacity < r->depth_most ? r->capacity : r->depth_most;
    return true;
}

/*
 * Goes by the tables while events lie ahead that prove what is given out. Takes records of
 * functions that are entered from outside; all other records are left to feed(). False: the data
 * are impossible.
 */
static bool run(struct replay *r, struct replay_input *in, const uint8_t *limit, bool enters,
                uint64_t head_calls)
{
    struct replay_program *p = r->program;
    const uint8_t *event = in->events, *start = event;
    const bool listens = r->consumer.runs;
    uint64_t base = r->address, calls = r->calls;
    uint32_t state = r->state;
    size_t depth = r->depth, room = r->capacity < r->depth_most ? r->capacity : r->depth_most;
    bool fine = true, outside = r->outside;
    const struct replay_state *states = p->states.items; /* valid while no state is made */
    struct replay_step *steps = p->steps.items;
    while (limit - event >= FAST_EVENTS) {
        if (outside) {
            if (head_calls != calls) {
                if (!depth || head_calls < calls)
                    break;
                calls += states[state].behind_unknown;
                outside = false;
                continue;
            }
            const struct replay_entry *entry = enters ? replay_find_entry(p, in->side) : NULL;
            states = p->states.items;
            if (!entry || (depth >= room && !grow(r, depth, &room)))
                break;
            if (depth)
                r->stack[depth - 1].state = state;
            r->stack[depth++] =
                (struct activation){.entry = base + (uint64_t)(event - start), .called = true};
            state = entry->state;
            outside = false;
            give(r, entry->run);
            in->side++;
            enters = in->side < in->side_end && in->side->what >= TRACE_KINDS;
            if (!enters || r->stopped)
                limit = event; /* from here on other code asks how far events go */
            else
                head_calls = in->side->calls & TRACE_CALLS_MASK;
            continue;
        }
        const struct replay_state *s = &states[state];
        uint32_t number = s->first, width = 0;
        if (s->kind == STEP_EVENT) {
            width = s->width;
            uint32_t value = value_at(event, width);
            number = value - s->least < s->size ? number + (value - s->least) : 0;
        }
        struct replay_step *step = &steps[number];
        event += width; /* right most of the time, so that the next load need not wait for the step */
        if (step->events != width)
            event -= width;
        step->times++;
        if (listens && step->run) {
            pass_on(r, p->runs.items[step->run - 1]);
            limit = r->stopped ? event : limit;
        }
        switch (step->kind) {
        case STEP_EVENT:
            state = step->next;
            break;
        case STEP_CALL:
            if (depth >= room && !grow(r, depth, &room)) {
                step->times--;
                event -= step->events;
                limit = event;
                fine = false;
                break;
            }
            r->stack[depth - 1].state = step->next;
            r->stack[depth++] =
                (struct activation){.entry = base + (uint64_t)(event - start), .called = false};
            state = step->callee;
            break;
        case STEP_RETURN:
            outside = r->stack[--depth].called;
            if (depth)
                state = r->stack[depth - 1].state;
            break;
        case STEP_OUTSIDE:
            state = step->next;
            if (calls + 1 < head_calls) {
                calls += 2;
            } else {
                calls++;
                r->stack[depth - 1].state = state;
                outside = true;
            }
            break;
        case STEP_JUMP:
            calls++;
            if (--depth)
                state = r->stack[depth - 1].state;
            outside = true;
            break;
        case STEP_UNBUILT: /* of a state, or of one of its values */
            step->times = 0;
            if (s->kind == STEP_UNBUILT)
                replay_build_state(p, state);
            else
                fine = replay_build_step(p, state, value_at(event, s->width)) != 0;
            states = p->states.items;
            steps = p->steps.items;
            limit = fine ? limit : event;
            break;
        default:
            fine = false;
            limit = event;
        }
    }
    in->events = event;
    r->address = base + (uint64_t)(event - start);
    r->calls = calls;
    r->state = state;
    r->depth = depth;
    r->outside = outside;
    if (!outside)
        leave_tables(r);
    return fine;
}

bool replay_run_on(struct replay *r, struct replay_input *in, const uint8_t *limit)
{
    return run(r, in, limit, false, UINT64_MAX);
}

static bool is_in_map(const struct replay_program *p, const struct trace_record *entry)
{
    uint32_t module;
    return replay_module(p, trace_record_module(entry), &module) &&
           (module == REPLAY_MODULE_UNKNOWN
                ? replay_places_know(&p->places, entry->what)
                : replay_places_find(&p->places, entry->what, module) != GRAPH_NONE);
}

/* Takes the record at the head if its time has come. */
enum taken { NOT_YET, TAKEN, FOR_CALLER, DOES_NOT_FIT };

static enum taken take(struct replay *r, struct replay_input *in, const struct head *head,
                       struct error *error)
{
    switch (head->kind) {
    case HEAD_NONE:
    case HEAD_UNKNOWN:
        return NOT_YET;
    case HEAD_NOW:
        return FOR_CALLER;
    case HEAD_MOVED:
        if (!r->outside || r->calls != head->calls || r->address != head->address)
            return NOT_YET;
        r->address = in->side[1].calls;
        break;
    case HEAD_BEGIN:
        return r->address == head->address ? FOR_CALLER : NOT_YET;
    case HEAD_INTERRUPT:
    case HEAD_DEATH:
        if (r->calls != head->calls || r->address != head->address)
            return NOT_YET;
        if (head->kind == HEAD_DEATH)
            return FOR_CALLER;
        if (!r->outside && !has_landing(r, in->side))
            return NOT_YET;
        if (!land(r, in->side, error))
            return DOES_NOT_FIT;
        break;
    case HEAD_LAND:
    case HEAD_END:
        if (!r->outside || r->calls != head->calls || r->address != head->address)
            return NOT_YET;
        if (head->kind == HEAD_END)
            return FOR_CALLER;
        if (!land(r, in->side, error))
            return DOES_NOT_FIT;
        break;
    case HEAD_ENTER: {
        if (!r->outside || r->calls != head->calls)
            return NOT_YET;
        const struct replay_entry *entry = replay_find_entry(r->program, in->side);
        if (!entry || r->depth >= r->depth_most) {
            damaged(r, error,
                    entry ? "too many activations"
                    : is_in_map(r->program, in->side)
                        ? "one of several functions with the same id was entered"
                        : "a function was entered that is in no map");
            return DOES_NOT_FIT;
        }
        push(r, entry->state, true);
        give(r, entry->run);
        break;
    }
    }
    in->side += head->records;
    return TAKEN;
}

/* How far events were written before the record at the head. */
static const uint8_t *events_before(const struct replay *r, const struct replay_input *in,
                                    const struct head *head)
{
    if (!is_addressed(head->kind))
        return in->events_end;
    uint64_t count = head->address - r->address;
    return count < (uint64_t)(in->events_end - in->events) ? in->events + count : in->events_end;
}

/* Takes rounds out of the stream and holds them. */
static void take_rounds(struct replay *r, struct replay_input *in, const struct replay_held *rounds)
{
    r->held = *rounds;
    r->held.address = r->address;
    in->events += rounds->length;
    r->address += rounds->length;
}

/* The first rounds among the events, or limit. `known`: what was found when it was last asked. */
static const uint8_t *find_rounds(const struct replay_input *in, const uint8_t *limit, const uint8_t **known)
{
    if (!*known || *known < in->events) {
        const uint8_t *found = in->events < in->events_end
                                   ? memchr(in->events, TRACE_ROUNDS, (size_t)(in->events_end - in->events))
                                   : NULL;
        *known = found ? found : in->events_end;
    }
    return *known < limit ? *known : limit;
}

static enum replay_result feed(struct replay *r, struct replay_input *in, struct error *error)
{
    const uint8_t *first_rounds = NULL;
    while (!r->stopped) {
        struct head head = read_head(in);
        bool holds = r->held.left;
        /* What is met outside comes after all rounds. */
        switch (holds && is_met_outside(head.kind) ? NOT_YET : take(r, in, &head, error)) {
        case TAKEN:
            continue;
        case FOR_CALLER:
            return REPLAY_RECORD;
        case DOES_NOT_FIT:
            return REPLAY_DAMAGED;
        case NOT_YET:
            break;
        }
        if (head.kind == HEAD_UNKNOWN)
            return REPLAY_MORE; /* the record may belong before any event */
        const uint8_t *end = events_before(r, in, &head), *limit = find_rounds(in, end, &first_rounds);
        if (is_addressed(head.kind) && (int64_t)(head.address - r->address) < 0)
            return damaged(r, error, "a record from before");
        bool has_head = head.kind != HEAD_NONE;
        bool ahead = in->events < limit; /* an event proves that control goes on */
        bool counted = has_head && head.calls > r->calls && head.kind != HEAD_BEGIN;
        const bool rounds = !ahead && limit < end; /* they come next */
        if (holds) {
            bool interrupts = head.kind == HEAD_INTERRUPT && r->address == head.address;
            bool proved = ahead || rounds || counted || (is_met_outside(head.kind) && head.calls == r->calls);
            if (!proved && !interrupts)
                return REPLAY_MORE;
            if (!proved) /* the activation in which control lands begins with them */
                replay_side_of_rounds(r, NULL);
            if (!replay_give_rounds(r))
                return damaged(r, error, "impossible rounds");
            continue;
        }
        if (rounds) {
            bool is_damaged;
            struct replay_held next;
            ahead = replay_read_rounds(&next, in->events, end, &is_damaged);
            if (!ahead && (is_damaged || end != in->events_end))
                return damaged(r, error, "impossible rounds");
            /* If they are the last, the way to them is not proved. */
            if (ahead && !r->outside && in->events + next.length == end && replay_is_near_event(r)) {
                take_rounds(r, in, &next);
                continue;
            }
        }
        if (r->outside) {
            if (!ahead && !counted)
                return REPLAY_MORE;
            if (!r->depth)
                return damaged(r, error, ahead ? "an event" : "a record that no call leads to");
            replay_return_from_outside(r);
            if (is_met_outside(head.kind) && head.calls < r->calls)
                return damaged(r, error, "a record that does not fit");
            continue;
        }
        /* Control comes out to where the record is met, or goes on to the activation it lands
         * in. */
        bool leaves = (is_met_outside(head.kind) || head.kind == HEAD_INTERRUPT) && head.calls == r->calls;
        bool passed = (is_met_outside(head.kind) || head.kind == HEAD_INTERRUPT || head.kind == HEAD_DEATH) &&
                      head.calls < r->calls;
        if (!ahead && !counted && !leaves && !passed)
            return REPLAY_MORE;
        if (passed)
            return damaged(r, error, "a record that does not fit");
        if (limit - in->events >= FAST_EVENTS) {
            uint64_t head_calls = head.kind == HEAD_NONE || head.kind == HEAD_BEGIN ? UINT64_MAX : head.calls;
            if (!run(r, in, limit, head.kind == HEAD_ENTER, head_calls))
                return damaged(r, error, what_is_impossible(r, "an impossible event"));
            continue;
        }
        switch (replay_creep(r, in, limit)) {
        case CREPT:
            continue;
        case CREEP_IMPOSSIBLE:
            return damaged(r, error, what_is_impossible(r, "an impossible event or call"));
        case CREEP_NEEDS_EVENT:
            if (rounds && ahead) {
                struct replay_held next;
                bool is_damaged;
                if (replay_read_rounds(&next, in->events, end, &is_damaged))
                    take_rounds(r, in, &next);
                if (!replay_give_rounds(r))
                    return damaged(r, error, "impossible rounds");
                continue;
            }
            /* fall through */
        case CREEP_DEAD:
            if (head.kind == HEAD_END && r->address == head.address)
                return REPLAY_RECORD; /* it ended between calls */
            if (end == in->events_end && !(is_addressed(head.kind) && r->address == head.address))
                return REPLAY_MORE;
            return damaged(r, error, "a record that does not fit");
        }
    }
    return REPLAY_STOPPED;
}

enum replay_result replay_feed(struct replay *r, struct replay_input *in, struct error *error)
{
    if (r->damaged)
        return damaged(r, error, "nothing can be replayed behind damage");
    r->stopped = false;
    enum replay_result result = feed(r, in, error);
    replay_flush(r);
    return result == REPLAY_MORE && r->stopped ? REPLAY_STOPPED : result;
}
