/*
 * The report for people. First screen: what ran, how often, whether the numbers are exact, and the
 * functions by count; then the source with the count of every line.
 *
 * Nothing from a file reaches the terminal unchecked: names and lines are made printable first.
 */
#include "report/text_parts.h"
#include "base/hash.h"
#include "base/text.h"
#include "report/path_list.h"

#include <inttypes.h>

/* Names are padded to NAME_COLUMN at most and cut at NAME_LONGEST; more than NEVER_MANY functions
 * that never ran are only counted. */
enum { NAME_COLUMN = 40, NAME_LONGEST = 100, NEVER_MANY = 10 };

const struct palette palette_plain = {"", "", "", "", "", "", ""};
const struct palette palette_colored = {.title = "\033[1m",
                                        .dim = "\033[2m",
                                        .never = "\033[31m",
                                        .partly = "\033[33m",
                                        .hot = "\033[1;36m",
                                        .bad = "\033[1;31m",
                                        .end = "\033[m"};

/* ---- The first lines ---- */

static void put_sum(FILE *out, const struct palette *c, const char *what, uint64_t part, uint64_t unknown,
                    uint64_t whole, const char *verb)
{
    char a[COUNT_TEXT], b[COUNT_TEXT], percent[COUNT_TEXT];
    if (whole == 0)
        return;
    fprintf(out, "%s%-10s%s %s%6s%s  %s of %s %s", c->dim, what, c->end, c->title,
            percent_text(percent, part, whole), c->end, count_text(a, (int64_t)part),
            count_text(b, (int64_t)whole), verb);
    if (unknown)
        fprintf(out, "; %s more may have", count_text(a, (int64_t)unknown));
    putc('\n', out);
}

static void put_paths_sum(const struct report *r, FILE *out, const struct palette *c)
{
    struct path_list list;
    char a[COUNT_TEXT], b[COUNT_TEXT], percent[COUNT_TEXT], times[COUNT_TEXT];
    if (!report_has_paths(r))
        return;
    path_list_init(&list, r);
    fprintf(out, "%s%-10s%s %s%6s%s  %s of %s ran, %s times", c->dim, "paths", c->end, c->title,
            percent_text(percent, list.sums.ran, list.sums.watched), c->end,
            count_text(a, (int64_t)list.sums.ran), count_text(b, (int64_t)list.sums.watched),
            count_text(times, (int64_t)list.sums.executions));
    if (list.sums.watched < list.sums.total)
        fprintf(out, "; %s%s are watched, of %s%s", c->partly, count_text(a, (int64_t)list.sums.watched),
                count_text(b, (int64_t)list.sums.total), c->end);
    putc('\n', out);
    path_list_release(&list);
}

/* Names the files that made the result inexact, if there are several files. */
static void put_inexact_files(const struct report *r, FILE *out, const struct palette *c)
{
    enum { SHOWN = 5 };
    const struct profile_files *files = &r->whole->inexact_files;
    char number[COUNT_TEXT];
    if (r->whole->runs < 2)
        return;
    for (size_t i = 0; i < files->count && i < SHOWN; i++) {
        char *path = printable(files->items[i].path), *why = report_reason(r, files->items[i].why);
        fprintf(out, "    %s%s", c->dim, path);
        if (files->items[i].pid)
            fprintf(out, ", process %" PRIu64, files->items[i].pid);
        fprintf(out, ": %s%s\n", why, c->end);
        free(path);
        free(why);
    }
    if (files->all > SHOWN)
        fprintf(out, "    %sand %s more files; --format=json lists them%s\n", c->dim,
                count_text(number, (int64_t)(files->all - SHOWN)), c->end);
}

/* Says which lines are in no sum. */
static void put_left_out(const struct report *r, FILE *out, const struct palette *c)
{
    const struct report_totals *t = &r->totals;
    char number[COUNT_TEXT];
    if (r->options->line_choice && r->options->line_choice->changes)
        fprintf(out, "%sonly lines that were changed%s\n", c->dim, c->end);
    if (t->lines_marked)
        fprintf(out, "%s%s line%s left out by markers in the source%s\n", c->dim,
                count_text(number, (int64_t)t->lines_marked), plural(t->lines_marked), c->end);
    if (t->lines_excluded)
        fprintf(out, "%s%s line%s left out by --exclude-file%s\n", c->dim,
                count_text(number, (int64_t)t->lines_excluded), plural(t->lines_excluded), c->end);
}

