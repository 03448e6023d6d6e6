/*
 * Uniting. Functions are the same where name, file, line, graph and the edges that end their paths are. First
 * the instances of each profile become one (units may have compiled a header's function for different
 * groups: then a path is watched only where all watch it); then profiles of the same inputs, then the rest.
 */
#include "decode/unite.h"
#include "base/hash.h"
#include "plan/path_code.h"

#include <inttypes.h>
#include <stdio.h>

enum way {
    WAY_INSTANCES, /* counts are summed, what all watch is watched */
    WAY_SAME,      /* counts are the same; what one watches is watched */
    WAY_SUM,       /* counts are summed; what one watches is watched */
};

static uint64_t identity(const struct profile *p, const struct profile_function *f)
{
    const struct plan *plan = map_path_plan(&f->map);
    const char *module = f->module ? p->modules.items[f->module].path : "", *slash = strrchr(module, '/');
    struct buffer text = {0};
    buffer_addf(&text, "%s\n%s\n%s\n%" PRIu32 " %" PRIx64 " %d %d %d\n", slash ? slash + 1 : module,
                f->map.name, f->map.file_count ? f->map.files[0] : "", f->map.line, f->map.graph_hash,
                f->counted, f->has_edges, plan && f->path_counts ? (int)plan->placement : 0);
    for (uint32_t i = 0; plan && i < plan->probe_count; i++)
        buffer_addf(&text, "%" PRIu32 " ", plan->probes[i].id);
    uint64_t hash = hash_bytes(text.data, text.length);
    buffer_release(&text);
    return hash;
}

static bool same_graph(const struct map_function *a, const struct map_function *b)
{
    return a->graph.edge_count == b->graph.edge_count && a->graph.vertex_count == b->graph.vertex_count &&
           (!map_path_plan(a) || !map_path_plan(b) ||
            map_path_plan(a)->path_count == map_path_plan(b)->path_count);
}

static void add_count(int64_t *to, int64_t from, enum way way, bool *agrees)
{
    if (way != WAY_SAME)
        *to = (int64_t)((uint64_t)*to + (uint64_t)from);
    else
        *agrees &= *to == from;
}

/* Ranges of ids where has[id]. All of them: no choice. */
static void set_choice(struct plan *plan, const bool *has)
{
    struct path_choice *choice = plan->choice ? plan->choice : ZALLOC(struct path_choice, 1);
    choice->range_count = 0;
    for (uint32_t id = 0; id < plan->path_count;) {
        uint32_t first = id;
        while (id < plan->path_count && has[id])
            id++;
        if (id > first) {
            RESIZE(choice->ranges, (size_t)choice->range_count + 1);
            choice->ranges[choice->range_count++] = (struct path_range){first, id};
        } else {
            id++;
        }
    }
    choice->kind = PATH_CODE_ALL;
    choice->counters = choice->range_count ? plan->path_count : 0;
    plan->choice = choice;
    if (choice->range_count == 1 && !choice->ranges[0].first && choice->ranges[0].end == plan->path_count) {
        free(choice->ranges);
        free(choice);
        plan->choice = NULL;
    }
}

static void join_paths(struct profile_function *to, const struct profile_function *from, enum way way,
                       bool *agrees)
{
    struct plan *plan = (struct plan *)map_path_plan(&to->map);
    const struct plan *other = map_path_plan(&from->map);
    bool *has = ALLOC(bool, (size_t)plan->path_count + 1);
    for (uint32_t id = 0; id < plan->path_count; id++) {
        bool ours = path_choice_has(plan->choice, id), theirs = path_choice_has(other->choice, id);
        has[id] = way == WAY_INSTANCES ? ours && theirs : ours || theirs;
        if (way == WAY_SAME && !ours)
            to->path_counts[id] = from->path_counts[id];
        else if (way != WAY_SAME || theirs)
            add_count(&to->path_counts[id], from->path_counts[id], way, agrees);
        if (!has[id])
            to->path_counts[id] = 0;
    }
    set_choice(plan, has);
    free(has);
}

