/* The totals are complete: each function is solved, its counter sets are compared, and the profile
 * is put in order. */
#include "decode/model/call_cycles.h"
#include "decode/profile/decoder.h"
#include "decode/profile/derived.h"
#include "decode/model/error_bounds.h"
#include "decode/profile/least.h"
#include "decode/profile/maybe.h"
#include "decode/profile/plain_bodies.h"
#include "decode/model/paths.h"
#include "decode/model/solve.h"
#include "decode/trace/paths.h"

#include "plan/path_code.h"

#include <stdio.h>

/*
 * By how much the counts of another set, or of a trace, may be less, and more, without a
 * contradiction; MAX_ERROR_UNKNOWN: by any amount. Paths that did not end are in no path count, and
 * one that was resumed is in it with all that ran before; a trace says itself what it cannot tell.
 */
struct leeway {
    int64_t less, more;
};

/* By how much the two contradict each other. */
static uint64_t contradiction(const struct decode_difference *d, const struct leeway *leeway)
{
    int64_t a = d->first_count, b = d->other_count, left = a > b ? leeway->less : leeway->more;
    uint64_t distance = a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
    return left == MAX_ERROR_UNKNOWN || distance <= (uint64_t)left ? 0 : distance - (uint64_t)left;
}

/* Does the profile say that the function may be so far off? What paths imply may be off by as much
 * in the other direction. */
static bool is_declared(const struct profile_function *f, const struct decode_difference *d,
                        uint64_t distance)
{
    if (f->exact || f->max_error == MAX_ERROR_UNKNOWN)
        return !f->exact;
    bool paths = !d->traced && placement_counts_paths(d->other);
    return (paths ? distance / 2 + distance % 2 : distance) <= (uint64_t)f->max_error;
}

/* Reports two counts that differ. True: the function need not be compared further. */
static bool differ(struct decoder *d, const struct profile_function *f, struct decode_difference *difference,
                   struct leeway leeway)
{
    uint64_t distance = contradiction(difference, &leeway);
    if (!distance)
        return false;
    difference->declared = is_declared(f, difference, distance);
    d->totals->differences++;
    d->totals->undeclared += !difference->declared;
    if (d->options->every_set && d->options->difference)
        d->options->difference(d->options->context, difference);
    /* one undeclared difference is enough */
    return !d->options->every_set && !difference->declared;
}

/* Compares two sets, edge by edge where both give edges, block by block otherwise. other_placement
 * 0: the other is a trace. more: by edge, how much larger the leeway is, or NULL. */
static void compare(struct decoder *d, const struct profile_function *f, const struct solved *first,
                    enum placement first_placement, const struct solved *other,
                    enum placement other_placement, struct leeway leeway, const int64_t *more)
{
    const struct graph *g = &f->map.graph;
    struct decode_difference difference = {
        .function = &f->map, .first = first_placement, .other = other_placement};
    difference.traced = other_placement == 0;
    difference.is_edge = first->has_edges && other->has_edges;
    uint32_t count = difference.is_edge ? g->edge_count : graph_exit(g);
    for (uint32_t i = 0; i < count; i++) {
        difference.id = i;
        difference.first_count = difference.is_edge ? first->edge_counts[i] : first->block_counts[i];
        difference.other_count = difference.is_edge ? other->edge_counts[i] : other->block_counts[i];
        struct leeway here = leeway;
        if (more && difference.is_edge)
            here = (struct leeway){error_plus(leeway.less, more[i]), error_plus(leeway.more, more[i])};
        if (differ(d, f, &difference, here))
            return;
    }
    difference.is_edge = false;
    difference.id = graph_exit(g);
    difference.first_count = first->entries;
    difference.other_count = other->entries;
    differ(d, f, &difference, leeway);
}

