/*
 * Edges are counted by runs: each run of replay is counted when it is given out, and looked into once, at the
 * end.
 *
 * Frames that were left where they stood, by longjmp, an exception or the end, and frames that came to be
 * without a call (a child of fork, a second return of setjmp) are known here, not derived: each is an entry
 * of the function's frames, as with counters; a dead end that was left so has passed its virtual edge.
 */
#include "decode/trace_profile.h"
#include "decode/error_bounds.h"
#include "decode/trace_file.h"

#include <stdio.h>

#define LINES_UNKNOWN UINT32_MAX

struct counting {
    const struct trace_program *program;
    const struct replay_program *replay;
    const struct decoder *decoder;
    const struct data_file *data;
    struct profile *verdict;
    struct hash_map lines; /* function, block, call -> lines begun, or LINES_UNKNOWN */
    uint64_t *runs;
    size_t room;
};

static struct decode_function *function_of(const struct counting *c, uint32_t index)
{
    const char *map = (const char *)c->program->maps[index];
    return (struct decode_function *)(uintptr_t)(map - offsetof(struct decode_function, map));
}

static int64_t *edges_of(struct decode_function *f)
{
    if (!f->traced)
        f->traced = ZALLOC(int64_t, (size_t)f->map.graph.edge_count + 1);
    return f->traced;
}

static bool take_runs(void *context, const struct replay_run *const *runs, size_t count)
{
    struct counting *c = context;
    for (size_t i = 0; i < count; i++) {
        uint32_t id = runs[i]->id;
        if (id >= c->room) {
            size_t room = 2 * (size_t)id + 1024;
            RESIZE(c->runs, room);
            memset(c->runs + c->room, 0, (room - c->room) * sizeof *c->runs);
            c->room = room;
        }
        c->runs[id]++;
    }
    return true;
}

/* Lines of the block that have begun when it stands in the call: the table of places knows. */
static uint32_t find_lines(const struct counting *c, const struct decode_function *f, uint32_t block,
                           uint32_t call)
{
    uint32_t lines = f->map.blocks[block].line_count <= 1 ? f->map.blocks[block].line_count : LINES_UNKNOWN;
    for (size_t i = 0; i < c->decoder->modules.count; i++) {
        struct decode_module *m = c->decoder->modules.items[i];
        if (decode_module_find(m, f->map.key) != f ||
            !decode_module_places(m, c->decoder->options->debug_paths))
            continue;
        for (size_t k = 0; k < m->places.count; k++) {
            const struct place_code *code = &m->places.items[k];
            for (uint32_t p = 0; p < code->position_count; p++) {
                const struct place_position *at = &code->positions[p];
                if (code->keys[at->key] == f->map.key && at->block == block && at->call == call &&
                    at->lines < lines)
                    lines = at->lines;
            }
        }
    }
    return lines;
}

static uint32_t lines_at(struct counting *c, const struct decode_function *f, uint32_t block, uint32_t call)
{
    const uint64_t place[3] = {f->map.key, block, call};
    bool added;
    uint64_t *lines = hash_map_put(&c->lines, hash_bytes(place, sizeof place), &added);
    if (added)
        *lines = find_lines(c, f, block, call);
    return (uint32_t)*lines;
}

static void add_frame(struct counting *c, const struct replay_frame *frame, int64_t cuts, int64_t resumes)
{
    struct decode_function *f = function_of(c, frame->function);
    const struct graph *g = &f->map.graph;
    const struct map_block *block = &f->map.blocks[frame->block];
    uint32_t call = frame->call < block->call_count ? frame->call : block->call_count;
    uint32_t lines = call ? lines_at(c, f, frame->block, call) : block->line_count;
    if (lines == LINES_UNKNOWN) { /* its lines are declared, the rest is known */
        lines = block->line_count;
        f->inexact = true;
        f->max_error = error_plus(f->max_error, 1);
        profile_add_cause(c->verdict, CAUSE_PLACE, 1, f->map.name);
    }
    const struct profile_frame entry = {
        .block = frame->block, .call = call, .lines = lines, .cuts = cuts, .resumes = resumes};
    profile_frames_add(&f->traced_frames, &entry);
    edges_of(f);
    if (cuts && profile_is_dead_end(g, frame->block))
        for (uint32_t e = 0; e < g->edge_count; e++)
            if (g->edges[e].from == frame->block && g->edges[e].kind == EDGE_VIRTUAL)
                f->traced[e] += cuts;
}

/* The activations from `depth` on are left. */
static void leave_from(struct counting *c, const struct replay *replay, size_t depth)
{
    struct replay_place place = replay_place(replay);
    for (size_t i = depth; i < place.depth; i++) {
        struct replay_frame frame = replay_frame(replay, i);
        add_frame(c, &frame, 1, 0);
    }
}

