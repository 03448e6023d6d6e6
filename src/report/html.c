/*
 * A report as one HTML page that needs nothing but a browser. The page is described in report/html.h.
 *
 * The index has these members, and "graphs" (html_graphs.c):
 *     kind: "report"; totals: {executions}; whys: texts
 *     files: [[path, state of its source, why it is missing, island of its text, of its counts, lines,
 *              lines run, ways, ways taken, functions, functions run]]
 *     functions: [[name, linkage name (0: the same), file or -1, line, last line, entries, block runs,
 *                  lines, lines run, 0: not counted 1: not exact 2: exact, why or -1, largest error,
 *                  blocks, 1: entries are at least so many, 2: block runs are]]
 *     paths: [[function, id, count, blocks]], those that make most of what ran first
 *     path_sums: [paths, watched, that ran, how few make 50, 90, 99 % of the blocks,
 *                 executions that did not end]; path_blocks
 * The counts of a file:
 *     l: [lines, each less the one before], c: [their counts], x: [places in l of those not exact],
 *     g: [places of those that ran at least so often],
 *     b: [line less the one before, column, number of ways, count of each way, name of each way, ...],
 *     n: [names]; name 0: not known
 */
#include "report/html.h"
#include "base/hash.h"

#include <inttypes.h>

enum { HOTTEST = 500 }; /* paths in the index */

static void add_numbers(struct buffer *b, const uint64_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        buffer_add(b, ",", 1);
        html_add_number(b, (int64_t)numbers[i]);
    }
}

/* Returns the place of the name in the list, from 1. */
static int64_t name_number(struct hash_map *numbers, struct buffer *names, const struct map_way *way)
{
    char text[MAP_WAY_TEXT];
    bool added;
    uint64_t *number = hash_map_put(numbers, hash_text(map_way_text(way, text)), &added);
    if (added) {
        *number = numbers->count;
        buffer_add(names, ",", numbers->count > 1 ? 1 : 0);
        html_add_text(names, text);
    }
    return (int64_t)*number;
}

static void add_branches(struct buffer *b, const struct report_file *file)
{
    struct hash_map numbers = {0};
    struct buffer names = {0};
    uint32_t before = 0;
    buffer_add_text(b, "],\"b\":[");
    for (size_t i = 0; i < file->branches.count; i++) {
        const struct report_branch *branch = &file->branches.items[i];
        const uint64_t head[] = {branch->column, branch->way_count};
        buffer_add(b, ",", i ? 1 : 0);
        html_add_number(b, branch->line - before);
        add_numbers(b, head, 2);
        for (uint32_t way = 0; way < branch->way_count; way++) {
            buffer_add(b, ",", 1);
            html_add_count(b, branch->ways[way]);
        }
        for (uint32_t way = 0; way < branch->way_count; way++) {
            buffer_add(b, ",", 1);
            html_add_number(b, branch->names ? name_number(&numbers, &names, &branch->names[way]) : 0);
        }
        before = branch->line;
    }
    buffer_add_text(b, "],\"n\":[");
    buffer_add(b, names.data, names.length);
    buffer_add_text(b, "]}");
    buffer_release(&names);
    hash_map_release(&numbers);
}

static uint32_t add_counts(struct islands *all, const struct report_file *file)
{
    struct buffer b = {0};
    const struct file_lines *lines = file->lines;
    uint32_t before = 0;
    buffer_add_text(&b, "{\"l\":[");
    for (size_t i = 0; i < lines->lines.count; i++) {
        buffer_add(&b, ",", i ? 1 : 0);
        html_add_number(&b, lines->lines.items[i].line - before);
        before = lines->lines.items[i].line;
    }
    buffer_add_text(&b, "],\"c\":[");
    for (size_t i = 0; i < lines->lines.count; i++) {
        buffer_add(&b, ",", i ? 1 : 0);
        html_add_count(&b, lines->lines.items[i].count);
    }
    buffer_add_text(&b, "],\"x\":[");
    for (size_t i = 0, count = 0; i < lines->lines.count; i++)
        if (!lines->lines.items[i].exact) {
            buffer_add(&b, ",", count++ ? 1 : 0);
            html_add_number(&b, (int64_t)i);
        }
    buffer_add_text(&b, "],\"g\":[");
    for (size_t i = 0, count = 0; i < lines->lines.count; i++) {
        const struct line_count *line = &lines->lines.items[i];
        if (!line->exact && line->count > 0 && line->least >= line->count) {
            buffer_add(&b, ",", count++ ? 1 : 0);
            html_add_number(&b, (int64_t)i);
        }
    }
    add_branches(&b, file);
    uint32_t number = islands_add(all, b.data, b.length);
    buffer_release(&b);
    return number;
}

