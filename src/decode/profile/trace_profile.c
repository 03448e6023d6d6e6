/*
 * Edges are counted by runs: each run of replay is counted when it is given out, and looked into
 * once, at the end.
 *
 * Activations that were cut (by longjmp, an exception or the end) and those that were resumed (in a
 * child of fork, by a second return of setjmp) are known here, not derived: each is an entry of the
 * function's frames, as with counters; a dead end that was left so has passed its virtual edge.
 */
#include "decode/profile/trace_profile.h"
#include "base/hash.h"
#include "decode/frames/call_places.h"
#include "decode/model/error_bounds.h"
#include "decode/trace/beyond.h"
#include "decode/trace/bodies.h"
#include "decode/trace/file.h"
#include "decode/trace/paths.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

/* By how much counts of a function may be wrong. */
struct job_doubt {
    uint32_t function;
    int64_t most;
};
/* What is to be regenerated: a stream, or some of its chunks. */
struct job {
    const struct trace_part *part;
    size_t first, end; /* chunks; end 0: all of it */
    uint64_t lost, unended;
    uint32_t ended; /* enum trace_end */
    struct trace_path_part *paths;
    /* What its last thread may have done unseen, if it ran on. */
    struct job_doubts ARRAY_OF(struct job_doubt) doubts;
};

/* What all workers share; each has tables of its own. */
struct work {
    const struct trace_file *file;
    const struct trace_program *program;
    struct ARRAY_OF(struct job) jobs;
    atomic_size_t next;
    atomic_uint_fast64_t done; /* events */
    struct progress progress;
    struct trace_paths *paths; /* NULL: paths are not asked for */
    /* A worker that adds frames holds it. */
    pthread_mutex_t frames;
    /* Control landed where no edge leads: it is not known which activations were left. */
    bool strange;
};

/* Is an activation that is left in a call over before, since the call is a jump? */
enum fate { STAYS, OVER, UNSURE };

struct counting {
    struct work *work;
    pthread_t thread;
    const struct trace_program *program;
    struct replay_program *replay;
    const struct decoder *decoder;
    const struct data_file *data;
    struct profile *verdict;
    /* A worker that asks holds work.frames. */
    struct call_places *calls;
    /* Where the activation stood in which control lands next. */
    struct replay_frame landing;
    size_t landing_index;
    /* The fate of what stands in the place of the activation that was left before, if this one
     * called it. */
    enum fate above;
    /* The function that a call which became a loop leads to once more, or GRAPH_NONE. */
    uint32_t again;
    /* And the fate of that activation, which stands in the place of the first. */
    enum fate above_again;
    /* Control is in the activation that is left, not in a call. */
    bool interrupted;
    /* The last record says that a signal ended the thread. */
    bool died;
    /* The thread has recorded its end. */
    bool ended;
    struct job *job;
    /* It is known where the thread stood when a signal ended it. */
    bool stood;
    /* The activation that control has left for code that is not traced was in no call. */
    bool was_inside;
    struct trace_path_walker *paths; /* or NULL */
    /* This worker shows how far all are. */
    bool first;
    /* Events of the walk, when it last said how far it is. */
    uint64_t events;
};

static struct decode_function *function_at(const struct trace_program *program, size_t index)
{
    const char *map = (const char *)program->maps[index];
    return (struct decode_function *)(uintptr_t)(map - offsetof(struct decode_function, map));
}

static struct decode_function *function_of(const struct counting *c, uint32_t index)
{
    return function_at(c->program, index);
}

static int64_t *edges_of(struct decode_function *f)
{
    if (!f->file.trace.edges)
        f->file.trace.edges = ZALLOC(int64_t, (size_t)f->map.graph.edge_count + 1);
    return f->file.trace.edges;
}

static struct call_place call_at(struct counting *c, const struct decode_function *f, uint32_t block,
                                 uint32_t call)
{
    return call_places_find(c->calls, f, block, call, NULL);
}

/* The next function that may be meant by this one, from number `from` on: itself or, if it stands
 * for all copies of an inline function, each of them. NULL: there is no more. */
