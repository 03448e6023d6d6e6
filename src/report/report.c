/* What is to be reported: choosing functions, ordering them, adding up lines and branches. The
 * formats only print. */
#include "report/report.h"
#include "base/buffer.h"
#include "base/hash.h"
#include "base/text.h"
#include "decode/lines/demangle.h"

#include <stdio.h>

const struct report_format report_formats[] = {
    {"text", "functions by count and annotated source, for people", true, true, false, report_write_text},
    {"html", "one page that opens offline: overview, source, flow graphs", false, true, true,
     report_write_html},
    {"json", "everything, for programs: cotree-json(5)", false, true, true, report_write_json},
    {"lcov", "lines, functions and branches as lcov and genhtml read them", false, false, false,
     report_write_lcov},
    {"cobertura", "lines and branches as XML, as Cobertura writes it", false, false, false,
     report_write_cobertura},
    {"callgrind", "lines, blocks, jumps for KCachegrind, callgrind_annotate", false, false, false,
     report_write_callgrind},
    {"llvm-samples", "lines as clang -fprofile-sample-use reads them", false, false, false,
     report_write_llvm_samples},
    {"folded", "paths (without them, lines) as folded stacks, for flame graphs", false, false, true,
     report_write_folded},
    {NULL, NULL, false, false, false, NULL},
};

const struct report_format *report_format_by_name(const char *name)
{
    for (const struct report_format *f = report_formats; f->name; f++)
        if (strcmp(f->name, name) == 0)
            return f;
    return NULL;
}

int64_t count_add(int64_t a, int64_t b)
{
    if (a < 0 || b < 0)
        return -1;
    return a > INT64_MAX - b ? INT64_MAX : a + b;
}

int64_t shown_block_count(const struct profile_function *f, uint32_t block)
{
    if (!f->counted || (!f->block_counts[block] && f->least && f->least[block].may_have_run))
        return -1;
    return f->block_counts[block];
}

int64_t shown_edge_count(const struct profile_function *f, uint32_t edge)
{
    uint32_t to = f->map.graph.edges[edge].to;
    bool inside = to != graph_exit(&f->map.graph);
    if (!f->edge_counts || (!f->edge_counts[edge] && inside && f->least && f->least[to].may_have_run))
        return -1;
    return f->edge_counts[edge];
}

