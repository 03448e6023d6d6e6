/* Matches selectors of paths with the functions of a unit. */
#include "instrument/path/choice.h"
#include "base/memory.h"
#include "base/text.h"
#include "instrument/llvm/shim.h"
#include "instrument/path/markers.h"
#include "plan/path_code.h"
#include "plan/path_decode.h"
#include "plan/path_groups.h"
#include "plan/path_plan.h"

#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <string.h>

/* ---- Profiles ---- */

struct counted_path {
    uint32_t function, id;
    int64_t count;
};

static int by_count(const void *left, const void *right)
{
    const struct counted_path *a = left, *b = right;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    if (a->function != b->function)
        return a->function < b->function ? -1 : 1;
    return a->id < b->id ? -1 : a->id > b->id;
}

/* Finds the fewest paths that make the wanted percentage of all executions. */
static void find_hot(struct chosen_selector *s)
{
    const struct profile_functions *functions = &s->profile.profile.functions;
    struct ARRAY_OF(struct counted_path) paths = {0};
    long double all = 0, sum = 0;
    s->hot = ZALLOC(bool *, functions->count + 1);
    for (uint32_t i = 0; i < functions->count; i++) {
        const struct profile_function *f = &functions->items[i];
        uint32_t count = f->path_counts ? map_path_plan(&f->map)->path_count : 0;
        s->hot[i] = ZALLOC(bool, (size_t)count + 1);
        for (uint32_t id = 0; id < count; id++)
            if (f->path_counts[id] > 0) {
                ARRAY_PUSH(&paths, ((struct counted_path){i, id, f->path_counts[id]}));
                all += (long double)f->path_counts[id];
            }
    }
    if (paths.count)
        qsort(paths.items, paths.count, sizeof *paths.items, by_count);
    for (size_t i = 0; i < paths.count && sum * 100 < all * s->selector.percent; i++) {
        s->hot[paths.items[i].function][paths.items[i].id] = true;
        sum += (long double)paths.items[i].count;
    }
    ARRAY_RELEASE(&paths);
}

static bool read_profile(struct chosen_selector *s, struct error *error)
{
    if (!used_profile_load(&s->profile, s->selector.name, error))
        return false;
    for (size_t i = 0; i < s->profile.profile.functions.count; i++)
        if (s->profile.profile.functions.items[i].path_counts) {
            if (s->selector.kind == PATH_SELECT_HOT)
                find_hot(s);
            return true;
        }
    return error_set(error, "'%s' holds no path counts: it is of a build without -fcotree=paths",
                     s->selector.name);
}

bool path_choices_init(struct path_choices *c, const struct instrument_options *options, const char *source,
                       struct error *error)
{
    *c = (struct path_choices){.source = source, .numbering = options->path_numbering};
    for (size_t i = 0; i < options->paths.count; i++) {
        struct chosen_selector *s = ARRAY_ADD(&c->selectors);
        *s = (struct chosen_selector){0};
        if (!path_selector_parse(&s->selector, options->paths.items[i], error))
            return error_prefix(error, "paths '%s'", options->paths.items[i]);
        if (path_selector_reads(&s->selector) && !read_profile(s, error))
            return false;
    }
    return true;
}

void path_choices_release(struct path_choices *c)
{
    for (size_t i = 0; i < c->selectors.count; i++) {
        struct chosen_selector *s = &c->selectors.items[i];
        for (size_t k = 0; s->hot && k < s->profile.profile.functions.count; k++)
            free(s->hot[k]);
        free(s->hot);
        used_profile_release(&s->profile);
        path_selector_release(&s->selector);
    }
    ARRAY_RELEASE(&c->selectors);
}

/* ---- One function ---- */

static struct plan *plan_of(struct unit_function *f)
{
    for (uint32_t i = 0; i < f->map.plan_count; i++)
        if (placement_counts_paths(f->map.plans[i].placement))
            return &f->map.plans[i];
    return NULL;
}

static bool same_cuts(const struct plan *a, const struct plan *b)
{
    if (a->path_count != b->path_count || a->probe_count != b->probe_count)
        return false;
    for (uint32_t i = 0; i < a->probe_count; i++)
        if (a->probes[i].kind != b->probes[i].kind || a->probes[i].id != b->probes[i].id)
            return false;
    return true;
}

/* Do the plan's paths end wherever they must? */
static bool ends_suffice(struct unit_function *f, const struct plan *plan)
{
    struct error ignored;
    bool *needed = path_cuts_needed(&f->f, &f->map, &ignored), ok = needed != NULL;
    for (uint32_t i = 0; needed && i < plan->probe_count; i++)
        if (plan->probes[i].kind == PROBE_EDGE)
            needed[plan->probes[i].id] = false;
    for (uint32_t e = 0; needed && e < f->map.graph.edge_count; e++)
        ok &= !needed[e];
    free(needed);
    return ok;
}

/* The function in the selector's profile, if ids of paths mean the same there and in `plan`. If
 * `may`, the plan is changed so that they do. */
