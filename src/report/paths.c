/* Paths for people: how many there are and how few make most of what ran, by function and together,
 * then those that ran most, each with the source lines it runs. */
#include "report/path_list.h"
#include "report/text_parts.h"

#include <inttypes.h>

/* How many paths and functions are shown unless --top says it; of a path's lines the first and the
 * last ones. */
enum { SHOWN = 20, LINES_FIRST = 18, LINES_LAST = 6, NEIGHBOURS_SHOWN = 6, NAME_COLUMN = 40 };

/* ---- How many ---- */

static void put_parts(const struct path_sums *sums, FILE *out, const struct palette *c)
{
    char text[COUNT_TEXT];
    fprintf(out, "\n%s%-22s", c->dim, "how few paths make");
    for (size_t i = 0; i < PATH_PARTS; i++)
        fprintf(out, "  %7u%%", path_parts[i]);
    fprintf(out, "%s\n%-22s", c->end, "of all executions");
    for (size_t i = 0; i < PATH_PARTS; i++)
        fprintf(out, "  %8s", count_text(text, (int64_t)sums->for_executions[i]));
    fprintf(out, "\n%-22s", "of all block runs");
    for (size_t i = 0; i < PATH_PARTS; i++)
        fprintf(out, "  %8s", count_text(text, (int64_t)sums->for_blocks[i]));
    putc('\n', out);
}

static int by_blocks(const void *left, const void *right, void *context)
{
    const struct path_list *list = context;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    const struct path_sums *x = &list->of_function[a], *y = &list->of_function[b];
    if (x->blocks != y->blocks)
        return x->blocks > y->blocks ? -1 : 1;
    return a < b ? -1 : a > b;
}

static void put_function(const struct report *r, const struct path_list *list, uint32_t i, int width,
                         FILE *out, const struct palette *c)
{
    const struct path_sums *sums = &list->of_function[i];
    const struct profile_function *f = &r->view.functions.items[i];
    char a[COUNT_TEXT], share[COUNT_TEXT], total[COUNT_TEXT], percent[COUNT_TEXT];
    char *name = short_name(r->functions[i].name);
    const char *color = sums->ran ? "" : c->never;
    fprintf(out, "%s%13s  %6s  %7s  %6s", color, count_text(a, (int64_t)sums->executions),
            percent_text(share, sums->blocks, list->sums.blocks ? list->sums.blocks : 1),
            count_text(total, (int64_t)sums->total), percent_text(percent, sums->ran, sums->watched));
    for (size_t k = 0; k < PATH_PARTS; k++)
        fprintf(out, " %6s", count_text(a, (int64_t)sums->for_executions[k]));
    fprintf(out, "  %s%*s%s", name, *r->functions[i].file ? widest(0, width - columns(name)) : 0, "",
            *color ? c->end : "");
    if (*r->functions[i].file) {
        char *mapped = source_maps_apply(&r->options->source_maps, r->functions[i].file),
             *path = source_shown_path(mapped);
        fprintf(out, "  %s%s:%" PRIu32 "%s", c->dim, path, f->map.line, c->end);
        free(mapped);
        free(path);
    }
    if (sums->watched < sums->total)
        fprintf(out, "  %swatched %s of %s%s", c->partly, count_text(a, (int64_t)sums->watched), total,
                c->end);
    putc('\n', out);
    free(name);
}

static void put_functions(const struct report *r, const struct path_list *list, size_t top, FILE *out,
                          const struct palette *c)
{
    struct ARRAY_OF(uint32_t) order = {0};
    int width = 8;
    char number[COUNT_TEXT];
    for (size_t i = 0; i < r->view.functions.count; i++)
        if (list->of_function[i].total)
            ARRAY_PUSH(&order, (uint32_t)i);
    if (order.count)
        qsort_r(order.items, order.count, sizeof *order.items, by_blocks, (void *)list);
    size_t shown = order.count < top ? order.count : top;
    for (size_t i = 0; i < shown; i++) {
        char *name = short_name(r->functions[order.items[i]].name);
        width = widest(width, columns(name) > NAME_COLUMN ? NAME_COLUMN : columns(name));
        free(name);
    }
    fprintf(out, "\n%s%13s  %6s  %7s  %6s %5u%% %5u%% %5u%%  %-*s  %s%s\n", c->dim, "executions", "share",
            "paths", "ran", path_parts[0], path_parts[1], path_parts[2], width, "function", "defined at",
            c->end);
    for (size_t i = 0; i < shown && !ferror(out); i++)
        put_function(r, list, order.items[i], width, out, c);
    if (shown < order.count)
        fprintf(out, "%s%13s  %s more function%s; --top=N shows more%s\n", c->dim, "",
                count_text(number, (int64_t)(order.count - shown)), plural(order.count - shown), c->end);
    ARRAY_RELEASE(&order);
}