static struct decode_function *next_meant(const struct trace_program *p, uint32_t function, size_t *from)
{
    if (function < p->own)
        return (*from)++ ? NULL : function_at(p, function);
    while (*from < p->own)
        if (p->functions[(*from)++].id == p->functions[function].id)
            return function_at(p, *from - 1);
    return NULL;
}

static void doubt(void *context, uint32_t function, int64_t most)
{
    struct counting *c = context;
    struct decode_function *f;
    for (size_t from = 0; (f = next_meant(c->program, function, &from));) {
        f->file.trace.error = error_plus(f->file.trace.error, most);
        f->file.trace.stopped_unseen = true;
        edges_of(f);
        if (f->set == SET_NONE) /* counters know better */
            profile_add_cause(c->verdict, CAUSE_PLACE, 1, f->map.name);
    }
}

/* Counts of a function that stands for all its copies were given to the first of them. */
static void doubt_copies(const struct counting *c, uint32_t function, int64_t most)
{
    struct decode_function *f;
    for (size_t from = 0; (f = next_meant(c->program, function, &from));) {
        f->file.trace.error = error_plus(f->file.trace.error, most);
        edges_of(f);
        if (f->set == SET_NONE)
            profile_add_cause(c->verdict, CAUSE_COPY, 1, f->map.name);
    }
}

/* Finds the only way on from a block, without a call, to the end of the activation. Returns how
 * many edges it has, or 0. */
static uint32_t way_out(const struct decode_function *f, uint32_t block, uint32_t *edges)
{
    const struct graph *g = &f->map.graph;
    uint32_t count = 0;
    while (block != graph_exit(g) && count < g->vertex_count) {
        uint32_t ways = 0;
        if (count && f->map.blocks[block].call_count)
            return 0;
        for (uint32_t e = 0; e < g->edge_count; e++)
            if (g->edges[e].from == block) {
                edges[count] = e;
                ways++;
            }
        if (ways != 1 || g->edges[edges[count]].kind == EDGE_VIRTUAL)
            return 0;
        block = g->edges[edges[count++]].to;
    }
    return block == graph_exit(g) ? count : 0;
}

/*
 * Finds the fate of an activation that is left in a call. If it only returns after that call, and
 * the compiler made a jump of the call, or a loop, the activation was over before, as counters have
 * it, too.
 */
static enum fate find_fate(struct counting *c, size_t index, const struct replay_frame *frame)
{
    struct decode_function *f = function_of(c, frame->function);
    if (c->interrupted || !frame->call || frame->call != f->map.blocks[frame->block].call_count)
        return STAYS;
    uint32_t *edges = ALLOC(uint32_t, f->map.graph.vertex_count), count = way_out(f, frame->block, edges);
    struct call_place place = {0};
    if (count)
        place = call_at(c, f, frame->block, frame->call);
    /* If what was inlined into it is over, so is it, since they are one frame of the machine. */
    bool stays = place.calls || place.merged || (place.inlined && c->above != OVER);
    bool goes = place.jumps || (place.inlined && c->above != STAYS);
    bool over = place.known && goes && !stays;
    for (uint32_t i = 0; over && i < count; i++)
        edges_of(f)[edges[i]]++;
    /* It is not known which copy of the code it was. */
    for (uint32_t i = 0; !over && place.known && goes && i < count; i++) {
        if (!f->file.trace.tail_unsure)
            f->file.trace.tail_unsure = ZALLOC(int64_t, (size_t)f->map.graph.edge_count + 1);
        f->file.trace.tail_unsure[edges[i]]++;
    }
    if (over && c->paths)
        trace_path_finish(c->paths, index, edges, count);
    free(edges);
    return over ? OVER : place.known && goes ? UNSURE : STAYS;
}

