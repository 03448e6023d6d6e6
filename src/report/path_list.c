/* Which paths ran, and how much of all they are. */
#include "report/path_list.h"
#include "report/block_place.h"

#include <inttypes.h>

const unsigned path_parts[PATH_PARTS] = {50, 90, 99};

bool report_has_paths(const struct report *r)
{
    for (size_t i = 0; i < r->view.functions.count; i++)
        if (r->view.functions.items[i].path_counts)
            return true;
    return false;
}

static int by_place(const struct hot_path *a, const struct hot_path *b)
{
    if (a->function != b->function)
        return a->function < b->function ? -1 : 1;
    return a->id < b->id ? -1 : a->id > b->id;
}

static int by_weight(const void *left, const void *right)
{
    const struct hot_path *a = left, *b = right;
    if (path_weight(a) != path_weight(b))
        return path_weight(a) > path_weight(b) ? -1 : 1;
    return by_place(a, b);
}

static int by_count(const void *left, const void *right)
{
    const struct hot_path *a = left, *b = right;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return by_place(a, b);
}

/* Returns how many of the first paths make `part` per cent of the whole. */
static size_t paths_for(const struct hot_path *items, size_t count, bool weighted, uint64_t whole,
                        unsigned part)
{
    uint64_t sum = 0;
    size_t i = 0;
    while (i < count && (long double)sum * 100 < (long double)whole * part) {
        sum += weighted ? path_weight(&items[i]) : (uint64_t)items[i].count;
        i++;
    }
    return i;
}

/* Sorts the paths by count, then by weight. */
static void add_parts(struct path_sums *sums, struct hot_path *items, size_t count)
{
    if (!count)
        return;
    qsort(items, count, sizeof *items, by_count);
    for (size_t i = 0; i < PATH_PARTS; i++)
        sums->for_executions[i] = paths_for(items, count, false, sums->executions, path_parts[i]);
    qsort(items, count, sizeof *items, by_weight);
    for (size_t i = 0; i < PATH_PARTS; i++)
        sums->for_blocks[i] = paths_for(items, count, true, sums->blocks, path_parts[i]);
}

static void add_function(struct path_list *list, const struct profile_function *f, uint32_t index)
{
    struct paths paths;
    struct path_sums *sums = &list->of_function[index];
    size_t first = list->count;
    if (!f->path_counts || !paths_init(&paths, &f->map))
        return;
    sums->total = paths.numbers.total;
    sums->watched = paths.watched;
    for (uint64_t id = 0; id < paths.numbers.total; id++) {
        if (f->path_counts[id] <= 0)
            continue;
        struct hot_path *path = ARRAY_ADD(list);
        *path = (struct hot_path){.function = index,
                                  .id = (uint32_t)id,
                                  .blocks = paths_show(&paths, id).block_count,
                                  .count = f->path_counts[id]};
        sums->ran++;
        sums->executions += (uint64_t)path->count;
        sums->blocks += path_weight(path);
    }
    struct cut_paths *cut = &list->cut[index];
    cut_paths_init(cut, &paths, f);
    for (size_t i = 0; i < cut->ways.count; i++)
        sums->unfinished += (uint64_t)cut->ways.items[i].count;
    for (size_t i = 0; i < cut->unknown.count; i++)
        sums->unknown += (uint64_t)cut->unknown.items[i].count;
    if (sums->ran)
        add_parts(sums, list->items + first, list->count - first);
    list->sums.total += sums->total;
    list->sums.watched += sums->watched;
    list->sums.ran += sums->ran;
    list->sums.executions += sums->executions;
    list->sums.blocks += sums->blocks;
    list->sums.unfinished += sums->unfinished;
    list->sums.unknown += sums->unknown;
    list->functions++;
    list->functions_run += sums->ran > 0;
    paths_release(&paths);
}

void path_list_init(struct path_list *list, const struct report *r)
{
    *list = (struct path_list){.of_function = ZALLOC(struct path_sums, r->view.functions.count + 1),
                               .cut = ZALLOC(struct cut_paths, r->view.functions.count + 1),
                               .function_count = r->view.functions.count};
    for (size_t i = 0; i < r->view.functions.count; i++)
        add_function(list, &r->view.functions.items[i], (uint32_t)i);
    add_parts(&list->sums, list->items, list->count);
}

void path_list_release(struct path_list *list)
{
    free(list->items);
    free(list->of_function);
    for (size_t i = 0; i < list->function_count; i++)
        cut_paths_release(&list->cut[i]);
    free(list->cut);
    *list = (struct path_list){0};
}

double report_path_coverage(const struct report *r)
{
    struct path_list list;
    path_list_init(&list, r);
    double percent = list.sums.watched ? 100 * (double)list.sums.ran / (double)list.sums.watched : 100;
    path_list_release(&list);
    return percent;
}

struct map_line *path_lines(const struct map_function *f, const struct path_shown *path, size_t *count)
{
    struct ARRAY_OF(struct map_line) lines = {0};
    for (uint32_t i = 0; i < path->block_count; i++) {
        const struct map_block *block = &f->blocks[path->blocks[i]];
        bool cut = path->unfinished && i + 1 == path->block_count;
        for (uint32_t k = 0; k < block->line_count && (!cut || k < path->last_lines); k++) {
            const struct map_line *line = &block->lines[k];
            if (!lines.count || lines.items[lines.count - 1].line != line->line ||
                lines.items[lines.count - 1].file != line->file)
                ARRAY_PUSH(&lines, *line);
        }
    }
    *count = lines.count;
    return lines.items;
}

