/*
 * Profiles in memory and as merged files, which are files of chunks (format/container.h) of kind
 * DATA_KIND_MERGED, with the types of enum chunk_type.
 *
 * Invariants of what the reader hands out, whatever the bytes were:
 *  1. Arrays have the lengths that the function's graph demands; module numbers are in range.
 *  2. Counts of a function that is called exact are not negative and conserve flow.
 */
#include "format/profile/profile.h"
#include "format/profile/files.h"
#include "format/profile/ways.h"
#include "format/container.h"
#include "format/data/data.h"
#include "plan/path_code.h"

#include <unistd.h>

enum chunk_type {
    CHUNK_PROGRAM = 1,
    CHUNK_CAUSES = 2,
    CHUNK_FUNCTIONS = 3,
    CHUNK_RUNS = 4,
    CHUNK_WAYS = 5,
    CHUNK_LEAST = 6,
    CHUNK_FILES = 7,
    CHUNK_LAST = CHUNK_FILES
};
enum function_flags {
    FUNCTION_COUNTED = 1,
    FUNCTION_EXACT = 2,
    FUNCTION_EDGES = 4,
    FUNCTION_FRAMES = 8,
    FUNCTION_PATHS = 16
};

void profile_function_release(struct profile_function *f)
{
    map_function_release(&f->map);
    free(f->why);
    free(f->block_counts);
    free(f->edge_counts);
    free(f->path_counts);
    free(f->least);
    ARRAY_RELEASE(&f->frames);
    profile_ways_release(&f->ways);
    *f = (struct profile_function){0};
}

void profile_release(struct profile *p)
{
    for (size_t i = 0; i < p->functions.count; i++)
        profile_function_release(&p->functions.items[i]);
    for (size_t i = 0; i < p->modules.count; i++) {
        free(p->modules.items[i].path);
        free(p->modules.items[i].build_id);
    }
    for (size_t i = 0; i < p->causes.count; i++)
        free(p->causes.items[i].where);
    for (size_t i = 0; i < p->reasons.count; i++)
        free(p->reasons.items[i]);
    for (size_t i = 0; i < p->run_names.count; i++)
        free(p->run_names.items[i].name);
    profile_files_release(&p->inexact_files);
    ARRAY_RELEASE(&p->run_names);
    ARRAY_RELEASE(&p->functions);
    ARRAY_RELEASE(&p->modules);
    ARRAY_RELEASE(&p->causes);
    ARRAY_RELEASE(&p->reasons);
    free(p->program);
    free(p->build_id);
    free(p->mode);
    *p = (struct profile){0};
}

static int by_place(const void *left, const void *right)
{
    const struct profile_function *a = left, *b = right;
    if (a->module != b->module)
        return a->module < b->module ? -1 : 1;
    int order = strcmp(a->map.file_count ? a->map.files[0] : "", b->map.file_count ? b->map.files[0] : "");
    if (!order && a->map.line != b->map.line)
        order = a->map.line < b->map.line ? -1 : 1;
    if (!order)
        order = strcmp(a->map.name, b->map.name);
    if (!order && a->map.key != b->map.key)
        order = a->map.key < b->map.key ? -1 : 1;
    return order;
}

void profile_sort(struct profile *p)
{
    if (p->functions.count)
        qsort(p->functions.items, p->functions.count, sizeof *p->functions.items, by_place);
}

static int compare_frames(const struct profile_frame *a, const struct profile_frame *b)
{
    if (a->block != b->block)
        return a->block < b->block ? -1 : 1;
    if (a->call != b->call)
        return a->call < b->call ? -1 : 1;
    if (a->lines != b->lines)
        return a->lines < b->lines ? -1 : 1;
    return (int)a->between - (int)b->between;
}

void profile_frames_add(struct profile_frames *frames, const struct profile_frame *frame)
{
    size_t at = FIRST_WITHOUT(frames->count, i, compare_frames(&frames->items[i], frame) < 0);
    if (at == frames->count || compare_frames(&frames->items[at], frame)) {
        (void)ARRAY_ADD(frames);
        memmove(&frames->items[at + 1], &frames->items[at], (frames->count - 1 - at) * sizeof *frames->items);
        frames->items[at] = *frame;
        return;
    }
    struct profile_frame *to = &frames->items[at];
    to->cuts = (int64_t)((uint64_t)to->cuts + (uint64_t)frame->cuts);
    to->resumes = (int64_t)((uint64_t)to->resumes + (uint64_t)frame->resumes);
}

