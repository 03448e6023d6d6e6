/*
 * The paths that ran most, each with the source lines it runs. A path's weight is its count times its blocks:
 * what part of all that ran it is.
 */
#include "report/text_parts.h"

#include "decode/paths.h"

#include <inttypes.h>

enum { SHOWN = 20, LINES_SHOWN = 24 };

struct hot_path {
    uint32_t function; /* index into the view */
    uint32_t id, blocks;
    int64_t count;
};

struct hot_paths {
    struct hot_path *items;
    size_t count, capacity;
    uint64_t total;      /* paths that exist */
    uint64_t executions; /* of paths, together */
    uint64_t blocks;     /* of blocks on paths, together */
    uint64_t functions;
};

bool report_has_paths(const struct report *r)
{
    for (size_t i = 0; i < r->view.functions.count; i++)
        if (r->view.functions.items[i].path_counts)
            return true;
    return false;
}

static uint64_t weight_of(const struct hot_path *p)
{
    return (uint64_t)p->count * p->blocks;
}

static int by_weight(const void *left, const void *right)
{
    const struct hot_path *a = left, *b = right;
    if (weight_of(a) != weight_of(b))
        return weight_of(a) > weight_of(b) ? -1 : 1;
    if (a->function != b->function)
        return a->function < b->function ? -1 : 1;
    return a->id < b->id ? -1 : a->id > b->id;
}

static void collect(const struct report *r, struct hot_paths *hot)
{
    for (size_t i = 0; i < r->view.functions.count; i++) {
        const struct profile_function *f = &r->view.functions.items[i];
        struct paths paths;
        if (!f->path_counts || !paths_init(&paths, &f->map))
            continue;
        hot->functions++;
        hot->total += paths.numbers.total;
        for (uint64_t id = 0; id < paths.numbers.total; id++) {
            if (f->path_counts[id] <= 0)
                continue;
            struct hot_path *path = ARRAY_ADD(hot);
            *path = (struct hot_path){.function = (uint32_t)i,
                                      .id = (uint32_t)id,
                                      .blocks = paths_show(&paths, id).block_count,
                                      .count = f->path_counts[id]};
            hot->executions += (uint64_t)path->count;
            hot->blocks += weight_of(path);
        }
        paths_release(&paths);
    }
    if (hot->count)
        qsort(hot->items, hot->count, sizeof *hot->items, by_weight);
}

/* The fewest paths that make `part` per cent of all blocks that ran. */
static size_t paths_for(const struct hot_paths *hot, unsigned part)
{
    uint64_t sum = 0;
    size_t i = 0;
    while (i < hot->count && (long double)sum * 100 < (long double)hot->blocks * part)
        sum += weight_of(&hot->items[i++]);
    return i;
}

struct shown_line {
    uint32_t file, line;
};

/* The lines of a path in order, neighbours once. Newly allocated. */
static struct shown_line *lines_of(const struct map_function *f, const struct path_shown *path, size_t *count)
{
    struct ARRAY_OF(struct shown_line) lines = {0};
    for (uint32_t i = 0; i < path->block_count; i++)
        for (uint32_t k = 0; k < f->blocks[path->blocks[i]].line_count; k++) {
            const struct map_line *line = &f->blocks[path->blocks[i]].lines[k];
            if (!lines.count || lines.items[lines.count - 1].line != line->line ||
                lines.items[lines.count - 1].file != line->file)
                ARRAY_PUSH(&lines, ((struct shown_line){.file = line->file, .line = line->line}));
        }
    *count = lines.count;
    return lines.items;
}

static uint32_t first_line(const struct map_function *f, uint32_t block)
{
    return f->blocks[block].line_count ? f->blocks[block].lines[0].line : 0;
}

