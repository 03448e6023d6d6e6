/*
 * Every cycle of a function has an event, so each activation that exists passes an edge once more
 * at most; but for rounds of a loop that were written in front of it, which replay knows
 * (replay_doubts). It is not known how many activations calls make: callees may call on, in cycles. A call
 * whose callee is not certain is never passed, since `calls` would be higher than the record of the
 * end says. But the callee may have begun, and died before it recorded that.
 *
 * A thread that runs on until its process is gone tells less. `calls` is in memory that is lost
 * with the process, so calls may have returned (not from traced code, which would have recorded
 * that it was entered). And one store may write the events of several edges after they were passed,
 * so one edge with an event may have been passed, too.
 */
#include "decode/trace/beyond.h"
#include "format/profile/profile.h"

struct place {
    uint32_t function, block, call;
    bool late; /* after an event that was not written yet */
};

struct beyond {
    const struct trace_program *program;
    bool runs; /* the thread was not stopped: calls may have returned, and an event may be due */
    struct ARRAY_OF(struct place) places; /* still to be looked at */
    struct hash_map seen;                 /* function and block that control may come to by itself */
    struct hash_map most;                 /* function + 1 -> 1 + how often, 0: not known */
    struct hash_map ends;                 /* where an activation stood -> 1 + whether it may have ended */
};

static void note(struct beyond *b, uint32_t function, bool called)
{
    bool added;
    uint64_t *most = hash_map_put(&b->most, (uint64_t)function + 1, &added);
    /* With bits, up to 7 choices and the one that is being made may not have been written. */
    if (added)
        *most = called ? 0 : b->program->functions[function].bits ? 1 + 9 : b->runs ? 3 : 2;
    else if (called)
        *most = 0;
}

static void come_to(struct beyond *b, uint32_t function, uint32_t block, bool late)
{
    bool added;
    const uint32_t key[3] = {function, block, late};
    hash_map_put(&b->seen, hash_bytes(key, sizeof key), &added);
    if (added)
        ARRAY_PUSH(&b->places, ((struct place){function, block, 0, late}));
}

static void call(struct beyond *b, uint32_t caller, uint64_t id, bool late)
{
    uint32_t callee = trace_program_callee(b->program, caller, id);
    if (callee == GRAPH_NONE)
        return;
    note(b, callee, true);
    come_to(b, callee, GRAPH_ROOT, late);
}

/* Goes on from a place; true when the end of the activation may have been reached. called: the
 * activation began after the last event, too. */
static bool go_on(struct beyond *b, struct place at, bool called)
{
    const struct replay_function *f = &b->program->functions[at.function];
    uint32_t exit = graph_exit(f->graph);
    bool ends = false;
    for (uint32_t c = f->call_start[at.block] + at.call; c < f->call_start[at.block + 1]; c++) {
        if (!b->runs && (f->calls[c].kind == REPLAY_CALL_UNKNOWN || f->calls[c].kind == REPLAY_CALL_JUMP))
            return false;
        if (f->calls[c].kind == REPLAY_CALL_KNOWN)
            call(b, at.function, f->calls[c].function, at.late);
    }
    for (uint32_t e = 0; e < f->graph->edge_count; e++) {
        const struct edge *edge = &f->graph->edges[e];
        bool event = f->values[e] && !f->bits;
        if (edge->from != at.block || (event && (!b->runs || at.late)) ||
            (edge->kind != EDGE_FLOW && edge->kind != EDGE_EXIT) || (f->landing && f->landing[edge->to]))
            continue;
        note(b, at.function, called);
        if (edge->to == exit)
            ends = true;
        else
            come_to(b, at.function, edge->to, at.late || event);
    }
    return ends;
}

/* Control is in a call that leads to another function: notes which functions may have been
 * entered. */
static void enter_outside(struct beyond *b, const struct replay_frame *frame)
{
    const struct map_function *map = b->program->maps[frame->function];
    uint32_t callee = MAP_CALLEE_UNKNOWN;
    bool found = false;
    if (frame->call && frame->call <= map->blocks[frame->block].call_count)
        callee = map->blocks[frame->block].calls[frame->call - 1].callee;
    for (size_t i = 0; i < b->program->own && callee != MAP_CALLEE_UNKNOWN; i++)
        if (map_name_tag(b->program->maps[i]->name) == map->callees[callee]) {
            note(b, (uint32_t)i, false);
            found = true;
        }
    for (size_t i = 0; i < b->program->own && !found; i++)
        if (b->program->maps[i]->flags & MAP_FUNCTION_ADDRESS_TAKEN)
            note(b, (uint32_t)i, false);
}

/* May an activation that goes on from where it stood have come to its end? Equal ones have the same
 * answer. */
static bool may_end(struct beyond *b, const struct replay_frame *frame)
{
    const uint32_t key[3] = {frame->function, frame->block, frame->call};
    bool added, ended;
    uint64_t *known = hash_map_put(&b->ends, hash_bytes(key, sizeof key), &added);
    if (!added)
        return *known == 2;
    hash_map_release(&b->seen);
    b->seen = (struct hash_map){0};
    ended = go_on(b, (struct place){frame->function, frame->block, frame->call, false}, false);
    while (b->places.count) {
        struct place at = b->places.items[--b->places.count];
        ended |= go_on(b, at, at.function != frame->function) && at.function == frame->function;
    }
    *known = 1 + ended;
    return ended;
}

void trace_doubt_rounds(const struct replay *replay,
                        void (*doubt)(void *context, uint32_t function, int64_t most), void *context)
{
    const struct replay_doubt *doubts;
    for (size_t i = replay_doubts(replay, &doubts); i-- > 0;)
        doubt(context, doubts[i].function,
              doubts[i].most && doubts[i].most <= INT64_MAX ? (int64_t)doubts[i].most : MAX_ERROR_UNKNOWN);
}

void trace_beyond(const struct trace_program *program, const struct replay *replay, bool runs,
                  void (*doubt)(void *context, uint32_t function, int64_t most), void *context)
{
    struct replay_place place = replay_place(replay);
    struct beyond b = {.program = program, .runs = runs};
    size_t depth = place.outside && !runs ? 0 : place.depth;
    bool ended = true;
    if (place.depth) { /* it is not known either how much of its block the youngest has done */
        struct replay_frame frame = replay_frame(replay, place.depth - 1);
        note(&b, frame.function, false);
        if (place.outside)
            enter_outside(&b, &frame);
    }
    for (; depth && ended; depth--) {
        struct replay_frame frame = replay_frame(replay, depth - 1);
        bool youngest = depth == place.depth;
        /* Control may be back in its block; how often is not known if there are several
         * activations. */
        if (!youngest)
            note(&b, frame.function, hash_map_get(&b.most, (uint64_t)frame.function + 1) != NULL);
        ended = may_end(&b, &frame);
    }
    for (size_t i = 0; i < program->count; i++) {
        const uint64_t *most = hash_map_get(&b.most, i + 1);
        if (most)
            doubt(context, (uint32_t)i, *most ? (int64_t)*most - 1 : MAX_ERROR_UNKNOWN);
    }
    trace_doubt_rounds(replay, doubt, context);
    ARRAY_RELEASE(&b.places);
    hash_map_release(&b.seen);
    hash_map_release(&b.most);
    hash_map_release(&b.ends);
}
