/*
 * A diff as an HTML page: the page of report/html.h, with an index of its own:
 *     kind: "diff"; totals; files: as in html.c
 *     functions: as in html.c, of the new profile; of the old one, without a file, where they are not there
 *     differences: for each function [how it was matched, block runs before, now, entries before, now,
 *                  exact before, now]
 *     lines: [[file, line, line before, count before, now]], the largest differences
 *     paths: with --paths, [[function, id or -1: unfinished, count before, now, blocks, its first lines...]],
 *            the largest differences, if their function is in the list
 * The counts of a file have besides
 *     o: [count of each line before], q: [its number before]
 */
#include "report/diff.h"
#include "report/html.h"
#include "report/path_list.h"

#include <inttypes.h>

enum { LINES = 1000, PATHS = 1000, PATH_LINES = 60 }; /* in the lists; all lines are in the sources */

struct by_place {
    const struct diff_line **items;
    size_t count;
};

static int compare_places(const void *left, const void *right)
{
    const struct diff_line *a = *(const struct diff_line *const *)left,
                           *b = *(const struct diff_line *const *)right;
    int c = strcmp(a->file, b->file);
    return c ? c : (a->line > b->line) - (a->line < b->line);
}

static uint32_t add_counts(struct islands *all, const struct by_place *lines, size_t first, size_t end)
{
    struct buffer b = {0};
    static const char *const before[] = {"{\"l\":[", "],\"c\":[", "],\"o\":[", "],\"q\":[", "],\"x\":["};
    for (int member = 0; member < 5; member++) {
        buffer_add_text(&b, before[member]);
        bool any = false;
        for (size_t i = first; i < end; i++) {
            const struct diff_line *line = lines->items[i];
            if (member == 4 && line->new_exact)
                continue;
            if (any)
                buffer_add(&b, ",", 1);
            any = true;
            if (member == 0)
                html_add_number(&b, line->line - (i > first ? lines->items[i - 1]->line : 0));
            else if (member == 1 || member == 2)
                html_add_count(&b, member == 1 ? line->new_count : line->old_count);
            else
                html_add_number(&b, member == 3 ? line->old_line : (int64_t)(i - first));
        }
    }
    buffer_add_text(&b, "]}");
    uint32_t number = islands_add(all, b.data, b.length);
    buffer_release(&b);
    return number;
}

static void add_files(struct buffer *index, struct islands *all, const struct diff *d, struct hash_map *files)
{
    struct by_place lines = {ALLOC(const struct diff_line *, d->lines.count + 1), d->lines.count};
    for (size_t i = 0; i < lines.count; i++)
        lines.items[i] = &d->lines.items[i];
    if (lines.count)
        qsort(lines.items, lines.count, sizeof *lines.items, compare_places);
    buffer_add_text(index, ",\"files\":[");
    uint64_t count = 0;
    for (size_t first = 0, end; first < lines.count; first = end) {
        const char *file = lines.items[first]->file;
        uint64_t run = 0;
        for (end = first; end < lines.count && !strcmp(lines.items[end]->file, file); end++)
            run += lines.items[end]->new_count > 0;
        struct html_source_island source = html_add_source(all, d->new_report, file);
        buffer_add_text(index, count ? ",\n[" : "[");
        html_add_text(index, source.path);
        buffer_addf(index, ",%d,", source.state);
        html_add_text(index, source.reason);
        buffer_addf(index, ",%" PRIu32 ",%" PRIu32 ",%zu,%" PRIu64 ",0,0,0,0]", source.island,
                    add_counts(all, &lines, first, end), end - first, run);
        *hash_map_put(files, hash_text(file), NULL) = count++;
        free(source.path);
    }
    buffer_add_text(index, "]");
    free(lines.items);
}

static void add_functions(struct buffer *index, const struct diff *d, size_t top,
                          const struct hash_map *files)
{
    size_t count = top && top < d->functions.count ? top : d->functions.count;
    buffer_add_text(index, ",\"functions\":[");
    for (size_t i = 0; i < count; i++) {
        const struct diff_function *f = &d->functions.items[i];
        const struct profile_function *p = diff_function_shown(d, f);
        bool here = f->new_index != DIFF_NONE && p->map.file_count;
        const uint64_t *file = here ? hash_map_get(files, hash_text(p->map.files[0])) : NULL;
        buffer_add_text(index, i ? ",\n[" : "[");
        html_add_text(index, diff_function_name(d, f));
        buffer_add(index, ",", 1);
        html_add_text(index, p->map.name);
        buffer_addf(index, ",%" PRId64 ",%" PRIu32 ",%" PRIu32 ",", file ? (int64_t)*file : -1, p->map.line,
                    p->map.line);
        html_add_count(index, f->new_entries);
        buffer_add(index, ",", 1);
        html_add_count(index, f->new_runs);
        buffer_addf(index, ",0,0,%d,-1,0,%" PRIu32 "]", f->new_exact ? 2 : 1, p->map.graph.vertex_count - 1);
    }
    buffer_add_text(index, "],\"whys\":[],\"differences\":[");
    for (size_t i = 0; i < count; i++) {
        const struct diff_function *f = &d->functions.items[i];
        const int64_t counts[] = {f->old_runs, f->new_runs, f->old_entries, f->new_entries};
        buffer_addf(index, "%s[%d", i ? ",\n" : "", f->match);
        for (int k = 0; k < 4; k++) {
            buffer_add(index, ",", 1);
            html_add_count(index, counts[k]);
        }
        buffer_addf(index, ",%d,%d]", f->old_exact, f->new_exact);
    }
    buffer_add_text(index, "]");
}

