#include "report/markers.h"
#include "base/text.h"
#include "report/source.h"

#include <ctype.h>
#include <stdio.h>

/* What the markers of a line say of lines, or of branches. */
struct said {
    bool line, start, stop;
};

static bool is_word_character(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Whether the text begins with the word, and the word ends there. */
static bool begins_with_word(const char *text, const char *word)
{
    return text_starts_with(text, word) && !is_word_character(text[strlen(word)]);
}

static bool has_family(const char *line, const char *infix)
{
    static const char *const families[] = {"LCOV", "GCOV", "GCOVR"};
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        size_t length = strlen(families[i]), before = (size_t)(infix - line);
        if (before >= length && !strncmp(infix - length, families[i], length) &&
            (before == length || !is_word_character(infix[-(ptrdiff_t)length - 1])))
            return true;
    }
    return false;
}

static void read_line(const char *line, struct said *lines, struct said *branches)
{
    static const char infix[] = "_EXCL_", ignore[] = "cotree: ignore";
    for (const char *at = line; (at = strstr(at, infix)); at += strlen(infix)) {
        const char *what = at + strlen(infix);
        bool of_branches = text_starts_with(what, "BR_");
        struct said *said = of_branches ? branches : lines;
        what += of_branches ? strlen("BR_") : 0;
        if (!has_family(line, at))
            continue;
        said->line |= begins_with_word(what, "LINE");
        said->start |= begins_with_word(what, "START");
        said->stop |= begins_with_word(what, "STOP");
    }
    for (const char *at = line; (at = strstr(at, ignore)); at += strlen(ignore))
        lines->line |= begins_with_word(at, ignore);
}

/* *open: the line of the START in whose section this line is, or 0. */
static void take_line(struct line_ranges *ranges, const struct said *said, uint32_t number, uint32_t *open)
{
    if (said->stop)
        *open = 0;
    if (said->start && !*open)
        *open = number;
    if (*open || said->line)
        line_ranges_add(ranges, number);
}

void markers_read(const char *path, struct marked_lines *marked)
{
    struct source source;
    const char *reason;
    uint32_t number = 0, open = 0, branches_open = 0;
    *marked = (struct marked_lines){0};
    if (!source_open(&source, path, &reason))
        return;
    while (number < UINT32_MAX - 1 && getline(&source.line, &source.capacity, source.file) >= 0) {
        struct said lines = {0}, branches = {0};
        number++;
        read_line(source.line, &lines, &branches);
        take_line(&marked->lines, &lines, number, &open);
        take_line(&marked->branches, &branches, number, &branches_open);
    }
    marked->unended = open ? open : branches_open;
    source_close(&source);
}

void marked_lines_release(struct marked_lines *marked)
{
    ARRAY_RELEASE(&marked->lines);
    ARRAY_RELEASE(&marked->branches);
}