void text_put_head(const struct report *r, FILE *out, const struct palette *c)
{
    const struct profile *p = &r->view;
    char number[COUNT_TEXT];
    char *program = printable(p->program && *p->program ? p->program : "(program unknown)");
    char *build_id = printable(p->build_id), *counters = report_counters(p);
    fprintf(out, "%s%s%s: %s run%s, %s%s%s\n", c->title, program, c->end,
            count_text(number, (int64_t)p->runs), plural(p->runs), p->exact ? c->title : c->bad,
            p->exact ? "exact" : "not exact", c->end);
    for (size_t i = 0; i < p->reasons.count; i++) {
        char *reason = report_reason(r, p->reasons.items[i]);
        fprintf(out, "  %s%s%s\n", c->bad, reason, c->end);
        free(reason);
    }
    put_inexact_files(r, out, c);
    if (*build_id || *counters)
        fprintf(out, "%sbuild %.16s, counters: %s%s\n", c->dim, *build_id ? build_id : "unknown",
                *counters ? counters : "?", c->end);
    for (size_t i = 1; i < p->modules.count; i++) {
        char *path = source_shown_path(p->modules.items[i].path);
        fprintf(out, "%s%s%s%s", c->dim, i > 1 ? ", " : "with ", path, c->end);
        fputs(i + 1 == p->modules.count ? "\n" : "", out);
        free(path);
    }
    putc('\n', out);
    const struct report_totals *t = &r->totals;
    put_sum(out, c, "functions", t->functions_run, t->functions_unknown, t->functions + t->functions_unknown,
            "ran");
    put_sum(out, c, "lines", t->lines_run, t->lines_unknown, t->lines + t->lines_unknown, "ran");
    put_sum(out, c, "branches", t->ways_taken, 0, t->ways, "taken");
    put_paths_sum(r, out, c);
    put_left_out(r, out, c);
    free(program);
    free(build_id);
    free(counters);
}

/* ---- Functions ---- */

static void put_place(FILE *out, const struct report *r, size_t i, const struct palette *c)
{
    const struct report_function *shown = &r->functions[i];
    if (!*shown->file)
        return;
    char *mapped = source_maps_apply(&r->options->source_maps, shown->file),
         *path = source_shown_path(mapped);
    fprintf(out, "  %s%s", c->dim, path);
    if (r->view.functions.items[i].map.line)
        fprintf(out, ":%" PRIu32, r->view.functions.items[i].map.line);
    fputs(c->end, out);
    free(mapped);
    free(path);
}

/* Returns the name as it fits into a table: the usual strings by their usual name, the end of very
 * long names cut off. */
char *short_name(const char *name)
{
    static const char *const strings[][2] = {
        {"std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >", "std::string"},
        {"std::basic_string_view<char, std::char_traits<char> >", "std::string_view"},
        {"std::basic_ostream<char, std::char_traits<char> >", "std::ostream"},
        {"std::basic_istream<char, std::char_traits<char> >", "std::istream"},
    };
    char *text = printable(name);
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++) {
        size_t from = strlen(strings[i][0]), to = strlen(strings[i][1]);
        for (char *at = text; (at = strstr(at, strings[i][0]));) {
            memcpy(at, strings[i][1], to);
            memmove(at + to, at + from, strlen(at + from) + 1);
            at += to;
        }
    }
    if (columns(text) > NAME_LONGEST) {
        char *end = text;
        for (int n = 0; n < NAME_LONGEST - 3; n++)
            do
                end++;
            while (((unsigned char)*end & 0xc0) == 0x80);
        strcpy(end, "...");
    }
    return text;
}

/* Which functions the table only adds up: those of system headers, unless functions or files were
 * chosen; and those that never ran, if they are many. */
enum row { ROW_SHOWN, ROW_SYSTEM, ROW_NEVER };

static enum row row_of(const struct report *r, size_t i, bool fold_never)
{
    const struct report_options *o = r->options;
    if (!filter_chooses(&o->filter) && source_of_system(r->functions[i].file))
        return ROW_SYSTEM;
    return fold_never && r->functions[i].executions == 0 ? ROW_NEVER : ROW_SHOWN;
}

static void put_function(const struct report *r, size_t i, const int widths[3], FILE *out,
                         const struct palette *c)
{
    char a[MARKED_TEXT], b[MARKED_TEXT], percent[COUNT_TEXT], share[COUNT_TEXT];
    const struct profile_function *f = &r->view.functions.items[i];
    const struct report_function *shown = &r->functions[i];
    char *name = short_name(shown->name);
    const char *color = !f->counted ? c->dim : f->entries == 0 && shown->executions == 0 ? c->never : "";
    fprintf(out, "%s%*s  %6s  ", color, widths[0],
            marked_count(a, shown->executions, f->exact, shown->executions_least),
            shown->executions < 0 || r->totals.executions < 0
                ? "?"
                : percent_text(share, (uint64_t)shown->executions,
                               r->totals.executions ? (uint64_t)r->totals.executions : 1));
    fprintf(out, "%*s  %6s  %s%-*s%s", widths[1],
            marked_count(b, f->counted ? f->entries : -1, f->exact, shown->entries_least),
            !f->counted || !shown->lines ? "-" : percent_text(percent, shown->lines_run, shown->lines), name,
            *shown->file ? widest(0, widths[2] - columns(name)) : 0, "", *color ? c->end : "");
    put_place(out, r, i, c);
    putc('\n', out);
    free(name);
}