static void add_lines(struct buffer *index, const struct diff *d, size_t top, const struct hash_map *files)
{
    size_t most = top ? top : LINES;
    buffer_add_text(index, ",\"lines\":[");
    for (size_t i = 0; i < d->lines.count && i < most && diff_line_differs(&d->lines.items[i]); i++) {
        const struct diff_line *line = &d->lines.items[i];
        buffer_addf(index, "%s[%" PRIu64 ",%" PRIu32 ",%" PRIu32 ",", i ? "," : "",
                    *hash_map_get(files, hash_text(line->file)), line->line, line->old_line);
        html_add_count(index, line->old_count);
        buffer_add(index, ",", 1);
        html_add_count(index, line->new_count);
        buffer_add(index, "]", 1);
    }
    buffer_add_text(index, "]");
}

static void add_paths(struct buffer *index, const struct diff *d, size_t top)
{
    size_t most = top ? top : PATHS, functions = top && top < d->functions.count ? top : d->functions.count;
    bool any = false;
    buffer_add_text(index, ",\"paths\":[");
    for (size_t i = 0; i < d->paths.count && i < most; i++) {
        const struct diff_path *p = &d->paths.items[i];
        const struct map_function *map = &diff_function_shown(d, &d->functions.items[p->function])->map;
        struct paths paths;
        size_t count;
        if (p->function >= functions || !paths_init(&paths, map))
            continue;
        struct path_shown path = diff_path_show(p, &paths);
        struct map_line *lines = path_lines(map, &path, &count);
        buffer_addf(index, "%s[%" PRIu32 ",%" PRId64 ",", any ? ",\n" : "", p->function,
                    p->cut ? -1 : (int64_t)p->id);
        html_add_count(index, p->old_count);
        buffer_add(index, ",", 1);
        html_add_count(index, p->new_count);
        buffer_addf(index, ",%" PRIu32, p->blocks);
        for (size_t k = 0; k < count && k < PATH_LINES; k++)
            buffer_addf(index, ",%" PRIu32, lines[k].line);
        buffer_add(index, "]", 1);
        any = true;
        free(lines);
        paths_release(&paths);
    }
    buffer_add_text(index, "]");
}

static void put_side(FILE *out, const char *which, const struct report *r)
{
    const struct profile *p = r->whole;
    fputs("<div class=\"side\">", out);
    html_put_exactness(out, r, which);
    fputs("<p class=\"facts\">", out);
    html_put_text(out, p->program && *p->program ? p->program : "program unknown");
    fputs(" · ", out);
    html_put_build(out, p);
    fputs("</p></div>\n", out);
}

static void put_head(FILE *out, const void *context)
{
    const struct diff *d = context;
    char a[COUNT_TEXT], b[COUNT_TEXT];
    fputs("<h1>What ran more, and what less</h1>\n", out);
    put_side(out, "before: ", d->old_report);
    put_side(out, "now: ", d->new_report);
    fputs("<div class=\"sums\">\n", out);
    html_put_sum(out, "Functions", "differ", d->differing, d->functions.count);
    html_put_sum(out, "Lines", "differ", d->lines_differing, d->lines.count);
    fprintf(out,
            "<div class=\"sum\" data-sum=\"Block runs\"><h2>Block runs</h2><b>%s</b><span>%s "
            "before</span></div>\n",
            count_text(a, d->new_runs), count_text(b, d->old_runs));
    if (d->new_report->options->paths)
        fprintf(out,
                "<div class=\"sum\" data-sum=\"Paths\"><h2>Paths</h2><b>%s</b><span>differ</span></div>\n",
                count_text(a, (int64_t)d->paths.count));
    fputs("</div>\n", out);
    if (d->paths_not_compared && d->new_report->options->paths)
        fprintf(out, "<p class=\"note\">Paths of %s changed functions are not compared.</p>\n",
                count_text(a, (int64_t)d->paths_not_compared));
    if (d->not_compared)
        fprintf(out,
                "<p class=\"note\">Lines of %s functions are not compared: they do not correspond.</p>\n",
                count_text(a, (int64_t)d->not_compared));
}

void diff_write_html(const struct diff *d, size_t top, FILE *out)
{
    struct buffer index = {0};
    struct islands islands = {.count = 1};
    struct hash_map files = {0};
    buffer_add_text(&index, "{\"kind\":\"diff\",\"totals\":{\"executions\":");
    html_add_count(&index, d->new_runs);
    buffer_add_text(&index, "}");
    add_files(&index, &islands, d, &files);
    add_functions(&index, d, top, &files);
    add_lines(&index, d, top, &files);
    if (d->new_report->options->paths)
        add_paths(&index, d, top);
    buffer_add_text(&index, "}");
    const struct html_page page = {
        .title = "What differs", .put_head = put_head, .context = d, .index = &index, .islands = &islands};
    html_put_page(out, &page);
    islands_release(&islands);
    buffer_release(&index);
    hash_map_release(&files);
}
