/*
 * LLVM's sample profile as text, as LLVM's SampleProfReader.h describes it: read by clang
 * -fprofile-sample-use and llvm-profdata --sample. It needs nothing of cotree to be used, but knows
 * lines only, with the counts that each instance of a function gives them (decode/lines/lines.h).
 * `cotree cc -fcotree-use` knows every edge.
 *
 *     NAME:total of the samples below:entries
 *      OFFSET: count          lines from the function's definition on, modulo 2^16
 *
 * Functions of one name are added up by the reader. What is not known is left out; so are functions
 * that the profile has no line for, and names that the format would take for something else.
 */
#include "report/report.h"

#include <inttypes.h>

struct sample {
    uint32_t offset;
    int64_t count;
};
struct samples ARRAY_OF(struct sample);

static int compare_samples(const void *left, const void *right)
{
    const struct sample *a = left, *b = right;
    return (a->offset > b->offset) - (a->offset < b->offset);
}

/* Collects the count of each line, by offset; of lines with one offset (in another file) the
 * largest. */
static void collect(const struct profile_function *f, struct samples *samples)
{
    struct function_lines lines = {0};
    samples->count = 0;
    lines_of_function(f, &lines);
    for (size_t i = 0; i < lines.count; i++)
        ARRAY_PUSH(samples,
                   ((struct sample){(lines.items[i].at.line - f->map.line) & 0xffff, lines.items[i].count}));
    ARRAY_RELEASE(&lines);
    if (samples->count)
        qsort(samples->items, samples->count, sizeof *samples->items, compare_samples);
    size_t kept = 0;
    for (size_t i = 0; i < samples->count; i++) {
        struct sample *last = kept ? &samples->items[kept - 1] : NULL;
        if (!last || last->offset != samples->items[i].offset)
            samples->items[kept++] = samples->items[i];
        else if (samples->items[i].count > last->count)
            last->count = samples->items[i].count;
    }
    samples->count = kept;
}

void report_write_llvm_samples(const struct report *r, FILE *out)
{
    struct samples samples = {0};
    for (size_t i = 0; i < r->view.functions.count && !ferror(out); i++) {
        const struct profile_function *f = &r->view.functions.items[i];
        if (!f->counted || f->entries < 0 || !f->map.line || !*f->map.name || strchr(" #[!@", *f->map.name))
            continue;
        int64_t total = 0;
        collect(f, &samples);
        for (size_t k = 0; k < samples.count; k++)
            total = count_add(total, samples.items[k].count);
        char *name = printable(f->map.name);
        fprintf(out, "%s:%" PRId64 ":%" PRId64 "\n", name, total, f->entries);
        for (size_t k = 0; k < samples.count; k++)
            fprintf(out, " %" PRIu32 ": %" PRId64 "\n", samples.items[k].offset, samples.items[k].count);
        free(name);
    }
    ARRAY_RELEASE(&samples);
}