/* Adds a frame to its function. index: that of the activation, if it is cut. */
static enum fate add_frame(struct counting *c, size_t index, const struct replay_frame *frame, int64_t cuts,
                           int64_t resumes)
{
    struct decode_function *f = function_of(c, frame->function);
    const struct graph *g = &f->map.graph;
    const struct map_block *block = &f->map.blocks[frame->block];
    /* It sent an exception on: that is its way out. */
    if (cuts && frame->call > block->call_count) {
        for (uint32_t e = 0; e < g->edge_count; e++)
            if (g->edges[e].from == frame->block && g->edges[e].kind == EDGE_EXIT)
                edges_of(f)[e] += cuts;
        for (uint32_t e = 0; c->paths && e < g->edge_count; e++)
            if (g->edges[e].from == frame->block && g->edges[e].kind == EDGE_EXIT)
                trace_path_finish(c->paths, index, &e, 1);
        return STAYS;
    }
    enum fate fate = cuts ? find_fate(c, index, frame) : STAYS;
    if (fate == OVER)
        return fate;
    uint32_t call = frame->call < block->call_count ? frame->call : block->call_count;
    uint32_t lines = frame->reached == REPLAY_ALL_LINES ? block->line_count
                     : frame->reached                   ? frame->reached - 1
                     : call                             ? call_at(c, f, frame->block, call).lines
                                                        : block->line_count;
    /* Its lines are declared, the rest is known. */
    if (lines == CALL_LINES_UNKNOWN) {
        lines = block->line_count;
        doubt(c, frame->function, 1);
    }
    if (frame->function >= c->program->own)
        doubt_copies(c, frame->function, cuts + resumes);
    const struct profile_frame entry = {
        .block = frame->block, .call = call, .lines = lines, .cuts = cuts, .resumes = resumes};
    profile_frames_add(&f->file.trace.frames, &entry);
    edges_of(f);
    if (cuts && c->paths)
        trace_path_leave(c->paths, index, frame, &entry);
    if (cuts && profile_is_dead_end(g, frame->block))
        for (uint32_t e = 0; e < g->edge_count; e++)
            if (g->edges[e].from == frame->block && g->edges[e].kind == EDGE_VIRTUAL)
                f->file.trace.edges[e] += cuts;
    return fate;
}

/* A call returned once more: the activation left the place where it stood, and goes on after that
 * call. */
static void land_behind(void *context, const struct replay_item *item)
{
    struct counting *c = context;
    const struct replay_frame there = {.function = item->function, .block = item->block, .call = item->call};
    pthread_mutex_lock(&c->work->frames);
    if (c->landing.function == item->function)
        add_frame(c, c->landing_index, &c->landing, 1, 0);
    add_frame(c, 0, &there, 0, 1);
    if (c->paths)
        trace_path_land_behind(c->paths, item->block);
    pthread_mutex_unlock(&c->work->frames);
}

static bool take_runs(void *context, const struct replay_run *const *runs, size_t count)
{
    struct counting *c = context;
    trace_path_runs(c->paths, runs, count);
    return true;
}

/* Notes the fate of an activation. One is over when its call became a jump: this took the place of
 * the whole frame, or, in a loop, of the function that was called once more. The activation that
 * this one was inlined into is not over. */
static void note_fate(struct counting *c, const struct replay_frame *frame, enum fate fate, uint32_t callee)
{
    if (fate != OVER) {
        c->again = GRAPH_NONE;
    } else if (c->above != OVER) {
        c->again = callee;
        c->above_again = c->above;
    }
    if (fate == OVER && frame->function == c->again) {
        fate = c->above_again;
        c->again = GRAPH_NONE;
    }
    c->above = frame->called ? STAYS : fate;
}

/* Cuts the activations from `depth` on. */
static void leave_from(struct counting *c, const struct replay *replay, size_t depth)
{
    struct replay_place place = replay_place(replay);
    uint32_t callee = GRAPH_NONE;
    c->above = STAYS;
    c->again = GRAPH_NONE;
    c->interrupted = !place.outside || c->was_inside;
    c->was_inside = false;
    for (size_t i = place.depth; i-- > depth;) {
        struct replay_frame frame = replay_frame(replay, i);
        enum fate fate = add_frame(c, i, &frame, 1, 0);
        note_fate(c, &frame, fate, callee);
        callee = frame.called ? GRAPH_NONE : frame.function;
        c->interrupted = false;
    }
    if (c->paths)
        trace_path_cut(c->paths, depth);
}

