/*
 * JSON, documented in docs/cotree-json.5.scd: one function a line, one file a line, written as it
 * goes. What is promised there: members are only ever added within one version; text is valid UTF-8
 * whatever the names were; counts are integers below 2^63 or null.
 */
#include "report/json_parts.h"
#include "base/text.h"
#include "report/path_list.h"

#include <inttypes.h>

enum { JSON_VERSION = 2 };

static void put_text(FILE *out, const char *text)
{
    putc('"', out);
    for (const char *s = text; *s;) {
        size_t length = text_character(s);
        if (length == 0) {
            fputs("\\ufffd", out);
            s++;
            continue;
        }
        if (text_is_control(s)) { /* a file shown on a terminal does nothing */
            fprintf(out, "\\u%04x", text_code_point(s));
        } else {
            if (*s == '"' || *s == '\\')
                putc('\\', out);
            fwrite(s, 1, length, out);
        }
        s += length;
    }
    putc('"', out);
}

void json_put_member(FILE *out, const char *before, const char *text)
{
    fputs(before, out);
    if (text)
        put_text(out, text);
    else
        fputs("null", out);
}

void json_put_count(FILE *out, bool known, int64_t count)
{
    if (known && count >= 0)
        fprintf(out, "%" PRId64, count);
    else
        fputs("null", out);
}

const char *json_truth(bool b)
{
    return b ? "true" : "false";
}

/* Writes what is certain of a count that is not exact. */
static void put_least(FILE *out, int64_t count, int64_t least, bool may_have_run)
{
    fputs(",\"at_least\":", out);
    json_put_count(out, true, least);
    if (count <= 0 && may_have_run)
        fputs(",\"may_have_run\":true", out);
}

static void put_blocks(FILE *out, const struct profile_function *f)
{
    fputs(",\"blocks\":[", out);
    for (uint32_t b = 0; b + 1 < f->map.graph.vertex_count; b++) {
        fprintf(out, "%s{\"id\":%" PRIu32 ",\"count\":", b ? "," : "", b);
        json_put_count(out, f->counted, f->counted ? f->block_counts[b] : -1);
        if (f->least)
            put_least(out, f->block_counts[b], f->least[b].began, f->least[b].may_have_run);
        fputs(",\"lines\":[", out);
        const struct map_block *block = &f->map.blocks[b];
        for (uint32_t i = 0; i < block->line_count; i++) {
            json_put_member(out, i ? ",{\"file\":" : "{\"file\":", f->map.files[block->lines[i].file]);
            fprintf(out, ",\"line\":%" PRIu32 "}", block->lines[i].line);
        }
        fputs("]}", out);
    }
    putc(']', out);
}

static void put_end(FILE *out, const char *before, const struct graph *g, uint32_t vertex)
{
    fputs(before, out);
    if (vertex == graph_exit(g))
        fputs("null", out);
    else
        fprintf(out, "%" PRIu32, vertex);
}

static void put_edges(FILE *out, const struct profile_function *f)
{
    static const char *const kinds[] = {
        [EDGE_FLOW] = "flow", [EDGE_EXIT] = "exit", [EDGE_ENTRY] = "entry", [EDGE_VIRTUAL] = "exit"};
    const struct graph *g = &f->map.graph;
    fputs(",\"edges\":[", out);
    for (uint32_t e = 0; e < g->edge_count; e++) {
        fprintf(out, "%s{\"id\":%" PRIu32, e ? "," : "", e);
        put_end(out, ",\"from\":", g, g->edges[e].from);
        put_end(out, ",\"to\":", g, g->edges[e].to);
        fputs(",\"count\":", out);
        json_put_count(out, f->edge_counts, f->edge_counts ? f->edge_counts[e] : -1);
        fprintf(out, ",\"kind\":\"%s\"%s}", kinds[g->edges[e].kind],
                g->edges[e].kind == EDGE_VIRTUAL ? ",\"virtual\":true" : "");
    }
    putc(']', out);
}

/* Writes where activations were left for ever, or resumed, in the middle of blocks. A dead end is
 * left by its virtual edge. */
static void put_frames(FILE *out, const struct profile_function *f)
{
    bool first = true;
    fputs(",\"frames\":[", out);
    for (size_t i = 0; i < f->frames.count; i++) {
        const struct profile_frame *frame = &f->frames.items[i];
        const struct map_block *block = &f->map.blocks[frame->block];
        int64_t left = profile_is_dead_end(&f->map.graph, frame->block) ? 0 : frame->cuts;
        if (!left && !frame->resumes)
            continue;
        fprintf(out, "%s{\"block\":%" PRIu32 ",\"calls\":%" PRIu32, first ? "" : ",", frame->block,
                frame->call);
        const struct map_line *line = frame->lines ? &block->lines[frame->lines - 1] : NULL;
        json_put_member(out, ",\"file\":", line ? f->map.files[line->file] : NULL);
        fputs(",\"line\":", out);
        json_put_count(out, line != NULL, line ? line->line : 0);
        fputs(",\"left\":", out);
        json_put_count(out, true, left);
        fputs(",\"resumed\":", out);
        json_put_count(out, true, frame->resumes);
        putc('}', out);
        first = false;
    }
    putc(']', out);
}