static const struct profile_function *find_counts(struct chosen_selector *s, struct unit_function *f,
                                                  struct plan *plan, bool may)
{
    const struct profile_function *counts = used_profile_find(&s->profile, &f->map);
    const struct plan *theirs = counts && counts->path_counts ? map_path_plan(&counts->map) : NULL;
    if (theirs && theirs->placement == plan->placement && same_cuts(theirs, plan))
        return counts;
    if (!theirs || theirs->placement != plan->placement || !may || !ends_suffice(f, theirs))
        return NULL;
    free(plan->probes);
    plan->probes = ALLOC(struct probe, (size_t)theirs->probe_count + 1);
    memcpy(plan->probes, theirs->probes, theirs->probe_count * sizeof *plan->probes);
    plan->probe_count = theirs->probe_count;
    plan->path_count = theirs->path_count;
    return counts;
}

static bool is_in_profile(const struct used_profile *u, const struct map_function *f)
{
    const uint64_t *first = hash_map_get(&u->by_name, hash_text(f->name));
    for (uint64_t i = first ? *first : 0; i; i = u->next_of_name[i - 1])
        if (!strcmp(u->profile.functions.items[i - 1].map.name, f->name))
            return true;
    return false;
}

static void say_changed(const struct chosen_selector *s, const struct map_function *f)
{
    struct error line;
    if (!is_in_profile(&s->profile, f))
        return; /* a new function, or one of another program */
    error_set(&line, "'%s': its paths are others in '%s': %s", f->name, s->selector.name,
              s->selector.kind == PATH_SELECT_HOT ? "none is taken for hot" : "all are taken for uncovered");
    fprintf(stderr, "cotree: %s\n", line.text);
}

static bool file_matches(const char *glob, const char *path)
{
    if (text_matches(glob, path))
        return true;
    for (const char *s = path; (s = strchr(s, '/'));)
        if (text_matches(glob, ++s))
            return true;
    return false;
}

static void add_through(const struct path_selector *s, const struct map_function *f,
                        const struct path_graph *p, const struct path_numbering *n, bool *wanted)
{
    bool *has_line = ZALLOC(bool, f->graph.vertex_count), any = false;
    uint32_t *arcs = ALLOC(uint32_t, (size_t)p->block_count + 1);
    for (uint32_t b = 0; b < graph_exit(&f->graph); b++)
        for (uint32_t i = 0; i < f->blocks[b].line_count; i++)
            if (f->blocks[b].lines[i].line == s->line &&
                file_matches(s->name, f->files[f->blocks[b].lines[i].file]))
                has_line[b] = any = true;
    for (uint64_t id = 0; any && id < n->total; id++) {
        uint32_t length = path_decode(p, n, id, arcs);
        for (uint32_t i = 0; i + 1 < length; i++)
            wanted[id] |= has_line[p->arcs.edges[arcs[i]].to];
    }
    free(has_line);
    free(arcs);
}

/* Names in reports have parameters; the compiler's names have none. */
static bool name_matches(const char *glob, const struct unit_function *f)
{
    LLVMMetadataRef subprogram = LLVMGetSubprogram(f->f.function);
    size_t length;
    if (text_matches(glob, f->map.name))
        return true;
    if (!subprogram)
        return false;
    const char *name = shim_subprogram_name(subprogram, &length);
    char *plain = memory_substring(name, length), *bare = memory_substring(glob, strcspn(glob, "("));
    bool matches = text_matches(glob, plain) || (*bare && text_matches(bare, plain));
    free(plain);
    free(bare);
    return matches;
}

static void add_wanted(struct chosen_selector *s, struct unit_function *f,
                       const struct profile_function *counts, const struct path_graph *p,
                       const struct path_numbering *n, bool *wanted)
{
    struct error line;
    switch (s->selector.kind) {
    case PATH_SELECT_FUNCTION:
        if (name_matches(s->selector.name, f))
            memset(wanted, true, n->total);
        break;
    case PATH_SELECT_ID:
        if (!name_matches(s->selector.name, f))
            break;
        if (s->selector.id < n->total) {
            wanted[s->selector.id] = true;
            break;
        }
        error_set(&line, "'%s' has no path %llu: its paths are 0 to %llu", f->map.name,
                  (unsigned long long)s->selector.id, (unsigned long long)n->total - 1);
        fprintf(stderr, "cotree: %s\n", line.text);
        break;
    case PATH_SELECT_LINE:
        add_through(&s->selector, &f->map, p, n, wanted);
        break;
    case PATH_SELECT_HOT:
        if (counts) {
            const bool *hot = s->hot[counts - s->profile.profile.functions.items];
            for (uint64_t id = 0; id < n->total; id++)
                wanted[id] |= hot[id];
        } else {
            say_changed(s, &f->map);
        }
        break;
    case PATH_SELECT_UNCOVERED: /* paths that were not counted count as uncovered */
        for (uint64_t id = 0; id < n->total; id++)
            wanted[id] |= !counts || counts->path_counts[id] <= 0;
        if (!counts)
            say_changed(s, &f->map);
        break;
    case PATH_SELECT_GROUP:
        break;
    }
}

