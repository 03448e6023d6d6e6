/*
 * Source with counts. Lines without code are left out where more than GAP follow each other;
 * CONTEXT of them stay on either side. Nothing of a line reaches the terminal unchecked
 * (source_next).
 */
#include "report/text_parts.h"

#include <inttypes.h>

enum { GAP = 10, CONTEXT = 3 };

struct annotation {
    const struct report_file *file;
    size_t next_line, next_branch;
    int count_width, number_width;
    int64_t hottest;
    const struct palette *c;
};

/* Prints the ways of a line's branches below it, under the column of what decides if source is not
 * NULL. */
static void put_branches(FILE *out, const struct annotation *a, const struct report_branch *b,
                         const struct source *source)
{
    char number[COUNT_TEXT], name[MAP_WAY_TEXT];
    int column = source ? (int)source_column(source, b->column) : 0;
    fprintf(out, "%*s  %*s %s|", a->count_width, "", a->number_width, "", a->c->dim);
    fprintf(out, " %*s^%s", column, "", b->names ? "" : " goes");
    for (uint32_t way = 0; way < b->way_count; way++)
        fprintf(out, "%s %s%s%s%s%s", way ? "," : "", b->names ? map_way_text(&b->names[way], name) : "",
                b->names ? ": " : "", b->ways[way] ? "" : a->c->never, count_text(number, b->ways[way]),
                b->ways[way] ? "" : a->c->dim);
    fprintf(out, "%s\n", a->c->end);
}

/* Prints a line that carries a count; text and source are NULL when the source is missing. */
static void put_counted(FILE *out, struct annotation *a, const char *text, const struct source *source,
                        bool branches)
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
                                           : marked_count(number, line->count, line->exact, line->least);
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
        put_branches(out, a, &list->items[b], source);
}

static void put_source(FILE *out, struct annotation *a, struct source *source, bool branches)
{
    const struct file_lines *lines = a->file->lines;
    uint32_t previous = 0; /* the last line with a count */
    bool skipping = false;
    const char *text;
    for (uint32_t number = 1; (text = source_next(source)) && !ferror(out); number++) {
        if (a->next_line < lines->lines.count && lines->lines.items[a->next_line].line == number) {
            put_counted(out, a, text, source, branches);
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

void annotate_file(const struct report *r, const struct report_file *file, FILE *out, const struct palette *c)
{
    char *path = source_maps_apply(&r->options->source_maps, file->lines->file),
         *shown = source_shown_path(path);
    char a[COUNT_TEXT], b[COUNT_TEXT], percent[COUNT_TEXT];
    struct source source;
    const char *reason = NULL;
    bool found = source_open(&source, path, &reason);
    uint64_t lines = file->lines_known + file->lines_unknown;
    fprintf(out, "\n%s%s%s: %s of %s line%s ran, %s", c->title, shown, c->end,
            count_text(a, (int64_t)file->lines_run), count_text(b, (int64_t)lines), plural(lines),
            percent_text(percent, file->lines_run, lines));
    if (file->lines_unknown)
        fprintf(out, "; %s more may have", count_text(a, (int64_t)file->lines_unknown));
    putc('\n', out);
    if (!found)
        fprintf(out, "%ssource not found (%s); --source-map=OLD=NEW says where it is%s\n", c->bad, reason,
                c->end);
    else if (source_newer(path, r->whole->program))
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
        put_counted(out, &note, NULL, NULL, r->options->branches);
    free(path);
    free(shown);
}
