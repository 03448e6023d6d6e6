/*
 * Rounds of loops that wrote in front of the loop what it would have written in all
 * (format/trace/layout.h). Replay takes them out of the stream when it meets them, and holds them
 * until something that was written later proves that the loop has ended: then the machine goes
 * through their events, as if they had been written one by one.
 *
 * If nothing was written later, the trace was cut, and only the place where control stood can tell:
 *
 *   before   the place lies on the way to the first event of the rounds. None of them has begun.
 *   in       the place lies on the way through the rounds: it is not known in which of them. It is
 *            taken to be in the first, and their functions are declared, wrong by as much as the
 *            rounds would have added at most.
 *   after    the place lies elsewhere. The rounds were done: the loop has no other way out.
 */
#include "decode/trace/replay_machine.h"

enum { FAST_EVENTS = 16, BUFFER_LEAST = 4096, STEPS_MOST = 1 << 16 };

bool replay_read_rounds(struct replay_held *rounds, const uint8_t *at, const uint8_t *end, bool *damaged)
{
    size_t there = (size_t)(end - at);
    uint32_t length = there > 1 ? at[1] : 0, size = 2 + length + 1;
    *damaged = false;
    *rounds = (struct replay_held){0};
    if (there < 2)
        return false;
    if (at[0] != TRACE_ROUNDS || !length || length > TRACE_ROUNDS_EVENTS) {
        *damaged = true;
        return false;
    }
    if (there < size)
        return false;
    if (at[size - 1] == TRACE_ROUNDS_LONG)
        size += 8;
    if (there < size)
        return false;
    memory_copy(rounds->bytes, at, size);
    rounds->length = size;
    rounds->left = at[2 + length] - 1u;
    if (at[2 + length] == TRACE_ROUNDS_LONG) {
        rounds->left = 0;
        for (uint32_t i = 0; i < 8; i++)
            rounds->left |= (uint64_t)(at[size - 8 + i] & 0x7f) << 7 * i;
    }
    return true;
}

/* Appends the events, with those of rounds among them written out, each so many times at most.
 * False: they are damaged, or too many. Rounds inside are shorter than those around them, so the
 * depth has a limit. */
static bool write_out(struct buffer *out, const uint8_t *events, uint32_t length, uint64_t most)
{
    const uint8_t *end = events + length;
    while (events < end) {
        if (*events != TRACE_ROUNDS) {
            buffer_add(out, events++, 1);
        } else {
            struct replay_held inside;
            bool damaged;
            if (!replay_read_rounds(&inside, events, end, &damaged))
                return false;
            for (uint64_t i = 0; i < inside.left && i < most && out->length <= TRACE_ROUNDS_WITHIN; i++)
                if (!write_out(out, events + 2, events[1], most))
                    return false;
            events += inside.length;
        }
        if (out->length > TRACE_ROUNDS_WITHIN)
            return false;
    }
    return true;
}

/* Goes through the events up to `limit`, or until the consumer stops. *begun counts them. */
static bool go_through(struct replay *r, const uint8_t *events, const uint8_t *limit, uint64_t *begun)
{
    struct replay_input in = {.events = events, .events_end = limit};
    bool fine = true;
    while (fine && in.events < limit && !r->stopped) {
        if (r->outside) {
            fine = r->depth;
            if (fine)
                replay_return_from_outside(r);
        } else if (limit - in.events >= FAST_EVENTS && !r->tried) {
            fine = replay_run_on(r, &in, limit);
        } else {
            fine = replay_creep(r, &in, limit) == CREPT;
        }
    }
    *begun += (uint64_t)(in.events - events);
    return fine;
}

bool replay_give_rounds(struct replay *r)
{
    struct replay_held *held = &r->held;
    struct buffer round = {0}, many = {0};
    const uint64_t behind = r->address;
    bool fine = write_out(&round, held->bytes + 2, held->bytes[1], UINT64_MAX) && round.length > held->begun;
    uint64_t copies = fine ? 1 + BUFFER_LEAST / round.length : 0;
    for (uint64_t i = 0; i < copies && i < held->left; i++)
        buffer_add(&many, round.data, round.length);
    while (fine && held->left && !r->stopped) {
        uint64_t now = held->left < copies ? held->left : copies;
        r->address = held->address; /* activations before the first of the events began there */
        fine = go_through(r, many.data + held->begun, many.data + now * round.length, &held->begun);
        held->left -= held->begun / round.length;
        held->begun %= round.length;
    }
    r->address = behind;
    buffer_release(&round);
    buffer_release(&many);
    return fine;
}

/* ---- Rounds that are not proved ---- */

/* What the way to the first event of the rounds goes through, and what two rounds go through. */
struct tried_rounds {
    struct replay_tried before, within;
    struct hash_map passed; /* function and block -> how often in these two */
};

static uint64_t place_key(uint32_t function, uint32_t block)
{
    return ((uint64_t)function << 32 | block) + 1;
}

static void tried_release(struct tried_rounds *t)
{
    ARRAY_RELEASE(&t->before);
    ARRAY_RELEASE(&t->within);
    hash_map_release(&t->passed);
}

/* Replay as it was before something is tried. */
struct snapshot {
    struct replay was;
    struct activation *stack;
};

static struct snapshot snapshot_take(const struct replay *r)
{
    struct snapshot s = {*r, ALLOC(struct activation, r->depth + 1)};
    memory_copy(s.stack, r->stack, r->depth * sizeof *s.stack);
    return s;
}

static void snapshot_restore(struct snapshot *s, struct replay *r)
{
    struct activation *stack = r->stack;
    size_t capacity = r->capacity;
    *r = s->was;
    r->stack = stack;
    r->capacity = capacity;
    memory_copy(r->stack, s->stack, r->depth * sizeof *s->stack);
    free(s->stack);
}

