/*
 * Functions are the same where module, name, file, line, graph and the edges that end their paths
 * are. Of modules and files the folders do not matter, since builds may stand in different ones.
 *
 * First the instances of each profile become one (units may have compiled a header's function for
 * different groups: then a path is watched only where all watch it); then profiles of the same
 * inputs, then the rest.
 */
#include "decode/profile/unite.h"
#include "base/hash.h"
#include "decode/model/error_bounds.h"
#include "decode/profile/unite_ways.h"
#include "plan/path_code.h"
#include "format/profile/files.h"

#include <inttypes.h>
#include <stdio.h>

enum joining {
    JOIN_INSTANCES, /* counts are summed, what all watch is watched */
    JOIN_SAME_RUNS, /* counts are the same; what one watches is watched */
    JOIN_SUM,       /* as instances: a path that one part does not watch has no sum */
};

#define NOWHERE SIZE_MAX

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The module that is the program, whose builds may have different names (libraries keep theirs), or
 * NOWHERE. */
static size_t program_of(const struct profile *p)
{
    for (size_t m = 0; m < p->modules.count; m++)
        if (!strcmp(p->modules.items[m].build_id, p->build_id))
            return m;
    return NOWHERE;
}

static const char *file_of(const struct profile_function *f)
{
    return f->map.file_count ? f->map.files[0] : "";
}

enum sameness {
    /* Within one profile, where folders and modules are those of one build. */
    SAME_INSTANCE,
    /* Their counts can be joined. */
    SAME_FUNCTION,
    /* Whatever graph the compiler made of it, and however that is counted. */
    SAME_SOURCE,
};

static uint64_t identity(const struct profile *p, const struct profile_function *f, enum sameness sameness)
{
    const struct plan *plan = map_path_plan(&f->map);
    struct buffer text = {0};
    if (sameness == SAME_INSTANCE)
        buffer_addf(&text, "%" PRIu32 "\n%s\n", f->module, file_of(f));
    else
        buffer_addf(&text, "%s\n%s\n",
                    f->module == program_of(p) ? "" : base_name(p->modules.items[f->module].path),
                    base_name(file_of(f)));
    buffer_addf(&text, "%s\n%" PRIu32 "\n", f->map.name, f->map.line);
    if (sameness != SAME_SOURCE) {
        buffer_addf(&text, "%" PRIx64 " %d %d %d\n", f->map.graph_hash, f->counted, f->has_edges,
                    plan && f->path_counts ? (int)plan->placement : 0);
        for (uint32_t i = 0; plan && i < plan->probe_count; i++)
            buffer_addf(&text, "%" PRIu32 " ", plan->probes[i].id);
    }
    uint64_t hash = hash_bytes(text.data, text.length);
    buffer_release(&text);
    return hash;
}

/* Identities are hashes of untrusted bytes: before counts are added, there must be as many on both
 * sides. */
static bool same_shape(const struct profile_function *f, const struct profile_function *g)
{
    const struct map_function *a = &f->map, *b = &g->map;
    return f->counted == g->counted && f->has_edges == g->has_edges &&
           a->graph.edge_count == b->graph.edge_count && a->graph.vertex_count == b->graph.vertex_count &&
           (!map_path_plan(a) || !map_path_plan(b) ||
            map_path_plan(a)->path_count == map_path_plan(b)->path_count);
}

static void add_count(int64_t *to, int64_t from, enum joining joining, bool *agrees)
{
    if (joining != JOIN_SAME_RUNS)
        *to = (int64_t)((uint64_t)*to + (uint64_t)from);
    else
        *agrees &= *to == from;
}

/* Sets the choice to the ranges of ids where has[id]. All ids: no choice. */
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

static void join_paths(struct profile_function *to, const struct profile_function *from, enum joining joining,
                       bool *agrees)
{
    struct plan *plan = (struct plan *)map_path_plan(&to->map);
    const struct plan *other = map_path_plan(&from->map);
    bool *has = ALLOC(bool, (size_t)plan->path_count + 1);
    for (uint32_t id = 0; id < plan->path_count; id++) {
        bool ours = path_choice_has(plan->choice, id), theirs = path_choice_has(other->choice, id);
        has[id] = joining == JOIN_SAME_RUNS ? ours || theirs : ours && theirs;
        if (joining == JOIN_SAME_RUNS && !ours)
            to->path_counts[id] = from->path_counts[id];
        else if (joining != JOIN_SAME_RUNS || theirs)
            add_count(&to->path_counts[id], from->path_counts[id], joining, agrees);
        if (!has[id])
            to->path_counts[id] = 0;
    }
    set_choice(plan, has);
    free(has);
}