/* Writes the paths that never ran and differ from this one at one branch. */
static void put_neighbours(FILE *out, struct paths *paths, const struct profile_function *f, uint64_t id)
{
    size_t count;
    struct path_neighbour *list = path_neighbours(paths, f->path_counts, id, &count);
    fputs(",\"neighbours\":[", out);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%s{\"id\":%" PRIu64 ",\"at\":%" PRIu32 ",\"to\":", i ? "," : "", list[i].id,
                list[i].at);
        json_put_count(out, list[i].to != GRAPH_NONE, list[i].to);
        putc('}', out);
    }
    putc(']', out);
    free(list);
}

static void put_path(FILE *out, const struct map_function *f, const struct path_shown *path, int64_t count)
{
    json_put_count(out, true, count);
    fprintf(out, ",\"finished\":%s,\"from_entry\":%s,\"next\":", json_truth(!path->unfinished),
            json_truth(path->from_entry));
    json_put_count(out, path->next != GRAPH_NONE, path->next);
    fputs(",\"blocks\":[", out);
    for (uint32_t i = 0; i < path->block_count; i++)
        fprintf(out, "%s%" PRIu32, i ? "," : "", path->blocks[i]);
    fputs("],\"lines\":[", out);
    size_t line_count;
    struct map_line *lines = path_lines(f, path, &line_count);
    for (size_t i = 0; i < line_count; i++)
        fprintf(out, "%s%" PRIu32, i ? "," : "", lines[i].line);
    free(lines);
    putc(']', out);
}

/* Writes the paths that were cut short, after the others, and how many went ways that are not
 * known. */
static void put_cut_paths(FILE *out, struct paths *paths, const struct profile_function *f, bool first)
{
    struct cut_paths cut;
    cut_paths_init(&cut, paths, f);
    for (size_t i = 0; i < cut.ways.count; i++) {
        struct path_shown path = cut_path_show(&cut.ways.items[i]);
        fprintf(out, "%s{\"id\":null,\"count\":", first ? "" : ",");
        put_path(out, &f->map, &path, cut.ways.items[i].count);
        putc('}', out);
        first = false;
    }
    fputs("],\"paths_unknown\":[", out);
    for (size_t i = 0; i < cut.unknown.count; i++)
        fprintf(out, "%s{\"block\":%" PRIu32 ",\"count\":%" PRId64 "}", i ? "," : "",
                cut.unknown.items[i].block, cut.unknown.items[i].count);
    putc(']', out);
    cut_paths_release(&cut);
}

/* Writes the paths that ran to their end, by id, then the others. */
static void put_paths(FILE *out, const struct profile_function *f, bool neighbours)
{
    struct paths paths;
    bool first = true;
    if (!paths_init(&paths, &f->map))
        return;
    const struct plan *plan = map_path_plan(&f->map);
    fprintf(out, ",\"path_total\":%" PRIu64 ",\"paths_watched\":%" PRIu64 ",\"path_numbering\":",
            paths.numbers.total, paths.watched);
    put_text(out, plan->choice ? path_code_names[plan->choice->kind] : "all");
    fputs(",\"paths_cut_at\":[", out);
    for (uint32_t i = 0; i < plan->probe_count; i++)
        fprintf(out, "%s%" PRIu32, i ? "," : "", plan->probes[i].id);
    fputs("],\"paths\":[", out);
    for (uint64_t id = 0; id < paths.numbers.total; id++) {
        if (!f->path_counts[id])
            continue;
        struct path_shown path = paths_show(&paths, id);
        fprintf(out, "%s{\"id\":%" PRIu64 ",\"count\":", first ? "" : ",", id);
        put_path(out, &f->map, &path, f->path_counts[id]);
        if (neighbours)
            put_neighbours(out, &paths, f, id);
        putc('}', out);
        first = false;
    }
    put_cut_paths(out, &paths, f, first);
    paths_release(&paths);
}

static void put_reason(FILE *out, const char *before, const struct report *r, const char *reason)
{
    char *text = reason ? report_reason(r, reason) : NULL;
    json_put_member(out, before, text);
    free(text);
}