/* Compares the paths that counters counted with those that the trace went. */
static void compare_paths(struct decoder *d, const struct decode_function *from,
                          const struct profile_function *f)
{
    const struct plan *plan = map_path_plan(&from->map);
    int64_t *counted = ALLOC(int64_t, (size_t)plan->path_count + 1);
    paths_read(&from->map, paths_counters(&from->map, from->total.counters), counted);
    struct decode_difference difference = {.function = &from->map,
                                           .first = plan->placement,
                                           .other = plan->placement,
                                           .traced = true,
                                           .is_path = true};
    int64_t unsure = from->total.trace.error;
    for (uint32_t e = 0; from->total.trace.tail_unsure && e < from->map.graph.edge_count; e++)
        unsure = error_plus(unsure, from->total.trace.tail_unsure[e]);
    /* In children of fork there are paths whose beginning was not recorded. */
    for (size_t i = 0; i < from->total.trace.ways.count; i++)
        if (from->total.trace.ways.items[i].unknown)
            unsure = error_plus(unsure, from->total.trace.ways.items[i].count);
    for (uint32_t id = 0; id < plan->path_count; id++) {
        difference.id = id;
        difference.first_count = counted[id];
        difference.other_count = from->total.trace.paths[id];
        if (path_choice_has(plan->choice, id) && counted[id] != from->total.trace.paths[id] &&
            differ(d, f, &difference, (struct leeway){unsure, unsure}))
            break;
    }
    free(counted);
}

static struct leeway paths_leeway(const struct decode_function *f)
{
    struct leeway leeway = {0};
    paths_unfinished(&f->map, &f->total.frames, &leeway.less, &leeway.more);
    return leeway;
}

/* Finds what counted paths imply of edges. Frames that stayed in a call have not taken the ways out
 * that were counted before it. */
static void imply_paths(struct solved *s, const struct decode_function *from, const struct map_function *map)
{
    paths_imply(s, map, paths_counters(map, from->total.counters));
    paths_take_back(map, &from->total.frames, s->edge_counts);
}

/* Compares the further sets of what run files brought, and the trace. True when all agree. */
static bool compare_sets(struct decoder *d, const struct decode_function *from,
                         const struct profile_function *f, const struct solved *first, const int64_t *gains)
{
    uint64_t before = d->totals->undeclared;
    for (uint32_t i = 0; i < from->map.plan_count; i++) {
        if (i == from->set || from->map.plans[i].placement == PLACEMENT_BALANCE || from->map.plans[i].choice)
            continue; /* the counts of chosen paths alone imply nothing of the edges */
        struct solved other;
        if (placement_counts_paths(from->map.plans[i].placement))
            imply_paths(&other, from, &f->map);
        else
            solve_set(&other, &f->map, i, from->total.counters, from->total.entries, &from->total.frames,
                      gains);
        if (other.result != FLOW_UNDETERMINED)
            compare(d, f, first, f->map.plans[from->set].placement, &other, f->map.plans[i].placement,
                    paths_leeway(from), NULL);
        solved_release(&other);
    }
    if (from->map.trace && d->traced) { /* the trace knows every edge */
        int64_t *nothing =
            from->total.trace.edges ? NULL : ZALLOC(int64_t, (size_t)from->map.graph.edge_count + 1);
        struct profile_function implied = {
            .map = from->map, .edge_counts = from->total.trace.edges ? from->total.trace.edges : nothing};
        profile_function_blocks(&implied);
        const struct solved other = {.has_edges = true,
                                     .entries = implied.entries,
                                     .block_counts = implied.block_counts,
                                     .edge_counts = implied.edge_counts};
        compare(d, f, first, f->map.plans[from->set].placement, &other, 0,
                (struct leeway){from->total.trace.error, from->total.trace.error},
                from->total.trace.tail_unsure);
        free(implied.block_counts);
        free(nothing);
    }
    if (from->total.trace.paths && map_path_plan(&from->map))
        compare_paths(d, from, f);
    return d->totals->undeclared == before;
}

static void add_merged(struct profile_function *f, const int64_t *merged)
{
    if (f->has_edges) {
        for (uint32_t e = 0; e < f->map.graph.edge_count; e++)
            f->edge_counts[e] = (int64_t)((uint64_t)f->edge_counts[e] + (uint64_t)merged[e]);
        profile_function_blocks(f);
        return;
    }
    f->entries += merged[0];
    for (uint32_t b = 0; b < graph_exit(&f->map.graph); b++)
        f->block_counts[b] = (int64_t)((uint64_t)f->block_counts[b] + (uint64_t)merged[b + 1]);
}

/* Adds the frames but those that were taken back (an exec that failed). */
static void add_frames(struct profile_function *f, const struct profile_frames *frames)
{
    for (size_t i = 0; i < frames->count; i++)
        if (frames->items[i].cuts || frames->items[i].resumes)
            profile_frames_add(&f->frames, &frames->items[i]);
}

