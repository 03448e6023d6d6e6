/*
 * Finds where something ran without looking at every block. Chunks are regenerated without a
 * listener, which only counts runs (decode/trace/replay.h); a chunk in which runs were counted that
 * hold what is looked for is regenerated once more, run by run.
 */
#include "base/hash.h"
#include "report/report.h"
#include "report/trace.h"

#include <inttypes.h>
#include <poll.h>

/* What is known of a run. */
enum { UNKNOWN, WITHOUT, WITH };

typedef bool found_function(void *context, uint64_t position, uint32_t thread,
                            const struct replay_item *item);

struct seeker {
    const struct trace_view *v;
    const struct trace_spot *spot;
    struct trace_walk *walk;
    uint64_t from, to; /* positions; both included */
    uint64_t position;
    uint32_t thread;
    struct ARRAY_OF(uint8_t) runs; /* by id */
    uint64_t *times;               /* the same; room for so many: */
    size_t room;
    found_function *found;
    void *context;
    bool over, any;
    uint64_t lost;
};

static bool is_at(const struct trace_spot *spot, uint32_t kind, uint32_t function, uint32_t block)
{
    if (spot->is_position)
        return true; /* the window says which */
    if (!spot->blocks || !spot->blocks[function] || !spot->blocks[function][block])
        return false;
    return spot->is_line || block != GRAPH_ROOT || kind != REPLAY_FLOW;
}

bool trace_reader_left(const struct trace_view *v)
{
    struct pollfd p = {.fd = fileno(v->out)};
    return ferror(v->out) || (p.fd >= 0 && poll(&p, 1, 0) > 0 && p.revents & POLLERR);
}

static bool is_block(const struct replay_item *item)
{
    return trace_step_is_block(&(const struct trace_step){.kind = item->kind});
}

static bool has(struct seeker *s, const struct replay_run *run)
{
    while (s->runs.count <= run->id)
        ARRAY_PUSH(&s->runs, (uint8_t)UNKNOWN);
    uint8_t *known = &s->runs.items[run->id];
    for (uint32_t i = 0; *known == UNKNOWN && i < run->item_count; i++) {
        const struct replay_item *item = &run->items[i];
        if (is_block(item) && is_at(s->spot, item->kind, item->function, item->block))
            *known = WITH;
    }
    if (*known == UNKNOWN)
        *known = WITHOUT;
    return *known == WITH;
}

static bool take_runs(void *context, const struct replay_run *const *runs, size_t count)
{
    struct seeker *s = context;
    for (size_t i = 0; i < count && !s->over; i++) {
        const struct replay_run *run = runs[i];
        if (s->position + run->block_count <= s->from || !has(s, run)) {
            s->position += run->block_count;
            s->over = s->position > s->to;
            continue;
        }
        for (uint32_t k = 0; k < run->item_count && !s->over; k++) {
            const struct replay_item *item = &run->items[k];
            if (!is_block(item))
                continue;
            if (s->position >= s->from && s->position <= s->to &&
                is_at(s->spot, item->kind, item->function, item->block)) {
                s->any = true;
                s->over = !s->found(s->context, s->position, s->thread, item);
            }
            s->position++;
        }
    }
    return !s->over;
}

static void take_resume(void *context, const struct replay *replay, bool inherited)
{
    struct seeker *s = context;
    (void)replay;
    if (!inherited)
        s->position = s->walk->position;
}

static void take_record(void *context, const struct trace_record *record, const struct trace_totals *done)
{
    struct seeker *s = context;
    (void)done;
    if (record->what == TRACE_THREAD)
        s->thread = (uint32_t)record[1].what;
}

static void show_progress(void *context, uint64_t events)
{
    struct seeker *s = context;
    if (s->v->progress)
        progress_update(s->v->progress, events);
    s->over |= trace_reader_left(s->v);
}

/* Returns how often runs were given out that hold what is looked for. */
static uint64_t count_times(struct seeker *s)
{
    size_t count = replay_run_count(s->walk->program);
    uint64_t sum = 0;
    if (s->room < count) {
        s->room = 2 * count;
        free(s->times);
        s->times = ALLOC(uint64_t, s->room);
    }
    if (count)
        replay_count_runs(s->walk->program, s->times);
    for (size_t i = 0; i < count; i++)
        if (has(s, replay_run_at(s->walk->program, (uint32_t)i)))
            sum += s->times[i];
    return sum;
}

/* Looks through one range of chunks, or through the whole stream. */
static void seek_in(struct seeker *s, size_t first, size_t end)
{
    const struct trace_part *part = s->walk->part;
    const struct trace_chunk_entry *entries = trace_entries(s->walk);
    const struct trace_listener listener = {
        .context = s, .runs = take_runs, .resume = take_resume, .record = take_record};
    const struct trace_listener nobody = {.context = s, .progress = show_progress};
    s->walk->range_first = first;
    s->walk->range_end = end;
    s->walk->from_block = 0;
    if (end) {
        uint64_t before = count_times(s);
        s->walk->listener = &nobody;
        trace_walk(s->walk);
        s->lost += s->walk->lost;
        if (s->over || count_times(s) == before)
            return;
    }
    s->position = end ? entries[first].first_block : 0;
    s->thread = first ? entries[first - 1].thread : part->thread;
    s->walk->listener = &listener;
    trace_walk(s->walk);
    if (!end)
        s->lost += s->walk->lost;
}