static void take_cut(void *context, const struct replay *replay, size_t depth)
{
    struct counting *c = context;
    pthread_mutex_lock(&c->work->frames);
    /* A handler jumped: how far control had come is not known. */
    if (depth && !replay_place(replay).outside)
        trace_beyond(c->program, replay, false, doubt, c);
    if (depth)
        c->landing = replay_frame(replay, depth - 1);
    c->landing_index = depth ? depth - 1 : 0;
    leave_from(c, replay, depth);
    pthread_mutex_unlock(&c->work->frames);
}

static void note_unseen(void *context, uint32_t function, int64_t most)
{
    struct counting *c = context;
    ARRAY_PUSH(&c->job->doubts, ((struct job_doubt){function, most}));
}

/* Events that do not fit are often noticed late: what was taken for known before that is not certain,
 * in any function. */
static void distrust(struct counting *c)
{
    for (size_t i = 0; i < c->program->count; i++)
        function_of(c, (uint32_t)i)->file.certain.unknown = true;
}

static void take_leave(void *context, const struct replay *replay, const char *why)
{
    struct counting *c = context;
    c->job->doubts.count = 0;
    if (!why && !c->ended)
        trace_beyond(c->program, replay, true, note_unseen, c);
    c->ended = false;
    if (why) {
        pthread_mutex_lock(&c->work->frames);
        profile_add_cause(c->verdict, CAUSE_TRACE, 1, why);
        distrust(c);
        pthread_mutex_unlock(&c->work->frames);
    }
    if (c->died && !c->stood) {
        pthread_mutex_lock(&c->work->frames);
        trace_beyond(c->program, replay, false, doubt, c);
        pthread_mutex_unlock(&c->work->frames);
    }
    c->died = false;
    take_cut(context, replay, 0);
}

static void take_resume(void *context, const struct replay *replay, bool inherited)
{
    struct counting *c = context;
    struct replay_place place = replay_place(replay);
    (void)inherited;
    pthread_mutex_lock(&c->work->frames);
    for (size_t i = 0; i < place.depth; i++) {
        struct replay_frame frame = replay_frame(replay, i);
        add_frame(c, i, &frame, 0, 1);
    }
    pthread_mutex_unlock(&c->work->frames);
    if (c->paths)
        trace_path_resume(c->paths, replay);
}

static void take_record(void *context, const struct trace_record *record, const struct trace_totals *done)
{
    struct counting *c = context;
    (void)done;
    c->ended |= record->what == TRACE_END;
    c->died = record->what == TRACE_END && record[1].what == TRACE_END_SIGNAL;
    if (!c->died)
        c->stood = false;
}

static void take_unsure(void *context, uint32_t function, int64_t most, bool declare)
{
    struct counting *c = context;
    pthread_mutex_lock(&c->work->frames);
    if (declare || function_of(c, function)->set != SET_NONE)
        doubt(c, function, most);
    pthread_mutex_unlock(&c->work->frames);
}

/* It is known where control stood, but not in which round of a loop. */
static void doubt_rounds(struct counting *c, const struct replay *replay)
{
    pthread_mutex_lock(&c->work->frames);
    trace_doubt_rounds(replay, doubt, c);
    pthread_mutex_unlock(&c->work->frames);
}

static void take_stood(void *context, const struct replay *replay, bool there)
{
    struct counting *c = context;
    c->stood = there;
    if (there)
        doubt_rounds(c, replay);
}

static void take_left(void *context, const struct replay *replay, bool there, bool is_inside)
{
    struct counting *c = context;
    if (there)
        doubt_rounds(c, replay);
    pthread_mutex_lock(&c->work->frames);
    if (!there)
        trace_beyond(c->program, replay, false, doubt, c);
    pthread_mutex_unlock(&c->work->frames);
    c->was_inside = is_inside;
}

static void take_progress(void *context, uint64_t events)
{
    struct counting *c = context;
    uint64_t done = atomic_fetch_add(&c->work->done, events - c->events) + events - c->events;
    c->events = events;
    if (c->first)
        progress_update(&c->work->progress, done);
}

static void take_over(void *context, const struct replay *replay)
{
    struct counting *c = context;
    if (c->paths)
        trace_path_take_over(c->paths, replay);
}

static void read_build_id(char id[2 * DATA_BUILD_ID_MAX + 1], const struct data_module *m)
{
    *id = 0;
    for (uint32_t k = 0; k < m->build_id_size && k < DATA_BUILD_ID_MAX; k++)
        snprintf(id + 2 * k, 3, "%02x", m->build_id[k]);
}

