/*
 * Threads and handlers may write one stream, one after the other: a stream that its thread has left
 * is taken by the next thread. The list of chunks names the writer at the end of each chunk. Only
 * chunks in which the writer may have changed, and what is not packed, are regenerated.
 */
#include "report/trace.h"

struct finder {
    struct trace_turns *turns;
    uint64_t first; /* position where the walk began */
};

static struct trace_turn *last_turn(struct trace_turns *turns)
{
    return &turns->items[turns->count - 1];
}

/* Begins the turn of a thread or handler, which writes from that position on. */
static void turn_to(struct trace_turns *turns, uint64_t position, uint32_t thread, uint32_t signal)
{
    if (turns->count && last_turn(turns)->first == position) /* the former turn is empty */
        turns->count--;
    if (turns->count)
        last_turn(turns)->end = UINT64_MAX;
    if (turns->count && last_turn(turns)->thread == thread && last_turn(turns)->signal == signal)
        return;
    if (turns->count)
        last_turn(turns)->end = position;
    ARRAY_PUSH(turns, ((struct trace_turn){thread, signal, position, UINT64_MAX}));
}

static void take_record(void *context, const struct trace_record *record, const struct trace_totals *done)
{
    struct finder *f = context;
    uint64_t position = f->first + done->blocks;
    if (record->what == TRACE_THREAD)
        turn_to(f->turns, position, (uint32_t)record[1].what, 0);
    else if (record->what == TRACE_SIGNAL && f->turns->count)
        turn_to(f->turns, position, last_turn(f->turns)->thread, (uint32_t)record[1].what);
}

void trace_turns_find(struct trace_turns *turns, struct trace_walk *walk)
{
    const struct trace_part *part = walk->part;
    const struct trace_chunk_entry *entries = trace_entries(walk);
    struct finder f = {.turns = turns};
    const struct trace_listener listener = {.context = &f, .record = take_record};
    walk->listener = &listener;
    walk->from_block = 0;
    turns->count = 0;
    turn_to(turns, 0, part->chunk_count ? entries[0].thread : part->thread,
            part->chunk_count ? entries[0].signal : part->signal);
    if (!part->chunk_count)
        trace_walk(walk);
    for (size_t first = 0, end; first < part->chunk_count; first = end) {
        for (end = first + 1; end < part->chunk_count && !(entries[end].flags & TRACE_CHUNK_ALONE);)
            end++;
        bool mixed = !first || (end == part->chunk_count && part->rest);
        for (size_t i = first; i < end && !mixed; i++)
            mixed = entries[i].thread != entries[i - 1].thread || entries[i].signal || entries[i - 1].signal;
        if (!mixed)
            continue;
        f.first = entries[first].first_block;
        walk->range_first = first;
        walk->range_end = end;
        trace_walk(walk);
        /* the walk may have ended early, where a part is lost */
        if (end < part->chunk_count || !part->rest)
            turn_to(turns, entries[end - 1].first_block + entries[end - 1].blocks, entries[end - 1].thread,
                    entries[end - 1].signal);
    }
    walk->range_first = walk->range_end = 0;
    /* The last turn ends where the stream does. */
    uint64_t end = f.first + walk->done.blocks;
    if (part->chunk_count && !part->rest)
        end = entries[part->chunk_count - 1].first_block + entries[part->chunk_count - 1].blocks;
    if (turns->count > 1 && last_turn(turns)->first == end)
        turns->count--;
    last_turn(turns)->end = end;
}