static struct profile_least least_of(const struct profile_function *f, uint32_t vertex)
{
    int64_t count = vertex == graph_exit(&f->map.graph) ? f->entries : f->block_counts[vertex];
    return f->least                       ? f->least[vertex]
           : f->exact && !f->frames.count ? (struct profile_least){.began = count, .left = count}
                                          : (struct profile_least){.began = f->exact ? count : 0};
}

/* Joins what is certain of both, before their counts are joined. */
static void join_least(struct profile_function *to, const struct profile_function *from, enum joining joining)
{
    if (to->exact && from->exact)
        return;
    struct profile_least *least = ZALLOC(struct profile_least, to->map.graph.vertex_count);
    for (uint32_t v = 0; v < to->map.graph.vertex_count; v++) {
        struct profile_least a = least_of(to, v), b = least_of(from, v);
        bool same = joining == JOIN_SAME_RUNS;
        least[v].began = !same               ? (int64_t)((uint64_t)a.began + (uint64_t)b.began) & INT64_MAX
                         : a.began > b.began ? a.began
                                             : b.began;
        least[v].left = !same             ? (int64_t)((uint64_t)a.left + (uint64_t)b.left) & INT64_MAX
                        : a.left > b.left ? a.left
                                          : b.left;
        least[v].may_have_run = same ? a.may_have_run && b.may_have_run : a.may_have_run || b.may_have_run;
    }
    free(to->least);
    to->least = least;
}

static void join(struct profile *p, struct profile_function *to, const struct profile_function *from,
                 enum joining joining)
{
    bool agrees = true;
    if (!to->counted || !from->counted)
        return;
    join_least(to, from, joining);
    for (uint32_t e = 0; to->has_edges && e < to->map.graph.edge_count; e++)
        add_count(&to->edge_counts[e], from->edge_counts[e], joining, &agrees);
    if (!to->has_edges) {
        add_count(&to->entries, from->entries, joining, &agrees);
        for (uint32_t b = 0; b < graph_exit(&to->map.graph); b++)
            add_count(&to->block_counts[b], from->block_counts[b], joining, &agrees);
    } else {
        profile_function_blocks(to);
    }
    for (size_t i = 0; joining != JOIN_SAME_RUNS && i < from->frames.count; i++)
        profile_frames_add(&to->frames, &from->frames.items[i]);
    to->ways_known &= from->ways_known;
    for (size_t i = 0; joining != JOIN_SAME_RUNS && i < from->ways.count; i++)
        profile_ways_add(&to->ways, &from->ways.items[i]);
    if (to->path_counts && from->path_counts)
        join_paths(to, from, joining, &agrees);
    if (joining == JOIN_SAME_RUNS)
        unite_ways(to, &from->ways);
    else
        profile_ways_sort(&to->ways);
    if (!from->exact || (!agrees && to->exact)) {
        bool unknown = !agrees || to->max_error == MAX_ERROR_UNKNOWN || from->max_error == MAX_ERROR_UNKNOWN;
        to->max_error = unknown ? MAX_ERROR_UNKNOWN
                        : joining == JOIN_SAME_RUNS
                            ? (to->max_error > from->max_error ? to->max_error : from->max_error)
                            : error_plus(to->max_error, from->max_error);
        if (to->exact)
            to->cause = from->exact ? CAUSE_SETS : from->cause;
        to->exact = false;
    }
    if (agrees)
        return;
    profile_add_cause(p, CAUSE_SETS, 0, to->map.name);
    free(to->least);
    to->least = NULL;
}

static void make_one_of_instances(struct profile *p)
{
    struct profile_functions all = p->functions;
    struct hash_map index = {0};
    p->functions = (struct profile_functions){0};
    for (size_t i = 0; i < all.count; i++) {
        struct profile_function *f = &all.items[i];
        bool added;
        uint64_t *place = hash_map_put(&index, identity(p, f, SAME_INSTANCE), &added);
        if (!added && same_shape(&p->functions.items[*place], f)) {
            join(p, &p->functions.items[*place], f, JOIN_INSTANCES);
            profile_function_release(f);
        } else {
            *place = p->functions.count;
            ARRAY_PUSH(&p->functions, *f);
        }
    }
    ARRAY_RELEASE(&all);
    hash_map_release(&index);
}