static void put_functions(const struct report *r, FILE *out, const struct palette *c)
{
    uint64_t never = 0, system = 0;
    int64_t system_runs = 0;
    for (size_t i = 0; i < r->view.functions.count; i++)
        never += row_of(r, i, true) == ROW_NEVER;
    bool fold_never = r->options->sort == REPORT_SORT_DEFAULT && never > NEVER_MANY;
    int widths[3] = {10, 7, 8};
    char text[MARKED_TEXT], percent[COUNT_TEXT];
    for (size_t i = 0; i < r->view.functions.count; i++) {
        enum row row = row_of(r, i, fold_never);
        system += row == ROW_SYSTEM;
        if (row == ROW_SYSTEM && r->functions[i].executions > 0)
            system_runs = count_add(system_runs, r->functions[i].executions);
        if (row != ROW_SHOWN)
            continue;
        widths[0] = widest(widths[0], columns(count_text(text, r->functions[i].executions)) + 1);
        widths[1] = widest(widths[1], columns(count_text(text, r->view.functions.items[i].entries)) + 1);
        char *name = short_name(r->functions[i].name);
        widths[2] = widest(widths[2], columns(name) > NAME_COLUMN ? NAME_COLUMN : columns(name));
        free(name);
    }
    fprintf(out, "\n%s%*s  %6s  %*s  %6s  %-*s  %s%s\n", c->dim, widths[0], "block runs", "share", widths[1],
            "entries", "lines", widths[2], "function", "defined at", c->end);
    for (size_t i = 0; i < r->view.functions.count && !ferror(out); i++)
        if (row_of(r, i, fold_never) == ROW_SHOWN)
            put_function(r, i, widths, out, c);
    if (system) {
        fprintf(out, "%*s  %6s  ", widths[0], count_text(text, system_runs),
                r->totals.executions > 0
                    ? percent_text(percent, (uint64_t)system_runs, (uint64_t)r->totals.executions)
                    : "0%");
        fprintf(
            out,
            "%s%s function%s of system headers; --function='*' lists them, --no-system leaves them out%s\n",
            c->dim, count_text(text, (int64_t)system), plural(system), c->end);
    }
    if (fold_never)
        fprintf(out, "%s%*s  %6s%s  %s%s functions never ran; --sort=line lists them%s\n", c->never,
                widths[0], "0", "0%", c->end, c->dim, count_text(text, (int64_t)never), c->end);
}

/* Explains the marks that occur. */
static void put_legend(const struct report *r, FILE *out, const struct palette *c)
{
    bool least = false, unknown = r->totals.functions_unknown || r->totals.lines_unknown;
    for (size_t i = 0; i < r->view.functions.count; i++) {
        const struct profile_function *f = &r->view.functions.items[i];
        const struct report_function *shown = &r->functions[i];
        least |= f->counted && (is_least(f->entries, f->exact, shown->entries_least) ||
                                is_least(shown->executions, f->exact, shown->executions_least));
    }
    for (size_t i = 0; i < r->files.count; i++)
        for (size_t k = 0; k < r->files.items[i].lines->lines.count; k++) {
            const struct line_count *line = &r->files.items[i].lines->lines.items[k];
            least |= is_least(line->count, line->exact, line->least);
        }
    if (least)
        fprintf(out, "%s5+ means: at least 5 times, for certain%s\n", c->dim, c->end);
    if (unknown)
        fprintf(out, "%s? means: it may have run or not; control may stand in it, and no counter tells%s\n",
                c->dim, c->end);
}