bool profile_frames_gains(const struct profile_frames *frames, const struct graph *g, int64_t *gains)
{
    uint32_t exit = graph_exit(g);
    bool *goes_on = ZALLOC(bool, g->vertex_count), any = false;
    memset(gains, 0, g->vertex_count * sizeof *gains);
    for (uint32_t e = 0; frames->count && e < g->edge_count; e++)
        goes_on[g->edges[e].from] |= g->edges[e].kind != EDGE_VIRTUAL;
    for (size_t i = 0; i < frames->count; i++) {
        const struct profile_frame *f = &frames->items[i];
        uint64_t gain = (uint64_t)f->resumes - (goes_on[f->block] ? (uint64_t)f->cuts : 0);
        gains[f->block] = (int64_t)((uint64_t)gains[f->block] + gain);
        gains[exit] = (int64_t)((uint64_t)gains[exit] - gain);
        any |= gain != 0;
    }
    free(goes_on);
    return any;
}

bool profile_is_dead_end(const struct graph *g, uint32_t block)
{
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (g->edges[e].from == block && g->edges[e].kind != EDGE_VIRTUAL)
            return false;
    return true;
}

void profile_function_frames(const struct profile_function *f, int64_t *unfinished, int64_t *resumed)
{
    const struct graph *g = &f->map.graph;
    uint64_t cuts = 0, resumes = 0;
    for (uint32_t e = 0; f->edge_counts && e < g->edge_count; e++)
        if (g->edges[e].kind == EDGE_VIRTUAL)
            cuts += (uint64_t)f->edge_counts[e];
    for (size_t i = 0; i < f->frames.count; i++) {
        const struct profile_frame *frame = &f->frames.items[i];
        resumes += (uint64_t)frame->resumes;
        if (!profile_is_dead_end(g, frame->block))
            cuts += (uint64_t)frame->cuts;
    }
    *unfinished = f->edge_counts ? (int64_t)cuts : -1;
    *resumed = (int64_t)resumes;
}

void profile_function_blocks(struct profile_function *f)
{
    const struct graph *g = &f->map.graph;
    uint32_t exit = graph_exit(g);
    if (!f->block_counts)
        f->block_counts = ALLOC(int64_t, exit);
    memset(f->block_counts, 0, exit * sizeof *f->block_counts);
    f->entries = 0;
    for (uint32_t e = 0; e < g->edge_count; e++) {
        int64_t *into = g->edges[e].to != exit ? &f->block_counts[g->edges[e].to] : NULL;
        if (into) /* sums of a hostile file may wrap around: its reader looks at the signs */
            *into = (int64_t)((uint64_t)*into + (uint64_t)f->edge_counts[e]);
        if (g->edges[e].kind == EDGE_ENTRY)
            f->entries = f->edge_counts[e];
    }
}

static void raise_to(int64_t *count, int64_t least)
{
    if (*count < least)
        *count = least;
}

void profile_clamp(struct profile *p)
{
    for (size_t i = 0; i < p->functions.count; i++) {
        struct profile_function *f = &p->functions.items[i];
        const struct graph *g = &f->map.graph;
        uint32_t exit = graph_exit(g);
        if (f->exact || !f->counted)
            continue;
        raise_to(&f->entries, f->least ? f->least[exit].began : 0);
        for (uint32_t b = 0; b < exit; b++)
            raise_to(&f->block_counts[b], f->least ? f->least[b].began : 0);
        uint32_t *ways_in = ZALLOC(uint32_t, g->vertex_count);
        for (uint32_t e = 0; e < g->edge_count; e++)
            ways_in[g->edges[e].to]++;
        for (uint32_t e = 0; f->has_edges && e < g->edge_count; e++) {
            const struct edge *edge = &g->edges[e];
            bool only = f->least && edge->to != exit && ways_in[edge->to] == 1;
            raise_to(&f->edge_counts[e], only ? f->least[edge->to].began : 0);
            if (edge->kind == EDGE_ENTRY)
                raise_to(&f->edge_counts[e], f->entries);
        }
        free(ways_in);
    }
}