/* Two profiles whose functions are to be paired. Side 0 takes in side 1. */
struct sides {
    const struct profile *profiles[2];
    const char *names[2];
    /* By function of side 1: its index on side 0, or NOWHERE. */
    size_t *partners;
};

struct candidate {
    uint64_t identity;
    size_t function;
    int side;
};

static int by_identity(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    if (a->identity != b->identity)
        return a->identity < b->identity ? -1 : 1;
    if (a->side != b->side)
        return a->side - b->side;
    return (a->function > b->function) - (a->function < b->function);
}

/* How many last components two paths have in common; equal paths have most. */
static uint64_t nearness(const char *a, const char *b)
{
    size_t i = strlen(a), k = strlen(b);
    uint64_t common = 0;
    if (!strcmp(a, b))
        return UINT32_MAX;
    while (i && k && a[i - 1] == b[k - 1]) {
        common += a[i - 1] == '/';
        i--;
        k--;
    }
    return common;
}

static uint64_t nearness_of(const struct sides *s, const struct candidate *a, const struct candidate *b)
{
    const struct profile *p = s->profiles[a->side], *q = s->profiles[b->side];
    const struct profile_function *f = &p->functions.items[a->function],
                                  *g = &q->functions.items[b->function];
    return nearness(file_of(f), file_of(g)) +
           nearness(p->modules.items[f->module].path, q->modules.items[g->module].path);
}

/* The one of the others whose folders are most alike; NOWHERE when there are two. */
static size_t nearest(const struct sides *s, const struct candidate *one, const struct candidate *others,
                      size_t count)
{
    size_t best = NOWHERE;
    uint64_t most = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t near = nearness_of(s, one, &others[i]);
        if (i && near == most) {
            best = NOWHERE;
        } else if (!i || near > most) {
            best = i;
            most = near;
        }
    }
    return best;
}

/*
 * Pairs the functions of one identity. If there is one on each side, they are a pair. If there are
 * more, folders tell them apart: those are pairs that are nearest to each other. What is left on
 * one side only is new; what is left on both sides may or may not be the same, and guessing would
 * make wrong sums.
 */
static bool pair_group(struct sides *s, const struct candidate *ours, size_t our_count,
                       const struct candidate *theirs, size_t their_count, struct error *error)
{
    const struct profile_function *a = s->profiles[0]->functions.items, *b = s->profiles[1]->functions.items;
    size_t paired = 0;
    const struct candidate *lonely = NULL;
    for (size_t i = 0; i < their_count; i++) {
        size_t k = nearest(s, &theirs[i], ours, our_count);
        if (k != NOWHERE && nearest(s, &ours[k], theirs, their_count) == i) {
            paired++;
            if (same_shape(&a[ours[k].function], &b[theirs[i].function]))
                s->partners[theirs[i].function] = ours[k].function;
        } else if (!lonely) {
            lonely = &theirs[i];
        }
    }
    if (!lonely || paired == our_count)
        return true;
    return error_set(error,
                     "cannot tell which function of '%s' is '%s' of '%s' in '%s': build both in one folder",
                     s->names[0], b[lonely->function].map.name, file_of(&b[lonely->function]), s->names[1]);
}

static bool pair_functions(struct sides *s, struct error *error)
{
    size_t count = 0, total = s->profiles[0]->functions.count + s->profiles[1]->functions.count;
    struct candidate *all = ALLOC(struct candidate, total + 1);
    bool ok = true;
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < s->profiles[side]->functions.count; i++)
            all[count++] = (struct candidate){
                identity(s->profiles[side], &s->profiles[side]->functions.items[i], SAME_FUNCTION), i, side};
    for (size_t i = 0; i < s->profiles[1]->functions.count; i++)
        s->partners[i] = NOWHERE;
    qsort(all, count, sizeof *all, by_identity);
    for (size_t first = 0, middle, end; ok && first < count; first = end) {
        for (middle = first;
             middle < count && all[middle].identity == all[first].identity && !all[middle].side;)
            middle++;
        for (end = middle; end < count && all[end].identity == all[first].identity;)
            end++;
        if (middle > first && end > middle)
            ok = pair_group(s, all + first, middle - first, all + middle, end - middle, error);
    }
    free(all);
    return ok;
}

/* With the same inputs, a function that is left on both sides would be there twice, with the counts
 * of the same runs. */
