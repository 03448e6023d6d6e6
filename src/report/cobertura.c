/*
 * Cobertura's XML, as its coverage-04.dtd describes it: read by GitLab, Jenkins, Azure and most
 * coverage services.
 *
 * A package is a directory, a class a source file, a method a function. A condition is a block that
 * goes several ways. Files below the current directory are named relative to it, which is the one
 * <source>; all others by their whole path. The format knows no "unknown": what is not known is
 * left out. Complexity is not measured and always 0.
 */
#include "base/text.h"
#include "decode/lines/demangle.h"
#include "report/report.h"

#include <inttypes.h>
#include <time.h>
#include <unistd.h>

/* Writes text in an attribute or an element: valid UTF-8 and XML whatever it was. */
static void put_text(FILE *out, const char *text)
{
    char *safe = printable(text);
    for (const char *s = safe; *s; s += text_character(s)) {
        switch (*s) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        default:
            if (!strncmp(s, "\xef\xbf\xbe", 3) || !strncmp(s, "\xef\xbf\xbf", 3)) /* no characters in XML */
                putc('?', out);
            else
                fwrite(s, 1, text_character(s), out);
        }
    }
    free(safe);
}

static void put_attribute(FILE *out, const char *name, const char *value)
{
    fprintf(out, " %s=\"", name);
    put_text(out, value);
    putc('"', out);
}

/* Writes a rate, rounded down: 1 means all. Nothing of nothing is all. */
static void put_rate(FILE *out, const char *name, uint64_t part, uint64_t whole)
{
    uint64_t rate = 10000;
    if (part < whole)
        rate = (uint64_t)(10000.0 * (double)part / (double)whole);
    if (part < whole && rate > 9999)
        rate = 9999;
    fprintf(out, " %s=\"%" PRIu64 ".%04" PRIu64 "\"", name, rate / 10000, rate % 10000);
}

static unsigned percent(uint64_t part, uint64_t whole)
{
    return whole ? (unsigned)(part * 100 / whole) : 100;
}

static uint64_t taken(const struct report_branch *b)
{
    uint64_t n = 0;
    for (uint32_t way = 0; way < b->way_count; way++)
        n += b->ways[way] > 0;
    return n;
}

/* Writes the branches of one line: `count` of them, from `first` on. */
static void put_conditions(FILE *out, const struct report_branch *first, size_t count)
{
    uint64_t ways = 0, all_taken = 0;
    for (size_t i = 0; i < count; i++) {
        ways += first[i].way_count;
        all_taken += taken(&first[i]);
    }
    fprintf(out, " branch=\"true\" condition-coverage=\"%u%% (%" PRIu64 "/%" PRIu64 ")\"><conditions>",
            percent(all_taken, ways), all_taken, ways);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "<condition number=\"%zu\" type=\"%s\" coverage=\"%u%%\"/>", i,
                first[i].way_count == 2 ? "jump" : "switch", percent(taken(&first[i]), first[i].way_count));
    fputs("</conditions></line>\n", out);
}

static void put_lines(FILE *out, const struct report_file *file)
{
    const struct report_branches *branches = &file->branches;
    size_t next = 0;
    fputs("<lines>\n", out);
    for (size_t i = 0; i < file->lines->lines.count; i++) {
        const struct line_count *line = &file->lines->lines.items[i];
        while (next < branches->count && branches->items[next].line < line->line)
            next++;
        size_t first = next;
        while (next < branches->count && branches->items[next].line == line->line)
            next++;
        if (line->count < 0)
            continue;
        fprintf(out, "<line number=\"%" PRIu32 "\" hits=\"%" PRId64 "\"", line->line, line->count);
        if (next > first)
            put_conditions(out, branches->items + first, next - first);
        else
            fputs(" branch=\"false\"/>\n", out);
    }
    fputs("</lines>", out);
}

/* Returns the file of that name among the part's; NULL if its functions have no line there. */
static const struct report_file *file_of_part(const struct report *part, const char *name)
{
    for (size_t i = 0; i < part->files.count; i++)
        if (!strcmp(part->files.items[i].lines->file, name))
            return &part->files.items[i];
    return NULL;
}

static void put_method(FILE *out, const struct report *r, const struct report_file *file,
                       const struct report_definition *d)
{
    struct report part;
    report_part_init(&part, r, d->instances.items, d->instances.count);
    const struct report_file *own = file_of_part(&part, file->lines->file);
    const char *name = r->functions[d->instances.items[0]].name;
    char *bare = demangled_bare_name(name);
    const char *behind = strstr(name, bare);
    fputs("<method", out);
    put_attribute(out, "name", bare);
    put_attribute(out, "signature", behind ? behind + strlen(bare) : "");
    put_rate(out, "line-rate", own ? own->lines_run : 0, own ? own->lines_known : 0);
    put_rate(out, "branch-rate", own ? own->ways_taken : 0, own ? own->ways : 0);
    fputs(" complexity=\"0\">", out);
    if (own)
        put_lines(out, own);
    else
        fputs("<lines/>", out);
    fputs("</method>\n", out);
    free(bare);
    report_release(&part);
}

