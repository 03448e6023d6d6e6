/*
 * Matching and subtracting.
 *
 * Functions of one linkage name are paired in rounds, the best pairs first: equal graphs at the
 * same place, in the same file, in a file of the same name, anywhere; then other graphs likewise.
 * Functions that are left over are on one side only. So static functions of one name find the one
 * in their own file, and functions of a file that was moved find themselves.
 *
 * Lines of a pair correspond by position: equal graphs have the same blocks, and the n-th line of a
 * block is the n-th line of the other. If blocks have other numbers of lines, or lines were joined
 * or split, the pair has no lines to compare.
 */
#include "report/diff.h"
#include "decode/lines/definitions.h"
#include "base/hash.h"

/* ---- Functions ---- */

struct matcher {
    const struct report *old_report, *new_report;
    struct hash_map by_name; /* hash of a linkage name -> 1 + first new function of that name */
    uint32_t *next_of_name;  /* new function -> 1 + the next one, 0 at the end */
    uint32_t *partner_of_old, *partner_of_new;
};

static const struct profile_function *function_at(const struct report *r, uint32_t index)
{
    return &r->view.functions.items[index];
}

static const char *file_of(const struct profile_function *f)
{
    return f->map.file_count ? f->map.files[0] : "";
}

/* Compares the last components: two builds may lie in different directories. */
static bool same_last_name(const char *a, const char *b)
{
    const char *x = strrchr(a, '/'), *y = strrchr(b, '/');
    return !strcmp(x ? x : a, y ? y : b);
}

enum { ROUNDS = 7, ROUNDS_OF_EQUAL_GRAPHS = 4 };

static bool same_graph(const struct profile_function *a, const struct profile_function *b)
{
    return a->map.graph_hash == b->map.graph_hash && a->map.graph.edge_count == b->map.graph.edge_count &&
           a->map.graph.vertex_count == b->map.graph.vertex_count;
}

static bool fits(const struct profile_function *a, const struct profile_function *b, int round)
{
    if (round < ROUNDS_OF_EQUAL_GRAPHS && !same_graph(a, b))
        return false;
    switch (round) {
    case 0:
        return !strcmp(file_of(a), file_of(b)) && a->map.line == b->map.line;
    case 1:
    case 4:
        return !strcmp(file_of(a), file_of(b));
    case 2:
    case 5:
        return same_last_name(file_of(a), file_of(b));
    default:
        return true;
    }
}

static void pair_up(struct matcher *m, int round)
{
    for (uint32_t i = 0; i < m->old_report->view.functions.count; i++) {
        const struct profile_function *a = function_at(m->old_report, i);
        const uint64_t *first =
            m->partner_of_old[i] == DIFF_NONE ? hash_map_get(&m->by_name, hash_text(a->map.name)) : NULL;
        for (uint32_t k = first ? (uint32_t)*first : 0; k; k = m->next_of_name[k - 1]) {
            const struct profile_function *b = function_at(m->new_report, k - 1);
            if (m->partner_of_new[k - 1] != DIFF_NONE || strcmp(a->map.name, b->map.name) ||
                !fits(a, b, round))
                continue;
            m->partner_of_old[i] = k - 1;
            m->partner_of_new[k - 1] = i;
            break;
        }
    }
}

static void matcher_init(struct matcher *m, const struct report *old_report, const struct report *new_report)
{
    size_t old_count = old_report->view.functions.count, new_count = new_report->view.functions.count;
    *m = (struct matcher){.old_report = old_report,
                          .new_report = new_report,
                          .next_of_name = ZALLOC(uint32_t, new_count + 1),
                          .partner_of_old = ALLOC(uint32_t, old_count + 1),
                          .partner_of_new = ALLOC(uint32_t, new_count + 1)};
    for (size_t i = 0; i < old_count; i++)
        m->partner_of_old[i] = DIFF_NONE;
    for (size_t i = new_count; i-- > 0;) {
        m->partner_of_new[i] = DIFF_NONE;
        uint64_t *first =
            hash_map_put(&m->by_name, hash_text(function_at(new_report, (uint32_t)i)->map.name), NULL);
        m->next_of_name[i] = (uint32_t)*first;
        *first = i + 1;
    }
    for (int round = 0; round < ROUNDS; round++)
        pair_up(m, round);
}

static void matcher_release(struct matcher *m)
{
    hash_map_release(&m->by_name);
    free(m->next_of_name);
    free(m->partner_of_old);
    free(m->partner_of_new);
}

static void take_side(const struct report *r, uint32_t index, int64_t *runs, int64_t *entries, bool *exact)
{
    *runs = *entries = 0;
    *exact = true;
    if (index == DIFF_NONE)
        return;
    const struct profile_function *f = function_at(r, index);
    *runs = r->functions[index].executions;
    *entries = f->counted ? f->entries : -1;
    *exact = f->counted && f->exact;
}