/* ---- One path ---- */

/* Reads the text of the lines that lie in one file. Lines of other files are left as they are. */
static void read_source(const struct report *r, const char *path, const struct map_line *lines, size_t count,
                        uint32_t file, char **text)
{
    uint32_t last = 0, number = 0;
    for (size_t i = 0; i < count; i++)
        if (lines[i].file == file && lines[i].line > last)
            last = lines[i].line;
    char *where = source_maps_apply(&r->options->source_maps, path);
    struct source source;
    const char *reason, *line;
    if (last && !r->options->no_source && source_open(&source, where, &reason)) {
        while (number < last && (line = source_next(&source)) != NULL) {
            number++;
            for (size_t i = 0; i < count; i++)
                if (lines[i].file == file && lines[i].line == number)
                    text[i] = memory_string(line);
        }
        source_close(&source);
    }
    free(where);
}

static void put_line(const struct map_function *f, const struct map_line *line, const char *text, FILE *out,
                     const struct palette *c)
{
    fprintf(out, "%s%22" PRIu32 " |%s", c->dim, line->line, c->end);
    if (line->file) {
        const char *slash = strrchr(f->files[line->file], '/');
        char *name = printable(slash ? slash + 1 : f->files[line->file]);
        fprintf(out, " %s(%s)%s", c->dim, name, c->end);
        free(name);
    }
    if (text && *text)
        fprintf(out, " %s", text);
    putc('\n', out);
}

static void put_lines(const struct report *r, FILE *out, const struct profile_function *f,
                      const struct path_shown *path, const struct palette *c)
{
    size_t count;
    struct map_line *lines = path_lines(&f->map, path, &count);
    char **text = ZALLOC(char *, count + 1);
    for (uint32_t file = 0; count && file < f->map.file_count; file++)
        read_source(r, f->map.files[file], lines, count, file, text);
    size_t left_out = count > LINES_FIRST + LINES_LAST + 1 ? count - LINES_FIRST - LINES_LAST : 0;
    for (size_t i = 0; i < count; i++) {
        if (left_out && i == LINES_FIRST)
            fprintf(out, "%s%22s | %zu more lines%s\n", c->dim, "", left_out, c->end);
        if (!left_out || i < LINES_FIRST || i >= count - LINES_LAST)
            put_line(&f->map, &lines[i], text[i], out, c);
        free(text[i]);
    }
    free(text);
    free(lines);
}

static void put_way(FILE *out, const struct map_function *f, uint32_t block)
{
    if (block == GRAPH_NONE)
        fputs("the end", out);
    else
        path_put_block(out, f, block);
}

static void put_neighbours(struct paths *paths, const struct profile_function *f, const char *name,
                           uint64_t id, FILE *out, const struct palette *c)
{
    size_t count;
    struct path_neighbour *list = path_neighbours(paths, f->path_counts, id, &count);
    for (size_t i = 0; i < count && i < NEIGHBOURS_SHOWN; i++) {
        const struct map_block *block = &f->map.blocks[list[i].at];
        fprintf(out, "%s%22s   never ran: %s#%" PRIu64 "%s, from ", c->never, "", name, list[i].id, c->end);
        if (block->line_count)
            fprintf(out, "line %" PRIu32, block->lines[block->line_count - 1].line);
        else
            fprintf(out, "block %" PRIu32, list[i].at);
        fputs(" to ", out);
        put_way(out, &f->map, list[i].to);
        fputs(" instead of ", out);
        put_way(out, &f->map, list[i].instead);
        putc('\n', out);
    }
    if (count > NEIGHBOURS_SHOWN)
        fprintf(out, "%s%22s   %zu more that never ran%s\n", c->dim, "", count - NEIGHBOURS_SHOWN, c->end);
    free(list);
}