void profile_add_run_name(struct profile *p, const char *name, uint64_t files)
{
    size_t at = FIRST_WITHOUT(p->run_names.count, i, strcmp(p->run_names.items[i].name, name) < 0);
    if (at < p->run_names.count && !strcmp(p->run_names.items[at].name, name)) {
        p->run_names.items[at].files += files;
        return;
    }
    (void)ARRAY_ADD(&p->run_names);
    memmove(&p->run_names.items[at + 1], &p->run_names.items[at],
            (p->run_names.count - 1 - at) * sizeof *p->run_names.items);
    p->run_names.items[at] = (struct profile_run_name){.name = memory_string(name), .files = files};
}

static void write_runs(struct buffer *b, const struct profile *p)
{
    buffer_add_varint(b, p->run_names.count);
    for (size_t i = 0; i < p->run_names.count; i++) {
        buffer_add_string(b, p->run_names.items[i].name);
        buffer_add_varint(b, p->run_names.items[i].files);
    }
}

static void write_program(struct buffer *b, const struct profile *p)
{
    buffer_add_string(b, p->program ? p->program : "");
    buffer_add_string(b, p->build_id ? p->build_id : "");
    buffer_add_string(b, p->mode ? p->mode : "");
    buffer_add_varint(b, p->runs);
    buffer_add_varint(b, p->modules.count);
    for (size_t i = 0; i < p->modules.count; i++) {
        buffer_add_string(b, p->modules.items[i].path);
        buffer_add_string(b, p->modules.items[i].build_id);
    }
}

static void write_causes(struct buffer *b, const struct profile *p)
{
    buffer_add_varint(b, p->causes.count);
    for (size_t i = 0; i < p->causes.count; i++) {
        buffer_add_varint(b, p->causes.items[i].cause);
        buffer_add_varint(b, p->causes.items[i].runs);
        buffer_add_string(b, p->causes.items[i].where);
    }
}

static void write_frames(struct buffer *b, const struct profile_frames *frames)
{
    buffer_add_varint(b, frames->count);
    for (size_t i = 0; i < frames->count; i++) {
        const struct profile_frame *f = &frames->items[i];
        buffer_add_varint(b, f->block);
        buffer_add_varint(b, (uint64_t)f->call << 1 | f->between);
        buffer_add_varint(b, f->lines);
        buffer_add_signed(b, f->cuts);
        buffer_add_signed(b, f->resumes);
    }
}

/* Paths that ran: how many; for each its id less the one before it, and its count. */
static void write_paths(struct buffer *b, const struct profile_function *f)
{
    uint32_t total = map_path_plan(&f->map)->path_count, ran = 0, last = 0;
    for (uint32_t id = 0; id < total; id++)
        ran += f->path_counts[id] != 0;
    buffer_add_varint(b, ran);
    for (uint32_t id = 0; id < total; id++)
        if (f->path_counts[id]) {
            buffer_add_varint(b, id - last);
            buffer_add_signed(b, f->path_counts[id]);
            last = id;
        }
}

static void write_functions(struct buffer *b, const struct profile *p)
{
    buffer_add_varint(b, p->functions.count);
    for (size_t i = 0; i < p->functions.count; i++) {
        const struct profile_function *f = &p->functions.items[i];
        struct map_function map = f->map; /* the writer sets the key, which is the same */
        map_write_function(b, &map);
        buffer_add_varint(b, f->module);
        buffer_add_varint(b, (f->counted ? FUNCTION_COUNTED : 0) | (f->exact ? FUNCTION_EXACT : 0) |
                                 (f->counted && f->has_edges ? FUNCTION_EDGES : 0) |
                                 (f->counted && f->frames.count ? FUNCTION_FRAMES : 0) |
                                 (f->counted && f->path_counts ? FUNCTION_PATHS : 0));
        buffer_add_varint(b, f->cause);
        buffer_add_signed(b, f->max_error);
        if (!f->counted)
            continue;
        if (f->frames.count)
            write_frames(b, &f->frames);
        if (f->has_edges) {
            for (uint32_t e = 0; e < f->map.graph.edge_count; e++)
                buffer_add_signed(b, f->edge_counts[e]);
        } else {
            buffer_add_signed(b, f->entries);
            for (uint32_t v = 0; v < graph_exit(&f->map.graph); v++)
                buffer_add_signed(b, f->block_counts[v]);
        }
        if (f->path_counts)
            write_paths(b, f);
    }
}