static void put_function(FILE *out, const struct report *r, size_t i)
{
    const struct profile_function *f = &r->view.functions.items[i];
    const struct report_function *shown = &r->functions[i];
    json_put_member(out, "{\"name\":", shown->name);
    json_put_member(out, ",\"linkage_name\":", f->map.name);
    fprintf(out, ",\"module\":%" PRIu32, f->module);
    json_put_member(out, ",\"file\":", *shown->file ? shown->file : NULL);
    if (f->map.line)
        fprintf(out, ",\"line\":%" PRIu32, f->map.line);
    else
        fputs(",\"line\":null", out);
    fprintf(out, ",\"exact\":%s", json_truth(f->counted && f->exact));
    put_reason(out, ",\"why\":", r, f->counted || f->why ? f->why : f->map.why_uncounted);
    fputs(",\"max_error\":", out);
    json_put_count(out, f->counted, f->exact ? 0 : f->max_error);
    fputs(",\"entries\":", out);
    json_put_count(out, f->counted, f->entries);
    if (f->least) {
        fputs(",\"entries_at_least\":", out);
        json_put_count(out, true, shown->entries_least);
    }
    int64_t unfinished, resumed;
    profile_function_frames(f, &unfinished, &resumed);
    fputs(",\"unfinished\":", out);
    json_put_count(out, f->counted, unfinished);
    fputs(",\"resumed\":", out);
    json_put_count(out, f->counted, resumed);
    fprintf(out, ",\"probes\":%" PRIu32, map_function_counters(&f->map));
    put_blocks(out, f);
    put_edges(out, f);
    put_frames(out, f);
    if (f->path_counts)
        put_paths(out, f, r->options->neighbours);
    putc('}', out);
}

static void put_branch(FILE *out, const struct report_branch *b, bool more)
{
    char name[MAP_WAY_TEXT];
    fprintf(out, "%s{\"line\":%" PRIu32 ",\"column\":", more ? "," : "", b->line);
    json_put_count(out, b->column > 0, b->column);
    fputs(",\"ways\":[", out);
    for (uint32_t i = 0; i < b->way_count; i++) {
        json_put_member(out,
                        i ? ",{\"name\":" : "{\"name\":", b->names ? map_way_text(&b->names[i], name) : NULL);
        fputs(",\"count\":", out);
        json_put_count(out, true, b->ways[i]);
        putc('}', out);
    }
    fputs("]}", out);
}

static void put_file(FILE *out, const struct report_file *file)
{
    json_put_member(out, "{\"file\":", file->lines->file);
    fputs(",\"lines\":[", out);
    for (size_t i = 0; i < file->lines->lines.count; i++) {
        const struct line_count *line = &file->lines->lines.items[i];
        fprintf(out, "%s{\"line\":%" PRIu32 ",\"count\":", i ? "," : "", line->line);
        json_put_count(out, true, line->count);
        fprintf(out, ",\"exact\":%s", json_truth(line->exact));
        if (!line->exact)
            put_least(out, line->count, line->least, line->may_have_run);
        putc('}', out);
    }
    fputs("],\"branches\":[", out);
    for (size_t i = 0; i < file->branches.count; i++)
        put_branch(out, &file->branches.items[i], i > 0);
    fputs("]}", out);
}

static void put_inexact_files(FILE *out, const struct report *r)
{
    const struct profile_files *files = &r->whole->inexact_files;
    fprintf(out, "],\n\"inexact_file_count\":%" PRIu64 ",\"inexact_files\":[", files->all);
    for (size_t i = 0; i < files->count; i++) {
        json_put_member(out, i ? ",\n{\"file\":" : "\n{\"file\":", files->items[i].path);
        fputs(",\"pid\":", out);
        json_put_count(out, files->items[i].pid != 0, (int64_t)files->items[i].pid);
        put_reason(out, ",\"why\":", r, files->items[i].why);
        putc('}', out);
    }
}

void report_write_json(const struct report *r, FILE *out)
{
    const struct profile *p = &r->view;
    fprintf(out, "{\"format\":\"cotree-profile\",\"version\":%d", JSON_VERSION);
    json_put_member(out, ",\n\"program\":", p->program);
    json_put_member(out, ",\"build_id\":", p->build_id && *p->build_id ? p->build_id : NULL);
    fputs(",\n\"modules\":[", out);
    for (size_t i = 0; i < p->modules.count; i++) {
        const struct profile_module *m = &p->modules.items[i];
        json_put_member(out, i ? ",\n{\"path\":" : "\n{\"path\":", m->path);
        json_put_member(out, ",\"build_id\":", m->build_id && *m->build_id ? m->build_id : NULL);
        putc('}', out);
    }
    json_put_member(out, "],\n\"mode\":", p->mode);
    fprintf(out, ",\"runs\":%" PRIu64 ",\"exact\":%s,\"why_not_exact\":[", p->runs, json_truth(p->exact));
    for (size_t i = 0; i < p->reasons.count; i++)
        put_reason(out, i ? "," : "", r, p->reasons.items[i]);
    put_inexact_files(out, r);
    fprintf(out,
            "],\n\"lines_left_out\":{\"unchanged\":%s,\"by_markers\":%" PRIu64 ",\"by_exclude_file\":%" PRIu64
            "}",
            json_truth(r->options->line_choice && r->options->line_choice->changes), r->totals.lines_marked,
            r->totals.lines_excluded);
    fputs(",\n\"functions\":[", out);
    for (size_t i = 0; i < p->functions.count && !ferror(out); i++) {
        fputs(i ? ",\n" : "\n", out);
        put_function(out, r, i);
    }
    fputs("],\n\"files\":[", out);
    for (size_t i = 0; i < r->files.count && !ferror(out); i++) {
        fputs(i ? ",\n" : "\n", out);
        put_file(out, &r->files.items[i]);
    }
    fputs("]}\n", out);
}