static void take_cut(void *context, const struct replay *replay, size_t depth)
{
    leave_from(context, replay, depth);
}

static void take_leave(void *context, const struct replay *replay, const char *why)
{
    (void)why;
    leave_from(context, replay, 0);
}

static void take_resume(void *context, const struct replay *replay, bool inherited)
{
    struct replay_place place = replay_place(replay);
    (void)inherited;
    for (size_t i = 0; i < place.depth; i++) {
        struct replay_frame frame = replay_frame(replay, i);
        add_frame(context, &frame, 0, 1);
    }
}

static void read_build_id(char id[2 * DATA_BUILD_ID_MAX + 1], const struct data_module *m)
{
    *id = 0;
    for (uint32_t k = 0; k < m->build_id_size && k < DATA_BUILD_ID_MAX; k++)
        snprintf(id + 2 * k, 3, "%02x", m->build_id[k]);
}

static struct decode_module *module_of(void *context, uint32_t number)
{
    const struct counting *c = context;
    char id[2 * DATA_BUILD_ID_MAX + 1];
    if (number >= c->data->modules.count || c->data->modules.items[number].state != 2)
        return NULL;
    read_build_id(id, &c->data->modules.items[number]);
    return decoder_find_module(c->decoder, id, c->data->modules.items[number].path);
}

/* What each run did, as often as it was given out. */
static void add_runs(const struct counting *c)
{
    for (size_t id = 0; id < c->room; id++) {
        if (!c->runs[id])
            continue;
        const struct replay_run *run = replay_run_at(c->replay, (uint32_t)id);
        for (uint32_t i = 0; i < run->item_count; i++) {
            const struct replay_item *item = &run->items[i];
            if (item->edge != GRAPH_NONE)
                edges_of(function_of(c, item->function))[item->edge] += (int64_t)c->runs[id];
        }
    }
}

/* Libraries that hold traced code have no counters: nobody has looked for them yet. */
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

static void walk_all(struct counting *c, struct replay_program *replay, const struct trace_file *file,
                     struct profile *verdict, bool *unbounded)
{
    const struct trace_listener listener = {
        .context = c, .runs = take_runs, .cut = take_cut, .leave = take_leave, .resume = take_resume};
    const struct trace_resolver resolver = {.context = c,
                                            .module = module_of,
                                            .program = c->program,
                                            .debug_paths = c->decoder->options->debug_paths};
    uint64_t lost = file->chunks.damaged;
    bool cut_short = false;
    for (size_t i = 0; i < file->parts.count; i++) {
        struct trace_walk walk = {.file = file,
                                  .part = &file->parts.items[i],
                                  .program = replay,
                                  .listener = &listener,
                                  .resolver = &resolver};
        trace_walk(&walk);
        lost += walk.lost;
        cut_short |= !walk.end && !file->parts.items[i].signal;
    }
    add_runs(c);
    if (lost)
        profile_add_cause(verdict, CAUSE_LOST, lost, NULL);
    if (file->running)
        profile_add_cause(verdict, CAUSE_RUNNING, 1, NULL);
    else if (cut_short)
        profile_add_cause(verdict, CAUSE_KILLED, 1, NULL);
    *unbounded |= lost || file->running || cut_short;
}

bool trace_profile_add(struct decoder *d, const char *path, const struct data_file *data,
                       struct profile *verdict, bool *traced, bool *unbounded, struct error *error)
{
    struct trace_file file;
    struct error ignored;
    *traced = false;
    if (!trace_file_exists(path, &data->header) || !trace_file_open(&file, path, &ignored))
        return true;
    add_libraries(d, data);
    struct ARRAY_OF(const struct map_function *) maps = {0};
    for (size_t i = 0; i < d->modules.count; i++)
        for (size_t k = 0; k < d->modules.items[i]->functions.count; k++)
            ARRAY_PUSH(&maps, &d->modules.items[i]->functions.items[k]->map);
    struct trace_program program;
    trace_program_make(&program, maps.items, maps.count);
    ARRAY_RELEASE(&maps);
    struct replay_program *replay = replay_program_make(program.functions, program.count, error);
    if (replay) {
        struct counting c = {
            .program = &program, .replay = replay, .decoder = d, .data = data, .verdict = verdict};
        walk_all(&c, replay, &file, verdict, unbounded);
        free(c.runs);
        hash_map_release(&c.lines);
        replay_program_free(replay);
        *traced = true;
    }
    trace_program_release(&program);
    trace_file_close(&file);
    return replay != NULL;
}