/* ---- All ---- */

struct chosen_function {
    struct unit_function *function;
    struct plan *plan;
    bool *wanted;
};

/* Functions of headers, and those that a linker keeps one body of, are in other units, too: their
 * group must not depend on the unit. */
static bool is_in_one_unit(const struct path_choices *c, const struct map_function *f)
{
    const char *source = c->source;
    while (source[0] == '.' && source[1] == '/')
        source += 2;
    return !(f->flags & (MAP_FUNCTION_COMDAT | MAP_FUNCTION_OPTIONAL)) && f->file_count &&
           text_ends_with(f->files[0], source);
}

static bool choose_in(struct path_choices *c, struct chosen_function *to, struct path_shares *shares,
                      struct error *error)
{
    struct path_graph p;
    struct path_numbering n;
    const struct profile_function **counts = ZALLOC(const struct profile_function *, c->selectors.count + 1);
    bool fixed = false, only_groups = true;
    for (size_t i = 0; i < c->selectors.count; i++) {
        struct chosen_selector *s = &c->selectors.items[i];
        only_groups &= s->selector.kind == PATH_SELECT_GROUP;
        if (path_selector_reads(&s->selector)) {
            counts[i] = find_counts(s, to->function, to->plan, !fixed);
            fixed |= counts[i] != NULL;
        }
    }
    bool ok = path_plan_number(to->plan, &to->function->map.graph, NULL, NULL, &p, &n, error);
    if (ok) {
        to->wanted = ZALLOC(bool, n.total + 1);
        memset(to->wanted, only_groups, n.total);
        for (size_t i = 0; i < c->selectors.count; i++)
            add_wanted(&c->selectors.items[i], to->function, counts[i], &p, &n, to->wanted);
        if (shares) {
            double *weights = ALLOC(double, (size_t)p.arcs.edge_count + 1);
            path_graph_weights(&p, &to->function->map.graph, to->function->weights, weights);
            path_shares_add(shares, &p, &n, weights, to->wanted,
                            is_in_one_unit(c, &to->function->map) ? PATH_SHARES_FREE
                                                                  : hash_text(to->function->map.name) | 1);
            free(weights);
        }
        path_numbering_release(&n);
        path_graph_release(&p);
    }
    free(counts);
    return ok;
}

/* Divides the wanted paths into groups, and keeps those of the groups that selectors name. */
static void take_groups(const struct path_choices *c, const struct path_shares *shares, size_t index,
                        struct chosen_function *f)
{
    uint32_t count = f->plan->path_count;
    bool *ours = ZALLOC(bool, (size_t)count + 1), *part = ALLOC(bool, (size_t)count + 1);
    for (size_t i = 0; i < c->selectors.count; i++) {
        if (c->selectors.items[i].selector.kind != PATH_SELECT_GROUP)
            continue;
        memcpy(part, f->wanted, count);
        path_shares_take(shares, index, c->selectors.items[i].selector.group - 1, part);
        for (uint32_t id = 0; id < count; id++)
            ours[id] |= part[id];
    }
    memcpy(f->wanted, ours, count);
    free(ours);
    free(part);
}

bool path_choices_apply(struct path_choices *c, struct unit_functions *functions, struct error *error)
{
    struct ARRAY_OF(struct chosen_function) chosen = {0};
    struct path_shares *shares = NULL;
    uint32_t groups = 0;
    bool ok = true;
    for (size_t i = 0; i < c->selectors.count && ok; i++) {
        const struct path_selector *s = &c->selectors.items[i].selector;
        if (s->kind == PATH_SELECT_GROUP && groups && groups != s->groups)
            ok = error_set(error, "paths 'group:%u/%u': another selector has %u groups", s->group, s->groups,
                           groups);
        groups = s->kind == PATH_SELECT_GROUP ? s->groups : groups;
    }
    if (groups)
        shares = path_shares_new();
    for (size_t i = 0; i < functions->count && ok; i++) {
        struct plan *plan = functions->items[i]->counted ? plan_of(functions->items[i]) : NULL;
        if (!plan)
            continue;
        struct chosen_function *to = ARRAY_ADD(&chosen);
        *to = (struct chosen_function){.function = functions->items[i], .plan = plan};
        ok = choose_in(c, to, shares, error);
    }
    if (shares && ok)
        path_shares_divide(shares, groups);
    for (size_t i = 0; i < chosen.count && ok; i++) {
        if (shares)
            take_groups(c, shares, i, &chosen.items[i]);
        ok = path_choose(chosen.items[i].plan, &chosen.items[i].function->map.graph,
                         chosen.items[i].function->weights, chosen.items[i].wanted, c->numbering, error);
    }
    for (size_t i = 0; i < chosen.count; i++)
        free(chosen.items[i].wanted);
    ARRAY_RELEASE(&chosen);
    if (shares)
        path_shares_free(shares);
    return ok;
}
