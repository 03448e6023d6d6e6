/* A diff for people: what was compared, how exact either side is, then functions and lines by the
 * size of the difference. Nothing from a file reaches the terminal unchecked. */
#include "report/diff.h"
#include "report/path_list.h"
#include "report/text_parts.h"

#include <inttypes.h>

enum { TOP = 20, NAME_COLUMN = 40, LINES_SHOWN = 24 };

/* "+1,234", "-5", "0", or "?" when one is not known. Returns text. */
static const char *difference_text(char text[MARKED_TEXT], int64_t before, int64_t now)
{
    if (before < 0 || now < 0)
        return strcpy(text, "?");
    text[0] = now >= before ? '+' : '-';
    count_text(text + (now != before), now >= before ? now - before : before - now);
    return text;
}

/* "+5.0%"; "new" where nothing ran before, "gone" where nothing runs now. Returns text. */
static const char *change_text(char text[COUNT_TEXT], int64_t before, int64_t now)
{
    if (before < 0 || now < 0)
        return strcpy(text, "?");
    if (before == now)
        return strcpy(text, "=");
    if (before == 0)
        return strcpy(text, "new");
    if (now == 0)
        return strcpy(text, "gone");
    double change = ((double)now - (double)before) / (double)before * 100;
    if (change >= 1000)
        snprintf(text, COUNT_TEXT, "x%.3g", (double)now / (double)before);
    else
        snprintf(text, COUNT_TEXT, change > -0.1 && change < 0.1 ? "%+.2g%%" : "%+.1f%%", change);
    return text;
}

static const char *change_color(const struct palette *c, int64_t before, int64_t now)
{
    return now > before ? c->partly : now < before ? c->hot : "";
}

static void put_side(FILE *out, const char *which, const struct report *r, const struct palette *c)
{
    const struct profile *p = r->whole;
    char number[COUNT_TEXT];
    char *program = printable(p->program && *p->program ? p->program : "(program unknown)");
    char *build_id = printable(p->build_id);
    fprintf(out, "%s%s%s: %s, build %.16s, %s run%s, %s%s%s\n", c->title, which, c->end, program,
            *build_id ? build_id : "unknown", count_text(number, (int64_t)p->runs), plural(p->runs),
            p->exact ? c->title : c->bad, p->exact ? "exact" : "not exact", c->end);
    for (size_t i = 0; i < p->reasons.count; i++) {
        char *reason = report_reason(r, p->reasons.items[i]);
        fprintf(out, "  %s%s%s\n", c->bad, reason, c->end);
        free(reason);
    }
    free(program);
    free(build_id);
}

static void put_number(FILE *out, const char *what, uint64_t count, const char *about)
{
    char number[COUNT_TEXT];
    if (count)
        fprintf(out, "%s%s %s", what, count_text(number, (int64_t)count), about);
}

static void put_sums(const struct diff *d, FILE *out, const struct palette *c)
{
    char a[COUNT_TEXT], b[COUNT_TEXT], number[MARKED_TEXT], change[COUNT_TEXT];
    fprintf(out, "\n%sfunctions%s  %s of %s differ", c->dim, c->end, count_text(a, (int64_t)d->differing),
            count_text(b, (int64_t)d->functions.count));
    put_number(out, "; ", d->matches[DIFF_CHANGED], "with another graph");
    put_number(out, "; ", d->matches[DIFF_ONLY_OLD], "only in old");
    put_number(out, "; ", d->matches[DIFF_ONLY_NEW], "only in new");
    fprintf(out, "\n%slines%s      %s of %s differ", c->dim, c->end,
            count_text(a, (int64_t)d->lines_differing), count_text(b, (int64_t)d->lines.count));
    uint64_t others = d->not_compared + d->matches[DIFF_CHANGED];
    put_number(out, "; those of ", others,
               others == 1 ? "changed function cannot be compared" : "changed functions cannot be compared");
    fprintf(out, "\n%sblock runs%s %s -> %s, %s (%s)\n", c->dim, c->end, count_text(a, d->old_runs),
            count_text(b, d->new_runs), difference_text(number, d->old_runs, d->new_runs),
            change_text(change, d->old_runs, d->new_runs));
}

struct columns {
    int before, now, difference, change, name;
};

static void widen(struct columns *w, int64_t before, int64_t now)
{
    char text[MARKED_TEXT];
    w->before = widest(w->before, columns(count_text(text, before)) + 1);
    w->now = widest(w->now, columns(count_text(text, now)) + 1);
    w->difference = widest(w->difference, columns(difference_text(text, before, now)));
}