static void put_path(const struct report *r, FILE *out, const struct path_list *list,
                     const struct hot_path *one, const struct palette *c)
{
    const struct profile_function *f = &r->view.functions.items[one->function];
    struct paths paths;
    char number[MARKED_TEXT], share[COUNT_TEXT], *name = printable(r->functions[one->function].name);
    if (paths_init(&paths, &f->map)) {
        struct path_shown path = paths_show(&paths, one->id);
        fprintf(out, "%s%13s  %6s  %s#%" PRIu32 "%s: ", c->hot, count_text(number, one->count),
                percent_text(share, path_weight(one), list->sums.blocks), name, one->id, c->end);
        path_put_ends(out, &f->map, &path);
        putc('\n', out);
        put_lines(r, out, f, &path, c);
        if (r->options->neighbours)
            put_neighbours(&paths, f, name, one->id, out, c);
        paths_release(&paths);
    }
    free(name);
}

/* ---- Paths that did not end ---- */

static void put_unfinished(const struct report *r, FILE *out, const struct path_list *list, uint32_t function,
                           const struct profile_way *one, const struct palette *c)
{
    const struct profile_function *f = &r->view.functions.items[function];
    struct path_shown path = cut_path_show(one);
    char number[COUNT_TEXT], share[COUNT_TEXT], *name = printable(r->functions[function].name);
    uint64_t all = list->sums.blocks ? list->sums.blocks : 1;
    fprintf(out, "%s%13s  %6s  %s, unfinished%s: ", c->partly, count_text(number, one->count),
            percent_text(share, (uint64_t)one->count * one->block_count, all), name, c->end);
    path_put_ends(out, &f->map, &path);
    putc('\n', out);
    put_lines(r, out, f, &path, c);
    free(name);
}

static void put_unknown(const struct report *r, FILE *out, uint32_t function, const struct cut_unknown *one,
                        const struct palette *c)
{
    char number[COUNT_TEXT], *name = printable(r->functions[function].name);
    fprintf(out, "%s%13s  %6s  %s, unfinished%s: left at ", c->partly, count_text(number, one->count), "",
            name, c->end);
    path_put_block(out, &r->view.functions.items[function].map, one->block);
    fputs(", by ways that cannot be told apart\n", out);
    free(name);
}

static void put_cut_paths(const struct report *r, const struct path_list *list, size_t top, FILE *out,
                          const struct palette *c)
{
    size_t shown = 0, more = 0;
    char number[COUNT_TEXT];
    if (!list->sums.unfinished && !list->sums.unknown)
        return;
    fprintf(out, "\n%s%13s  %6s  path that did not end%s\n", c->dim, "count", "share", c->end);
    for (uint32_t i = 0; i < list->function_count && !ferror(out); i++) {
        const struct cut_paths *cut = &list->cut[i];
        for (size_t k = 0; k < cut->ways.count; k++)
            if (shown++ < top)
                put_unfinished(r, out, list, i, &cut->ways.items[k], c);
        for (size_t k = 0; k < cut->unknown.count; k++)
            if (shown++ < top)
                put_unknown(r, out, i, &cut->unknown.items[k], c);
    }
    more = shown > top ? shown - top : 0;
    if (more)
        fprintf(out, "%s%13s  %s more; --top=N shows more%s\n", c->dim, "", count_text(number, (int64_t)more),
                c->end);
}

void report_write_paths(const struct report *r, FILE *out)
{
    const struct palette *c = r->options->color ? &palette_colored : &palette_plain;
    struct path_list list;
    size_t top = r->options->top_paths ? r->options->top_paths : SHOWN;
    char number[COUNT_TEXT];
    path_list_init(&list, r);
    text_put_head(r, out, c);
    put_parts(&list.sums, out, c);
    put_functions(r, &list, top, out, c);
    fprintf(out, "\n%s%13s  %6s  path%s\n", c->dim, "count", "share", c->end);
    for (size_t i = 0; i < list.count && i < top && !ferror(out); i++)
        put_path(r, out, &list, &list.items[i], c);
    if (list.count > top)
        fprintf(out, "%s%13s  %s more path%s ran; --top=N shows more%s\n", c->dim, "",
                count_text(number, (int64_t)(list.count - top)), plural(list.count - top), c->end);
    put_cut_paths(r, &list, top, out, c);
    path_list_release(&list);
}
