/* One merged file: solved counts of the same build join the totals; the file brings what they need
 * of the map. */
#include "decode/profile/decoder.h"
#include "decode/profile/least.h"
#include "decode/model/solve.h"
#include "decode/trace/paths.h"
#include "format/profile/files.h"

/* Does the function have the counts that its own map promises? Equal keys mean equal maps, so all
 * functions with one key then agree. */
static bool fits_its_map(const struct profile_function *from)
{
    uint32_t set = from->map.flags & MAP_FUNCTION_UNCOUNTED ? SET_NONE : solve_first_set(&from->map);
    if (set == SET_NONE && from->map.trace) /* its trace gives edges */
        return from->counted && from->has_edges;
    if (!from->counted || set == SET_NONE)
        return !from->counted && set == SET_NONE;
    const struct placement_info *info = placement_info(from->map.plans[set].placement);
    return from->has_edges == (info && info->gives_edges);
}

static bool same_paths(const struct plan *a, const struct plan *b)
{
    if (a->placement != b->placement || a->path_count != b->path_count || a->probe_count != b->probe_count)
        return false;
    for (uint32_t i = 0; i < a->probe_count; i++)
        if (a->probes[i].id != b->probes[i].id)
            return false;
    return true;
}

/* Do the paths that a trace counted end where those of other files end? That was chosen when they
 * were counted. */
static bool agrees_on_paths(const struct decode_function *f, const struct profile_function *from)
{
    const struct plan *theirs = map_path_plan(&from->map);
    return !f || !(from->map.flags & MAP_FUNCTION_PATHS_TRACED) || !f->trace_paths.placement ||
           same_paths(&f->trace_paths, theirs);
}

/* Moves the plan of paths that a trace counted to the function. */
static void take_paths(struct decode_function *f, struct profile_function *from)
{
    struct plan *theirs = (struct plan *)(uintptr_t)map_path_plan(&from->map);
    if (!(from->map.flags & MAP_FUNCTION_PATHS_TRACED) || f->trace_paths.placement)
        return;
    f->trace_paths = *theirs;
    *theirs = (struct plan){.placement = theirs->placement};
}

/* The counts are moved where they can be, since the profile is released next. */
static void take_counts(struct merged_counts *to, const struct decode_function *f,
                        struct profile_function *from)
{
    uint32_t blocks = graph_exit(&f->map.graph);
    to->count = from->has_edges ? f->map.graph.edge_count : (uint64_t)blocks + 1;
    if (from->has_edges) {
        to->counts = from->edge_counts;
        from->edge_counts = NULL;
    } else {
        to->counts = ALLOC(int64_t, to->count);
        to->counts[0] = from->entries;
        memory_copy(to->counts + 1, from->block_counts, blocks * sizeof *to->counts);
    }
    to->frames = from->frames;
    from->frames = (struct profile_frames){0};
}

static void add_function(struct decode_module *m, struct profile_function *from)
{
    struct decode_function *f = decode_module_find(m, from->map.key);
    if (!f)
        f = decode_module_add(m, &from->map);
    else
        take_paths(f, from);
    struct file_counts *file = &f->file;
    file->unended.missing = from->counted && from->path_counts && from->frames.count && !from->ways_known;
    if (from->counted) {
        take_counts(&file->merged, f, from);
        file->unended.ways = from->ways;
        from->ways = (struct profile_ways){0};
    }
    if (from->path_counts) {
        file->merged.paths = from->path_counts;
        file->merged.path_count = trace_paths_plan(f)->path_count;
        from->path_counts = NULL;
    }
    if (from->counted && !from->exact) {
        file->doubted = true;
        file->error = from->max_error;
        file->cause = from->cause;
        least_add_merged(f, from);
    }
    file_counts_commit(f, FILE_EXACT);
}

/* Finds the decoder's module for one of the file's, or makes it; a path is chosen by comparison, so
 * that order does not matter. */