static void add_function(struct diff *d, uint32_t old_index, uint32_t new_index)
{
    struct diff_function *f = ARRAY_ADD(&d->functions);
    *f = (struct diff_function){.old_index = old_index, .new_index = new_index};
    take_side(d->old_report, old_index, &f->old_runs, &f->old_entries, &f->old_exact);
    take_side(d->new_report, new_index, &f->new_runs, &f->new_entries, &f->new_exact);
    if (new_index == DIFF_NONE)
        f->match = DIFF_ONLY_OLD;
    else if (old_index == DIFF_NONE)
        f->match = DIFF_ONLY_NEW;
    else
        f->match = same_graph(function_at(d->old_report, old_index), function_at(d->new_report, new_index))
                       ? DIFF_SAME
                       : DIFF_CHANGED;
    d->matches[f->match]++;
    d->differing += diff_function_differs(f);
    if (f->old_runs > 0)
        d->old_runs = count_add(d->old_runs, f->old_runs);
    if (f->new_runs > 0)
        d->new_runs = count_add(d->new_runs, f->new_runs);
}

/* ---- Lines ---- */

static uint64_t line_key(struct map_line l)
{
    return (uint64_t)l.file << 32 | l.line;
}

/* Maps new lines to old lines of the pair, by position. Returns false when they do not correspond
 * one to one. */
static bool pair_lines(const struct map_function *a, const struct map_function *b,
                       struct hash_map *old_of_new)
{
    struct hash_map new_of_old = {0};
    bool good = true;
    for (uint32_t v = 0; good && v < graph_exit(&a->graph); v++) {
        good = a->blocks[v].line_count == b->blocks[v].line_count;
        for (uint32_t i = 0; good && i < a->blocks[v].line_count; i++) {
            uint64_t x = line_key(a->blocks[v].lines[i]), y = line_key(b->blocks[v].lines[i]);
            bool first_old, first_new;
            uint64_t *forth = hash_map_put(&new_of_old, x, &first_old),
                     *back = hash_map_put(old_of_new, y, &first_new);
            if (first_old)
                *forth = y;
            if (first_new)
                *back = x;
            good = *forth == y && *back == x;
        }
    }
    hash_map_release(&new_of_old);
    return good;
}

static const struct line_count *find_line(const struct report *part, const char *file, uint32_t line)
{
    for (size_t i = 0; i < part->lines.count; i++) {
        const struct file_lines *lines = &part->lines.items[i];
        if (strcmp(lines->file, file))
            continue;
        size_t at = FIRST_WITHOUT(lines->lines.count, k, lines->lines.items[k].line < line);
        return at < lines->lines.count && lines->lines.items[at].line == line ? &lines->lines.items[at]
                                                                              : NULL;
    }
    return NULL;
}

/* Lines of all pairs: first a sum for each definition, then of these the largest
 * (decode/lines/lines.h). */
struct line_sums {
    struct diff *d;
    struct definitions definitions; /* of the new side */
    struct hash_map index;          /* file, line and definition -> place in d->lines */
};

static void add_line(struct line_sums *sums, uint32_t definition, const struct diff_line *line)
{
    uint64_t identity[3] = {hash_text(line->file), line->line, definition};
    bool added;
    uint64_t *place = hash_map_put(&sums->index, hash_bytes(identity, sizeof identity), &added);
    if (added) {
        *place = sums->d->lines.count;
        ARRAY_PUSH(&sums->d->lines, *line);
        return;
    }
    struct diff_line *sum = &sums->d->lines.items[*place];
    sum->old_count = count_add(sum->old_count, line->old_count);
    sum->new_count = count_add(sum->new_count, line->new_count);
    sum->old_exact &= line->old_exact;
    sum->new_exact &= line->new_exact;
}

static void take_largest(struct diff *d)
{
    struct hash_map index = {0};
    size_t kept = 0;
    for (size_t i = 0; i < d->lines.count; i++) {
        const struct diff_line line = d->lines.items[i];
        uint64_t identity[2] = {hash_text(line.file), line.line};
        bool added;
        uint64_t *place = hash_map_put(&index, hash_bytes(identity, sizeof identity), &added);
        if (added) {
            *place = kept;
            d->lines.items[kept++] = line;
            continue;
        }
        struct diff_line *most = &d->lines.items[*place];
        most->old_count = line.old_count > most->old_count ? line.old_count : most->old_count;
        most->new_count = line.new_count > most->new_count ? line.new_count : most->new_count;
        most->old_exact &= line.old_exact;
        most->new_exact &= line.new_exact;
    }
    d->lines.count = kept;
    hash_map_release(&index);
}