static struct decode_module *find_module(const struct decoder *d, const struct data_file *data,
                                         uint32_t number)
{
    char id[2 * DATA_BUILD_ID_MAX + 1];
    if (number >= data->modules.count || data->modules.items[number].state != 2)
        return NULL;
    read_build_id(id, &data->modules.items[number]);
    return decoder_find_module(d, id, data->modules.items[number].path);
}

static struct decode_module *module_of(void *context, uint32_t number)
{
    const struct counting *c = context;
    struct decode_module *m = find_module(c->decoder, c->data, number);
    if (!m)
        return NULL;
    pthread_mutex_lock(&c->work->frames); /* places are read once, for all workers */
    decode_module_places(m, c->decoder->options->debug_paths);
    pthread_mutex_unlock(&c->work->frames);
    return m;
}

static enum replay_made made_of(void *context, const struct replay_frame *frame, const void *code)
{
    struct counting *c = context;
    const struct decode_function *f = function_of(c, frame->function);
    if (frame->call > f->map.blocks[frame->block].call_count)
        return REPLAY_MADE_UNKNOWN;
    pthread_mutex_lock(&c->work->frames);
    struct call_place place = call_places_find(c->calls, f, frame->block, frame->call, code);
    pthread_mutex_unlock(&c->work->frames);
    return trace_made(&place);
}

/* By function that stands for all its copies: how often it came to each block. */
static int64_t **copies_make(const struct trace_program *p)
{
    int64_t **blocks = ZALLOC(int64_t *, p->count - p->own + 1);
    for (size_t i = p->own; i < p->count; i++)
        blocks[i - p->own] = ZALLOC(int64_t, (size_t)p->maps[i]->graph.vertex_count + 1);
    return blocks;
}

/* No count of a copy is wrong by more than the busiest block of what may be its own. */
static void copies_end(const struct counting *c, int64_t **blocks)
{
    for (size_t i = c->program->own; i < c->program->count; i++) {
        int64_t most = 0, *times = blocks[i - c->program->own];
        for (uint32_t b = 0; b < c->program->maps[i]->graph.vertex_count; b++)
            most = times[b] > most ? times[b] : most;
        if (most)
            doubt_copies(c, (uint32_t)i, most);
        free(times);
    }
    free(blocks);
}

/* Counts what each run did, as often as it was given out. */
static void add_runs(const struct counting *c)
{
    size_t count = replay_run_count(c->replay);
    uint64_t *times = ALLOC(uint64_t, count + 1);
    int64_t **copies = copies_make(c->program);
    replay_count_runs(c->replay, times);
    for (size_t id = 0; id < count; id++) {
        if (!times[id])
            continue;
        const struct replay_run *run = replay_run_at(c->replay, (uint32_t)id);
        for (uint32_t i = 0; i < run->item_count; i++) {
            const struct replay_item *item = &run->items[i];
            if (item->edge != GRAPH_NONE)
                edges_of(function_of(c, item->function))[item->edge] += (int64_t)times[id];
            if (item->function >= c->program->own && item->kind != REPLAY_LEAVE)
                copies[item->function - c->program->own][item->block] += (int64_t)times[id];
            c->work->strange |= item->kind == REPLAY_LAND && item->edge == GRAPH_NONE;
        }
    }
    free(times);
    copies_end(c, copies);
}

/* Adds libraries that hold traced code but have no counters: these were not looked for yet. */
static void add_libraries(struct decoder *d, const struct data_file *data)
{
    for (size_t i = 0; i < data->modules.count; i++) {
        const struct data_module *m = &data->modules.items[i];
        char id[2 * DATA_BUILD_ID_MAX + 1];
        struct error ignored;
        read_build_id(id, m);
        if (m->state != 2 || m->block_length || !*id || decoder_find_module(d, id, m->path))
            continue;
        struct decode_module *module = ZALLOC(struct decode_module, 1);
        if (!decode_module_load(module, m->path, d->options->debug_paths, &ignored)) {
            free(module);
        } else if (!module->known || strcmp(module->build_id, id)) {
            decode_module_release(module);
            free(module);
        } else {
            ARRAY_PUSH(&d->modules, module);
        }
    }
}