bool replay_is_near_event(struct replay *r)
{
    static const uint8_t none[1];
    struct snapshot before = snapshot_take(r);
    struct replay_tried tried = {0};
    struct replay_input in = {.events = none, .events_end = none};
    enum creep how = CREPT;
    r->tried = &tried;
    for (uint32_t steps = 0; how == CREPT && !r->outside && steps < STEPS_MOST; steps++)
        how = replay_creep(r, &in, none);
    snapshot_restore(&before, r);
    ARRAY_RELEASE(&tried);
    return how == CREEP_NEEDS_EVENT;
}

/* Goes through one of the events. A witness may have two bytes; one is not enough then. */
static bool pass_event(struct replay *r, const struct buffer *round, size_t *at)
{
    uint64_t begun = 0;
    for (size_t width = 1; width <= 2 && *at + width <= round->length && !begun; width++)
        (void)go_through(r, round->data + *at, round->data + *at + width, &begun);
    *at += begun;
    return begun > 0;
}

/* Tries them, and leaves replay as it was. */
static bool try_rounds(struct replay *r, struct tried_rounds *t)
{
    struct buffer round = {0};
    struct snapshot before = snapshot_take(r);
    *t = (struct tried_rounds){0};
    bool fine = write_out(&round, r->held.bytes + 2, r->held.bytes[1], UINT64_MAX) && round.length;
    r->address = r->held.address;
    r->tried = &t->before;
    for (int i = 0; fine && i < 2; i++)
        for (size_t e = 0; fine && e < round.length;) {
            fine = pass_event(r, &round, &e);
            r->tried = &t->within;
        }
    /* The edge with the first event belongs to the rounds. */
    if (t->before.count)
        ARRAY_PUSH(&t->within, t->before.items[--t->before.count]);
    snapshot_restore(&before, r);
    buffer_release(&round);
    for (size_t i = 0; i < t->within.count; i++)
        for (uint32_t k = 0; k < t->within.items[i]->item_count; k++) {
            const struct replay_item *item = &t->within.items[i]->items[k];
            ++*hash_map_put(&t->passed, place_key(item->function, item->block), NULL);
        }
    return fine;
}

static enum replay_side side_of(const struct replay *r, const struct tried_rounds *t,
                                const struct replay_frame *frame)
{
    if (hash_map_get(&t->passed, place_key(frame->function, frame->block)))
        return IN_ROUNDS;
    struct replay_frame now = replay_frame(r, r->depth - 1);
    bool before = now.function == frame->function && now.block == frame->block;
    for (size_t i = 0; i < t->before.count && !before; i++)
        for (uint32_t k = 0; k < t->before.items[i]->item_count; k++)
            before |= t->before.items[i]->items[k].function == frame->function &&
                      t->before.items[i]->items[k].block == frame->block;
    return before ? BEFORE_ROUNDS : AFTER_ROUNDS;
}

static enum replay_side side_of_standing(const struct replay *r, const struct tried_rounds *t,
                                         const struct replay_standing *standing)
{
    enum replay_side side = IN_ROUNDS;
    if (standing->merged || standing->in_thunk)
        return IN_ROUNDS;
    if (!standing->point_count && standing->count)
        side = side_of(r, t, &standing->frames[standing->count - 1]);
    for (size_t i = 0; i < standing->point_count; i++) {
        const struct replay_point *point = &standing->points[i];
        size_t last = point->count ? point->first + point->count : standing->count;
        enum replay_side now = last ? side_of(r, t, &standing->frames[last - 1]) : IN_ROUNDS;
        if (i && now != side)
            return IN_ROUNDS;
        side = now;
    }
    return side;
}

/* Notes how often each function may have passed one of its blocks in the rounds at most. */
static void note_doubts(struct replay *r, const struct tried_rounds *t)
{
    r->doubts.count = 0;
    for (uint32_t f = 0; f < r->program->count; f++) {
        uint64_t most = 0, sum;
        for (uint32_t b = 0; b < graph_exit(r->program->bodies[f].source->graph); b++) {
            const uint64_t *times = hash_map_get(&t->passed, place_key(f, b));
            most = times && *times > most ? *times : most;
        }
        if (most)
            ARRAY_PUSH(&r->doubts, ((struct replay_doubt){
                                       f, __builtin_mul_overflow(most, r->held.left + 1, &sum) ? 0 : sum}));
    }
}

enum replay_side replay_side_of_rounds(struct replay *r, const struct replay_standing *standing)
{
    struct tried_rounds t = {0};
    enum replay_side side = IN_ROUNDS;
    if (r->depth && try_rounds(r, &t) && standing)
        side = side_of_standing(r, &t, standing);
    note_doubts(r, &t);
    tried_release(&t);
    return side;
}

enum replay_arrival replay_go_into_rounds(struct replay *r, const struct replay_standing *standing,
                                          replay_goer *go_to)
{
    const uint64_t behind = r->address;
    struct buffer round = {0};
    enum replay_arrival how = REPLAY_ASTRAY;
    bool fine = write_out(&round, r->held.bytes + 2, r->held.bytes[1], 1);
    for (size_t at = 0; fine;) {
        how = go_to(r, standing);
        if (how != REPLAY_ASTRAY)
            break;
        r->address = r->held.address;
        fine = at < round.length && pass_event(r, &round, &at);
        r->address = behind;
    }
    buffer_release(&round);
    return how;
}

void replay_drop_rounds(struct replay *r)
{
    if (r->held.left)
        replay_side_of_rounds(r, NULL);
    r->held.left = 0;
}

size_t replay_doubts(const struct replay *r, const struct replay_doubt **doubts)
{
    *doubts = r->doubts.items;
    return r->doubts.count;
}