static void add_lines(struct line_sums *sums, const struct diff_function *pair)
{
    struct diff *d = sums->d;
    const struct profile_function *a = function_at(d->old_report, pair->old_index);
    const struct profile_function *b = function_at(d->new_report, pair->new_index);
    struct hash_map old_of_new = {0};
    if (!a->counted || !b->counted)
        return;
    if (!pair_lines(&a->map, &b->map, &old_of_new)) {
        d->not_compared++;
        hash_map_release(&old_of_new);
        return;
    }
    uint32_t definition = definitions_number(&sums->definitions, &b->map);
    struct report old_part, new_part;
    report_part_init(&old_part, d->old_report, &pair->old_index, 1);
    report_part_init(&new_part, d->new_report, &pair->new_index, 1);
    for (uint32_t file = 0; file < b->map.file_count; file++) {
        const char *name = b->map.files[file];
        for (size_t i = 0; report_wants_file(d->new_report->options, name) && i < new_part.lines.count; i++)
            for (size_t k = 0;
                 !strcmp(new_part.lines.items[i].file, name) && k < new_part.lines.items[i].lines.count;
                 k++) {
                const struct line_count *now = &new_part.lines.items[i].lines.items[k];
                const uint64_t *key = hash_map_get(&old_of_new, line_key((struct map_line){file, now->line}));
                const struct line_count *before =
                    key ? find_line(&old_part, a->map.files[*key >> 32], (uint32_t)*key) : NULL;
                if (before)
                    add_line(sums, definition,
                             &(struct diff_line){name, now->line, before->line, before->count, now->count,
                                                 before->exact, now->exact});
            }
    }
    hash_map_release(&old_of_new);
    report_release(&old_part);
    report_release(&new_part);
}

/* ---- Order ---- */

static uint64_t distance(int64_t a, int64_t b)
{
    if (a < 0 || b < 0) /* not known on one side: before all others */
        return a == b ? 0 : UINT64_MAX;
    return a < b ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b;
}

static int compare_distances(uint64_t a, uint64_t b)
{
    return (a < b) - (a > b);
}

static int compare_functions(const void *left, const void *right, void *context)
{
    const struct diff_function *a = left, *b = right;
    int c = compare_distances(distance(a->old_runs, a->new_runs), distance(b->old_runs, b->new_runs));
    if (!c)
        c = compare_distances(distance(a->old_entries, a->new_entries),
                              distance(b->old_entries, b->new_entries));
    if (!c)
        c = strcmp(diff_function_name(context, a), diff_function_name(context, b));
    if (!c)
        c = (a->new_index > b->new_index) - (a->new_index < b->new_index);
    return c ? c : (a->old_index > b->old_index) - (a->old_index < b->old_index);
}

static int compare_lines(const void *left, const void *right)
{
    const struct diff_line *a = left, *b = right;
    int c = compare_distances(distance(a->old_count, a->new_count), distance(b->old_count, b->new_count));
    if (!c)
        c = strcmp(a->file, b->file);
    return c ? c : (a->line > b->line) - (a->line < b->line);
}

void diff_init(struct diff *d, const struct report *old_report, const struct report *new_report)
{
    struct matcher m;
    const char *old_id = old_report->whole->build_id, *new_id = new_report->whole->build_id;
    *d = (struct diff){.old_report = old_report,
                       .new_report = new_report,
                       .one_build = old_id && new_id && *old_id && !strcmp(old_id, new_id)};
    matcher_init(&m, old_report, new_report);
    for (uint32_t i = 0; i < old_report->view.functions.count; i++)
        add_function(d, i, m.partner_of_old[i]);
    for (uint32_t i = 0; i < new_report->view.functions.count; i++)
        if (m.partner_of_new[i] == DIFF_NONE)
            add_function(d, DIFF_NONE, i);
    matcher_release(&m);

    struct line_sums sums = {.d = d};
    for (size_t i = 0; i < d->functions.count; i++)
        if (d->functions.items[i].match == DIFF_SAME)
            add_lines(&sums, &d->functions.items[i]);
    hash_map_release(&sums.index);
    definitions_release(&sums.definitions);
    take_largest(d);
    for (size_t i = 0; i < d->lines.count; i++)
        d->lines_differing += diff_line_differs(&d->lines.items[i]);
    if (d->functions.count)
        qsort_r(d->functions.items, d->functions.count, sizeof *d->functions.items, compare_functions, d);
    if (d->lines.count)
        qsort(d->lines.items, d->lines.count, sizeof *d->lines.items, compare_lines);
}

void diff_release(struct diff *d)
{
    ARRAY_RELEASE(&d->functions);
    ARRAY_RELEASE(&d->lines);
    ARRAY_RELEASE(&d->paths);
    for (size_t i = 0; i < d->cuts.count; i++)
        cut_paths_release(&d->cuts.items[i]);
    ARRAY_RELEASE(&d->cuts);
}

const struct profile_function *diff_function_shown(const struct diff *d, const struct diff_function *f)
{
    return f->new_index != DIFF_NONE ? function_at(d->new_report, f->new_index)
                                     : function_at(d->old_report, f->old_index);
}

const char *diff_function_name(const struct diff *d, const struct diff_function *f)
{
    return f->new_index != DIFF_NONE ? d->new_report->functions[f->new_index].name
                                     : d->old_report->functions[f->old_index].name;
}

const char *diff_match_name(enum diff_match match)
{
    static const char *const names[] = {"same", "changed", "only_old", "only_new"};
    return names[match];
}