static bool least_exists(const struct profile *p)
{
    for (size_t i = 0; i < p->functions.count; i++)
        if (p->functions.items[i].least)
            return true;
    return false;
}

/* For each function that is not exact: 0, or 1 and what is certain of each vertex. */
static void write_least(struct buffer *b, const struct profile *p)
{
    for (size_t i = 0; i < p->functions.count; i++) {
        const struct profile_function *f = &p->functions.items[i];
        if (f->exact || !f->counted)
            continue;
        buffer_add_varint(b, f->least != NULL);
        for (uint32_t v = 0; f->least && v < f->map.graph.vertex_count; v++) {
            buffer_add_varint(b, (uint64_t)f->least[v].began << 1 | f->least[v].may_have_run);
            buffer_add_varint(b, (uint64_t)f->least[v].left);
        }
    }
}

static void read_least(struct cursor *c, struct profile *p)
{
    for (size_t i = 0; i < p->functions.count && !c->failed; i++) {
        struct profile_function *f = &p->functions.items[i];
        if (f->exact || !f->counted)
            continue;
        uint64_t known = cursor_varint(c);
        c->failed |= known > 1;
        if (known != 1)
            continue;
        f->least = ZALLOC(struct profile_least, f->map.graph.vertex_count);
        for (uint32_t v = 0; v < f->map.graph.vertex_count && !c->failed; v++) {
            uint64_t began = cursor_varint(c), left = cursor_varint(c);
            c->failed |= left > INT64_MAX;
            f->least[v] = (struct profile_least){
                .began = (int64_t)(began >> 1), .may_have_run = began & 1, .left = (int64_t)left};
        }
    }
}

bool profile_write(const struct profile *p, const char *path, struct error *error)
{
    struct container_writer w = {0};
    write_program(container_writer_add(&w, CHUNK_PROGRAM), p);
    write_causes(container_writer_add(&w, CHUNK_CAUSES), p);
    write_functions(container_writer_add(&w, CHUNK_FUNCTIONS), p);
    if (p->run_names.count > 1 || (p->run_names.count && *p->run_names.items[0].name))
        write_runs(container_writer_add(&w, CHUNK_RUNS), p);
    if (profile_ways_exist(p))
        profile_ways_write(container_writer_add(&w, CHUNK_WAYS), p);
    if (least_exists(p))
        write_least(container_writer_add(&w, CHUNK_LEAST), p);
    if (p->inexact_files.count)
        profile_files_write(container_writer_add(&w, CHUNK_FILES), &p->inexact_files);
    bool ok = container_writer_save(&w, DATA_KIND_MERGED, path, error);
    container_writer_release(&w);
    return ok;
}

static void read_program(struct cursor *c, struct profile *p)
{
    p->program = cursor_string(c);
    p->build_id = cursor_string(c);
    p->mode = cursor_string(c);
    p->runs = cursor_varint(c);
    size_t count = cursor_count(c, 2);
    for (size_t i = 0; i < count && !c->failed; i++) {
        struct profile_module *m = ARRAY_ADD(&p->modules);
        m->path = cursor_string(c);
        m->build_id = cursor_string(c);
    }
}

static void read_runs(struct cursor *c, struct profile *p)
{
    size_t count = cursor_count(c, 2);
    for (size_t i = 0; i < count && !c->failed; i++) {
        char *name = cursor_string(c);
        uint64_t files = cursor_varint(c);
        if (i && strcmp(p->run_names.items[i - 1].name, name) >= 0)
            c->failed = true; /* each once, in order */
        ARRAY_PUSH(&p->run_names, ((struct profile_run_name){.name = name, .files = files}));
    }
}

