/*
 * Islands of functions: their graphs, the lines and counts of their blocks, their paths. Several
 * functions share an island, so that opening one unpacks little, and small ones compress well.
 *
 * The index gets "graphs": for each function [island, place in it]. An island is an array of
 *     c: [count of each block]; l: [[lines of each block; -(file + 1), line: of another file]]
 *     e: [from less that of the edge before, to less from, count, ...]
 *     s: [edges on which an activation stays for ever]
 *     a: [edge less the one before, its counter (-2: paths are counted here), ...]
 *     v: [[block, counter]]
 *     u: [[block, activations left there for ever, resumed there]]
 * and where paths are counted
 *     t: number of paths that exist; k: of those that are watched
 *     p: [[id, count, whether from entry, next block or -1, blocks...]], heaviest first
 *     m: for each of the first paths, of those one branch away that never ran
 *        [block of the branch, where the other one goes, ...]
 *     q: of paths that did not end
 *        [[count, whether from entry, [lines of the last block that had begun], blocks...]]
 *     z: [block, how many more were left there by ways that are not known, ...]
 * where blocks, exit (also: the end of a path) and entry are numbered in that order.
 */
#include "report/html.h"
#include "base/hash.h"
#include "report/path_list.h"

enum { ISLAND = 128 * 1024, NEIGHBOURS = 50 }; /* of so many paths of a function */

static void add_list(struct buffer *b, const char *before, size_t i)
{
    buffer_add_text(b, i ? "," : before);
}