static void add_paths(struct profile_function *f, const struct decode_function *from)
{
    const int64_t *counted = paths_counters(&f->map, from->total.counters);
    if (!counted)
        return;
    uint32_t count = map_path_plan(&f->map)->path_count;
    f->path_counts = ALLOC(int64_t, (size_t)count + 1);
    paths_read(&f->map, counted, f->path_counts);
    for (uint32_t id = 0; from->total.unended.counted && !from->total.unended.missing && id < count; id++)
        f->path_counts[id] =
            (int64_t)((uint64_t)f->path_counts[id] - (uint64_t)from->total.unended.counted[id]);
    for (uint32_t id = 0; from->total.merged.paths && id < count; id++)
        f->path_counts[id] = (int64_t)((uint64_t)f->path_counts[id] + (uint64_t)from->total.merged.paths[id]);
}

static void take_ways(struct profile_function *f, struct decode_function *from)
{
    f->ways = from->total.unended.ways;
    from->total.unended.ways = (struct profile_ways){0};
    profile_ways_sort(&f->ways);
    f->ways_known = !from->total.unended.missing;
}

/* Adds paths that the trace counted, of run files and of merged files, where no counter counts
 * them. */
static void add_traced_paths(struct decoder *d, struct decode_function *from, struct profile_function *f)
{
    uint32_t count = from->trace_paths.path_count;
    if (!count || !d->options->path_ends)
        return;
    f->path_counts = from->total.trace.paths ? from->total.trace.paths : ZALLOC(int64_t, (size_t)count + 1);
    from->total.trace.paths = NULL;
    for (uint32_t id = 0; from->total.merged.paths && id < count; id++)
        f->path_counts[id] = (int64_t)((uint64_t)f->path_counts[id] + (uint64_t)from->total.merged.paths[id]);
    for (size_t i = 0; i < from->total.trace.ways.count; i++)
        profile_ways_add(&from->total.unended.ways, &from->total.trace.ways.items[i]);
    take_ways(f, from);
    RESIZE(f->map.plans, (size_t)f->map.plan_count + 1);
    f->map.plans[f->map.plan_count++] = from->trace_paths;
    f->map.flags |= MAP_FUNCTION_PATHS_TRACED;
    from->trace_paths = (struct plan){0};
}

static void own_cause(struct decoder *d, struct decode_function *from, struct profile_function *f,
                      enum profile_cause cause)
{
    f->exact = false;
    f->max_error = MAX_ERROR_UNKNOWN;
    f->cause = cause;
    from->total.certain.unknown = true;
    profile_add_cause(&d->sums, cause, 0, f->map.name);
}

/* A copy for inlining, of which nothing ran, is not a function of the program: at -O0 it is not
 * there. */
static bool is_idle_copy(const struct decode_function *f)
{
    if (!(f->map.flags & MAP_FUNCTION_OPTIONAL) || f->total.merged.counts || f->total.frames.count ||
        f->total.trace.edges)
        return false;
    for (uint32_t i = 0; f->total.counters && i < f->counter_count; i++)
        if (f->total.counters[i])
            return false;
    return true;
}

/* Functions that clang makes to choose between versions of a function have no counters and no line
 * in the source: they are not shown. */
static bool is_chooser(const struct map_function *f)
{
    return f->flags & MAP_FUNCTION_UNCOUNTED && !f->line;
}

/* There is nothing to solve: a trace implies every edge. */
static void finish_traced(struct decoder *d, const struct decode_module *m, struct decode_function *from,
                          struct profile_function *f)
{
    f->map = from->map;
    from->map = (struct map_function){0};
    f->exact = !m->inexact && !from->total.inexact && !from->total.trace.error;
    f->cause = from->total.cause;
    f->max_error =
        m->inexact ? MAX_ERROR_UNKNOWN : error_plus(from->total.max_error, from->total.trace.error);
    f->has_edges = true;
    f->edge_counts = from->total.trace.edges ? from->total.trace.edges
                                             : ZALLOC(int64_t, (size_t)f->map.graph.edge_count + 1);
    from->total.trace.edges = NULL;
    profile_function_blocks(f);
    add_frames(f, &from->total.trace.frames);
    add_frames(f, &from->total.merged.frames);
    if (from->total.merged.counts)
        add_merged(f, from->total.merged.counts);
    add_traced_paths(d, from, f);
}

