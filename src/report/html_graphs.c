/*
 * Islands of functions: their graphs as drawn, the lines and counts of their blocks, their paths. Several
 * functions share an island, so that opening one unpacks little, and small ones compress well.
 *
 * The index gets "graphs": for each function [island, place in it]. An island is an array of
 *     {w, h: size of the drawing, n: [x, y of each block, of the exit, of the entry],
 *      c: [count of each block], l: [[lines of each block; -(file + 1), line: of another file]],
 *      e: [[from, to, kind, count, counter or -1, route...]], v: [[block, counter]],
 *      u: [[block, activations left there for ever, resumed there]],
 *      t: number of paths that exist, p: [[id, count, whether from entry, next block or -1, blocks...]]}
 * where blocks, exit and entry are numbered in that order, and routes are those of report/layout.h. Paths
 * that ran are there, those that make most of the work first.
 */
#include "report/html.h"
#include "report/layout.h"
#include "base/hash.h"
#include "decode/paths.h"

enum { ISLAND = 128 * 1024 };

static void add_list(struct buffer *b, const char *before, size_t i)
{
    buffer_add_text(b, i ? "," : before);
}

static void add_boxes(struct buffer *b, const struct profile_function *f, const struct layout *l)
{
    uint32_t blocks = f->map.graph.vertex_count - 1;
    buffer_addf(b, "{\"w\":%d,\"h\":%d", l->width, l->height);
    for (uint32_t v = 0; v < blocks + 2; v++) {
        add_list(b, ",\"n\":[", v);
        html_add_number(b, l->x[v]);
        buffer_add(b, ",", 1);
        html_add_number(b, l->y[v]);
    }
    buffer_add_text(b, "],\"c\":[");
    for (uint32_t v = 0; v < blocks; v++) {
        add_list(b, "", v);
        html_add_count(b, f->counted ? f->block_counts[v] : -1);
    }
    buffer_add_text(b, "]");
}

static void add_lines(struct buffer *b, const struct map_function *f, const struct hash_map *files)
{
    buffer_add_text(b, ",\"l\":[");
    for (uint32_t v = 0; v + 1 < f->graph.vertex_count; v++) {
        const struct map_block *block = &f->blocks[v];
        buffer_add_text(b, v ? ",[" : "[");
        bool any = false;
        for (uint32_t i = 0; i < block->line_count; i++) {
            const struct map_line *line = &block->lines[i];
            const uint64_t *other = line->file ? hash_map_get(files, hash_text(f->files[line->file])) : NULL;
            if (line->file && !other)
                continue; /* a file that was not asked for */
            if (any)
                buffer_add(b, ",", 1);
            any = true;
            if (other) {
                html_add_number(b, -(int64_t)*other - 1);
                buffer_add(b, ",", 1);
            }
            html_add_number(b, line->line);
        }
        buffer_add(b, "]", 1);
    }
    buffer_add_text(b, "]");
}

static void add_edges(struct buffer *b, const struct profile_function *f, const struct layout *l)
{
    const struct graph *g = &f->map.graph;
    struct graph_counters c = graph_counters_of(&f->map, 0);
    buffer_add_text(b, ",\"e\":[");
    for (uint32_t e = 0; e < g->edge_count; e++) {
        const struct edge *edge = &g->edges[e];
        buffer_add_text(b, e ? ",[" : "[");
        html_add_number(b, edge->kind == EDGE_ENTRY ? g->vertex_count : edge->from);
        buffer_add(b, ",", 1);
        html_add_number(b, edge->to);
        buffer_add(b, ",", 1);
        html_add_number(b, edge->kind);
        buffer_add(b, ",", 1);
        html_add_count(b, f->edge_counts ? f->edge_counts[e] : -1);
        buffer_add(b, ",", 1);
        html_add_number(b, c.edge[e] == GRAPH_NO_COUNTER ? -1 : (int64_t)c.edge[e]);
        for (uint32_t i = l->start[e]; i < l->start[e + 1]; i++) {
            buffer_add(b, ",", 1);
            html_add_number(b, l->points.items[i]);
        }
        buffer_add(b, "]", 1);
    }
    buffer_add_text(b, "],\"v\":[");
    for (uint32_t v = 0, count = 0; v < g->vertex_count; v++)
        if (c.vertex[v] != GRAPH_NO_COUNTER)
            buffer_addf(b, "%s[%u,%u]", count++ ? "," : "", v, c.vertex[v]);
    buffer_add_text(b, "]");
    graph_counters_release(&c);
}