static struct decode_module *find_or_make(struct decoder *d, const struct profile_module *from)
{
    struct decode_module *m = decoder_find_module(d, from->build_id, from->path);
    if (!m || (!m->known && m != (d->program ? d->modules.items[0] : NULL))) {
        m = ZALLOC(struct decode_module, 1);
        decode_module_init(m, from->path, from->build_id);
        ARRAY_PUSH(&d->modules, m);
    } else if (!m->known) {
        m->known = m->merged_only = true; /* the program itself was stripped: the merged file has its map */
    }
    return m;
}

/* One build id may be that of several programs, if the linker was told which to write: their maps have
 * other keys. Finds a function that the module should have and does not. */
static const struct profile_function *find_foreign(const struct decoder *d, const struct profile *p)
{
    for (size_t i = 0; i < p->functions.count; i++) {
        const struct profile_function *f = &p->functions.items[i];
        const struct profile_module *from = &p->modules.items[f->module];
        const struct decode_module *m =
            *from->build_id ? decoder_find_module(d, from->build_id, from->path) : NULL;
        if (m && m->known && !(f->map.flags & MAP_FUNCTION_OPTIONAL) && !decode_module_find(m, f->map.key))
            return f;
    }
    return NULL;
}

static bool add(struct decoder *d, struct profile *p, struct error *error)
{
    for (size_t i = 0; i < p->functions.count; i++)
        if (!fits_its_map(&p->functions.items[i]))
            return error_set(error, "is damaged: function '%s' is not what its map says",
                             p->functions.items[i].map.name);
    if (d->build_id && strcmp(d->build_id, p->build_id)) {
        const char *theirs = *p->build_id ? p->build_id : "(none)",
                   *ours = *d->build_id ? d->build_id : "(none)";
        if (d->program)
            return error_set(error, "is data of another build: build %s of '%s', but '%s' is build %s",
                             theirs, p->program, d->program, ours);
        /* Which of the two is wanted must not depend on which came first. */
        d->undecided = true;
        return error_set(error,
                         "is of build %s, but others are of build %s: name the program whose data is wanted",
                         theirs, ours);
    }
    for (size_t i = 0; i < p->functions.count; i++) {
        const struct profile_function *f = &p->functions.items[i];
        const struct profile_module *from = &p->modules.items[f->module];
        struct decode_module *m = decoder_find_module(d, from->build_id, from->path);
        if (m && !agrees_on_paths(decode_module_find(m, f->map.key), f))
            return error_set(error, "counts paths of traces that end elsewhere: another --path-ends");
    }
    const struct profile_function *foreign = find_foreign(d, p);
    if (foreign) {
        d->undecided |= !d->program;
        return error_set(error, "is of another build that has the same build id, %s: function '%s' differs",
                         p->modules.items[foreign->module].build_id, foreign->map.name);
    }
    if (!d->build_id)
        d->build_id = memory_string(p->build_id);
    for (size_t i = 0; i < p->functions.count; i++)
        add_function(find_or_make(d, &p->modules.items[p->functions.items[i].module]),
                     &p->functions.items[i]);
    d->sums.runs += p->runs;
    profile_files_join(&d->sums.inexact_files, &p->inexact_files);
    for (size_t i = 0; i < p->run_names.count; i++)
        profile_add_run_name(&d->sums, p->run_names.items[i].name, p->run_names.items[i].files);
    for (size_t i = 0; i < p->causes.count; i++)
        profile_add_cause(&d->sums, p->causes.items[i].cause, p->causes.items[i].runs,
                          p->causes.items[i].where);
    if (!d->sums.program || strcmp(p->program, d->sums.program) < 0) {
        free(d->sums.program);
        d->sums.program = memory_string(p->program);
    }
    return true;
}

bool decoder_add_merged_file(struct decoder *d, int fd, uint64_t size, struct error *error)
{
    struct profile p;
    if (!profile_read_fd(&p, fd, size, error))
        return false;
    bool ok = add(d, &p, error);
    profile_release(&p);
    return ok;
}
