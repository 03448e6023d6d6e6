/*
 * A core as one HTML page that needs nothing but a browser (report/html.h). The index has
 *     kind: "crash"
 *     crash: what --format=json writes, deep stacks folded (crash_json.c)
 *     sources: [[path, state, why it is missing, island of its text]]
 *     graphs: by key, of the functions on the stacks,
 *         {file, line, last: the last line, e: [from, to, kind, ...], l: [[lines of each block]]}
 *         with lines of `file` only; exit and entry are numbered after the blocks; kinds: 0 flow, 1 exit,
 *         2 entry, 3 where control stays for ever
 */
#include "base/hash.h"
#include "report/crash.h"
#include "report/html.h"

#include <inttypes.h>

static const char *main_file(const struct map_function *f)
{
    return f->file_count ? f->files[0] : "";
}

static void add_edges(struct buffer *b, const struct graph *g)
{
    static const int kinds[] = {[EDGE_FLOW] = 0, [EDGE_EXIT] = 1, [EDGE_ENTRY] = 2, [EDGE_VIRTUAL] = 3};
    buffer_add_text(b, ",\"e\":[");
    for (uint32_t e = 0; e < g->edge_count; e++) {
        const struct edge *edge = &g->edges[e];
        buffer_addf(b, "%s%" PRIu32 ",%" PRIu32 ",%d", e ? "," : "",
                    edge->kind == EDGE_ENTRY ? g->vertex_count : edge->from, edge->to, kinds[edge->kind]);
    }
    buffer_add_text(b, "]");
}

static void add_graph(struct buffer *b, const struct map_function *f)
{
    uint32_t last = f->line;
    add_edges(b, &f->graph);
    buffer_add_text(b, ",\"l\":[");
    for (uint32_t v = 0; v < graph_exit(&f->graph); v++) {
        bool any = false;
        buffer_add_text(b, v ? ",[" : "[");
        for (uint32_t i = 0; i < f->blocks[v].line_count; i++) {
            const struct map_line *line = &f->blocks[v].lines[i];
            if (line->file)
                continue;
            buffer_addf(b, any ? ",%" PRIu32 : "%" PRIu32, line->line);
            any = true;
            last = line->line > last ? line->line : last;
        }
        buffer_add_text(b, "]");
    }
    buffer_addf(b, "],\"line\":%" PRIu32 ",\"last\":%" PRIu32, f->line, last);
}

struct page {
    struct buffer index, sources;
    struct islands islands;
    struct hash_map functions, files; /* keys; hashes of names */
    const char *program;
    const struct source_maps *source_maps;
};

static void add_source(struct page *p, const char *file)
{
    bool added;
    hash_map_put(&p->files, hash_text(file), &added);
    if (!added)
        return;
    char *path = source_maps_apply(p->source_maps, file);
    struct html_source_island source = html_add_file(&p->islands, path, p->program);
    free(path);
    buffer_add_text(&p->sources, p->sources.length ? ",[" : "[");
    html_add_text(&p->sources, file);
    buffer_addf(&p->sources, ",%d,", source.state);
    html_add_text(&p->sources, source.reason);
    buffer_addf(&p->sources, ",%" PRIu32 "]", source.island);
    free(source.path);
}

static void add_function(struct page *p, const struct history *h)
{
    bool added = false;
    if (h->f)
        hash_map_put(&p->functions, h->f->map.key, &added);
    if (!added)
        return;
    buffer_addf(&p->index, "%s\n\"%016" PRIx64 "\":{\"file\":", p->functions.count > 1 ? "," : "",
                h->f->map.key);
    html_add_text(&p->index, main_file(&h->f->map));
    add_graph(&p->index, &h->f->map);
    buffer_add_text(&p->index, "}");
    add_source(p, main_file(&h->f->map));
}

static void put_head(FILE *out, const void *context)
{
    const struct crash *c = context;
    char *cause = crash_signal_text(&c->core);
    const struct history *h = crash_failing(c);
    fputs("<h1>", out);
    html_put_text(out, cause);
    fputs("</h1>\n", out);
    free(cause);
    if (h) {
        char *name = crash_function_name(h, false);
        const struct map_line *line = history_line(h);
        fputs("<p class=\"facts\">in <b>", out);
        html_put_text(out, name);
        fputs("</b> at ", out);
        html_put_text(out, h->f->map.files[line->file]);
        fprintf(out, ":%" PRIu32 "</p>\n", line->line);
        free(name);
    }
    for (size_t i = 0; i < c->core.problems.count; i++) {
        fputs("<p class=\"facts\">", out);
        html_put_text(out, c->core.problems.items[i]);
        fputs("</p>\n", out);
    }
}

static void add_crash(struct buffer *index, const struct crash *c, bool all_frames)
{
    char *text = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&text, &length);
    if (!memory)
        abort();
    (all_frames ? report_crash_json : report_crash_json_folded)(c, memory);
    fclose(memory);
    buffer_add(index, text, length);
    free(text);
}

void report_crash_html(const struct crash *c, const char *program, const struct crash_view *view, FILE *out)
{
    struct page p = {.islands = {.count = 1}, .program = program, .source_maps = view->source_maps};
    buffer_add_text(&p.index, "{\"kind\":\"crash\",\"graphs\":{");
    for (size_t t = 0; t < c->threads.count; t++)
        for (size_t i = 0; i < c->threads.items[t].frames.count; i++) {
            const struct frame_history *f = &c->threads.items[t].frames.items[i];
            for (size_t k = 0; k < f->activations.count; k++)
                add_function(&p, &f->activations.items[k]);
        }
    buffer_add_text(&p.index, "},\"sources\":[");
    buffer_add(&p.index, p.sources.data, p.sources.length);
    buffer_add_text(&p.index, "],\"crash\":");
    add_crash(&p.index, c, view->all_frames);
    buffer_add_text(&p.index, "}");
    char *title = crash_signal_text(&c->core);
    const struct html_page page = {
        .title = title, .put_head = put_head, .context = c, .index = &p.index, .islands = &p.islands};
    html_put_page(out, &page);
    free(title);
    islands_release(&p.islands);
    buffer_release(&p.index);
    buffer_release(&p.sources);
    hash_map_release(&p.functions);
    hash_map_release(&p.files);
}
