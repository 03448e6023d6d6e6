/* What text.c, annotate.c and diff_text.c share: colours and the width of what is printed. */
#ifndef COTREE_REPORT_TEXT_PARTS_H
#define COTREE_REPORT_TEXT_PARTS_H

#include "report/report.h"

struct palette {
    const char *title, *dim, *never, *partly, *hot, *bad, *end;
};

extern const struct palette palette_plain, palette_colored;

/* What ran, of which build, whether the counts are exact, and how much of the program that is. */
void text_put_head(const struct report *r, FILE *out, const struct palette *c);

/* A function's name as it fits into a table. Newly allocated. */
char *short_name(const char *name);

/* Columns a printable text takes, near enough: wide characters count once. */
static inline int columns(const char *s)
{
    int n = 0;
    for (; *s; s++)
        n += ((unsigned char)*s & 0xc0) != 0x80;
    return n;
}

static inline int widest(int a, int b)
{
    return a > b ? a : b;
}

static inline const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

/* Whether the count of something that is not exact is a lower bound. */
static inline bool is_least(int64_t count, bool exact, int64_t least)
{
    return !exact && count > 0 && least >= count;
}

/* Returns text: the count with '~' before it when it may be off, with '+' after it when it can only
 * be more. */
#define MARKED_TEXT (COUNT_TEXT + 1)
static inline const char *marked_count(char text[MARKED_TEXT], int64_t count, bool exact, int64_t least)
{
    bool bound = is_least(count, exact, least), mark = !exact && !bound && count >= 0;
    text[0] = '~';
    count_text(text + mark, count);
    if (bound)
        strcat(text, "+");
    return text;
}

/* The file's source with the count of every line, or the counts by line number when there is no
 * source. */
void annotate_file(const struct report *r, const struct report_file *file, FILE *out,
                   const struct palette *c);

#endif