/* ---- Workers ---- */

enum { RANGE_LEAST = 2, WORKERS_MOST = 16 }; /* RANGE_LEAST: chunks that are worth a thread */

static void add_jobs(struct work *w, size_t workers)
{
    for (size_t i = 0; i < w->file->parts.count; i++) {
        const struct trace_part *part = &w->file->parts.items[i];
        size_t range = part->chunk_count / workers > RANGE_LEAST ? part->chunk_count / workers : RANGE_LEAST;
        if (workers == 1 || part->chunk_count < 2 * RANGE_LEAST) {
            ARRAY_PUSH(&w->jobs, ((struct job){.part = part}));
            continue;
        }
        const struct trace_chunk_entry *entries = w->file->chunks.entries.items + part->first_chunk;
        for (size_t first = 0, end; first < part->chunk_count; first = end) {
            end = first + range < part->chunk_count ? first + range : part->chunk_count;
            while (end < part->chunk_count && !(entries[end].flags & TRACE_CHUNK_ALONE))
                end++;
            ARRAY_PUSH(&w->jobs, ((struct job){.part = part, .first = first, .end = end}));
        }
    }
}

static void *do_jobs(void *context)
{
    struct counting *c = context;
    struct work *w = c->work;
    const struct trace_listener listener = {.context = c,
                                            .runs = c->paths ? take_runs : NULL,
                                            .land_behind = land_behind,
                                            .cut = take_cut,
                                            .leave = take_leave,
                                            .resume = take_resume,
                                            .take_over = take_over,
                                            .progress = take_progress,
                                            .record = take_record,
                                            .unsure = take_unsure,
                                            .stood = take_stood,
                                            .left = take_left};
    const struct trace_resolver resolver = {.context = c,
                                            .module = module_of,
                                            .made = made_of,
                                            .program = c->program,
                                            .debug_paths = c->decoder->options->debug_paths};
    for (size_t i; (i = atomic_fetch_add(&w->next, 1)) < w->jobs.count;) {
        struct job *job = &w->jobs.items[i];
        struct trace_walk walk = {.file = w->file,
                                  .part = job->part,
                                  .program = c->replay,
                                  .listener = &listener,
                                  .resolver = &resolver,
                                  .range_first = job->first,
                                  .range_end = job->end};
        const struct trace_chunk_entry *entries = w->file->chunks.entries.items;
        c->job = job;
        c->ended = false;
        c->events = job->end ? entries[job->part->first_chunk + job->first].first_event : 0;
        if (c->paths)
            trace_path_begin(c->paths);
        trace_walk(&walk);
        if (c->paths)
            job->paths = trace_path_end(c->paths);
        job->lost = walk.lost;
        job->unended = walk.unended;
        job->ended = walk.end;
    }
    return NULL;
}

/* How the last thread of the part ended; what was regenerated may not have come so far. */
static uint32_t end_of(const struct work *w, const struct job *job)
{
    const struct trace_part *part = job->part;
    if (job->ended || !part->chunk_count || part->rest)
        return job->ended;
    return w->file->chunks.entries.items[part->first_chunk + part->chunk_count - 1].end;
}

static bool is_last(const struct job *job)
{
    return !job->end || job->end == job->part->chunk_count;
}

/* Has one of its threads recorded that the process ended? Then the threads that have not lived on
 * until then. */
static bool process_ended(const struct work *w, const struct trace_part *part)
{
    for (size_t i = 0; i < w->jobs.count; i++) {
        const struct job *job = &w->jobs.items[i];
        uint32_t end = is_last(job) ? end_of(w, job) : 0;
        if (job->part->pid == part->pid && job->part->start_time == part->start_time && end &&
            end != TRACE_END_THREAD)
            return true;
    }
    return false;
}

/*
 * Adds the bounds of threads that ran on when their process ended: they have written all they did
 * but what needs no event, so no more is wrong. False: that does not hold, since one of them was in
 * a handler, or left a stream to another thread.
 */