static void add_frames(struct buffer *b, const struct profile_function *f)
{
    buffer_add_text(b, ",\"u\":[");
    for (size_t i = 0, count = 0; i < f->frames.count; i++) {
        const struct profile_frame *frame = &f->frames.items[i];
        int64_t left = profile_is_dead_end(&f->map.graph, frame->block) ? 0 : frame->cuts;
        if (!left && !frame->resumes)
            continue;
        buffer_addf(b, "%s[%u,", count++ ? "," : "", frame->block);
        html_add_count(b, left);
        buffer_add(b, ",", 1);
        html_add_count(b, frame->resumes);
        buffer_add(b, "]", 1);
    }
    buffer_add_text(b, "]");
}

struct path_place {
    uint64_t id, weight;
};

static int compare_weights(const void *left, const void *right)
{
    const struct path_place *a = left, *b = right;
    if (a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    return a->id < b->id ? -1 : a->id > b->id;
}

static void add_paths(struct buffer *b, const struct profile_function *f)
{
    struct paths paths;
    if (!f->path_counts || !paths_init(&paths, &f->map))
        return;
    struct ARRAY_OF(struct path_place) ran = {0};
    for (uint64_t id = 0; id < paths.numbers.total; id++)
        if (f->path_counts[id] > 0)
            ARRAY_PUSH(&ran, ((struct path_place){id, (uint64_t)f->path_counts[id] *
                                                          paths_show(&paths, id).block_count}));
    if (ran.count)
        qsort(ran.items, ran.count, sizeof *ran.items, compare_weights);
    buffer_addf(b, ",\"t\":%llu,\"p\":[", (unsigned long long)paths.numbers.total);
    for (size_t i = 0; i < ran.count; i++) {
        struct path_shown path = paths_show(&paths, ran.items[i].id);
        buffer_addf(b, "%s[%llu,", i ? "," : "", (unsigned long long)ran.items[i].id);
        html_add_count(b, f->path_counts[ran.items[i].id]);
        buffer_addf(b, ",%d,", path.from_entry);
        html_add_number(b, path.next == GRAPH_NONE ? -1 : (int64_t)path.next);
        for (uint32_t k = 0; k < path.block_count; k++) {
            buffer_add(b, ",", 1);
            html_add_number(b, path.blocks[k]);
        }
        buffer_add(b, "]", 1);
    }
    buffer_add_text(b, "]");
    ARRAY_RELEASE(&ran);
    paths_release(&paths);
}

void html_add_graphs(struct buffer *index, struct islands *all, const struct report *r,
                     const struct hash_map *files)
{
    struct buffer island = {0};
    uint32_t place = 0;
    buffer_add_text(index, ",\"graphs\":[");
    for (size_t i = 0; i < r->view.functions.count; i++) {
        const struct profile_function *f = &r->view.functions.items[i];
        struct layout layout;
        layout_init(&layout, &f->map.graph);
        buffer_add_text(&island, place ? ",\n" : "[");
        add_boxes(&island, f, &layout);
        add_lines(&island, &f->map, files);
        add_edges(&island, f, &layout);
        add_frames(&island, f);
        add_paths(&island, f);
        buffer_add_text(&island, "}");
        layout_release(&layout);
        buffer_addf(index, "%s[%u,%u]", i ? "," : "", all->count, place++);
        if (island.length > ISLAND || i + 1 == r->view.functions.count) {
            buffer_add_text(&island, "]");
            islands_add(all, island.data, island.length);
            island.length = 0;
            place = 0;
        }
    }
    buffer_add_text(index, "]");
    buffer_release(&island);
}
