/* Decoding takes, at each vertex, the last arc whose value fits. Values rise in the order of a
 * vertex's out-arcs. */
#include "plan/path_decode.h"

#include "base/memory.h"

/* The out-arc of v that a remainder belongs to. */
static uint32_t arc_for(const struct path_graph *p, const struct path_numbering *n, uint32_t v, uint64_t left)
{
    uint32_t low = p->adjacency.out_start[v], high = p->adjacency.out_start[v + 1];
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (n->value[p->adjacency.out[middle]] <= left)
            low = middle;
        else
            high = middle;
    }
    return p->adjacency.out[low];
}

/* Follows `left` from ENTRY to `stop`; *left is what remains there. Returns the number of arcs. */
static uint32_t follow(const struct path_graph *p, const struct path_numbering *n, uint64_t *left,
                       uint32_t stop, uint32_t *arcs)
{
    uint32_t exit = graph_exit(&p->arcs), v = exit, count = 0;
    do {
        uint32_t a = arc_for(p, n, v, *left);
        *left -= n->value[a];
        arcs[count++] = a;
        v = p->arcs.edges[a].to;
    } while (v != exit && v != stop);
    return v == stop ? count : 0;
}

uint32_t path_decode(const struct path_graph *p, const struct path_numbering *n, uint64_t id, uint32_t *arcs)
{
    return id < n->total ? follow(p, n, &id, graph_exit(&p->arcs), arcs) : 0;
}

uint32_t path_decode_prefix(const struct path_graph *p, const struct path_numbering *n, uint64_t sum,
                            uint32_t v, uint32_t *arcs)
{
    uint64_t left = sum + n->potential[v];
    if (left >= n->total)
        return 0;
    /* From v on every vertex has an arc of value 0, so the sum of values so far is the id of a
     * whole path, and that path passes v. */
    uint32_t count = follow(p, n, &left, v, arcs);
    return left == 0 ? count : 0;
}

bool path_imply_edges(const struct path_graph *p, const struct path_numbering *n,
                      const struct path_count *counts, size_t count, int64_t *edge_counts)
{
    bool ok = true;
    uint32_t *arcs = ALLOC(uint32_t, (size_t)p->block_count + 1);
    for (size_t i = 0; i < count; i++) {
        uint32_t length = path_decode(p, n, counts[i].id, arcs);
        ok &= length > 0;
        for (uint32_t k = 0; k < length; k++)
            if (p->arc_edge[arcs[k]] != GRAPH_NONE)
                edge_counts[p->arc_edge[arcs[k]]] += counts[i].count;
    }
    free(arcs);
    return ok;
}

bool path_imply_surplus(const struct path_graph *p, const struct graph *g, const struct path_numbering *n,
                        const struct path_count *counts, size_t count, int64_t *surplus)
{
    bool ok = true;
    uint32_t *arcs = ALLOC(uint32_t, (size_t)p->block_count + 1);
    for (size_t i = 0; i < count; i++) {
        uint32_t length = path_decode(p, n, counts[i].id, arcs);
        ok &= length > 0;
        if (!length)
            continue;
        uint32_t first = arcs[0], last = p->arc_edge[arcs[length - 1]];
        if (p->arc_edge[first] == GRAPH_NONE)
            surplus[p->arcs.edges[first].to] -= counts[i].count;
        if (g->edges[last].to != graph_exit(g))
            surplus[g->edges[last].to] += counts[i].count;
    }
    free(arcs);
    return ok;
}
