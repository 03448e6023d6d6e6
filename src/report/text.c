/*
 * The report for people. First screen: what ran, how often, whether the numbers are exact, and the functions
 * by count; then the source with the count of every line.
 *
 * Nothing from a file reaches the terminal unchecked: names and lines are made printable first.
 */
#include "report/report.h"
#include "base/hash.h"
#include "base/text.h"

#include <inttypes.h>
#include <sys/stat.h>

/* Lines without code are left out where more than GAP follow each other; CONTEXT of them stay on either side.
 */
enum { GAP = 10, CONTEXT = 3, NAME_COLUMN = 40 };

struct palette {
    const char *title, *dim, *never, *partly, *hot, *bad, *end;
};

static const struct palette plain = {"", "", "", "", "", "", ""};
static const struct palette colored = {.title = "\033[1m",
                                       .dim = "\033[2m",
                                       .never = "\033[31m",
                                       .partly = "\033[33m",
                                       .hot = "\033[1;36m",
                                       .bad = "\033[1;31m",
                                       .end = "\033[m"};

/* Columns a printable text takes, near enough: wide characters count once. */
static int columns(const char *s)
{
    int n = 0;
    for (; *s; s++)
        n += ((unsigned char)*s & 0xc0) != 0x80;
    return n;
}

static int widest(int a, int b)
{
    return a > b ? a : b;
}

static const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

/* The count with '~' before it when it may be off. Returns text. */
#define MARKED_TEXT (COUNT_TEXT + 1)
static const char *marked_count(char text[MARKED_TEXT], int64_t count, bool exact)
{
    bool mark = !exact && count >= 0;
    text[0] = '~';
    count_text(text + mark, count);
    return text;
}

/* ---- The first lines ---- */

static void put_sum(FILE *out, const struct palette *c, const char *what, uint64_t part, uint64_t whole,
                    const char *verb)
{
    char a[COUNT_TEXT], b[COUNT_TEXT], percent[COUNT_TEXT];
    if (whole == 0)
        return;
    fprintf(out, "%s%-10s%s %s%6s%s  %s of %s %s\n", c->dim, what, c->end, c->title,
            percent_text(percent, part, whole), c->end, count_text(a, (int64_t)part),
            count_text(b, (int64_t)whole), verb);
}