static void join(struct profile *p, struct profile_function *to, const struct profile_function *from,
                 enum way way)
{
    bool agrees = true;
    if (!to->counted || !from->counted)
        return;
    for (uint32_t e = 0; to->has_edges && e < to->map.graph.edge_count; e++)
        add_count(&to->edge_counts[e], from->edge_counts[e], way, &agrees);
    if (!to->has_edges) {
        add_count(&to->entries, from->entries, way, &agrees);
        for (uint32_t b = 0; b < graph_exit(&to->map.graph); b++)
            add_count(&to->block_counts[b], from->block_counts[b], way, &agrees);
    } else {
        profile_function_blocks(to);
    }
    for (size_t i = 0; way != WAY_SAME && i < from->frames.count; i++)
        profile_frames_add(&to->frames, &from->frames.items[i]);
    if (to->path_counts && from->path_counts)
        join_paths(to, from, way, &agrees);
    if (!from->exact || (!agrees && to->exact)) {
        bool unknown = !agrees || to->max_error == MAX_ERROR_UNKNOWN || from->max_error == MAX_ERROR_UNKNOWN;
        to->max_error = unknown ? MAX_ERROR_UNKNOWN
                        : way == WAY_SAME
                            ? (to->max_error > from->max_error ? to->max_error : from->max_error)
                            : to->max_error + from->max_error;
        if (to->exact)
            to->cause = from->exact ? CAUSE_SETS : from->cause;
        to->exact = false;
    }
    if (!agrees)
        profile_add_cause(p, CAUSE_SETS, 0, to->map.name);
}

/* Puts the functions of `from` into those of `to`; what `to` does not have is moved there. */
static void add_functions(struct profile *to, struct profile *from, enum way way)
{
    struct hash_map index = {0};
    for (size_t i = 0; way != WAY_INSTANCES && i < to->functions.count; i++)
        *hash_map_put(&index, identity(to, &to->functions.items[i]), NULL) = i;
    for (size_t i = 0; i < from->functions.count; i++) {
        struct profile_function *f = &from->functions.items[i];
        bool added;
        uint64_t *place = hash_map_put(&index, identity(from, f), &added);
        if (!added && same_graph(&to->functions.items[*place].map, &f->map)) {
            join(to, &to->functions.items[*place], f, way);
            continue;
        }
        *place = to->functions.count;
        if (f->module >= to->modules.count)
            f->module = 0;
        ARRAY_PUSH(&to->functions, *f);
        *f = (struct profile_function){0};
    }
    hash_map_release(&index);
}

static void make_one_of_instances(struct profile *p)
{
    struct profile all = *p;
    p->functions = (struct profile_functions){0};
    add_functions(p, &all, WAY_INSTANCES);
    for (size_t i = 0; i < all.functions.count; i++)
        profile_function_release(&all.functions.items[i]);
    ARRAY_RELEASE(&all.functions);
}

static bool is_named(const struct profile *p)
{
    for (size_t i = 0; i < p->run_names.count; i++)
        if (!*p->run_names.items[i].name)
            return false;
    return p->run_names.count > 0;
}

enum inputs { INPUTS_SAME, INPUTS_OTHERS, INPUTS_MIXED };

static enum inputs compare_inputs(const struct profile *a, const struct profile *b, const char **shared)
{
    size_t common = 0, equal = 0;
    for (size_t i = 0, k = 0; i < a->run_names.count && k < b->run_names.count;) {
        const struct profile_run_name *x = &a->run_names.items[i], *y = &b->run_names.items[k];
        int order = strcmp(x->name, y->name);
        if (!order && *x->name) {
            *shared = x->name;
            common++;
            equal += x->files == y->files;
        }
        i += order <= 0;
        k += order >= 0;
    }
    if (!common)
        return INPUTS_OTHERS;
    return is_named(a) && is_named(b) && equal == a->run_names.count && equal == b->run_names.count
               ? INPUTS_SAME
               : INPUTS_MIXED;
}