/* Doubts the function where its own counts, or its sets, contradict each other. */
static void judge_solution(struct decoder *d, struct decode_function *from, struct profile_function *f,
                           const struct solved *s, const int64_t *gains)
{
    bool unsolved = s->result == FLOW_UNDETERMINED || from->derived.entries_unknown, doubted = unsolved;
    if (unsolved)
        own_cause(d, from, f, CAUSE_UNSOLVED);
    else if ((doubted = s->result != FLOW_OK && f->exact))
        own_cause(d, from, f, CAUSE_IMPOSSIBLE);
    if (!compare_sets(d, from, f, s, gains) && f->exact) {
        own_cause(d, from, f, CAUSE_SETS);
        doubted = true;
    }
    for (uint32_t i = 0; doubted && i < from->derived.site_count; i++) {
        /* The entries that callees were handed are wrong, too. */
        struct total_counts *callee = &from->derived.sites[i].callee->total;
        callee->inexact = true;
        callee->max_error = MAX_ERROR_UNKNOWN;
        callee->certain.unknown = true;
    }
}

/* The counters are solved; what merged files and traces say is added. */
static void finish_counted(struct decoder *d, const struct decode_module *m, struct decode_function *from,
                           struct profile_function *f)
{
    f->exact = !m->inexact && !from->total.inexact;
    f->cause = from->total.cause;
    f->max_error = from->total.max_error;
    if (m->inexact)
        f->max_error =
            error_plus(f->max_error, from->map.flags & MAP_FUNCTION_MAIN ? d->main_error : MAX_ERROR_UNKNOWN);
    /* It may never have run: it was dropped by optimiser or linker, or not loaded. */
    if (!from->total.counters)
        from->total.counters = ZALLOC(int64_t, from->counter_count + 1);
    struct solved s;
    int64_t *gains = ALLOC(int64_t, from->map.graph.vertex_count);
    profile_frames_gains(&from->total.frames, &from->map.graph, gains);
    solve_set(&s, &from->map, from->set, from->total.counters, from->total.entries, &from->total.frames,
              gains);
    derived_hand_on(from, s.block_counts, &from->total.frames, DERIVED_TOTAL);
    f->map = from->map;
    f->has_edges = s.has_edges;
    f->entries = s.entries;
    f->edge_counts = s.edge_counts;
    f->block_counts = s.block_counts;
    judge_solution(d, from, f, &s, gains);
    free(gains);
    add_paths(f, from);
    add_frames(f, &from->total.frames);
    add_frames(f, &from->total.merged.frames);
    from->map = (struct map_function){0};
    if (from->total.merged.counts)
        add_merged(f, from->total.merged.counts);
    if (f->path_counts)
        take_ways(f, from);
    else
        add_traced_paths(d, from, f);
}

static void finish_function(struct decoder *d, const struct decode_module *m, struct decode_function *from,
                            struct profile_function *f)
{
    *f = (struct profile_function){.counted = from->set != SET_NONE || from->map.trace};
    if (from->set != SET_NONE) {
        finish_counted(d, m, from, f);
    } else if (f->counted) {
        finish_traced(d, m, from, f);
    } else {
        f->map = from->map;
        f->max_error = MAX_ERROR_UNKNOWN;
        from->map = (struct map_function){0};
    }
}

/* Asks which blocks may have run unseen, if something is not exact. */
static void find_maybe(const struct decoder *d)
{
    struct decoder_modules counted = {0};
    bool inexact = false;
    for (size_t m = 0; m < d->modules.count; m++) {
        const struct decode_module *module = d->modules.items[m];
        if (!module->known || module->merged_only)
            continue;
        ARRAY_PUSH(&counted, d->modules.items[m]);
        inexact |= module->inexact;
        for (size_t i = 0; i < module->functions.count; i++)
            inexact |=
                module->functions.items[i]->total.inexact || module->functions.items[i]->total.trace.error;
    }
    if (inexact)
        maybe_find(counted.items, counted.count, d->options->debug_paths);
    ARRAY_RELEASE(&counted);
}

static void declare_plain_body(struct decoder *d, struct profile_function *f)
{
    f->exact = false;
    f->max_error = MAX_ERROR_UNKNOWN;
    f->cause = CAUSE_PLAIN_BODY;
    /* What the counted copies did is certain; any block may have run in the other body. */
    f->least = ZALLOC(struct profile_least, f->map.graph.vertex_count);
    for (uint32_t v = 0; v < f->map.graph.vertex_count; v++) {
        int64_t count = v == graph_exit(&f->map.graph) ? f->entries : f->block_counts[v];
        f->least[v] = (struct profile_least){.began = count, .left = count, .may_have_run = true};
    }
    for (size_t i = 0; i < f->frames.count; i++)
        if (f->frames.items[i].cuts > 0)
            f->least[f->frames.items[i].block].left -= f->frames.items[i].cuts;
    profile_add_cause(&d->sums, CAUSE_PLAIN_BODY, 0, f->map.name);
}