static void add_counts(struct buffer *b, const struct profile_function *f)
{
    for (uint32_t v = 0; v + 1 < f->map.graph.vertex_count; v++) {
        add_list(b, "{\"c\":[", v);
        html_add_count(b, shown_block_count(f, v));
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

/* Finds the edges with which paths end, where their counters are. NULL when paths are not
 * counted. */
static bool *path_ends(const struct map_function *f)
{
    const struct plan *plan = map_path_plan(f);
    if (!plan)
        return NULL;
    bool *ends = ZALLOC(bool, (size_t)f->graph.edge_count + 1);
    for (uint32_t i = 0; i < plan->probe_count; i++)
        ends[plan->probes[i].id] = true;
    for (uint32_t e = 0; e < f->graph.edge_count; e++)
        ends[e] |= f->graph.edges[e].kind == EDGE_EXIT;
    return ends;
}

static void add_edges(struct buffer *b, const struct profile_function *f)
{
    const struct graph *g = &f->map.graph;
    struct graph_counters c = graph_counters_of(&f->map, 0);
    bool *ends = path_ends(&f->map);
    int64_t before = 0;
    buffer_add_text(b, ",\"e\":[");
    for (uint32_t e = 0; e < g->edge_count; e++) {
        const struct edge *edge = &g->edges[e];
        int64_t from = edge->kind == EDGE_ENTRY ? g->vertex_count : edge->from;
        add_list(b, "", e);
        html_add_number(b, from - before);
        buffer_add(b, ",", 1);
        html_add_number(b, (int64_t)edge->to - from);
        buffer_add(b, ",", 1);
        html_add_count(b, shown_edge_count(f, e));
        before = from;
    }
    buffer_add_text(b, "],\"s\":[");
    for (uint32_t e = 0, count = 0; e < g->edge_count; e++)
        if (g->edges[e].kind == EDGE_VIRTUAL) {
            add_list(b, "", count++);
            html_add_number(b, e);
        }
    buffer_add_text(b, "],\"a\":[");
    before = 0;
    for (uint32_t e = 0, count = 0; e < g->edge_count; e++)
        if (c.edge[e] != GRAPH_NO_COUNTER || (ends && ends[e])) {
            add_list(b, "", count++);
            html_add_number(b, e - before);
            buffer_add(b, ",", 1);
            html_add_number(b, c.edge[e] != GRAPH_NO_COUNTER ? (int64_t)c.edge[e] : -2);
            before = e;
        }
    buffer_add_text(b, "],\"v\":[");
    for (uint32_t v = 0, count = 0; v < g->vertex_count; v++)
        if (c.vertex[v] != GRAPH_NO_COUNTER) {
            buffer_add_text(b, count++ ? ",[" : "[");
            html_add_number(b, v);
            buffer_add(b, ",", 1);
            html_add_number(b, c.vertex[v]);
            buffer_add(b, "]", 1);
        }
    buffer_add_text(b, "]");
    graph_counters_release(&c);
    free(ends);
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

static void add_path(struct buffer *b, struct path_shown path, int64_t id, int64_t count)
{
    html_add_number(b, id);
    buffer_add(b, ",", 1);
    html_add_count(b, count);
    buffer_addf(b, ",%d,", path.from_entry);
    html_add_number(b, path.next == GRAPH_NONE ? -1 : (int64_t)path.next);
    for (uint32_t k = 0; k < path.block_count; k++) {
        buffer_add(b, ",", 1);
        html_add_number(b, path.blocks[k]);
    }
}

static void add_neighbours(struct buffer *b, struct paths *paths, const int64_t *counts, uint64_t id)
{
    size_t count;
    uint32_t exit = graph_exit(&paths->f->graph);
    struct path_neighbour *found = path_neighbours(paths, counts, id, &count);
    for (size_t i = 0; i < count; i++)
        buffer_addf(b, "%s%u,%u", i ? "," : "", found[i].at, found[i].to == GRAPH_NONE ? exit : found[i].to);
    free(found);
}

static void add_cut_paths(struct buffer *b, const struct map_function *f, const struct cut_paths *cut)
{
    buffer_add_text(b, ",\"q\":[");
    for (size_t i = 0; i < cut->ways.count; i++) {
        struct path_shown path = cut_path_show(&cut->ways.items[i]);
        const struct map_block *last = &f->blocks[path.blocks[path.block_count - 1]];
        buffer_add_text(b, i ? ",[" : "[");
        html_add_count(b, cut->ways.items[i].count);
        buffer_addf(b, ",%d,[", path.from_entry);
        bool any = false;
        for (uint32_t k = 0; k < path.last_lines && k < last->line_count; k++)
            if (last->lines[k].file == 0) {
                buffer_add(b, ",", any);
                html_add_number(b, last->lines[k].line);
                any = true;
            }
        buffer_add_text(b, "]");
        for (uint32_t k = 0; k < path.block_count; k++) {
            buffer_add(b, ",", 1);
            html_add_number(b, path.blocks[k]);
        }
        buffer_add_text(b, "]");
    }
    buffer_add_text(b, "],\"z\":[");
    for (size_t i = 0; i < cut->unknown.count; i++) {
        add_list(b, "", i);
        html_add_number(b, cut->unknown.items[i].block);
        buffer_add(b, ",", 1);
        html_add_count(b, cut->unknown.items[i].count);
    }
    buffer_add_text(b, "]");
}

/* ran: the function's paths that ran, heaviest first. */
static void add_paths(struct buffer *b, const struct profile_function *f, const struct path_sums *sums,
                      const struct hot_path *const *ran, const struct cut_paths *cut)
{
    struct paths paths;
    if (!f->path_counts || !paths_init(&paths, &f->map))
        return;
    buffer_addf(b, ",\"t\":%llu,\"k\":%llu", (unsigned long long)sums->total,
                (unsigned long long)sums->watched);
    buffer_add_text(b, ",\"p\":[");
    for (size_t i = 0; i < sums->ran; i++) {
        buffer_add_text(b, i ? ",[" : "[");
        add_path(b, paths_show(&paths, ran[i]->id), (int64_t)ran[i]->id, ran[i]->count);
        buffer_add(b, "]", 1);
    }
    buffer_add_text(b, "],\"m\":[");
    for (size_t i = 0; i < sums->ran && i < NEIGHBOURS; i++) {
        buffer_add_text(b, i ? ",[" : "[");
        add_neighbours(b, &paths, f->path_counts, ran[i]->id);
        buffer_add(b, "]", 1);
    }
    buffer_add_text(b, "]");
    add_cut_paths(b, &f->map, cut);
    paths_release(&paths);
}

/* Lists paths by function; those of function f begin at start[f]. */
static const struct hot_path **paths_by_function(const struct path_list *list, size_t functions,
                                                 size_t *start)
{
    const struct hot_path **paths = ALLOC(const struct hot_path *, list->count + 1);
    memset(start, 0, (functions + 2) * sizeof *start);
    for (size_t f = 0; f < functions; f++)
        start[f + 2] = start[f + 1] + list->of_function[f].ran;
    for (size_t i = 0; i < list->count; i++)
        paths[start[list->items[i].function + 1]++] = &list->items[i];
    return paths;
}

void html_add_graphs(struct buffer *index, struct islands *all, const struct report *r,
                     const struct hash_map *files, const struct path_list *paths)
{
    size_t functions = r->view.functions.count, *first = ALLOC(size_t, functions + 2);
    const struct hot_path **ran = paths_by_function(paths, functions, first);
    struct buffer island = {0};
    uint32_t place = 0;
    buffer_add_text(index, ",\"graphs\":[");
    for (size_t i = 0; i < r->view.functions.count; i++) {
        const struct profile_function *f = &r->view.functions.items[i];
        buffer_add_text(&island, place ? ",\n" : "[");
        add_counts(&island, f);
        add_lines(&island, &f->map, files);
        add_edges(&island, f);
        add_frames(&island, f);
        add_paths(&island, f, &paths->of_function[i], &ran[first[i]], &paths->cut[i]);
        buffer_add_text(&island, "}");
        buffer_add_text(index, i ? ",[" : "[");
        html_add_number(index, all->count);
        buffer_add(index, ",", 1);
        html_add_number(index, place++);
        buffer_add(index, "]", 1);
        if (island.length > ISLAND || i + 1 == r->view.functions.count) {
            buffer_add_text(&island, "]");
            islands_add(all, island.data, island.length);
            island.length = 0;
            place = 0;
        }
    }
    buffer_add_text(index, "]");
    buffer_release(&island);
    free(first);
    free(ran);
}