/* The text of some lines of one file, by line; NULL where there is none. */
static char **read_source(const struct report *r, const char *path, const struct shown_line *lines,
                          size_t count, uint32_t file)
{
    char **text = ZALLOC(char *, count + 1);
    uint32_t last = 0, number = 0;
    for (size_t i = 0; i < count; i++)
        if (lines[i].file == file && lines[i].line > last)
            last = lines[i].line;
    char *where = source_maps_apply(&r->options->source_maps, path);
    struct source source;
    const char *reason, *line;
    if (!r->options->no_source && source_open(&source, where, &reason)) {
        while (number < last && (line = source_next(&source)) != NULL) {
            number++;
            for (size_t i = 0; i < count; i++)
                if (lines[i].file == file && lines[i].line == number)
                    text[i] = memory_string(line);
        }
        source_close(&source);
    }
    free(where);
    return text;
}

static void put_lines(const struct report *r, FILE *out, const struct profile_function *f,
                      const struct path_shown *path)
{
    size_t count;
    struct shown_line *lines = lines_of(&f->map, path, &count);
    size_t shown = count > LINES_SHOWN ? LINES_SHOWN : count;
    char **text = f->map.file_count ? read_source(r, f->map.files[0], lines, shown, 0) : NULL;
    for (size_t i = 0; i < shown; i++) {
        if (lines[i].file)
            fprintf(out, "%*s %6" PRIu32 " | (another file)\n", 20, "", lines[i].line);
        else
            fprintf(out, "%*s %6" PRIu32 " |%s%s\n", 20, "", lines[i].line, text && text[i] ? " " : "",
                    text && text[i] ? text[i] : "");
    }
    if (shown < count)
        fprintf(out, "%*s        | %zu more lines\n", 20, "", count - shown);
    for (size_t i = 0; text && i < shown; i++)
        free(text[i]);
    free(text);
    free(lines);
}

static void put_path(const struct report *r, FILE *out, const struct hot_paths *hot,
                     const struct hot_path *one)
{
    const struct profile_function *f = &r->view.functions.items[one->function];
    struct paths paths;
    char number[COUNT_TEXT], share[COUNT_TEXT], *name = printable(r->functions[one->function].name);
    if (paths_init(&paths, &f->map)) {
        struct path_shown path = paths_show(&paths, one->id);
        fprintf(out, "%13s %6s %s#%" PRIu32, count_text(number, one->count),
                percent_text(share, weight_of(one), hot->blocks), name, one->id);
        uint32_t start = path.block_count ? first_line(&f->map, path.blocks[0]) : 0;
        uint32_t next = path.next != GRAPH_NONE ? first_line(&f->map, path.next) : 0;
        if (path.from_entry)
            fputs(": from its entry", out);
        else if (start)
            fprintf(out, ": from line %" PRIu32, start);
        else
            fprintf(out, ": from block %" PRIu32, path.block_count ? path.blocks[0] : 0);
        if (path.next == GRAPH_NONE)
            fputs(" to its end\n", out);
        else if (next)
            fprintf(out, " to line %" PRIu32 "\n", next);
        else
            fprintf(out, " to block %" PRIu32 "\n", path.next);
        put_lines(r, out, f, &path);
        paths_release(&paths);
    }
    free(name);
}

void report_write_paths(const struct report *r, FILE *out)
{
    struct hot_paths hot = {0};
    char a[COUNT_TEXT], b[COUNT_TEXT];
    collect(r, &hot);
    fprintf(out, "%s paths of %s ran", count_text(a, (int64_t)hot.count), count_text(b, (int64_t)hot.total));
    fprintf(out, " in %" PRIu64 " function%s, %s times together; ", hot.functions, plural(hot.functions),
            count_text(a, (int64_t)hot.executions));
    fprintf(out, "%zu make 50%%, %zu 90%%, %zu 99%% of the blocks they ran\n", paths_for(&hot, 50),
            paths_for(&hot, 90), paths_for(&hot, 99));
    fputs("Counts are of paths that ran to their end.\n\n        count  share path\n", out);
    size_t top = r->options->top_paths ? r->options->top_paths : SHOWN;
    for (size_t i = 0; i < hot.count && i < top && !ferror(out); i++)
        put_path(r, out, &hot, &hot.items[i]);
    free(hot.items);
}