/* The names of all counter sets in use, in the order in which functions carry them. */
static char *mode_of(const struct decoder *d)
{
    enum placement found[PLACEMENT_HIGHEST];
    size_t count = 0;
    bool traced = false;
    struct buffer text = {0};
    for (size_t m = 0; m < d->modules.count; m++)
        for (size_t i = 0; i < d->modules.items[m]->functions.count; i++) {
            const struct map_function *f = &d->modules.items[m]->functions.items[i]->map;
            traced |= f->trace != NULL;
            for (uint32_t p = 0; p < f->plan_count; p++) {
                bool known = f->plans[p].placement == PLACEMENT_BALANCE;
                for (size_t k = 0; k < count; k++)
                    known |= found[k] == f->plans[p].placement;
                if (!known)
                    found[count++] = f->plans[p].placement;
            }
        }
    for (size_t k = 0; k < count; k++)
        buffer_addf(&text, "%s%s", k ? "," : "", placement_info(found[k])->name);
    if (traced)
        buffer_addf(&text, "%strace", count ? "," : "");
    char *mode = memory_string(buffer_text(&text));
    buffer_release(&text);
    return mode;
}

static int by_name(const void *left, const void *right)
{
    const struct decode_module *a = *(struct decode_module *const *)left,
                               *b = *(struct decode_module *const *)right;
    int order = strcmp(a->path, b->path);
    return order ? order : strcmp(a->build_id, b->build_id);
}

void decoder_finish(struct decoder *d, struct profile *profile)
{
    /* The program is first; libraries come in the order in which runs loaded them, so they are
     * sorted. */
    for (size_t m = 0; m < d->modules.count; m++)
        if (!strcmp(d->modules.items[m]->build_id, d->build_id)) {
            struct decode_module *swap = d->modules.items[m];
            d->modules.items[m] = d->modules.items[0];
            d->modules.items[0] = swap;
            break;
        }
    if (d->modules.count > 1)
        qsort(d->modules.items + 1, d->modules.count - 1, sizeof *d->modules.items, by_name);
    for (size_t m = 0; m < d->modules.count; m++)
        decode_module_sort(d->modules.items[m]);
    find_maybe(d);
    profile->mode = mode_of(d);
    profile->build_id = memory_string(d->build_id);
    profile->program = memory_string(d->program ? d->program : d->sums.program);
    for (size_t m = 0; m < d->modules.count; m++) {
        struct decode_module *from = d->modules.items[m];
        if (!from->known)
            continue;
        derived_link(from); /* callers come first; the profile is sorted below */
        for (size_t i = 0; i < from->functions.count; i++) {
            if (is_idle_copy(from->order[i]) || is_chooser(&from->order[i]->map))
                continue;
            struct profile_function *f = ARRAY_ADD(&profile->functions);
            finish_function(d, from, from->order[i], f);
            if (f->counted && !f->exact)
                least_finish(from->order[i], f);
            f->module = (uint32_t)profile->modules.count;
        }
        struct profile_module *to = ARRAY_ADD(&profile->modules);
        to->path = memory_string(from->path);
        to->build_id = memory_string(from->build_id);
    }
    plain_bodies_find(d, profile, declare_plain_body);
    profile->runs = d->sums.runs;
    profile->run_names.items = d->sums.run_names.items;
    profile->run_names.count = d->sums.run_names.count;
    profile->run_names.capacity = d->sums.run_names.capacity;
    d->sums.run_names = (struct profile_run_names){0};
    profile->causes.items = d->sums.causes.items;
    profile->causes.count = d->sums.causes.count;
    profile->causes.capacity = d->sums.causes.capacity;
    d->sums.causes = (struct profile_causes){0};
    profile->inexact_files = d->sums.inexact_files;
    d->sums.inexact_files = (struct profile_files){0};
    if (!d->options->keep_negative)
        profile_clamp(profile);
    profile_sort(profile);
    profile_explain(profile);
}
