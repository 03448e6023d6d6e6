#include "decode/model/trace_counts.h"
#include "decode/model/error_bounds.h"

/* Adds `count` numbers to those of the sums, which may not be there yet. What does not fit goes round: files
 * may say anything. */
static void add_all(int64_t **sums, int64_t **more, uint64_t count)
{
    if (!*sums) {
        *sums = *more;
        *more = NULL;
    }
    for (uint64_t i = 0; *more && i < count; i++)
        (*sums)[i] = (int64_t)((uint64_t)(*sums)[i] + (uint64_t)(*more)[i]);
}

void trace_counts_clear(struct trace_counts *t)
{
    free(t->edges);
    free(t->tail_unsure);
    free(t->paths);
    ARRAY_RELEASE(&t->frames);
    profile_ways_release(&t->ways);
    *t = (struct trace_counts){0};
}

void trace_counts_commit(struct decode_function *f)
{
    struct trace_counts *sums = &f->trace, *more = &f->file_trace;
    add_all(&sums->edges, &more->edges, f->map.graph.edge_count);
    add_all(&sums->tail_unsure, &more->tail_unsure, f->map.graph.edge_count);
    add_all(&sums->paths, &more->paths, more->path_count);
    for (size_t i = 0; i < more->frames.count; i++)
        profile_frames_add(&sums->frames, &more->frames.items[i]);
    for (size_t i = 0; i < more->ways.count; i++)
        profile_ways_add(&sums->ways, &more->ways.items[i]);
    sums->error = error_plus(sums->error, more->error);
    sums->stopped_unseen |= more->stopped_unseen;
    trace_counts_clear(more);
}

void trace_counts_drop(struct decode_function *f)
{
    if (f->file_trace.plan_is_new)
        plan_release(&f->trace_paths);
    trace_counts_clear(&f->file_trace);
}
