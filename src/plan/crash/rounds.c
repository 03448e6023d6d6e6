#include "plan/crash/rounds.h"
#include "base/memory.h"

bool crash_begins_round(const struct crash_regions *r, uint32_t edge)
{
    uint32_t to = r->graph->edges[edge].to;
    return r->head[to] && r->innermost[to];
}

uint32_t crash_end_of_round(const struct crash_regions *r, uint32_t edge)
{
    const struct edge *e = &r->graph->edges[edge];
    return crash_begins_round(r, edge) ? crash_node_of(r, r->innermost[e->to], e->from) : GRAPH_NONE;
}

static void number(struct crash_rounds *rounds, const struct crash_regions *r,
                   const struct crash_numbering *n)
{
    uint64_t *all = ZALLOC(uint64_t, r->count);
    for (uint32_t e = 0; e < r->graph->edge_count; e++) {
        uint32_t node = crash_end_of_round(r, e);
        if (node != GRAPH_NONE)
            all[r->innermost[r->graph->edges[e].to]] += n->classes[node] > 1 ? n->classes[node] + 1 : 1;
    }
    for (uint32_t e = 0; e < r->graph->edge_count; e++) {
        uint32_t node = crash_end_of_round(r, e);
        if (node == GRAPH_NONE)
            continue;
        uint32_t region = r->innermost[r->graph->edges[e].to];
        bool told = n->classes[node] > 1 && all[region] <= CRASH_CLASSES_MOST;
        rounds->first[e] = rounds->count[region];
        rounds->span[e] = told ? n->classes[node] + 1 : 1;
        rounds->count[region] += rounds->span[e];
    }
    free(all);
}

void crash_rounds_init(struct crash_rounds *rounds, const struct crash_regions *r,
                       const struct crash_numbering *n)
{
    *rounds = (struct crash_rounds){.first = ZALLOC(uint32_t, r->graph->edge_count),
                                    .span = ZALLOC(uint32_t, r->graph->edge_count),
                                    .count = ZALLOC(uint32_t, r->count)};
    number(rounds, r, n);
}

void crash_rounds_release(struct crash_rounds *rounds)
{
    free(rounds->first);
    free(rounds->span);
    free(rounds->count);
    *rounds = (struct crash_rounds){0};
}

uint32_t crash_round_find(const struct crash_rounds *rounds, const struct crash_regions *r, uint32_t region,
                          uint32_t number, uint32_t *slot, bool *known)
{
    for (uint32_t e = 0; e < r->graph->edge_count; e++)
        if (rounds->span[e] && r->innermost[r->graph->edges[e].to] == region && number >= rounds->first[e] &&
            number - rounds->first[e] < rounds->span[e]) {
            *known = number > rounds->first[e];
            *slot = *known ? number - rounds->first[e] - 1 : 0;
            return e;
        }
    return GRAPH_NONE;
}