static void put_counts(FILE *out, const struct columns *w, int64_t before, bool before_exact, int64_t now,
                       bool now_exact, const struct palette *c)
{
    char a[MARKED_TEXT], b[MARKED_TEXT], number[MARKED_TEXT], change[COUNT_TEXT];
    const char *color = change_color(c, before, now);
    fprintf(out, "%*s  %*s  %s%*s  %*s%s", w->before, marked_count(a, before, before_exact, 0), w->now,
            marked_count(b, now, now_exact, 0), color, w->difference, difference_text(number, before, now),
            w->change, change_text(change, before, now), *color ? c->end : "");
}

static void put_more(FILE *out, size_t shown, uint64_t all, const char *what, const struct palette *c)
{
    char number[COUNT_TEXT];
    if (all > shown)
        fprintf(out, "%s%s more %s%s; --top=N shows more%s\n", c->dim,
                count_text(number, (int64_t)(all - shown)), what, all - shown == 1 ? " differs" : "s differ",
                c->end);
}

static void put_functions(const struct diff *d, size_t top, FILE *out, const struct palette *c)
{
    static const char *const notes[] = {"", "another graph", "only in old", "only in new"};
    struct columns w = {9, 9, 10, 7, 8};
    size_t shown = d->differing < top ? (size_t)d->differing : top;
    for (size_t i = 0, left = shown; left && i < d->functions.count; i++) {
        const struct diff_function *f = &d->functions.items[i];
        if (!diff_function_differs(f))
            continue;
        char *name = short_name(diff_function_name(d, f));
        widen(&w, f->old_runs, f->new_runs);
        w.name = widest(w.name, columns(name) > NAME_COLUMN ? NAME_COLUMN : columns(name));
        free(name);
        left--;
    }
    if (shown)
        fprintf(out, "\n%s%*s  %*s  %*s  %*s  %-*s  %s%s\n", c->dim, w.before, "old runs", w.now, "new runs",
                w.difference, "difference", w.change, "change", w.name, "function", "defined at", c->end);
    for (size_t i = 0, left = shown; left && i < d->functions.count; i++) {
        const struct diff_function *f = &d->functions.items[i];
        if (!diff_function_differs(f))
            continue;
        const struct profile_function *p = diff_function_shown(d, f);
        char *name = short_name(diff_function_name(d, f));
        put_counts(out, &w, f->old_runs, f->old_exact, f->new_runs, f->new_exact, c);
        fprintf(out, "  %s", name);
        if (p->map.file_count) {
            char *mapped = source_maps_apply(&d->new_report->options->source_maps, p->map.files[0]),
                 *path = source_shown_path(mapped);
            fprintf(out, "%*s  %s%s:%" PRIu32 "%s", widest(0, w.name - columns(name)), "", c->dim, path,
                    p->map.line, c->end);
            free(mapped);
            free(path);
        }
        if (f->match != DIFF_SAME)
            fprintf(out, "  %s(%s)%s", c->bad, notes[f->match], c->end);
        putc('\n', out);
        free(name);
        left--;
    }
    put_more(out, shown, d->differing, "function", c);
}

/* Reads the source of the lines to show, NULL where there is none. Each file is read once. */
static char **read_sources(const struct diff *d, const size_t *rows, size_t count)
{
    char **texts = ZALLOC(char *, count + 1);
    bool *done = ZALLOC(bool, count + 1);
    for (size_t i = 0; i < count; i++) {
        if (done[i])
            continue;
        const char *file = d->lines.items[rows[i]].file, *reason, *text;
        char *path = source_maps_apply(&d->new_report->options->source_maps, file);
        struct source source;
        bool found = !d->new_report->options->no_source && source_open(&source, path, &reason);
        for (uint32_t number = 1; found && (text = source_next(&source)); number++)
            for (size_t k = i; k < count; k++)
                if (d->lines.items[rows[k]].line == number && !strcmp(d->lines.items[rows[k]].file, file))
                    texts[k] = memory_string(text + strspn(text, " "));
        for (size_t k = i; k < count; k++)
            done[k] |= !strcmp(d->lines.items[rows[k]].file, file);
        if (found)
            source_close(&source);
        free(path);
    }
    free(done);
    return texts;
}