/* Writes the reasons given for functions, each once, with the functions it holds for. */
static void put_notes(const struct report *r, FILE *out, const struct palette *c)
{
    struct note {
        const char *why;
        bool counted;
        int64_t max_error;
        uint64_t functions;
        size_t first;
    };
    struct ARRAY_OF(struct note) notes = {0};
    struct hash_map seen = {0};
    for (size_t i = 0; i < r->view.functions.count; i++) {
        const struct profile_function *f = &r->view.functions.items[i];
        if (f->counted && f->exact)
            continue;
        const char *why = f->why ? f->why : f->map.why_uncounted ? f->map.why_uncounted : "no reason given";
        bool added;
        uint64_t *place = hash_map_put(&seen, hash_text(why) + f->counted, &added);
        if (added) {
            *place = notes.count;
            ARRAY_PUSH(&notes, ((struct note){why, f->counted, f->max_error, 0, i}));
        }
        struct note *n = &notes.items[*place];
        n->functions++;
        if (f->max_error == MAX_ERROR_UNKNOWN || n->max_error == MAX_ERROR_UNKNOWN)
            n->max_error = MAX_ERROR_UNKNOWN;
        else if (f->max_error > n->max_error)
            n->max_error = f->max_error;
    }
    if (notes.count)
        putc('\n', out);
    for (size_t i = 0; i < notes.count; i++) {
        const struct note *n = &notes.items[i];
        char number[COUNT_TEXT];
        char *why = report_reason(r, n->why), *name = short_name(r->functions[n->first].name);
        fprintf(out, "%s%s%s ", c->bad, n->counted ? "~ not exact:" : "? no counts:", c->end);
        if (n->functions == 1)
            fprintf(out, "%s: %s", name, why);
        else
            fprintf(out, "%s functions: %s", count_text(number, (int64_t)n->functions), why);
        if (n->counted && n->max_error != MAX_ERROR_UNKNOWN)
            fprintf(out, " (no count is off by more than %s)", count_text(number, n->max_error));
        else if (n->counted)
            fputs(" (by how much is not known)", out);
        putc('\n', out);
        free(why);
        free(name);
    }
    ARRAY_RELEASE(&notes);
    hash_map_release(&seen);
}

/* ---- Files ---- */

/* System headers are only added up, unless functions or files were chosen. */
static bool folded(const struct report *r, const struct report_file *file)
{
    return !filter_chooses(&r->options->filter) && source_of_system(file->lines->file);
}

static void put_file_row(const char *path, const struct report_file *file, int width, FILE *out,
                         const struct palette *c)
{
    char a[COUNT_TEXT], b[COUNT_TEXT], percent[COUNT_TEXT], ways[COUNT_TEXT];
    uint64_t lines = file->lines_known + file->lines_unknown;
    const char *color = file->lines_known && !file->lines_run && !file->lines_unknown ? c->never : "";
    fprintf(out, "%s%6s  %*s of %-*s  %8s  %s%s\n", color,
            lines ? percent_text(percent, file->lines_run, lines) : "-", width,
            count_text(a, (int64_t)file->lines_run), width, count_text(b, (int64_t)lines),
            file->ways ? percent_text(ways, file->ways_taken, file->ways) : "-", path, *color ? c->end : "");
}

static void put_files(const struct report *r, FILE *out, const struct palette *c)
{
    int width = 5;
    char text[COUNT_TEXT];
    uint64_t system_headers = 0;
    struct report_file system = {0};
    for (size_t i = 0; i < r->files.count; i++) {
        const struct report_file *file = &r->files.items[i];
        if (folded(r, file)) {
            system_headers++;
            system.lines_run += file->lines_run;
            system.lines_known += file->lines_known;
            system.lines_unknown += file->lines_unknown;
            system.ways += file->ways;
            system.ways_taken += file->ways_taken;
        }
        width = widest(width, columns(count_text(text, (int64_t)(folded(r, file) ? system.lines_known
                                                                                 : file->lines_known))));
    }
    fprintf(out, "\n%s%6s  %*s of %-*s  %8s  file%s\n", c->dim, "lines", width, "ran", width, "all",
            "branches", c->end);
    for (size_t i = 0; i < r->files.count && !ferror(out); i++) {
        if (folded(r, &r->files.items[i]))
            continue;
        char *mapped = source_maps_apply(&r->options->source_maps, r->files.items[i].lines->file);
        char *path = source_shown_path(mapped);
        put_file_row(path, &r->files.items[i], width, out, c);
        free(mapped);
        free(path);
    }
    if (system_headers) {
        char about[128];
        snprintf(about, sizeof about, "%s%" PRIu64 " system header%s; --file='/usr/*' shows %s%s", c->dim,
                 system_headers, plural(system_headers), system_headers == 1 ? "it" : "them", c->end);
        put_file_row(about, &system, width, out, c);
    }
}

void report_write_text(const struct report *r, FILE *out)
{
    const struct palette *c = r->options->color ? &palette_colored : &palette_plain;
    text_put_head(r, out, c);
    if (r->view.functions.count == 0) {
        fprintf(out, "\nno function %s\n",
                !r->whole->functions.count             ? "has a map"
                : filter_is_empty(&r->options->filter) ? "has a line that is wanted"
                                                       : "matches");
        return;
    }
    put_functions(r, out, c);
    put_notes(r, out, c);
    put_legend(r, out, c);
    if (r->files.count > 1)
        put_files(r, out, c);
    for (size_t i = 0; !r->options->no_source && i < r->files.count && !ferror(out); i++) {
        const struct report_file *file = &r->files.items[i];
        if (file->lines->lines.count > 0 &&
            !folded(r, file)) /* 0: functions without counters lie there, nothing else */
            annotate_file(r, file, out, c);
    }
}