static void add_files(struct buffer *index, struct islands *all, const struct report *r)
{
    buffer_add_text(index, ",\"files\":[");
    for (size_t i = 0; i < r->files.count; i++) {
        const struct report_file *file = &r->files.items[i];
        struct html_source_island source = html_add_source(all, r, file->lines->file);
        const uint64_t sums[] = {
            source.island, add_counts(all, file), file->lines_known,       file->lines_run,
            file->ways,    file->ways_taken,      file->definitions.count, file->definitions_run};
        buffer_add_text(index, i ? ",\n[" : "[");
        html_add_text(index, source.path);
        buffer_addf(index, ",%d,", source.state);
        html_add_text(index, source.reason);
        add_numbers(index, sums, sizeof sums / sizeof *sums);
        buffer_add(index, "]", 1);
        free(source.path);
    }
    buffer_add_text(index, "]");
}

static uint32_t last_line(const struct map_function *f)
{
    uint32_t last = f->line;
    for (uint32_t b = 0; b + 1 < f->graph.vertex_count; b++)
        for (uint32_t i = 0; i < f->blocks[b].line_count; i++)
            if (f->blocks[b].lines[i].file == 0 && f->blocks[b].lines[i].line > last)
                last = f->blocks[b].lines[i].line;
    return last;
}

static void add_functions(struct buffer *index, const struct report *r, const struct hash_map *files)
{
    struct buffer whys = {0};
    struct hash_map seen = {0};
    buffer_add_text(index, ",\"functions\":[");
    for (size_t i = 0; i < r->view.functions.count; i++) {
        const struct profile_function *f = &r->view.functions.items[i];
        const struct report_function *shown = &r->functions[i];
        const uint64_t *file = *shown->file ? hash_map_get(files, hash_text(shown->file)) : NULL;
        const char *why = f->counted && f->exact ? NULL : f->why ? f->why : f->map.why_uncounted;
        int64_t why_number = -1;
        if (why) {
            bool added;
            uint64_t *place = hash_map_put(&seen, hash_text(why), &added);
            if (added) {
                char *reason = report_reason(r, why);
                *place = seen.count - 1;
                buffer_add_text(&whys, *place ? "," : "");
                html_add_text(&whys, reason);
                free(reason);
            }
            why_number = (int64_t)*place;
        }
        buffer_add_text(index, i ? ",\n[" : "[");
        html_add_text(index, shown->name);
        if (strcmp(shown->name, f->map.name)) {
            buffer_add(index, ",", 1);
            html_add_text(index, f->map.name);
        } else {
            buffer_add_text(index, ",0");
        }
        const uint64_t place[] = {f->map.line, last_line(&f->map)};
        buffer_add(index, ",", 1);
        html_add_number(index, file ? (int64_t)*file : -1);
        add_numbers(index, place, 2);
        buffer_add(index, ",", 1);
        html_add_count(index, f->counted ? f->entries : -1);
        buffer_add(index, ",", 1);
        html_add_count(index, shown->executions);
        const uint64_t lines[] = {shown->lines, shown->lines_run, !f->counted ? 0 : f->exact ? 2 : 1};
        add_numbers(index, lines, 3);
        buffer_add(index, ",", 1);
        html_add_number(index, why_number);
        buffer_add(index, ",", 1);
        html_add_count(index, !f->counted ? -1 : f->exact ? 0 : f->max_error);
        buffer_add(index, ",", 1);
        html_add_number(index, f->map.graph.vertex_count - 1);
        int bounds = f->counted && !f->exact
                         ? (f->entries > 0 && shown->entries_least >= f->entries) |
                               (shown->executions > 0 && shown->executions_least >= shown->executions) << 1
                         : 0;
        buffer_addf(index, ",%d]", bounds);
    }
    buffer_add_text(index, "],\"whys\":[");
    buffer_add(index, whys.data, whys.length);
    buffer_add_text(index, "]");
    buffer_release(&whys);
    hash_map_release(&seen);
}