static void put_lines(const struct diff *d, size_t top, FILE *out, const struct palette *c)
{
    struct columns w = {9, 9, 10, 7, 8};
    size_t shown = d->lines_differing < top ? (size_t)d->lines_differing : top, count = 0;
    if (!shown)
        return;
    size_t *rows = ALLOC(size_t, shown);
    char **places = ALLOC(char *, shown);
    for (size_t i = 0; count < shown && i < d->lines.count; i++) {
        const struct diff_line *l = &d->lines.items[i];
        if (!diff_line_differs(l))
            continue;
        char *mapped = source_maps_apply(&d->new_report->options->source_maps, l->file),
             *path = source_shown_path(mapped), *place = NULL;
        if (asprintf(&place, l->line == l->old_line ? "%s:%" PRIu32 : "%s:%" PRIu32 " (was %" PRIu32 ")",
                     path, l->line, l->old_line) < 0)
            abort();
        w.name = widest(w.name, columns(place) > NAME_COLUMN ? NAME_COLUMN : columns(place));
        widen(&w, l->old_count, l->new_count);
        places[count] = place;
        rows[count++] = i;
        free(mapped);
        free(path);
    }
    char **texts = read_sources(d, rows, count);
    fprintf(out, "\n%s%*s  %*s  %*s  %*s  %s%s\n", c->dim, w.before, "old", w.now, "new", w.difference,
            "difference", w.change, "change", "line", c->end);
    for (size_t i = 0; i < count; i++) {
        const struct diff_line *l = &d->lines.items[rows[i]];
        put_counts(out, &w, l->old_count, l->old_exact, l->new_count, l->new_exact, c);
        fprintf(out, "  %s%s%s", c->dim, places[i], c->end);
        if (texts[i] && *texts[i])
            fprintf(out, "%*s | %s", widest(0, w.name - columns(places[i])), "", texts[i]);
        putc('\n', out);
        free(places[i]);
        free(texts[i]);
    }
    put_more(out, shown, d->lines_differing, "line", c);
    free(rows);
    free(places);
    free(texts);
}

static void put_paths(const struct diff *d, size_t top, FILE *out, const struct palette *c)
{
    struct columns w = {9, 9, 10, 7, 8};
    size_t shown = d->paths.count < top ? d->paths.count : top;
    char a[COUNT_TEXT];
    fprintf(out, "\n%spaths%s      %s differ%s", c->dim, c->end, count_text(a, (int64_t)d->paths.count),
            d->paths.count == 1 ? "s" : "");
    put_number(out, "; those of ", d->paths_not_compared,
               d->paths_not_compared == 1 ? "changed function cannot be compared"
                                          : "changed functions cannot be compared");
    putc('\n', out);
    for (size_t i = 0; i < shown; i++)
        widen(&w, d->paths.items[i].old_count, d->paths.items[i].new_count);
    if (shown)
        fprintf(out, "%s%*s  %*s  %*s  %*s  %s%s\n", c->dim, w.before, "old", w.now, "new", w.difference,
                "difference", w.change, "change", "path", c->end);
    for (size_t i = 0; i < shown && !ferror(out); i++) {
        const struct diff_path *p = &d->paths.items[i];
        const struct diff_function *f = &d->functions.items[p->function];
        const struct map_function *map = &diff_function_shown(d, f)->map;
        struct paths paths;
        size_t count;
        if (!paths_init(&paths, map))
            continue;
        struct path_shown path = diff_path_show(p, &paths);
        struct map_line *lines = path_lines(map, &path, &count);
        char *name = short_name(diff_function_name(d, f));
        put_counts(out, &w, p->old_count, f->old_exact, p->new_count, f->new_exact, c);
        if (p->cut)
            fprintf(out, "  %s, unfinished: %s", name, c->dim);
        else
            fprintf(out, "  %s#%" PRIu32 " %s", name, p->id, c->dim);
        path_put_ends(out, map, &path);
        for (size_t k = 0; k < count && k < LINES_SHOWN; k++)
            fprintf(out, "%s%" PRIu32, k ? " " : ", lines ", lines[k].line);
        fprintf(out, "%s%s\n", count > LINES_SHOWN ? " ..." : "", c->end);
        free(name);
        free(lines);
        paths_release(&paths);
    }
    put_more(out, shown, d->paths.count, "path", c);
}

void diff_write_text(const struct diff *d, size_t top, FILE *out)
{
    const struct palette *c = d->new_report->options->color ? &palette_colored : &palette_plain;
    put_side(out, "old", d->old_report, c);
    put_side(out, "new", d->new_report, c);
    if (!d->one_build)
        fprintf(out, "%stwo builds: functions are matched by name and graph%s\n", c->dim, c->end);
    put_sums(d, out, c);
    put_functions(d, top ? top : TOP, out, c);
    put_lines(d, top ? top : TOP, out, c);
    if (d->new_report->options->paths)
        put_paths(d, top ? top : TOP, out, c);
}
