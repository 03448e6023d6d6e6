/* A diff as JSON, documented in docs/cotree-json.5.scd. The same promises as of json.c. */
#include "report/diff.h"
#include "report/json_parts.h"
#include "report/path_list.h"

#include <inttypes.h>

enum { DIFF_JSON_VERSION = 2 };

static void put_side(FILE *out, const char *before, const struct report *r)
{
    const struct profile *p = r->whole;
    fputs(before, out);
    json_put_member(out, "{\"program\":", p->program);
    json_put_member(out, ",\"build_id\":", p->build_id && *p->build_id ? p->build_id : NULL);
    fprintf(out, ",\"runs\":%" PRIu64 ",\"exact\":%s,\"why_not_exact\":[", p->runs, json_truth(p->exact));
    for (size_t i = 0; i < p->reasons.count; i++) {
        char *reason = report_reason(r, p->reasons.items[i]);
        json_put_member(out, i ? "," : "", reason);
        free(reason);
    }
    fputs("]}", out);
}

static void put_function_side(FILE *out, const char *before, const struct report *r, uint32_t index,
                              int64_t runs, int64_t entries, bool exact)
{
    fputs(before, out);
    if (index == DIFF_NONE) {
        fputs("null", out);
        return;
    }
    const struct profile_function *f = &r->view.functions.items[index];
    json_put_member(out, "{\"file\":", f->map.file_count ? f->map.files[0] : NULL);
    fputs(",\"line\":", out);
    json_put_count(out, f->map.line != 0, f->map.line);
    fprintf(out, ",\"exact\":%s,\"max_error\":", json_truth(exact));
    json_put_count(out, f->counted, f->exact ? 0 : f->max_error);
    fputs(",\"block_runs\":", out);
    json_put_count(out, true, runs);
    fputs(",\"entries\":", out);
    json_put_count(out, true, entries);
    putc('}', out);
}

static void put_line_side(FILE *out, const char *before, uint32_t line, int64_t count, bool exact)
{
    fprintf(out, "%s{\"line\":%" PRIu32 ",\"count\":", before, line);
    json_put_count(out, true, count);
    fprintf(out, ",\"exact\":%s}", json_truth(exact));
}

static void put_paths(const struct diff *d, size_t top, FILE *out)
{
    fprintf(out,
            ",\n\"paths_differing\":%zu,\"path_functions_compared\":%" PRIu64
            ",\"path_functions_not_compared\":%" PRIu64 ",\"paths\":[",
            d->paths.count, d->paths_compared, d->paths_not_compared);
    for (size_t i = 0; i < d->paths.count && (!top || i < top) && !ferror(out); i++) {
        const struct diff_path *p = &d->paths.items[i];
        const struct diff_function *f = &d->functions.items[p->function];
        const struct map_function *map = &diff_function_shown(d, f)->map;
        struct paths paths;
        size_t count = 0;
        struct map_line *lines = NULL;
        if (paths_init(&paths, map)) {
            struct path_shown path = diff_path_show(p, &paths);
            lines = path_lines(map, &path, &count);
            paths_release(&paths);
        }
        json_put_member(out, i ? ",\n{\"name\":" : "\n{\"name\":", diff_function_name(d, f));
        json_put_member(out, ",\"linkage_name\":", map->name);
        fputs(",\"id\":", out);
        json_put_count(out, !p->cut, p->id);
        fprintf(out, ",\"finished\":%s,\"old\":", json_truth(!p->cut));
        json_put_count(out, true, p->old_count);
        fputs(",\"new\":", out);
        json_put_count(out, true, p->new_count);
        fputs(",\"lines\":[", out);
        for (size_t k = 0; k < count; k++)
            fprintf(out, "%s%" PRIu32, k ? "," : "", lines[k].line);
        fputs("]}", out);
        free(lines);
    }
    putc(']', out);
}

void diff_write_json(const struct diff *d, size_t top, FILE *out)
{
    fprintf(out, "{\"format\":\"cotree-diff\",\"version\":%d", DIFF_JSON_VERSION);
    put_side(out, ",\n\"old\":", d->old_report);
    put_side(out, ",\n\"new\":", d->new_report);
    fprintf(out, ",\n\"one_build\":%s,\"functions_differing\":%" PRIu64 ",\"lines_differing\":%" PRIu64,
            json_truth(d->one_build), d->differing, d->lines_differing);
    fputs(",\"old_block_runs\":", out);
    json_put_count(out, true, d->old_runs);
    fputs(",\"new_block_runs\":", out);
    json_put_count(out, true, d->new_runs);
    fputs(",\n\"functions\":[", out);
    for (size_t i = 0; i < d->functions.count && (!top || i < top) && !ferror(out); i++) {
        const struct diff_function *f = &d->functions.items[i];
        json_put_member(out, i ? ",\n{\"name\":" : "\n{\"name\":", diff_function_name(d, f));
        json_put_member(out, ",\"linkage_name\":", diff_function_shown(d, f)->map.name);
        json_put_member(out, ",\"match\":", diff_match_name(f->match));
        put_function_side(out, ",\"old\":", d->old_report, f->old_index, f->old_runs, f->old_entries,
                          f->old_exact);
        put_function_side(out, ",\"new\":", d->new_report, f->new_index, f->new_runs, f->new_entries,
                          f->new_exact);
        putc('}', out);
    }
    fputs("],\n\"lines\":[", out);
    for (size_t i = 0; i < d->lines.count && (!top || i < top) && !ferror(out); i++) {
        const struct diff_line *l = &d->lines.items[i];
        json_put_member(out, i ? ",\n{\"file\":" : "\n{\"file\":", l->file);
        put_line_side(out, ",\"old\":", l->old_line, l->old_count, l->old_exact);
        put_line_side(out, ",\"new\":", l->line, l->new_count, l->new_exact);
        putc('}', out);
    }
    putc(']', out);
    if (d->new_report->options->paths)
        put_paths(d, top, out);
    fputs("}\n", out);
}