static void add_paths(struct buffer *index, const struct path_list *list)
{
    if (!list->sums.total)
        return;
    buffer_add_text(index, ",\"paths\":[");
    for (size_t i = 0; i < list->count && i < HOTTEST; i++) {
        buffer_addf(index, "%s[%" PRIu32 ",%" PRIu32 ",", i ? "," : "", list->items[i].function,
                    list->items[i].id);
        html_add_count(index, list->items[i].count);
        buffer_addf(index, ",%" PRIu32 "]", list->items[i].blocks);
    }
    const struct path_sums *sums = &list->sums;
    buffer_addf(index,
                "],\"path_sums\":[%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%zu,%zu,%zu,%" PRIu64
                "],\"path_blocks\":",
                sums->total, sums->watched, sums->ran, sums->for_blocks[0], sums->for_blocks[1],
                sums->for_blocks[2], sums->unfinished + sums->unknown);
    html_add_count(index, (int64_t)sums->blocks);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

struct heading {
    const struct report *report;
    const struct path_list *paths;
};

static void put_head(FILE *out, const void *context)
{
    const struct heading *heading = context;
    const struct report *r = heading->report;
    const struct profile *p = r->whole;
    fputs("<h1>", out);
    html_put_text(out, p->program && *p->program ? base_name(p->program) : "program unknown");
    fputs("</h1>\n", out);
    html_put_exactness(out, r, "");
    fputs("<p class=\"facts\">", out);
    if (p->program && *p->program) {
        html_put_text(out, p->program);
        fputs(" · ", out);
    }
    html_put_build(out, p);
    char *counters = report_counters(p);
    fputs(" · counters: ", out);
    html_put_text(out, *counters ? counters : "?");
    free(counters);
    fputs("</p>\n<div class=\"sums\">\n", out);
    html_put_sum(out, "Lines", "ran", r->totals.lines_run, r->totals.lines + r->totals.lines_unknown);
    html_put_sum(out, "Branches", "taken", r->totals.ways_taken, r->totals.ways);
    html_put_sum(out, "Functions", "ran", r->totals.functions_run,
                 r->totals.functions + r->totals.functions_unknown);
    html_put_sum(out, "Paths", "ran", heading->paths->sums.ran, heading->paths->sums.watched);
    fputs("</div>\n", out);
}

void report_write_html(const struct report *r, FILE *out)
{
    struct buffer index = {0};
    struct islands islands = {.count = 1};
    struct hash_map files = {0};
    struct path_list paths;
    path_list_init(&paths, r);
    for (size_t i = 0; i < r->files.count; i++)
        *hash_map_put(&files, hash_text(r->files.items[i].lines->file), NULL) = i;
    buffer_add_text(&index, "{\"kind\":\"report\",\"totals\":{\"executions\":");
    html_add_count(&index, r->totals.executions);
    buffer_add_text(&index, "}");
    add_files(&index, &islands, r);
    add_functions(&index, r, &files);
    html_add_graphs(&index, &islands, r, &files, &paths);
    add_paths(&index, &paths);
    buffer_add_text(&index, "}");
    const struct heading heading = {r, &paths};
    const struct html_page page = {
        .title = r->whole->program && *r->whole->program ? base_name(r->whole->program) : "cotree",
        .put_head = put_head,
        .context = &heading,
        .index = &index,
        .islands = &islands};
    html_put_page(out, &page);
    islands_release(&islands);
    buffer_release(&index);
    path_list_release(&paths);
    hash_map_release(&files);
}