static void read_causes(struct cursor *c, struct profile *p)
{
    size_t count = cursor_count(c, 3);
    for (size_t i = 0; i < count && !c->failed; i++) {
        uint64_t cause = cursor_varint(c), runs = cursor_varint(c);
        char *where = cursor_string(c);
        if (!cause || cause > CAUSE_LAST)
            c->failed = true;
        if (!c->failed)
            profile_add_cause(p, (enum profile_cause)cause, runs, where);
        free(where);
    }
}

static bool conserves_flow(const struct profile_function *f)
{
    const struct graph *g = &f->map.graph;
    for (uint32_t v = 0; v < graph_exit(g); v++)
        if (f->block_counts[v] < 0)
            return false;
    if (f->entries < 0 || !f->has_edges)
        return f->entries >= 0;
    uint64_t *excess = ZALLOC(uint64_t, g->vertex_count);
    bool ok = true;
    profile_frames_gains(&f->frames, g, (int64_t *)excess);
    for (uint32_t e = 0; e < g->edge_count; e++) {
        ok = ok && f->edge_counts[e] >= 0;
        excess[g->edges[e].to] += (uint64_t)f->edge_counts[e];
        excess[g->edges[e].from] -= (uint64_t)f->edge_counts[e];
    }
    for (uint32_t v = 0; v < g->vertex_count; v++)
        ok = ok && !excess[v];
    free(excess);
    return ok;
}

/* Positions are in range and rise. */
static void read_frames(struct cursor *c, struct profile_function *f)
{
    size_t count = cursor_count(c, 5);
    if (!count)
        c->failed = true;
    for (size_t i = 0; i < count && !c->failed; i++) {
        uint64_t block = cursor_varint(c), call = cursor_varint(c), lines = cursor_varint(c);
        struct profile_frame frame = {.cuts = cursor_signed(c), .between = call & 1};
        frame.resumes = cursor_signed(c);
        if (c->failed || block >= graph_exit(&f->map.graph) || call >> 1 > f->map.blocks[block].call_count ||
            lines > f->map.blocks[block].line_count) {
            c->failed = true;
            return;
        }
        const int64_t most = DATA_FRAME_COUNT_MOST; /* keeps sums in range */
        if (frame.cuts <= -most || frame.cuts >= most || frame.resumes <= -most || frame.resumes >= most)
            c->failed = true;
        frame.block = (uint32_t)block;
        frame.call = (uint32_t)(call >> 1);
        frame.lines = (uint32_t)lines;
        if (i && compare_frames(&f->frames.items[i - 1], &frame) >= 0)
            c->failed = true;
        ARRAY_PUSH(&f->frames, frame);
    }
}

static void read_paths(struct cursor *c, struct profile_function *f)
{
    const struct plan *plan = map_path_plan(&f->map);
    size_t count = cursor_count(c, 2);
    if (!plan || count > plan->path_count) {
        c->failed = true;
        return;
    }
    f->path_counts = ZALLOC(int64_t, (size_t)plan->path_count + 1);
    uint64_t id = 0;
    for (size_t i = 0; i < count && !c->failed; i++) {
        uint64_t step = cursor_varint(c);
        id = step < plan->path_count ? id + step : plan->path_count;
        if (id >= plan->path_count || (i && !step) || !path_choice_has(plan->choice, id))
            c->failed = true;
        else
            f->path_counts[id] = cursor_signed(c);
    }
}

