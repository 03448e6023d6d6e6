/*
 * Compares two sequences without holding either in memory: both are regenerated once, and a hash of
 * what happened is kept every PIECE steps. After the last hashes that agree both are regenerated
 * again, and their steps compared.
 */
#include "base/hash.h"
#include "report/trace.h"

enum { PIECE = 1 << 14 };

struct taker {
    uint64_t hash, steps, position;
    uint64_t at, first, end;          /* in the stream: the position, and first and end of the current turn */
    struct ARRAY_OF(uint64_t) hashes; /* after each piece */
    const struct trace_walk *walk;
    bool collect;
    uint64_t from; /* collecting: the first step that is kept */
    struct ARRAY_OF(struct trace_step) kept;
};

static void take_step(struct taker *t, uint32_t kind, uint32_t function, uint32_t block)
{
    struct trace_step step = {.kind = kind, .function = function, .block = block, .position = t->position};
    if (t->collect && t->steps >= t->from && t->kept.count < PIECE)
        ARRAY_PUSH(&t->kept, step);
    t->hash = (t->hash ^ ((uint64_t)kind << 60 ^ (uint64_t)function << 28 ^ block)) * 0x9e3779b97f4a7c15ull;
    t->hash ^= t->hash >> 29;
    t->position += trace_step_is_block(&step);
    if (++t->steps % PIECE == 0 && !t->collect)
        ARRAY_PUSH(&t->hashes, t->hash);
}

static bool take_runs(void *context, const struct replay_run *const *runs, size_t count)
{
    struct taker *t = context;
    for (size_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < runs[i]->item_count; k++) {
            const struct replay_item *item = &runs[i]->items[k];
            const uint64_t at = t->at;
            t->at += trace_step_is_block(&(const struct trace_step){.kind = item->kind});
            /* What follows the last block of a turn, without a block of its own, is not compared. */
            if (t->at > t->first && at < t->end)
                take_step(t, item->kind, item->function, item->block);
        }
    return t->at < t->end && (!t->collect || t->kept.count < PIECE);
}

static void take_leave(void *context, const struct replay *replay, const char *why)
{
    struct taker *t = context;
    (void)replay;
    if (why && t->at > t->first && t->at < t->end)
        take_step(t, TRACE_STEP_GONE, 0, 0);
}

static void take_resume(void *context, const struct replay *replay, bool inherited)
{
    struct taker *t = context;
    (void)replay;
    if (!inherited)
        t->at = t->walk->position;
}

static void regenerate(struct trace_sequence *sequence, struct taker *t)
{
    const struct trace_listener listener = {
        .context = t, .runs = take_runs, .leave = take_leave, .resume = take_resume};
    for (size_t i = 0; i < sequence->turns.count; i++) {
        struct trace_walk *walk = &sequence->walks.items[i];
        t->walk = walk;
        t->first = sequence->turns.items[i].first;
        t->end = sequence->turns.items[i].end;
        walk->listener = &listener;
        walk->from_block = t->first;
        trace_walk_find(walk);
        t->at = walk->from_block;
        if (t->first < t->end)
            trace_walk(walk);
    }
    if (!t->collect)
        ARRAY_PUSH(&t->hashes, t->hash); /* of the last piece */
}

bool trace_compare(struct trace_sequence *sequences, struct trace_difference *difference)
{
    struct taker taken[2] = {0};
    for (int i = 0; i < 2; i++)
        regenerate(&sequences[i], &taken[i]);
    size_t piece = 0;
    while (piece < taken[0].hashes.count && piece < taken[1].hashes.count &&
           taken[0].hashes.items[piece] == taken[1].hashes.items[piece])
        piece++;
    bool equal = taken[0].steps == taken[1].steps && taken[0].hash == taken[1].hash;
    struct taker again[2] = {0};
    for (int i = 0; i < 2 && !equal; i++) {
        again[i] = (struct taker){.collect = true, .from = (uint64_t)piece * PIECE};
        regenerate(&sequences[i], &again[i]);
    }
    *difference = (struct trace_difference){.blocks = taken[0].position};
    size_t at = 0;
    while (!equal && at < again[0].kept.count && at < again[1].kept.count) {
        const struct trace_step *a = &again[0].kept.items[at], *b = &again[1].kept.items[at];
        if (a->kind != b->kind || a->function != b->function || a->block != b->block)
            break;
        at++;
    }
    for (int i = 0; i < 2 && !equal; i++) {
        difference->ended[i] = at >= again[i].kept.count;
        if (!difference->ended[i])
            difference->steps[i] = again[i].kept.items[at];
        difference->position = difference->ended[i] ? difference->position : again[i].kept.items[at].position;
    }
    for (int i = 0; i < 2; i++) {
        ARRAY_RELEASE(&taken[i].hashes);
        ARRAY_RELEASE(&again[i].hashes);
        ARRAY_RELEASE(&again[i].kept);
    }
    return !equal;
}