/* Calls `found` for every time control is there, from one position up to another, as long as it
 * returns true. Returns false if control never was there. */
static bool seek(const struct trace_view *v, const struct trace_spot *spot, struct trace_walk *walk,
                 uint64_t from, uint64_t to, found_function *found, void *context, uint64_t *lost)
{
    struct seeker s = {
        .v = v, .spot = spot, .walk = walk, .from = from, .to = to, .found = found, .context = context};
    const struct trace_part *part = walk->part;
    const struct trace_chunk_entry *entries = trace_entries(walk);
    if (!part->chunk_count)
        seek_in(&s, 0, 0);
    for (size_t first = 0, end; first < part->chunk_count && !s.over; first = end) {
        for (end = first + 1; end < part->chunk_count && !(entries[end].flags & TRACE_CHUNK_ALONE);)
            end++;
        bool last = end == part->chunk_count;
        s.over |= entries[first].first_block > to;
        if (!s.over && (last || entries[end].first_block > from))
            seek_in(&s, first, end);
    }
    walk->range_first = walk->range_end = 0;
    *lost += s.lost;
    free(s.times);
    ARRAY_RELEASE(&s.runs);
    return s.any;
}

static bool note_first(void *context, uint64_t position, uint32_t thread, const struct replay_item *item)
{
    uint64_t *first = context;
    (void)thread, (void)item;
    *first = position;
    return false;
}

struct trace_window trace_window(const struct trace_view *v, struct trace_walk *walk,
                                 const struct trace_turn *turn)
{
    const uint64_t last = turn->end - 1;
    struct trace_window w = {
        .from = turn->first, .to = UINT64_MAX, .end = turn->end, .reaches_from = true, .reaches_to = true};
    if (v->from.is_position) {
        w.from = v->from.position > w.from ? v->from.position : w.from;
        w.reaches_from = w.from < turn->end;
    } else if (v->from.text) {
        w.reaches_from = seek(v, &v->from, walk, w.from, last, note_first, &w.from, &w.lost);
    }
    w.reaches_from &= !v->to.is_position || v->to.position >= w.from;
    if (!w.reaches_from)
        return w;
    if (v->to.is_position) {
        w.to = v->to.position;
        w.reaches_to = w.to < turn->end;
    } else if (v->to.text) { /* a block may be both places; the same place given twice is met twice */
        uint64_t after = w.from + (v->from.text && !strcmp(v->from.text, v->to.text));
        w.reaches_to = seek(v, &v->to, walk, after, last, note_first, &w.to, &w.lost);
    }
    uint64_t end = w.to < turn->end ? w.to + 1 : turn->end;
    if (v->last && end > w.from && end - w.from > v->last)
        w.from = end - v->last;
    return w;
}

/* ---- Every time ---- */

/* Writes positions. It keeps paths, since finding out where files are takes longer than all the
 * rest. */
struct finder {
    const struct trace_view *v;
    struct hash_map paths; /* address of a name -> index + 1 */
    struct ARRAY_OF(char *) shown;
};

static const char *shown_path(struct finder *f, const char *file)
{
    bool added;
    uint64_t *number = hash_map_put(&f->paths, (uint64_t)(uintptr_t)file, &added);
    if (added) {
        ARRAY_PUSH(&f->shown, source_shown_path(file));
        *number = f->shown.count;
    }
    return f->shown.items[*number - 1];
}

static bool put_found(void *context, uint64_t position, uint32_t thread, const struct replay_item *item)
{
    struct finder *f = context;
    const struct trace_view *v = f->v;
    uint32_t line;
    const char *file = trace_block_shown(v->program->maps[item->function], item->block, &line);
    const char *shown = file ? shown_path(f, file) : "?";
    fprintf(v->out, "%12" PRIu64 "  thread %" PRIu32 "  %s  %s:%" PRIu32 "\n", position, thread,
            v->names[item->function], shown, line);
    return !ferror(v->out);
}

struct trace_window trace_find_stream(const struct trace_view *v, struct trace_walk *walk,
                                      const struct trace_turn *turn)
{
    struct trace_window w = trace_window(v, walk, turn);
    uint64_t from = w.from, to = w.to < turn->end ? w.to : turn->end - 1, at = v->find.position;
    if (!w.reaches_from)
        return w;
    if (v->find.is_position) {
        from = at > from ? at : from;
        to = at < to ? at : to;
    }
    struct finder f = {.v = v};
    w.shown = from <= to && seek(v, &v->find, walk, from, to, put_found, &f, &w.lost);
    for (size_t i = 0; i < f.shown.count; i++)
        free(f.shown.items[i]);
    ARRAY_RELEASE(&f.shown);
    hash_map_release(&f.paths);
    return w;
}