static bool is_nothing_twice(const struct sides *s, struct error *error)
{
    const struct profile *to = s->profiles[0], *from = s->profiles[1];
    bool *paired = ZALLOC(bool, to->functions.count + 1);
    struct hash_map index = {0};
    bool ok = true;
    for (size_t i = 0; i < from->functions.count; i++)
        if (s->partners[i] != NOWHERE)
            paired[s->partners[i]] = true;
    for (size_t i = 0; i < to->functions.count; i++)
        if (!paired[i] && to->functions.items[i].counted)
            hash_map_put(&index, identity(to, &to->functions.items[i], SAME_SOURCE), NULL);
    for (size_t i = 0; ok && i < from->functions.count; i++) {
        const struct profile_function *f = &from->functions.items[i];
        if (s->partners[i] == NOWHERE && f->counted && hash_map_get(&index, identity(from, f, SAME_SOURCE)))
            ok = error_set(error,
                           "'%s' of '%s' is another function in '%s' than in '%s', or counted otherwise: "
                           "build both from one source with the same options",
                           f->map.name, file_of(f), s->names[1], s->names[0]);
    }
    hash_map_release(&index);
    free(paired);
    return ok;
}

/* Finds where each module of `from` is in `to`: the program is the program, a library the one of
 * its name; those that are missing are added. */
static uint32_t *map_modules(struct profile *to, const struct profile *from)
{
    uint32_t *places = ALLOC(uint32_t, from->modules.count + 1);
    size_t before = to->modules.count;
    for (size_t m = 0; m < from->modules.count; m++) {
        const struct profile_module *module = &from->modules.items[m];
        bool program = m == program_of(from);
        size_t best = NOWHERE;
        for (size_t k = 0; k < before; k++) {
            const char *path = to->modules.items[k].path;
            if ((k == program_of(to)) != program ||
                (!program && strcmp(base_name(path), base_name(module->path)) != 0))
                continue;
            if (best == NOWHERE ||
                nearness(path, module->path) > nearness(to->modules.items[best].path, module->path))
                best = k;
        }
        if (best == NOWHERE) {
            best = to->modules.count;
            const char *id = program ? to->build_id : module->build_id;
            ARRAY_PUSH(&to->modules,
                       ((struct profile_module){memory_string(module->path), memory_string(id)}));
        }
        places[m] = (uint32_t)best;
    }
    return places;
}

