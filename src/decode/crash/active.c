#include "decode/crash/active.h"

enum active *active_new(const struct graph *g)
{
    return ZALLOC(enum active, g->vertex_count);
}

static void raise_to(enum active *active, enum active to)
{
    *active = *active < to ? to : *active;
}

void active_add_all(enum active *active, const struct graph *g)
{
    for (uint32_t b = 0; b < graph_exit(g); b++)
        raise_to(&active[b], ACTIVE_MAYBE);
}

/* All blocks of a region and of those inside it. */
static void add_region(enum active *active, const struct crash_regions *r, uint32_t region)
{
    for (uint32_t b = 0; b < graph_exit(r->graph); b++)
        for (uint32_t in = r->innermost[b]; in != GRAPH_NONE; in = r->parent[in])
            if (in == region)
                raise_to(&active[b], ACTIVE_MAYBE);
}

void active_add_ways(enum active *active, const struct crash_regions *r, const struct crash_ways *ways)
{
    uint32_t blocks = graph_exit(r->graph);
    for (size_t i = 0; i < ways->nodes.count; i++) {
        uint32_t node = ways->nodes.items[i];
        if (node < blocks)
            raise_to(&active[node], ACTIVE_MAYBE);
        else if (node != blocks)
            add_region(active, r, node - r->graph->vertex_count);
    }
    for (size_t i = 0; i < ways->stops.count; i++) {
        const struct crash_stop *stop = &ways->stops.items[i];
        if (stop->node < blocks)
            raise_to(&active[stop->node], ACTIVE_CERTAIN);
        else if (stop->node != blocks && stop->step != GRAPH_NONE)
            raise_to(&active[r->graph->edges[stop->step].to], ACTIVE_CERTAIN);
    }
}

static int by_line(const void *left, const void *right)
{
    const struct active_line *a = left, *b = right;
    if (a->file != b->file)
        return a->file < b->file ? -1 : 1;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    return (a->active < b->active) - (a->active > b->active);
}

void active_lines(struct active_lines *to, const struct map_function *f, const enum active *active,
                  uint32_t block, uint32_t lines)
{
    to->count = 0;
    for (uint32_t b = 0; b < graph_exit(&f->graph); b++)
        for (uint32_t i = 0; i < f->blocks[b].line_count; i++) {
            const struct map_line *line = &f->blocks[b].lines[i];
            bool later = b == block && i >= lines; /* in an earlier round, perhaps */
            ARRAY_PUSH(to, ((struct active_line){.file = line->file,
                                                 .line = line->line,
                                                 .active = later && active[b] ? ACTIVE_MAYBE : active[b]}));
        }
    if (to->count)
        qsort(to->items, to->count, sizeof *to->items, by_line);
    size_t kept = 0;
    for (size_t i = 0; i < to->count; i++)
        if (!kept || to->items[i].file != to->items[kept - 1].file ||
            to->items[i].line != to->items[kept - 1].line)
            to->items[kept++] = to->items[i];
    to->count = kept;
}