const char *count_text(char text[COUNT_TEXT], int64_t count)
{
    if (count < 0)
        return strcpy(text, "?");
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%lld", (long long)count);
    char *to = text;
    for (int i = 0; i < n; i++) {
        if (i > 0 && (n - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return text;
}

const char *percent_text(char text[COUNT_TEXT], uint64_t part, uint64_t whole)
{
    if (part >= whole)
        return strcpy(text, "100%");
    if (part == 0)
        return strcpy(text, "0%");
    double percent = 100.0 * (double)part / (double)whole;
    if (percent > 99.9)
        return strcpy(text, ">99.9%");
    if (percent < 0.1)
        return strcpy(text, "<0.1%");
    snprintf(text, COUNT_TEXT, "%.1f%%", percent);
    return text;
}

char *printable(const char *s)
{
    char *copy = memory_string(s ? s : "");
    text_make_printable(copy);
    return copy;
}

char *report_reason(const struct report *r, const char *reason)
{
    struct buffer text = {0};
    for (const char *s = reason; *s;) {
        const char *end = s;
        while ((*end >= 'a' && *end <= 'z') || (*end >= 'A' && *end <= 'Z') || (*end >= '0' && *end <= '9') ||
               *end == '_' || *end == '$' || *end == '.')
            end++;
        if (end == s) {
            buffer_add(&text, s++, 1);
            continue;
        }
        char *word = memory_substring(s, (size_t)(end - s));
        char *name = text_starts_with(word, "_Z") && !r->options->no_demangle ? demangle(word) : NULL;
        char *bare = name ? demangled_bare_name(name) : NULL;
        buffer_add_text(&text, bare ? bare : word);
        free(word);
        free(name);
        free(bare);
        s = end;
    }
    char *safe = printable(buffer_text(&text));
    buffer_release(&text);
    return safe;
}

char *report_counters(const struct profile *p)
{
    struct buffer text = {0};
    struct hash_map seen = {0};
    for (const char *at = p->mode ? p->mode : ""; *at; at += strcspn(at, ","), at += *at == ',') {
        char *set = memory_substring(at, strcspn(at, ","));
        const char *name = !strcmp(set, "rest")                                        ? "edges"
                           : !strcmp(set, "loop-paths") || !strcmp(set, "mixed-paths") ? "paths"
                                                                                       : set;
        bool added;
        hash_map_put(&seen, hash_text(name), &added);
        if (added)
            buffer_addf(&text, "%s%s", text.length ? "," : "", name);
        free(set);
    }
    char *safe = printable(buffer_text(&text));
    buffer_release(&text);
    hash_map_release(&seen);
    return safe;
}

/* ---- One function ---- */

static enum line_wish wish_for(const struct report_options *o, const char *file, uint32_t line)
{
    return o->line_choice ? line_choice_of(o->line_choice, file, line) : LINE_WANTED;
}

/* Counts the lines that are wanted. */
static void count_lines(const struct profile_function *f, const struct report_options *o,
                        struct report_function *r)
{
    struct function_lines lines = {0};
    lines_of_function(f, &lines);
    r->no_line_left = lines.count > 0;
    for (size_t i = 0; i < lines.count; i++)
        if (wish_for(o, f->map.files[lines.items[i].at.file], lines.items[i].at.line) == LINE_WANTED) {
            r->no_line_left = false;
            r->lines++;
            r->lines_run += lines.items[i].count > 0;
        }
    ARRAY_RELEASE(&lines);
}

static void describe(const struct profile_function *f, const struct report_options *o,
                     struct report_function *r)
{
    *r = (struct report_function){
        .name = o->no_demangle ? memory_string(f->map.name) : demangle(f->map.name),
        .file = f->map.file_count ? f->map.files[0] : "",
        .executions = -1,
    };
    if (!f->counted) { /* all that is known is where it begins */
        r->no_line_left =
            f->map.line && f->map.file_count && wish_for(o, f->map.files[0], f->map.line) != LINE_WANTED;
        return;
    }
    r->executions = 0;
    bool may_have_run = false;
    for (uint32_t b = 0; b + 1 < f->map.graph.vertex_count; b++) {
        r->executions = count_add(r->executions, f->block_counts[b]);
        r->executions_least = count_add(r->executions_least, f->least   ? f->least[b].began
                                                             : f->exact ? f->block_counts[b]
                                                                        : 0);
        may_have_run |= f->least && f->least[b].may_have_run;
    }
    if (!r->executions && may_have_run)
        r->executions = -1;
    r->entries_least = f->least ? f->least[graph_exit(&f->map.graph)].began : f->exact ? f->entries : 0;
    count_lines(f, o, r);
}

/* Returns the entries as they are shown: 0 is unknown for a function that may have begun unseen. */
static int64_t known_entries(const struct profile_function *f)
{
    return f->counted && !f->entries && f->least && f->least[GRAPH_ROOT].may_have_run ? -1 : f->entries;
}

static bool wanted(const struct profile_function *f, const char *name, const struct report_options *o)
{
    if (o->no_system && f->map.file_count && source_of_system(f->map.files[0]))
        return false;
    return filter_wants_function(&o->filter, &f->map, name);
}

/* ---- Order ---- */

struct candidate {
    const struct profile_function *function;
    struct report_function shown;
    size_t index;
};

struct candidates ARRAY_OF(struct candidate);

static int compare_counts(int64_t a, int64_t b) /* most first */
{
    return (a < b) - (a > b);
}

static int compare_candidates(const void *left, const void *right, void *context)
{
    const struct candidate *a = left, *b = right;
    enum report_sort sort = *(enum report_sort *)context;
    int c = 0;
    switch (sort) {
    case REPORT_SORT_COUNT:
        c = compare_counts(a->shown.executions, b->shown.executions);
        break;
    case REPORT_SORT_ENTRIES:
        c = compare_counts(a->function->counted ? a->function->entries : -1,
                           b->function->counted ? b->function->entries : -1);
        break;
    case REPORT_SORT_NAME:
        c = strcmp(a->shown.name, b->shown.name);
        break;
    case REPORT_SORT_LINE:
        c = strcmp(a->shown.file, b->shown.file);
        if (c == 0)
            c = (a->function->map.line > b->function->map.line) -
                (a->function->map.line < b->function->map.line);
        break;
    case REPORT_SORT_COVERAGE: {
        uint64_t x = (uint64_t)a->shown.lines_run * b->shown.lines,
                 y = (uint64_t)b->shown.lines_run * a->shown.lines;
        if (!a->shown.lines || !b->shown.lines) /* nothing to cover comes last */
            c = !a->shown.lines - !b->shown.lines;
        else
            c = (x > y) - (x < y);
        break;
    }
    case REPORT_SORT_DEFAULT:
        break;
    }
    return c ? c : (a->index > b->index) - (a->index < b->index);
}

static void choose(struct report *r, enum report_sort sort)
{
    const struct report_options *o = r->options;
    struct candidates list = {0};
    for (size_t i = 0; i < r->whole->functions.count; i++) {
        const struct profile_function *f = &r->whole->functions.items[i];
        struct candidate c = {.function = f, .index = i};
        describe(f, o, &c.shown);
        if (wanted(f, c.shown.name, o) && !c.shown.no_line_left)
            ARRAY_PUSH(&list, c);
        else
            free(c.shown.name);
    }
    if (list.count)
        qsort_r(list.items, list.count, sizeof *list.items, compare_candidates, &sort);
    size_t keep = o->top && o->top < list.count ? o->top : list.count;
    for (size_t i = keep; i < list.count; i++)
        free(list.items[i].shown.name);
    r->view = *r->whole;
    r->view.functions = (struct profile_functions){
        .items = ALLOC(struct profile_function, keep + 1), .count = keep, .capacity = keep + 1};
    r->functions = ALLOC(struct report_function, keep + 1);
    for (size_t i = 0; i < keep; i++) {
        r->view.functions.items[i] = *list.items[i].function;
        r->view.functions.items[i].entries = known_entries(list.items[i].function);
        r->functions[i] = list.items[i].shown;
    }
    ARRAY_RELEASE(&list);
}

/* ---- Files ---- */

static uint64_t definition_name(const struct profile_function *f)
{
    return hash_text(f->map.name) ^ (uint64_t)f->map.line * 0x9e3779b97f4a7c15u;
}

static void add_definitions(struct report *r, struct report_file *file)
{
    struct hash_map seen = {0}, names = {0};
    for (size_t i = 0; i < file->lines->functions.count; i++) {
        const struct profile_function *f = &r->view.functions.items[file->lines->functions.items[i]];
        if (!f->counted || f->entries < 0)
            continue;
        bool added;
        uint64_t *place = hash_map_put(&seen, definition_name(f), &added);
        if (added) {
            bool first;
            *place = file->definitions.count;
            hash_map_put(&names, hash_text(f->map.name), &first);
            ARRAY_PUSH(&file->definitions,
                       ((struct report_definition){f->map.name, f->map.line, !first, f->entries, {0}}));
        } else {
            struct report_definition *d = &file->definitions.items[*place];
            d->entries = count_add(d->entries, f->entries);
        }
        ARRAY_PUSH(&file->definitions.items[*place].instances, file->lines->functions.items[i]);
    }
    for (size_t i = 0; i < file->lines->functions.count; i++) {
        const struct profile_function *f = &r->view.functions.items[file->lines->functions.items[i]];
        bool added = false;
        if (f->counted && f->entries < 0)
            hash_map_put(&seen, definition_name(f), &added);
        file->definitions_unknown += added;
    }
    for (size_t i = 0; i < file->definitions.count; i++)
        file->definitions_run += file->definitions.items[i].entries > 0;
    hash_map_release(&seen);
    hash_map_release(&names);
}

/*
 * Finds the ways out of a block that the source decides on. Where the map does not say which they
 * are, the ways to landing pads are left out: that a call throws is not a decision of the line it
 * stands on. What then goes one way only is no branch. Returns the number of ways; 0 if it is no
 * branch or a count is not known.
 */
static uint32_t decided_ways(const struct profile_function *f, const struct line_branch *b, uint32_t *ways)
{
    uint32_t count = 0;
    if (!f->counted || !f->edge_counts || f->block_counts[b->block] < 0)
        return 0;
    for (uint32_t e = 0; e < b->edge_count; e++) {
        uint32_t target = f->map.graph.edges[b->edges[e]].to;
        if (f->edge_counts[b->edges[e]] < 0)
            return 0;
        if (b->says || target == graph_exit(&f->map.graph) ||
            !(f->map.blocks[target].hazards & MAP_HAZARD_LANDING_PAD))
            ways[count++] = b->edges[e];
    }
    return count > 1 ? count : 0;
}

static bool wants_branch(const struct report_options *o, const char *file, uint32_t line)
{
    return !o->line_choice || line_choice_wants_branch(o->line_choice, file, line);
}

static void add_branches(struct report *r, struct report_file *file)
{
    struct hash_map seen = {0};
    uint32_t ordinal = 0; /* among the function's branches at one place: those of a macro have one column */
    for (size_t i = 0; i < file->lines->branches.count; i++) {
        const struct line_branch *b = &file->lines->branches.items[i];
        ordinal = i && b[-1].line == b->line && b[-1].column == b->column && b[-1].function == b->function
                      ? ordinal + 1
                      : 0;
        const struct profile_function *f = &r->view.functions.items[b->function];
        uint32_t *ways = ALLOC(uint32_t, b->edge_count + 1), count = decided_ways(f, b, ways);
        if (count && wants_branch(r->options, file->lines->file, b->line)) {
            uint64_t identity[7] = {b->line,
                                    b->column,
                                    b->definition,
                                    ordinal,
                                    count,
                                    b->says ? 0 : b->block,
                                    b->says ? 0 : f->map.graph_hash};
            bool added;
            uint64_t *place = hash_map_put(&seen, hash_bytes(identity, sizeof identity), &added);
            if (added) {
                *place = file->branches.count;
                ARRAY_PUSH(&file->branches,
                           ((struct report_branch){b->line, b->column, count, 0, ZALLOC(int64_t, count),
                                                   b->says ? b->says->ways : NULL}));
            }
            struct report_branch *branch = &file->branches.items[*place];
            branch->executed = count_add(branch->executed, f->block_counts[b->block]);
            for (uint32_t way = 0; way < count; way++)
                branch->ways[way] = count_add(branch->ways[way], f->edge_counts[ways[way]]);
        }
        free(ways);
    }
    for (size_t i = 0; i < file->branches.count; i++) {
        file->ways += file->branches.items[i].way_count;
        for (uint32_t way = 0; way < file->branches.items[i].way_count; way++)
            file->ways_taken += file->branches.items[i].ways[way] > 0;
    }
    hash_map_release(&seen);
}

bool report_wants_file(const struct report_options *o, const char *file)
{
    return filter_wants_file(&o->filter, file) && !(o->no_system && source_of_system(file));
}

/* Leaves only the lines that are wanted. False if there were lines, and none is left. */
static bool choose_lines(const struct report_options *o, struct file_lines *file)
{
    size_t left = 0, had = file->lines.count;
    for (size_t i = 0; i < had; i++)
        if (wish_for(o, file->file, file->lines.items[i].line) == LINE_WANTED)
            file->lines.items[left++] = file->lines.items[i];
    file->lines.count = left;
    return left || !had;
}

static void add_files(struct report *r)
{
    lines_count(&r->view, &r->lines);
    for (size_t i = 0; i < r->lines.count; i++) {
        const struct file_lines *lines = &r->lines.items[i];
        if (!report_wants_file(r->options, lines->file) || !choose_lines(r->options, &r->lines.items[i]))
            continue;
        struct report_file *file = ARRAY_ADD(&r->files);
        *file = (struct report_file){.lines = lines};
        for (size_t l = 0; l < lines->lines.count; l++) {
            struct line_count *line = &r->lines.items[i].lines.items[l];
            if (!line->count && line->may_have_run)
                line->count = -1;
            file->lines_known += line->count >= 0;
            file->lines_unknown += line->count < 0;
            file->lines_run += lines->lines.items[l].count > 0;
        }
        add_definitions(r, file);
        add_branches(r, file);
        r->totals.lines += file->lines_known;
        r->totals.lines_run += file->lines_run;
        r->totals.lines_unknown += file->lines_unknown;
        r->totals.ways += file->ways;
        r->totals.ways_taken += file->ways_taken;
        /* Only functions that clang made, which stand on no line: lcov leaves such files out, too. */
        if (!lines->lines.count)
            continue;
        r->totals.functions += file->definitions.count;
        r->totals.functions_run += file->definitions_run;
        r->totals.functions_unknown += file->definitions_unknown;
    }
}

/* Counts the lines with code that --exclude-file and markers leave out. */
static void count_left_out(const struct report_options *options, const struct profile *p,
                           struct report_totals *totals)
{
    struct report_options all = *options;
    struct report whole;
    all.filter.excluded_files = (struct globs){0};
    all.line_choice = NULL;
    all.top = 0;
    report_init(&whole, p, &all, false);
    for (size_t i = 0; i < whole.files.count; i++) {
        const struct file_lines *file = whole.files.items[i].lines;
        bool wanted = filter_wants_file(&options->filter, file->file);
        totals->lines_excluded += wanted ? 0 : file->lines.count;
        for (size_t l = 0; wanted && l < file->lines.count; l++)
            totals->lines_marked += wish_for(options, file->file, file->lines.items[l].line) == LINE_MARKED;
    }
    report_release(&whole);
}

void report_init(struct report *r, const struct profile *p, const struct report_options *options,
                 bool text_order)
{
    *r = (struct report){.options = options, .whole = p};
    choose(r, options->sort == REPORT_SORT_DEFAULT && text_order ? REPORT_SORT_COUNT : options->sort);
    add_files(r);
    if (options->filter.excluded_files.count ||
        (options->line_choice && line_choice_has_marks(options->line_choice)))
        count_left_out(options, p, &r->totals);
    for (size_t i = 0; i < r->view.functions.count; i++) {
        const struct profile_function *f = &r->view.functions.items[i];
        if (!f->counted) {
            r->totals.uncounted++;
        } else {
            int64_t runs = r->functions[i].executions;
            r->totals.executions = count_add(r->totals.executions, runs < 0 ? 0 : runs);
            if (r->files.count == 0) { /* no file has them in its sum */
                *(f->entries < 0 ? &r->totals.functions_unknown : &r->totals.functions) += 1;
                r->totals.functions_run += f->entries > 0;
            }
        }
    }
}

void report_part_init(struct report *part, const struct report *r, const uint32_t *functions, size_t count)
{
    *part = (struct report){.options = r->options, .whole = r->whole, .view = *r->whole};
    part->view.functions = (struct profile_functions){
        .items = ALLOC(struct profile_function, count + 1), .count = count, .capacity = count + 1};
    for (size_t i = 0; i < count; i++)
        part->view.functions.items[i] = r->view.functions.items[functions[i]];
    add_files(part);
}

double report_line_coverage(const struct report *r)
{
    uint64_t lines = r->totals.lines + r->totals.lines_unknown;
    return lines ? 100.0 * (double)r->totals.lines_run / (double)lines : 100.0;
}

void report_release(struct report *r)
{
    for (size_t i = 0; r->functions && i < r->view.functions.count; i++)
        free(r->functions[i].name);
    free(r->functions);
    ARRAY_RELEASE(&r->view.functions);
    for (size_t i = 0; i < r->files.count; i++) {
        struct report_file *file = &r->files.items[i];
        for (size_t b = 0; b < file->branches.count; b++)
            free(file->branches.items[b].ways);
        ARRAY_RELEASE(&file->branches);
        for (size_t d = 0; d < file->definitions.count; d++)
            ARRAY_RELEASE(&file->definitions.items[d].instances);
        ARRAY_RELEASE(&file->definitions);
    }
    ARRAY_RELEASE(&r->files);
    lines_release(&r->lines);
    *r = (struct report){0};
}
