/* The compact numbering of chosen paths, and pruning a choice. */
#include "plan/path_chosen.h"

#include "base/memory.h"

#define SUMS_MOST ((__int128)1 << 61)

bool path_choice_prune(const struct path_graph *p, bool *chosen)
{
    uint32_t exit = graph_exit(&p->arcs);
    const struct adjacency *a = &p->adjacency;
    bool *from_entry = ZALLOC(bool, p->arcs.vertex_count), *to_exit = ZALLOC(bool, p->arcs.vertex_count),
         any = false;
    to_exit[exit] = true;
    for (uint32_t i = a->out_start[exit]; i < a->out_start[exit + 1]; i++)
        if (chosen[a->out[i]])
            from_entry[p->arcs.edges[a->out[i]].to] = true;
    for (uint32_t i = 0; i < p->block_count; i++)
        for (uint32_t k = a->out_start[p->order[i]]; k < a->out_start[p->order[i] + 1]; k++)
            if (chosen[a->out[k]] && from_entry[p->order[i]])
                from_entry[p->arcs.edges[a->out[k]].to] = true;
    for (uint32_t i = p->block_count; i-- > 0;)
        for (uint32_t k = a->out_start[p->order[i]]; k < a->out_start[p->order[i] + 1]; k++)
            if (chosen[a->out[k]] && to_exit[p->arcs.edges[a->out[k]].to])
                to_exit[p->order[i]] = true;
    from_entry[exit] = true;
    for (uint32_t arc = 0; arc < p->arcs.edge_count; arc++) {
        chosen[arc] = chosen[arc] && from_entry[p->arcs.edges[arc].from] && to_exit[p->arcs.edges[arc].to];
        any |= chosen[arc];
    }
    free(from_entry);
    free(to_exit);
    return any;
}

/* One more than the largest sum of increments from any vertex to EXIT, over all arcs. False if it
 * is beyond SUMS_MOST in either direction. */
static bool largest_suffix(const struct path_compact *c, const struct path_graph *p, __int128 *largest)
{
    __int128 *most = ALLOC(__int128, p->arcs.vertex_count), *least = ALLOC(__int128, p->arcs.vertex_count);
    uint32_t exit = graph_exit(&p->arcs);
    bool ok = true;
    *largest = 1;
    most[exit] = least[exit] = 0;
    for (uint32_t i = p->block_count; i-- > 0 && ok;) {
        uint32_t v = p->order[i], first = p->adjacency.out_start[v];
        for (uint32_t k = first; k < p->adjacency.out_start[v + 1]; k++) {
            uint32_t a = p->adjacency.out[k], to = p->arcs.edges[a].to;
            __int128 high = (int64_t)c->increment[a] + most[to], low = (int64_t)c->increment[a] + least[to];
            most[v] = k == first || high > most[v] ? high : most[v];
            least[v] = k == first || low < least[v] ? low : least[v];
        }
        ok = most[v] < SUMS_MOST && least[v] > -SUMS_MOST;
        if (most[v] + 1 > *largest)
            *largest = most[v] + 1;
    }
    free(most);
    free(least);
    return ok;
}

bool path_compact_init(struct path_compact *c, const struct path_graph *p, const bool *chosen,
                       const double *edge_weights, struct error *error)
{
    uint32_t arcs = p->arcs.edge_count, exit = graph_exit(&p->arcs);
    *c = (struct path_compact){.paths = ZALLOC(uint64_t, p->arcs.vertex_count),
                               .value = ZALLOC(uint64_t, (size_t)arcs + 1),
                               .increment = ZALLOC(uint64_t, (size_t)arcs + 1),
                               .potential = ZALLOC(uint64_t, p->arcs.vertex_count),
                               .poisons = ZALLOC(bool, (size_t)arcs + 1)};
    __int128 largest = 0;
    bool ok = path_number_values(p, chosen, c->paths, c->value, &c->total);
    if (ok) {
        path_number_increments(p, chosen, edge_weights, NULL, c->value, c->potential, c->increment);
        ok = largest_suffix(c, p, &largest);
    }
    if (!ok) {
        path_compact_release(c);
        return error_set(error, "there are 2^61 chosen paths or more");
    }
    c->poison = -(uint64_t)largest;
    for (uint32_t a = 0; a < arcs; a++) {
        const struct edge *arc = &p->arcs.edges[a];
        c->poisons[a] = !chosen[a] && arc->to != exit && (arc->from == exit || c->paths[arc->from] > 0);
    }
    return true;
}

void path_compact_release(struct path_compact *c)
{
    free(c->paths);
    free(c->value);
    free(c->increment);
    free(c->potential);
    free(c->poisons);
    *c = (struct path_compact){0};
}

uint32_t path_compact_decode(const struct path_compact *c, const struct path_graph *p, const bool *chosen,
                             uint64_t id, uint32_t *arcs)
{
    uint32_t exit = graph_exit(&p->arcs), v = exit, count = 0;
    if (id >= c->total)
        return 0;
    do {
        uint32_t found = GRAPH_NONE;
        for (uint32_t i = p->adjacency.out_start[v]; i < p->adjacency.out_start[v + 1]; i++)
            if (chosen[p->adjacency.out[i]] && c->value[p->adjacency.out[i]] <= id)
                found = p->adjacency.out[i];
        id -= c->value[found]; /* the first chosen arc of a vertex with chosen ways has value 0 */
        arcs[count++] = found;
        v = p->arcs.edges[found].to;
    } while (v != exit);
    return count;
}

double path_compact_cost(const struct path_compact *c, const struct path_graph *p, const bool *chosen,
                         const double *arc_weights)
{
    uint32_t exit = graph_exit(&p->arcs);
    double cost = 0;
    for (uint32_t a = 0; a < p->arcs.edge_count; a++) {
        const struct edge *arc = &p->arcs.edges[a];
        unsigned steps = arc->to == exit     ? 2 * chosen[a] /* a test and a count */
                         : arc->from == exit ? 1             /* the sum is set */
                                             : c->poisons[a] || c->increment[a];
        cost += steps * arc_weights[a];
    }
    return cost;
}