/* A file and how the report names it. */
struct named_file {
    const struct report_file *file;
    char *path;       /* as shown */
    size_t directory; /* length of the path's directory, without the slash */
};

static int compare_named(const void *left, const void *right)
{
    const struct named_file *a = left, *b = right;
    size_t shorter = a->directory < b->directory ? a->directory : b->directory;
    int c = memcmp(a->path, b->path, shorter);
    if (!c)
        c = (a->directory > b->directory) - (a->directory < b->directory);
    return c ? c : strcmp(a->path, b->path);
}

static bool same_package(const struct named_file *a, const struct named_file *b)
{
    return a->directory == b->directory && !memcmp(a->path, b->path, a->directory);
}

static void put_class(FILE *out, const struct report *r, const struct named_file *named)
{
    const struct report_file *file = named->file;
    const char *slash = strrchr(named->path, '/');
    fputs("<class", out);
    put_attribute(out, "name", slash ? slash + 1 : named->path);
    put_attribute(out, "filename", named->path);
    put_rate(out, "line-rate", file->lines_run, file->lines_known);
    put_rate(out, "branch-rate", file->ways_taken, file->ways);
    fputs(" complexity=\"0\">\n<methods>\n", out);
    for (size_t i = 0; i < file->definitions.count; i++)
        put_method(out, r, file, &file->definitions.items[i]);
    fputs("</methods>\n", out);
    put_lines(out, file);
    fputs("</class>\n", out);
}

static void put_package(FILE *out, const struct report *r, const struct named_file *first, size_t count)
{
    uint64_t lines = 0, run = 0, ways = 0, ways_taken = 0;
    for (size_t i = 0; i < count; i++) {
        lines += first[i].file->lines_known;
        run += first[i].file->lines_run;
        ways += first[i].file->ways;
        ways_taken += first[i].file->ways_taken;
    }
    char *name = first->directory ? memory_substring(first->path, first->directory) : memory_string(".");
    fputs("<package", out);
    put_attribute(out, "name", name);
    put_rate(out, "line-rate", run, lines);
    put_rate(out, "branch-rate", ways_taken, ways);
    fputs(" complexity=\"0\"><classes>\n", out);
    for (size_t i = 0; i < count && !ferror(out); i++)
        put_class(out, r, &first[i]);
    fputs("</classes></package>\n", out);
    free(name);
}

/* Returns the time in thousandths of a second, as Cobertura has it; SOURCE_DATE_EPOCH makes the
 * file reproducible. */
static long long timestamp(void)
{
    const char *fixed = getenv("SOURCE_DATE_EPOCH");
    char *end;
    long long seconds = fixed ? strtoll(fixed, &end, 10) : 0;
    if (!fixed || *end || end == fixed || seconds < 0 || seconds > INT64_MAX / 1000)
        seconds = (long long)time(NULL);
    return seconds * 1000;
}

void report_write_cobertura(const struct report *r, FILE *out)
{
    struct ARRAY_OF(struct named_file) files = {0};
    char *here = getcwd(NULL, 0);
    size_t above = here && here[1] ? strlen(here) : 0;
    for (size_t i = 0; i < r->files.count; i++) {
        if (!r->files.items[i].lines->lines.count)
            continue; /* only functions that clang made, which stand on no line */
        char *mapped = source_maps_apply(&r->options->source_maps, r->files.items[i].lines->file);
        char *path = source_short_path(mapped);
        bool below = above && !strncmp(path, here, above) && path[above] == '/';
        struct named_file named = {.file = &r->files.items[i],
                                   .path = memory_string(below ? path + above + 1 : path)};
        free(mapped);
        free(path);
        const char *slash = strrchr(named.path, '/');
        named.directory = slash ? (size_t)(slash - named.path) : 0;
        ARRAY_PUSH(&files, named);
    }
    if (files.count)
        qsort(files.items, files.count, sizeof *files.items, compare_named);
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
          "<!DOCTYPE coverage SYSTEM \"http://cobertura.sourceforge.net/xml/coverage-04.dtd\">\n<coverage",
          out);
    put_rate(out, "line-rate", r->totals.lines_run, r->totals.lines);
    put_rate(out, "branch-rate", r->totals.ways_taken, r->totals.ways);
    fprintf(out,
            " lines-covered=\"%" PRIu64 "\" lines-valid=\"%" PRIu64 "\" branches-covered=\"%" PRIu64
            "\" branches-valid=\"%" PRIu64 "\" complexity=\"0\" version=\"cotree " COTREE_VERSION
            "\" timestamp=\"%lld\">\n<sources><source>",
            r->totals.lines_run, r->totals.lines, r->totals.ways_taken, r->totals.ways, timestamp());
    put_text(out, here ? here : "/");
    fputs("</source></sources>\n<packages>\n", out);
    for (size_t i = 0, end; i < files.count && !ferror(out); i = end) {
        for (end = i + 1; end < files.count && same_package(&files.items[i], &files.items[end]);)
            end++;
        put_package(out, r, &files.items[i], end - i);
    }
    fputs("</packages>\n</coverage>\n", out);
    for (size_t i = 0; i < files.count; i++)
        free(files.items[i].path);
    ARRAY_RELEASE(&files);
    free(here);
}