void path_put_block(FILE *out, const struct map_function *f, uint32_t block)
{
    struct map_line place = block_place(f, block);
    if (place.line)
        fprintf(out, "line %" PRIu32, place.line);
    else
        fprintf(out, "block %" PRIu32, block);
}

/* Writes "line 12": where an unfinished path was left. */
static void put_left(FILE *out, const struct map_function *f, const struct path_shown *path)
{
    uint32_t last = path->blocks[path->block_count - 1];
    const struct map_block *block = &f->blocks[last];
    uint32_t begun = path->last_lines < block->line_count ? path->last_lines : block->line_count;
    if (begun)
        fprintf(out, "line %" PRIu32, block->lines[begun - 1].line);
    else
        path_put_block(out, f, last);
}

void path_put_ends(FILE *out, const struct map_function *f, const struct path_shown *path)
{
    fputs("from ", out);
    if (path->from_entry || !path->block_count)
        fputs("its entry", out);
    else
        path_put_block(out, f, path->blocks[0]);
    fputs(" to ", out);
    if (path->unfinished)
        put_left(out, f, path);
    else if (path->next == GRAPH_NONE)
        fputs("its end", out);
    else
        path_put_block(out, f, path->next);
}

/*
 * Sums of values along the shortest way from each vertex back to the path (on_path; from there the
 * path's own rest), into rest. A vertex that leads back to no block of the path goes on to EXIT by
 * the shortest way. The graph is acyclic: from its end, each vertex takes the best of its out-arcs.
 */
static void shortest_rests(const struct path_graph *g, const struct path_numbering *n,
                           const uint64_t *own_rest, const bool *on_path, uint64_t *rest, bool *joins)
{
    uint32_t exit = graph_exit(&g->arcs);
    uint32_t *steps = ZALLOC(uint32_t, g->arcs.vertex_count);
    rest[exit] = 0;
    joins[exit] = false;
    for (uint32_t i = g->block_count; i-- > 0;) {
        uint32_t v = g->order[i], best = GRAPH_NONE;
        if (on_path[v]) {
            rest[v] = own_rest[v];
            joins[v] = true;
            steps[v] = 0;
            continue;
        }
        for (uint32_t k = g->adjacency.out_start[v]; k < g->adjacency.out_start[v + 1]; k++) {
            uint32_t a = g->adjacency.out[k], to = g->arcs.edges[a].to;
            uint32_t chosen = best == GRAPH_NONE ? GRAPH_NONE : g->arcs.edges[best].to;
            if (best == GRAPH_NONE || joins[to] > joins[chosen] ||
                (joins[to] == joins[chosen] && steps[to] < steps[chosen]))
                best = a;
        }
        if (best == GRAPH_NONE)
            continue;
        uint32_t to = g->arcs.edges[best].to;
        rest[v] = n->value[best] + rest[to];
        joins[v] = joins[to];
        steps[v] = steps[to] + 1;
    }
    free(steps);
}

struct path_neighbour *path_neighbours(struct paths *p, const int64_t *path_counts, uint64_t id,
                                       size_t *count)
{
    const struct path_graph *g = &p->graph;
    struct ARRAY_OF(struct path_neighbour) found = {0};
    uint32_t vertices = g->arcs.vertex_count, exit = graph_exit(&g->arcs);
    uint64_t *own_rest = ZALLOC(uint64_t, vertices), *rest = ZALLOC(uint64_t, vertices);
    bool *on_path = ZALLOC(bool, vertices), *joins = ZALLOC(bool, vertices);
    uint32_t length = path_decode(g, &p->numbers, id, p->arcs);
    uint64_t left = id, before = 0;
    for (uint32_t i = 0; i + 1 < length; i++) {
        uint32_t to = g->arcs.edges[p->arcs[i]].to;
        left -= p->numbers.value[p->arcs[i]];
        own_rest[to] = left;
        on_path[to] = true;
    }
    shortest_rests(g, &p->numbers, own_rest, on_path, rest, joins);
    for (uint32_t i = 1; i < length; i++) {
        uint32_t own = p->arcs[i], v = g->arcs.edges[own].from;
        before += p->numbers.value[p->arcs[i - 1]];
        for (uint32_t k = g->adjacency.out_start[v]; k < g->adjacency.out_start[v + 1]; k++) {
            uint32_t a = g->adjacency.out[k], to = g->arcs.edges[a].to;
            uint64_t other = before + p->numbers.value[a] + rest[to];
            if (a == own || other >= p->numbers.total || path_counts[other] || !paths_watches(p, other))
                continue;
            /* a cut edge ends the path on the way to its target */
            uint32_t e = g->arc_edge[a], instead = g->arc_edge[own];
            uint32_t goes = e == GRAPH_NONE ? to : p->f->graph.edges[e].to;
            uint32_t went = instead == GRAPH_NONE ? exit : p->f->graph.edges[instead].to;
            ARRAY_PUSH(&found, ((struct path_neighbour){.id = other,
                                                        .at = v,
                                                        .instead = went == exit ? GRAPH_NONE : went,
                                                        .to = goes == exit ? GRAPH_NONE : goes}));
        }
    }
    free(own_rest);
    free(rest);
    free(on_path);
    free(joins);
    *count = found.count;
    return found.items;
}