static bool read_function(struct cursor *c, struct profile *p, struct profile_function *f,
                          struct error *error)
{
    *f = (struct profile_function){0};
    size_t size = cursor_count(c, 1);
    const uint8_t *record = cursor_bytes(c, size);
    if (!record)
        return error_set(error, "is damaged: the list of functions ends early");
    if (!map_read_function(&f->map, record, size, error))
        return error_prefix(error, "is damaged");
    uint64_t module = cursor_varint(c), flags = cursor_varint(c), cause = cursor_varint(c);
    f->max_error = cursor_signed(c);
    if (module >= p->modules.count || cause > CAUSE_LAST || f->max_error < MAX_ERROR_UNKNOWN)
        c->failed = true;
    f->module = (uint32_t)module;
    f->cause = (enum profile_cause)cause;
    f->counted = flags & FUNCTION_COUNTED;
    f->exact = flags & FUNCTION_EXACT;
    f->has_edges = f->counted && flags & FUNCTION_EDGES;
    if (f->counted && flags & FUNCTION_FRAMES && !c->failed)
        read_frames(c, f);
    if (f->counted && !c->failed) {
        uint32_t edges = f->has_edges ? f->map.graph.edge_count : 0, blocks = graph_exit(&f->map.graph);
        if (f->has_edges) {
            f->edge_counts = ALLOC(int64_t, edges);
            for (uint32_t e = 0; e < edges; e++)
                f->edge_counts[e] = cursor_signed(c);
            profile_function_blocks(f);
        } else {
            f->block_counts = ALLOC(int64_t, blocks);
            f->entries = cursor_signed(c);
            for (uint32_t v = 0; v < blocks; v++)
                f->block_counts[v] = cursor_signed(c);
        }
    }
    if (f->counted && flags & FUNCTION_PATHS && !c->failed)
        read_paths(c, f);
    if (c->failed || (f->counted && f->exact && !conserves_flow(f))) {
        error_set(error, "is damaged: the counts of function '%s' make no sense", f->map.name);
        profile_function_release(f);
        return false;
    }
    return true;
}

static bool read_functions(struct cursor *c, struct profile *p, struct error *error)
{
    size_t count = cursor_count(c, 5);
    for (size_t i = 0; i < count; i++) {
        struct profile_function f;
        if (!read_function(c, p, &f, error))
            return false;
        ARRAY_PUSH(&p->functions, f);
    }
    return true;
}

/* Reads the bytes of one chunk. */
static bool read_chunk(struct cursor *c, struct profile *p, uint32_t type, struct error *error)
{
    bool ok = true;
    switch ((enum chunk_type)type) {
    case CHUNK_PROGRAM:
        read_program(c, p);
        break;
    case CHUNK_CAUSES:
        read_causes(c, p);
        break;
    case CHUNK_FUNCTIONS:
        ok = read_functions(c, p, error);
        break;
    case CHUNK_RUNS:
        read_runs(c, p);
        break;
    case CHUNK_WAYS:
        profile_ways_read(c, p);
        break;
    case CHUNK_LEAST:
        read_least(c, p);
        break;
    case CHUNK_FILES:
        profile_files_read(c, &p->inexact_files);
        break;
    }
    return ok && container_chunk_ended(c, type, error);
}

/* What a file without this chunk means. */
static bool lacks_chunk(struct profile *p, uint32_t type, struct error *error)
{
    if (type < CHUNK_RUNS)
        return error_set(error, "is damaged: chunk %u is missing", type);
    if (type == CHUNK_RUNS && p->runs) /* no run had a name, or the cotree that wrote it was older */
        profile_add_run_name(p, "", p->runs);
    return true; /* no paths, everything is exact, or cotree was older */
}

bool profile_read_fd(struct profile *p, int fd, uint64_t size, struct error *error)
{
    *p = (struct profile){0};
    struct container_reader reader;
    bool ok = container_reader_open(&reader, fd, size, CHUNK_LAST, error);
    close(fd);
    for (uint32_t type = CHUNK_PROGRAM; ok && type <= CHUNK_LAST; type++) {
        struct cursor c;
        ok = container_reader_chunk(&reader, type, &c) ? read_chunk(&c, p, type, error)
                                                       : lacks_chunk(p, type, error);
    }
    container_reader_release(&reader);
    if (!ok) {
        profile_release(p);
        return false;
    }
    profile_explain(p);
    return true;
}

bool profile_read(struct profile *p, const char *path, struct error *error)
{
    uint32_t kind;
    uint64_t size;
    int fd = data_open(path, &kind, &size, error);
    if (fd < 0)
        return error_prefix(error, "'%s'", path);
    if (kind != DATA_KIND_MERGED) {
        close(fd);
        return error_set(error, "'%s': is a run file; 'cotree merge' makes the profile", path);
    }
    return profile_read_fd(p, fd, size, error) || error_prefix(error, "'%s'", path);
}