static bool bound_threads(const struct work *w)
{
    for (size_t i = 0; i < w->jobs.count; i++) {
        const struct job *job = &w->jobs.items[i];
        if (job->unended || (job->part->signal && is_last(job) && !end_of(w, job)))
            return false;
    }
    for (size_t i = 0; i < w->jobs.count; i++)
        for (size_t k = 0; k < w->jobs.items[i].doubts.count && !w->jobs.items[i].part->signal; k++) {
            const struct job_doubt *d = &w->jobs.items[i].doubts.items[k];
            struct decode_function *f;
            for (size_t from = 0; (f = next_meant(w->program, d->function, &from));) {
                f->file.trace.error = error_plus(f->file.trace.error, d->most);
                edges_of(f);
            }
        }
    return true;
}

/* Processes, each of which is one run. */
static void add_process(struct hash_map *processes, const struct trace_part *part)
{
    const uint64_t name[] = {part->pid, part->start_time};
    hash_map_put(processes, hash_bytes(name, sizeof name), NULL);
}

/* Gives the cause to each of the processes, if there are any. */
static bool add_cause_of(struct profile *verdict, enum profile_cause cause, struct hash_map *processes)
{
    uint64_t runs = processes->count;
    hash_map_release(processes);
    if (runs)
        profile_add_cause(verdict, cause, runs, NULL);
    return runs > 0;
}

/* open: runs that did not tell, in the data file, how they ended. */
static void judge_jobs(const struct work *w, uint64_t open, struct profile *verdict, bool *unbounded)
{
    struct hash_map cut = {0}, outlived = {0};
    bool lost = w->file->chunks.damaged || w->file->unkept || w->file->untraced || w->strange;
    if (w->file->chunks.damaged)
        profile_add_cause(verdict, CAUSE_TRACE, w->file->chunks.damaged, "the list of chunks is damaged");
    if (w->file->unkept > w->file->lost_before)
        profile_add_cause(verdict, CAUSE_TRACE, w->file->unkept - w->file->lost_before,
                          "there was no room for it");
    if (w->file->lost_before)
        profile_add_cause(verdict, CAUSE_TRACE, w->file->lost_before,
                          "what a child of fork did whose parent was not traced any more");
    if (w->file->untraced)
        profile_add_cause(verdict, CAUSE_TRACE, w->file->untraced,
                          "all of a thread or process that could not make room for it");
    if (w->strange)
        profile_add_cause(verdict, CAUSE_TRACE, 1, "an exception landed where none is expected");
    for (size_t i = 0; i < w->jobs.count; i++) {
        const struct job *job = &w->jobs.items[i];
        lost |= job->lost;
        if (job->unended)
            add_process(&outlived, job->part);
        if (!is_last(job) || end_of(w, job) || job->part->signal || job->lost)
            continue; /* what is lost was said already */
        if (!process_ended(w, job->part) && open)
            add_process(&cut, job->part);
        else if (!w->file->unkept) /* otherwise its end may be among what was not kept */
            add_process(&outlived, job->part);
    }
    bool threads = add_cause_of(verdict, CAUSE_THREADS, &outlived), killed = false;
    if (w->file->running)
        profile_add_cause(verdict, CAUSE_RUNNING, 1, NULL);
    else
        killed = add_cause_of(verdict, CAUSE_KILLED, &cut);
    hash_map_release(&cut);
    *unbounded |= lost || w->file->running || killed;
    if (threads && !*unbounded)
        *unbounded = !bound_threads(w);
}

/* Joins paths that began in one range and ended in another. */
static void join_paths(struct work *w)
{
    const struct job *before = NULL;
    for (size_t i = 0; w->paths && i < w->jobs.count; i++) {
        const struct job *job = &w->jobs.items[i];
        bool follows = before && before->part == job->part && job->first == before->end;
        if (job->paths)
            trace_paths_join(w->paths, job->paths, follows ? before->paths : NULL);
        before = job;
    }
    for (size_t i = 0; i < w->jobs.count; i++)
        trace_path_part_free(w->jobs.items[i].paths);
}

/* Regenerates the whole file, by several threads if it is long; false when the program cannot be
 * replayed. */