/* Puts the functions of `from` into those of `to`; what `to` does not have is moved there. */
static bool add_functions(struct profile *to, const char *to_name, struct profile *from,
                          const char *from_name, enum joining joining, struct error *error)
{
    struct sides sides = {{to, from}, {to_name, from_name}, ALLOC(size_t, from->functions.count + 1)};
    bool ok = pair_functions(&sides, error) && (joining != JOIN_SAME_RUNS || is_nothing_twice(&sides, error));
    uint32_t *places = ok ? map_modules(to, from) : NULL;
    for (size_t i = 0; ok && i < from->functions.count; i++) {
        struct profile_function *f = &from->functions.items[i];
        if (sides.partners[i] != NOWHERE) {
            join(to, &to->functions.items[sides.partners[i]], f, joining);
        } else {
            f->module = places[f->module];
            ARRAY_PUSH(&to->functions, *f);
            *f = (struct profile_function){0};
        }
    }
    free(places);
    free(sides.partners);
    return ok;
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

/* An id of its own, which is that of no build. */
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

/* Adds causes. Runs of the same inputs are the same runs: what was wrong with them is
 * counted once. */
static void add_causes(struct profile *to, const struct profile *from, enum joining joining)
{
    for (size_t i = 0; i < from->causes.count; i++) {
        const struct profile_cause_entry *theirs = &from->causes.items[i];
        uint64_t runs = theirs->runs;
        for (size_t k = 0; joining == JOIN_SAME_RUNS && k < to->causes.count; k++) {
            const struct profile_cause_entry *ours = &to->causes.items[k];
            if (ours->cause == theirs->cause && !strcmp(ours->where, theirs->where))
                runs = runs > ours->runs ? runs - ours->runs : 0;
        }
        profile_add_cause(to, theirs->cause, runs, theirs->where);
    }
}

static bool add_part(struct profile *to, const char *to_name, struct profile *from, const char *from_name,
                     enum joining joining, struct error *error)
{
    if (!add_functions(to, to_name, from, from_name, joining, error))
        return false;
    add_causes(to, from, joining);
    if (joining == JOIN_SAME_RUNS)
        return true;
    to->runs += from->runs;
    profile_files_join(&to->inexact_files, &from->inexact_files);
    for (size_t i = 0; i < from->run_names.count; i++)
        profile_add_run_name(to, from->run_names.items[i].name, from->run_names.items[i].files);
    return true;
}

/* Functions that may be defined in several units are often those of headers, which other programs
 * have too. */
static bool is_own(const struct profile_function *f)
{
    return !(f->map.flags & (MAP_FUNCTION_COMDAT | MAP_FUNCTION_OPTIONAL));
}

/* Is any function that is a program's own in both? */
static bool have_functions_in_common(const struct profile *a, const struct profile *b)
{
    struct hash_map index = {0};
    bool found = false;
    for (size_t i = 0; i < a->functions.count; i++)
        if (is_own(&a->functions.items[i]))
            hash_map_put(&index, identity(a, &a->functions.items[i], SAME_FUNCTION), NULL);
    for (size_t i = 0; i < b->functions.count && !found; i++)
        found = is_own(&b->functions.items[i]) &&
                hash_map_get(&index, identity(b, &b->functions.items[i], SAME_FUNCTION));
    hash_map_release(&index);
    return found;
}

/* The counts are solved: sets that rely on others (all paths, where not all are watched; callers,
 * whose keys have changed) become plain ones. */
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

/* first_of[i] becomes the first part that has the inputs of part i. */
static bool find_same_inputs(const struct profile *parts, const char *const *names, size_t count,
                             size_t *first_of, struct error *error)
{
    for (size_t i = 0; i < count; i++) {
        first_of[i] = i;
        for (size_t k = 0; k < i; k++) {
            const char *shared;
            enum inputs inputs = compare_inputs(&parts[k], &parts[i], &shared);
            if (inputs == INPUTS_MIXED)
                return error_set(
                    error,
                    "'%s' and '%s' share some runs (COTREE_RUN=%s), but not all: merge the same runs of "
                    "each build",
                    names[k], names[i], shared);
            if (inputs == INPUTS_SAME && first_of[i] == i)
                first_of[i] = first_of[k];
        }
    }
    return true;
}

static bool add_parts(struct profile *parts, const char *const *names, size_t count, const size_t *first_of,
                      struct error *error)
{
    for (size_t i = 1; i < count; i++)
        if (!have_functions_in_common(&parts[0], &parts[i]))
            return error_set(error,
                             "'%s' has no function in common with '%s': it is of another program, or counts "
                             "otherwise",
                             names[i], names[0]);
    for (size_t i = 0; i < count; i++) {
        size_t first = first_of[i];
        make_one_of_instances(&parts[i]);
        if (first != i && !add_part(&parts[first], names[first], &parts[i], names[i], JOIN_SAME_RUNS, error))
            return false;
    }
    for (size_t i = 1; i < count; i++)
        if (first_of[i] == i && !add_part(&parts[0], names[0], &parts[i], names[i], JOIN_SUM, error))
            return false;
    return true;
}

/* The result belongs to no build: neither do its modules and its functions, whose keys are others
 * now. */
static void make_independent(struct profile *p, char *id)
{
    size_t program = program_of(p);
    for (size_t m = 0; m < p->modules.count; m++) {
        free(p->modules.items[m].build_id);
        if (asprintf(&p->modules.items[m].build_id, m == program ? "%s" : "%s.%zu", id, m) < 0)
            abort();
    }
    free(p->build_id);
    p->build_id = id;
    for (size_t i = 0; i < p->functions.count; i++) {
        struct map_function *f = &p->functions.items[i].map;
        stand_alone(f);
        free(f->derived);
        f->derived = NULL;
        f->derived_count = 0;
    }
}

bool profiles_unite(struct profile *to, struct profile *parts, const char *const *names, size_t count,
                    struct error *error)
{
    size_t *first_of = ALLOC(size_t, count + 1);
    char *id = united_id(parts, count);
    bool ok = find_same_inputs(parts, names, count, first_of, error) &&
              add_parts(parts, names, count, first_of, error);
    free(first_of);
    if (!ok) {
        free(id);
        return false;
    }
    *to = parts[0];
    parts[0] = (struct profile){0};
    make_independent(to, id);
    profile_sort(to);
    profile_explain(to);
    return true;
}