static void put_head(const struct report *r, FILE *out, const struct palette *c)
{
    const struct profile *p = &r->view;
    char number[COUNT_TEXT];
    char *program = printable(p->program && *p->program ? p->program : "(program unknown)");
    char *build_id = printable(p->build_id), *mode = printable(p->mode);
    fprintf(out, "%s%s%s: %s run%s, %s%s%s\n", c->title, program, c->end,
            count_text(number, (int64_t)p->runs), plural(p->runs), p->exact ? c->title : c->bad,
            p->exact ? "exact" : "not exact", c->end);
    for (size_t i = 0; i < p->reasons.count; i++) {
        char *reason = printable(p->reasons.items[i]);
        fprintf(out, "  %s%s%s\n", c->bad, reason, c->end);
        free(reason);
    }
    if (*build_id || *mode)
        fprintf(out, "%sbuild %.16s, counters: %s%s\n", c->dim, *build_id ? build_id : "unknown",
                *mode ? mode : "?", c->end);
    putc('\n', out);
    put_sum(out, c, "functions", r->totals.functions_run, r->totals.functions, "ran");
    put_sum(out, c, "lines", r->totals.lines_run, r->totals.lines, "ran");
    put_sum(out, c, "branches", r->totals.ways_taken, r->totals.ways, "taken");
    free(program);
    free(build_id);
    free(mode);
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

static void put_functions(const struct report *r, FILE *out, const struct palette *c)
{
    int executions = 10, entries = 7, names = 8;
    char a[MARKED_TEXT], b[MARKED_TEXT], percent[COUNT_TEXT], share[COUNT_TEXT];
    for (size_t i = 0; i < r->view.functions.count; i++) {
        executions = widest(executions, columns(count_text(a, r->functions[i].executions)) + 1);
        entries = widest(entries, columns(count_text(a, r->view.functions.items[i].entries)) + 1);
        int name = columns(r->functions[i].name);
        names = widest(names, name > NAME_COLUMN ? NAME_COLUMN : name);
    }
    fprintf(out, "\n%s%*s  %6s  %*s  %6s  %-*s  %s%s\n", c->dim, executions, "block runs", "share", entries,
            "entries", "lines", names, "function", "defined at", c->end);
    for (size_t i = 0; i < r->view.functions.count && !ferror(out); i++) {
        const struct profile_function *f = &r->view.functions.items[i];
        const struct report_function *shown = &r->functions[i];
        char *name = printable(shown->name);
        const char *color = !f->counted ? c->dim : f->entries == 0 && shown->executions == 0 ? c->never : "";
        fprintf(out, "%s%*s  %6s  ", color, executions, marked_count(a, shown->executions, f->exact),
                shown->executions < 0 || r->totals.executions < 0
                    ? "?"
                    : percent_text(share, (uint64_t)shown->executions,
                                   r->totals.executions ? (uint64_t)r->totals.executions : 1));
        fprintf(out, "%*s  %6s  %s%-*s%s", entries, marked_count(b, f->counted ? f->entries : -1, f->exact),
                !f->counted || !shown->lines ? "-" : percent_text(percent, shown->lines_run, shown->lines),
                name, *shown->file ? widest(0, names - columns(name)) : 0, "", *color ? c->end : "");
        put_place(out, r, i, c);
        putc('\n', out);
        free(name);
    }
}

/* Reasons given for functions, each once, with the functions it holds for. */
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
        char *why = printable(n->why), *name = printable(r->functions[n->first].name);
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

static void put_files(const struct report *r, FILE *out, const struct palette *c)
{
    int lines = 5;
    char a[COUNT_TEXT], b[COUNT_TEXT], percent[COUNT_TEXT], ways[COUNT_TEXT];
    for (size_t i = 0; i < r->files.count; i++)
        lines = widest(lines, columns(count_text(a, (int64_t)r->files.items[i].lines_known)));
    fprintf(out, "\n%s%6s  %*s of %-*s  %8s  file%s\n", c->dim, "lines", lines, "ran", lines, "all",
            "branches", c->end);
    for (size_t i = 0; i < r->files.count && !ferror(out); i++) {
        const struct report_file *file = &r->files.items[i];
        char *mapped = source_maps_apply(&r->options->source_maps, file->lines->file),
             *path = source_shown_path(mapped);
        const char *color = file->lines_known && !file->lines_run ? c->never : "";
        fprintf(out, "%s%6s  %*s of %-*s  %8s  %s%s\n", color,
                file->lines_known ? percent_text(percent, file->lines_run, file->lines_known) : "-", lines,
                count_text(a, (int64_t)file->lines_run), lines, count_text(b, (int64_t)file->lines_known),
                file->ways ? percent_text(ways, file->ways_taken, file->ways) : "-", path,
                *color ? c->end : "");
        free(mapped);
        free(path);
    }
}

/* ---- Source ---- */

struct annotation {
    const struct report_file *file;
    size_t next_line, next_branch;
    int count_width, number_width;
    int64_t hottest;
    const struct palette *c;
};

static void put_branches(FILE *out, const struct annotation *a, const struct report_branch *b)
{
    char number[COUNT_TEXT];
    fprintf(out, "%*s  %*s %s|", a->count_width, "", a->number_width, "", a->c->dim);
    fputs(" ^ goes", out);
    for (uint32_t way = 0; way < b->way_count; way++)
        fprintf(out, "%s %s%s%s", way ? "," : "", b->ways[way] ? "" : a->c->never,
                count_text(number, b->ways[way]), b->ways[way] ? "" : a->c->dim);
    fprintf(out, "%s\n", a->c->end);
}

/* Prints a line that carries a count; text is NULL when the source is missing. */
static void put_counted(FILE *out, struct annotation *a, const char *text, bool branches)
{
    const struct line_count *line = &a->file->lines->lines.items[a->next_line++];
    const struct report_branches *list = &a->file->branches;
    while (a->next_branch < list->count && list->items[a->next_branch].line < line->line)
        a->next_branch++;
    size_t first = a->next_branch;
    bool partly = false;
    for (; a->next_branch < list->count && list->items[a->next_branch].line == line->line; a->next_branch++)
        for (uint32_t way = 0; way < list->items[a->next_branch].way_count; way++)
            partly |= list->items[a->next_branch].ways[way] == 0;
    partly &= line->count > 0;
    char number[MARKED_TEXT];
    const char *count = line->count == 0 && line->exact ? "#####"
                        : line->count == 0              ? "~#####"
                                                        : marked_count(number, line->count, line->exact);
    const struct palette *c = a->c;
    const char *color = line->count == 0                                 ? c->never
                        : a->hottest > 1 && line->count > a->hottest / 4 ? c->hot
                                                                         : "";
    fprintf(out, "%s%*s%s%s%s%s %s%*" PRIu32 " |%s", color, a->count_width, count, *color ? c->end : "",
            partly ? c->partly : "", partly ? "*" : " ", partly ? c->end : "", c->dim, a->number_width,
            line->line, c->end);
    if (text && *text)
        fprintf(out, " %s%s%s", line->count == 0 ? c->never : "", text, line->count == 0 ? c->end : "");
    putc('\n', out);
    for (size_t b = first; branches && b < a->next_branch; b++)
        put_branches(out, a, &list->items[b]);
}

static void put_source(FILE *out, struct annotation *a, struct source *source, bool branches)
{
    const struct file_lines *lines = a->file->lines;
    uint32_t previous = 0; /* the last line with a count */
    bool skipping = false;
    const char *text;
    for (uint32_t number = 1; (text = source_next(source)) && !ferror(out); number++) {
        if (a->next_line < lines->lines.count && lines->lines.items[a->next_line].line == number) {
            put_counted(out, a, text, branches);
            previous = number;
            skipping = false;
            continue;
        }
        bool last = a->next_line == lines->lines.count;
        uint32_t next = last ? UINT32_MAX : lines->lines.items[a->next_line].line;
        if (last && number > previous + CONTEXT)
            break;
        if (next - previous <= GAP || number + CONTEXT >= next ||
            (previous && number <= previous + CONTEXT)) {
            fprintf(out, "%*s  %s%*" PRIu32 " |%s%s%s\n", a->count_width, "", a->c->dim, a->number_width,
                    number, a->c->end, *text ? " " : "", text);
        } else if (!skipping) {
            skipping = true;
            if (previous)
                fprintf(out, "%*s  %s%*s%s\n", a->count_width, "", a->c->dim, a->number_width + 2, "...",
                        a->c->end);
        }
    }
}

static bool newer_than_program(const struct report *r, const char *path)
{
    struct stat program, source;
    return r->whole->program && stat(r->whole->program, &program) == 0 && stat(path, &source) == 0 &&
           source.st_mtime > program.st_mtime;
}

static void put_file(const struct report *r, const struct report_file *file, FILE *out,
                     const struct palette *c)
{
    char *path = source_maps_apply(&r->options->source_maps, file->lines->file),
         *shown = source_shown_path(path);
    char a[COUNT_TEXT], b[COUNT_TEXT], percent[COUNT_TEXT];
    struct source source;
    const char *reason = NULL;
    bool found = source_open(&source, path, &reason);
    fprintf(out, "\n%s%s%s: %s of %s line%s ran, %s\n", c->title, shown, c->end,
            count_text(a, (int64_t)file->lines_run), count_text(b, (int64_t)file->lines_known),
            plural(file->lines_known), percent_text(percent, file->lines_run, file->lines_known));
    if (!found)
        fprintf(out, "%ssource not found (%s); --source-map=OLD=NEW says where it is%s\n", c->bad, reason,
                c->end);
    else if (newer_than_program(r, path))
        fprintf(out, "%ssource is newer than the program: lines may not match%s\n", c->bad, c->end);
    putc('\n', out);

    struct annotation note = {.file = file, .count_width = 8, .c = c};
    uint32_t last = 0;
    for (size_t i = 0; i < file->lines->lines.count; i++) {
        const struct line_count *line = &file->lines->lines.items[i];
        note.count_width = widest(note.count_width, columns(count_text(a, line->count)) + 2);
        if (line->count > note.hottest)
            note.hottest = line->count;
        last = line->line;
    }
    note.number_width = snprintf(a, sizeof a, "%" PRIu32, last + CONTEXT);
    if (found) {
        put_source(out, &note, &source, r->options->branches);
        source_close(&source);
        if (note.next_line < file->lines->lines.count)
            fprintf(out, "%sthe source ends here, the program knows more lines: is it another version?%s\n",
                    c->bad, c->end);
    }
    while (note.next_line < file->lines->lines.count && !ferror(out))
        put_counted(out, &note, NULL, r->options->branches);
    free(path);
    free(shown);
}

static bool of_the_system(const char *path)
{
    return text_starts_with(path, "/usr/include/") || text_starts_with(path, "/usr/lib/");
}

void report_write_text(const struct report *r, FILE *out)
{
    const struct palette *c = r->options->color ? &colored : &plain;
    put_head(r, out, c);
    if (r->view.functions.count == 0) {
        fprintf(out, "\nno function %s\n", r->whole->functions.count ? "matches" : "has a map");
        return;
    }
    put_functions(r, out, c);
    put_notes(r, out, c);
    if (r->files.count > 1)
        put_files(r, out, c);
    if (r->options->no_source)
        return;
    uint64_t left_out = 0;
    bool everything = r->options->file || r->options->function;
    for (size_t i = 0; i < r->files.count && !ferror(out); i++) {
        if (r->files.items[i].lines->lines.count ==
            0) /* functions without counters lie there, and nothing else */
            continue;
        if (!everything && of_the_system(r->files.items[i].lines->file))
            left_out++;
        else
            put_file(r, &r->files.items[i], out, c);
    }
    if (left_out)
        fprintf(out, "\n%s%" PRIu64 " system header%s not shown; --file='/usr/*' shows %s%s\n", c->dim,
                left_out, plural(left_out), left_out == 1 ? "it" : "them", c->end);
}