/* No build's: an id of its own. */
static char *united_id(const struct profile *parts, size_t count)
{
    struct buffer text = {0};
    char *id;
    for (size_t i = 0; i < count; i++)
        buffer_addf(&text, "%s\n", parts[i].build_id);
    if (asprintf(&id, "united:%016" PRIx64, hash_bytes(text.data, text.length)) < 0)
        abort();
    buffer_release(&text);
    return id;
}

static void add_part(struct profile *to, struct profile *from, enum way way)
{
    add_functions(to, from, way);
    for (size_t i = 0; i < from->causes.count; i++)
        profile_add_cause(to, from->causes.items[i].cause, from->causes.items[i].runs,
                          from->causes.items[i].where);
    if (way == WAY_SAME)
        return;
    to->runs += from->runs;
    for (size_t i = 0; i < from->run_names.count; i++)
        profile_add_run_name(to, from->run_names.items[i].name, from->run_names.items[i].files);
}

/* The counts are solved: sets that rely on others (all paths, where not all are watched; callers, whose keys
 * have changed) become plain ones. */
static void stand_alone(struct map_function *f)
{
    const struct plan *paths = map_path_plan(f);
    for (uint32_t i = 0; i < f->plan_count; i++) {
        struct plan plan;
        bool chosen = f->plans[i].placement == PLACEMENT_REST && paths && paths->choice;
        if (!chosen && !f->plans[i].entry_given)
            continue;
        double *weights = ZALLOC(double, (size_t)f->graph.edge_count + 1);
        if (plan_make(&plan, &f->graph, PLACEMENT_EDGES, weights, NULL, NULL)) {
            plan_release(&f->plans[i]);
            f->plans[i] = plan;
        }
        free(weights);
    }
    f->flags &= ~(uint32_t)MAP_FUNCTION_DERIVED;
}

bool profiles_unite(struct profile *to, struct profile *parts, const char *const *names, size_t count,
                    struct error *error)
{
    size_t *first_of = ALLOC(size_t, count + 1); /* the first part of the same inputs */
    for (size_t i = 0; i < count; i++) {
        first_of[i] = i;
        for (size_t k = 0; k < i; k++) {
            const char *shared;
            enum inputs inputs = compare_inputs(&parts[k], &parts[i], &shared);
            if (inputs == INPUTS_MIXED) {
                free(first_of);
                return error_set(
                    error,
                    "'%s' and '%s' share some runs (COTREE_RUN=%s), but not all: merge the same runs of "
                    "each build",
                    names[k], names[i], shared);
            }
            if (inputs == INPUTS_SAME && first_of[i] == i)
                first_of[i] = first_of[k];
        }
    }
    char *id = united_id(parts, count);
    for (size_t i = 0; i < count; i++) {
        make_one_of_instances(&parts[i]);
        if (first_of[i] != i)
            add_part(&parts[first_of[i]], &parts[i], WAY_SAME);
    }
    *to = parts[0];
    parts[0] = (struct profile){0};
    for (size_t i = 1; i < count; i++)
        if (first_of[i] == i)
            add_part(to, &parts[i], WAY_SUM);
    free(to->build_id);
    to->build_id = id;
    for (size_t m = 0; m < to->modules.count; m++) {
        free(to->modules.items[m].build_id);
        if (asprintf(&to->modules.items[m].build_id, m ? "%s.%zu" : "%s", id, m) < 0)
            abort();
    }
    for (size_t i = 0; i < to->functions.count; i++) { /* keys are others now */
        stand_alone(&to->functions.items[i].map);
        free(to->functions.items[i].map.derived);
        to->functions.items[i].map.derived = NULL;
        to->functions.items[i].map.derived_count = 0;
    }
    free(first_of);
    profile_sort(to);
    profile_explain(to);
    return true;
}
