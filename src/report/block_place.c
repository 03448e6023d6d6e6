#include "report/block_place.h"
#include "base/memory.h"

/* For each block the other block that its only way leads to, or GRAPH_NONE. */
static uint32_t *only_ways(const struct graph *g)
{
    uint32_t *next = ALLOC(uint32_t, g->vertex_count), *ways = ZALLOC(uint32_t, g->vertex_count);
    for (uint32_t e = 0; e < g->edge_count; e++) {
        const struct edge *edge = &g->edges[e];
        if (edge->kind == EDGE_VIRTUAL)
            continue;
        next[edge->from] = edge->kind == EDGE_FLOW ? edge->to : GRAPH_NONE;
        ways[edge->from]++;
    }
    for (uint32_t v = 0; v < g->vertex_count; v++)
        if (ways[v] != 1)
            next[v] = GRAPH_NONE;
    free(ways);
    return next;
}

struct map_line *block_places(const struct map_function *f)
{
    uint32_t blocks = graph_exit(&f->graph), *next = only_ways(&f->graph);
    struct map_line *places = ZALLOC(struct map_line, f->graph.vertex_count);
    bool *settled = ZALLOC(bool, f->graph.vertex_count);
    for (uint32_t b = 0; b < blocks; b++)
        if (f->blocks[b].line_count) {
            places[b] = f->blocks[b].lines[0];
            settled[b] = true;
        }
    for (uint32_t b = 0; b < blocks; b++) {
        uint32_t end = b;
        for (; !settled[end] && next[end] != GRAPH_NONE; end = next[end])
            settled[end] = true; /* so that a circle ends, too: it is shown nowhere */
        for (uint32_t at = b; at != end; at = next[at])
            places[at] = places[end];
    }
    free(settled);
    free(next);
    return places;
}

struct map_line block_place(const struct map_function *f, uint32_t block)
{
    if (f->blocks[block].line_count)
        return f->blocks[block].lines[0];
    struct map_line *places = block_places(f), place = places[block];
    free(places);
    return place;
}
