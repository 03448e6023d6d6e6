/* Sums go round where they do not fit: files may say anything. */
#include "decode/model/counts.h"
#include "decode/model/error_bounds.h"
#include "decode/model/module.h"

#include <stddef.h>

/* Adds numbers to sums that may not be there yet; what is left of the numbers is freed. */
static void move_sums(int64_t **sums, int64_t **numbers, uint64_t count)
{
    if (!*sums) {
        *sums = *numbers;
        *numbers = NULL;
    }
    for (uint64_t i = 0; *numbers && i < count; i++)
        (*sums)[i] = (int64_t)((uint64_t)(*sums)[i] + (uint64_t)(*numbers)[i]);
    free(*numbers);
    *numbers = NULL;
}

static void add_frames(struct profile_frames *sums, const struct profile_frames *frames)
{
    for (size_t i = 0; i < frames->count; i++)
        profile_frames_add(sums, &frames->items[i]);
}

static void add_ways(struct profile_ways *sums, const struct profile_ways *ways)
{
    for (size_t i = 0; i < ways->count; i++)
        profile_ways_add(sums, &ways->items[i]);
}

static void trace_counts_release(struct trace_counts *t)
{
    free(t->edges);
    free(t->tail_unsure);
    free(t->paths);
    ARRAY_RELEASE(&t->frames);
    profile_ways_release(&t->ways);
    *t = (struct trace_counts){0};
}

static void merged_counts_release(struct merged_counts *m)
{
    free(m->counts);
    free(m->paths);
    ARRAY_RELEASE(&m->frames);
    *m = (struct merged_counts){0};
}

static void unended_paths_release(struct unended_paths *u)
{
    profile_ways_release(&u->ways);
    free(u->counted);
    *u = (struct unended_paths){0};
}

static void certain_counts_release(struct certain_counts *c)
{
    free(c->slack);
    free(c->may_have_run);
    *c = (struct certain_counts){0};
}

static void commit_counters(struct decode_function *f, enum file_trust trust)
{
    struct total_counts *total = &f->total;
    bool doubtful = trust != FILE_EXACT;
    if (!f->file.touched)
        return;
    add_frames(&total->frames, &f->file.frames);
    if (!total->counters)
        total->counters = ZALLOC(int64_t, (size_t)f->counter_count + 1);
    if (doubtful && !total->doubtful)
        total->doubtful = ZALLOC(int64_t, (size_t)f->counter_count + 1);
    for (uint32_t i = 0; i < f->counter_count; i++) {
        int64_t count = f->file.counters[i];
        total->counters[i] = (int64_t)((uint64_t)total->counters[i] + (uint64_t)count);
        if (doubtful)
            total->doubtful[i] |= count;
    }
}

static void commit_trace(struct decode_function *f)
{
    struct trace_counts *sums = &f->total.trace, *more = &f->file.trace;
    move_sums(&sums->edges, &more->edges, f->map.graph.edge_count);
    move_sums(&sums->tail_unsure, &more->tail_unsure, f->map.graph.edge_count);
    move_sums(&sums->paths, &more->paths, more->path_count);
    add_frames(&sums->frames, &more->frames);
    add_ways(&sums->ways, &more->ways);
    sums->error = error_plus(sums->error, more->error);
    sums->stopped_unseen |= more->stopped_unseen;
    more->plan_is_new = false;
}

static void commit_merged(struct decode_function *f)
{
    struct merged_counts *sums = &f->total.merged, *more = &f->file.merged;
    move_sums(&sums->counts, &more->counts, more->count);
    move_sums(&sums->paths, &more->paths, more->path_count);
    add_frames(&sums->frames, &more->frames);
}

static void commit_unended(struct decode_function *f)
{
    struct unended_paths *sums = &f->total.unended, *more = &f->file.unended;
    const struct plan *plan = more->counted ? map_path_plan(&f->map) : NULL;
    add_ways(&sums->ways, &more->ways);
    sums->missing |= more->missing;
    move_sums(&sums->counted, &more->counted, plan ? plan->path_count : 0);
}

static void commit_certain(struct decode_function *f)
{
    struct certain_counts *sums = &f->total.certain, *more = &f->file.certain;
    uint32_t vertices = f->map.graph.vertex_count;
    move_sums(&sums->slack, &more->slack, 2 * (uint64_t)vertices);
    sums->unknown |= more->unknown;
    if (more->may_have_run && !sums->may_have_run)
        sums->may_have_run = ZALLOC(bool, vertices);
    for (uint32_t v = 0; more->may_have_run && v < vertices; v++)
        sums->may_have_run[v] |= more->may_have_run[v];
}

static void commit_doubts(struct decode_function *f)
{
    if (!f->file.doubted)
        return;
    f->total.inexact = true;
    f->total.max_error = error_plus(f->total.max_error, f->file.error);
    if (f->file.cause != CAUSE_NONE && (f->total.cause == CAUSE_NONE || f->file.cause < f->total.cause))
        f->total.cause = f->file.cause;
}

/* Is there nothing but counters and frames? Programs have thousands of functions, and a report may
 * read thousands of files. */
static bool is_plain(const struct file_counts *file)
{
    const size_t first = offsetof(struct file_counts, supposed);
    const char *bytes = (const char *)file + first;
    for (size_t i = 0; i + sizeof(uint64_t) <= sizeof *file - first; i += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, bytes + i, sizeof word);
        if (word)
            return false;
    }
    return true;
}

/* Keeps the memory that the next file will ask for again. */
static void clear(struct decode_function *f)
{
    struct file_counts *file = &f->file;
    if (file->touched)
        memset(file->counters, 0, f->counter_count * sizeof *file->counters);
    file->frames.count = 0;
    file->entries = file->least_entries = file->error = 0;
    file->looked_at = 0;
    file->touched = file->unsure = file->doubted = false;
    file->cause = CAUSE_NONE;
    if (is_plain(file))
        return;
    struct file_counts kept = {.counters = file->counters, .frames = file->frames};
    file->counters = NULL;
    file->frames = (struct profile_frames){0};
    file_counts_release(file);
    *file = kept;
}

void file_counts_commit(struct decode_function *f, enum file_trust trust)
{
    commit_counters(f, trust);
    if (trust != FILE_UNBOUNDED)
        commit_doubts(f);
    if (!is_plain(&f->file)) {
        commit_trace(f);
        commit_merged(f);
        commit_unended(f);
        commit_certain(f);
    }
    clear(f);
}

void file_counts_drop(struct decode_function *f)
{
    if (f->file.trace.plan_is_new)
        plan_release(&f->trace_paths);
    clear(f);
}

void file_counts_allocate(struct decode_function *f)
{
    if (!f->file.counters)
        f->file.counters = ZALLOC(int64_t, (size_t)f->counter_count + 1);
}

void file_counts_release(struct file_counts *file)
{
    free(file->counters);
    free(file->supposed);
    ARRAY_RELEASE(&file->frames);
    free(file->moved_cut);
    free(file->moved_resumed);
    trace_counts_release(&file->trace);
    merged_counts_release(&file->merged);
    unended_paths_release(&file->unended);
    certain_counts_release(&file->certain);
}

void total_counts_release(struct total_counts *total)
{
    free(total->counters);
    free(total->doubtful);
    ARRAY_RELEASE(&total->frames);
    trace_counts_release(&total->trace);
    merged_counts_release(&total->merged);
    unended_paths_release(&total->unended);
    certain_counts_release(&total->certain);
}