static bool count_file(struct decoder *d, const struct data_file *data, struct work *w,
                       struct profile *verdict, struct error *error)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    add_jobs(w, cores < 1 ? 1 : cores > WORKERS_MOST ? WORKERS_MOST : (size_t)cores);
    size_t count = w->jobs.count < WORKERS_MOST ? w->jobs.count : WORKERS_MOST, made = 0, started = 0;
    if (cores > 0 && count > (size_t)cores)
        count = (size_t)cores;
    if (!count || w->file->chunks.entries.count < 2 * RANGE_LEAST)
        count = 1;
    struct counting *workers = ZALLOC(struct counting, count);
    struct call_places calls = {
        .modules = d->modules.items, .count = d->modules.count, .debug_paths = d->options->debug_paths};
    for (; made < count; made++) {
        workers[made] = (struct counting){.work = w,
                                          .program = w->program,
                                          .replay = trace_program_replay(w->program, error),
                                          .decoder = d,
                                          .data = data,
                                          .verdict = verdict,
                                          .first = !made,
                                          .calls = &calls};
        if (!workers[made].replay)
            break;
        workers[made].paths = w->paths ? trace_path_walker_make(w->paths) : NULL;
    }
    bool good = made == count;
    for (started = 1; good && started < count; started++)
        if (pthread_create(&workers[started].thread, NULL, do_jobs, &workers[started]))
            break;
    uint64_t events = 0;
    for (size_t i = 0; i < w->file->parts.count; i++)
        events += w->file->parts.items[i].totals.events;
    w->progress = progress_start("regenerating", events);
    if (good)
        do_jobs(&workers[0]);
    for (size_t i = 1; good && i < started; i++)
        pthread_join(workers[i].thread, NULL);
    progress_end(&w->progress);
    for (size_t i = 0; i < made; i++) {
        if (good)
            add_runs(&workers[i]);
        if (workers[i].paths)
            trace_path_walker_end(workers[i].paths, good ? workers[i].replay : NULL);
        replay_program_free(workers[i].replay);
    }
    join_paths(w);
    call_places_release(&calls);
    free(workers);
    return good;
}

bool trace_profile_add(struct decoder *d, const char *path, const struct data_file *data,
                       struct profile *verdict, bool *traced, bool *unbounded, struct error *error)
{
    struct trace_file file;
    *traced = false;
    if (!trace_file_exists(path, data->fd))
        return true;
    if (!trace_file_open(&file, path, error))
        return false;
    add_libraries(d, data);
    for (size_t i = 0; i < d->modules.count; i++)
        trace_bodies_link(d->modules.items[i], d->options->debug_paths);
    struct decode_module **modules = ALLOC(struct decode_module *, data->modules.count + 1);
    for (uint32_t i = 0; i < data->modules.count; i++)
        modules[i] = find_module(d, data, i);
    if (data->modules.count && !modules[0]) /* without build ids paths may differ */
        modules[0] = d->modules.items[0];
    struct trace_program program;
    trace_program_make(&program, modules, data->modules.count);
    free(modules);
    struct decode_function **functions = ALLOC(struct decode_function *, program.count + 1);
    bool good = true;
    for (size_t i = 0; i < program.count; i++)
        functions[i] = function_at(&program, i);
    for (size_t i = 0; i < d->modules.count && d->options->path_ends; i++)
        for (size_t k = 0; k < d->modules.items[i]->functions.count && good; k++)
            good = trace_paths_make_plan(d->modules.items[i]->functions.items[k], d->options->path_ends);
    if (!good)
        error_set(error, "counts paths that end elsewhere than those of a merged file: another --path-ends");
    struct work work = {.file = &file, .program = &program, .frames = PTHREAD_MUTEX_INITIALIZER};
    if (good && d->options->path_ends)
        work.paths = trace_paths_make(functions, program.count);
    *traced = good && count_file(d, data, &work, verdict, error);
    trace_paths_free(work.paths);
    free(functions);
    if (*traced)
        judge_jobs(&work, data_runs_open(&data->header), verdict, unbounded);
    for (size_t i = 0; i < work.jobs.count; i++)
        ARRAY_RELEASE(&work.jobs.items[i].doubts);
    ARRAY_RELEASE(&work.jobs);
    trace_program_release(&program);
    trace_file_close(&file);
    return *traced;
}
