/*
 * lcov's tracefile, as geninfo(1) describes it: a record for each source file, read by lcov,
 * genhtml and most coverage services.
 *
 * Names are linkage names, since a demangled name may hold commas, which separate fields; genhtml
 * --demangle-cpp shows the others. The format knows no "unknown": what is not known is left out.
 * The branch numbers of a line count its branches in order.
 */
#include "report/report.h"

#include <inttypes.h>

/* Writes a name in a field: no byte that ends a field or a line, nothing a terminal would obey. */
static void put_name(FILE *out, const char *name, bool commas)
{
    char *safe = printable(name);
    for (char *s = safe; *s; s++)
        if (*s == ',' && !commas)
            *s = '_';
    fputs(safe, out);
    free(safe);
}

/* Writes a function's name. lcov knows a function by its name alone: of several with one name in a
 * file, all but the first get their line as well. */
static void put_function_name(FILE *out, const struct report_file *file, size_t i)
{
    const struct report_definition *d = &file->definitions.items[i];
    put_name(out, *d->linkage_name ? d->linkage_name : "?", false);
    if (d->name_again)
        fprintf(out, ".%" PRIu32, d->line);
    putc('\n', out);
}

static void put_file(FILE *out, const struct report_file *file, const struct source_maps *maps)
{
    char *path = source_maps_apply(maps, file->lines->file);
    fputs("TN:\nSF:", out);
    put_name(out, path, true);
    putc('\n', out);
    free(path);
    for (size_t i = 0; i < file->definitions.count; i++) {
        fprintf(out, "FN:%" PRIu32 ",", file->definitions.items[i].line);
        put_function_name(out, file, i);
    }
    for (size_t i = 0; i < file->definitions.count; i++) {
        fprintf(out, "FNDA:%" PRId64 ",", file->definitions.items[i].entries);
        put_function_name(out, file, i);
    }
    fprintf(out, "FNF:%zu\nFNH:%" PRIu64 "\n", file->definitions.count, file->definitions_run);
    uint32_t block = 0;
    for (size_t i = 0; i < file->branches.count; i++) {
        const struct report_branch *b = &file->branches.items[i];
        block = i > 0 && file->branches.items[i - 1].line == b->line ? block + 1 : 0;
        for (uint32_t way = 0; way < b->way_count; way++) {
            fprintf(out, "BRDA:%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",", b->line, block, way);
            if (b->executed > 0)
                fprintf(out, "%" PRId64 "\n", b->ways[way]);
            else
                fputs("-\n", out);
        }
    }
    fprintf(out, "BRF:%" PRIu64 "\nBRH:%" PRIu64 "\n", file->ways, file->ways_taken);
    for (size_t i = 0; i < file->lines->lines.count; i++) {
        const struct line_count *line = &file->lines->lines.items[i];
        if (line->count >= 0)
            fprintf(out, "DA:%" PRIu32 ",%" PRId64 "\n", line->line, line->count);
    }
    fprintf(out, "LF:%" PRIu64 "\nLH:%" PRIu64 "\nend_of_record\n", file->lines_known, file->lines_run);
}

void report_write_lcov(const struct report *r, FILE *out)
{
    for (size_t i = 0; i < r->files.count && !ferror(out); i++)
        if (r->files.items[i].lines->lines.count)
            put_file(out, &r->files.items[i], &r->options->source_maps);
}
