/*
 * Numbers for paths, and the chords that carry them.
 *
 * The tree takes arcs between blocks by weight. Arcs that start or end a path come last, since code
 * stands there anyway: a start sets the sum, an end counts in a table, and a constant more in
 * either costs nothing.
 */
#include "plan/path_number.h"

#include "base/memory.h"
#include "graph/tree.h"

/* Sets the values of the out-arcs of one vertex, and *ways to the number of ways on. False when
 * there are too many. */
static bool number_vertex(const struct path_graph *p, const bool *chosen, uint32_t v, const uint64_t *paths,
                          uint64_t *value, uint64_t *ways)
{
    *ways = 0;
    for (uint32_t i = p->adjacency.out_start[v]; i < p->adjacency.out_start[v + 1]; i++) {
        uint32_t a = p->adjacency.out[i];
        value[a] = *ways;
        if (!chosen || chosen[a])
            *ways += paths[p->arcs.edges[a].to]; /* both below 2^62 */
        if (*ways >= PATHS_MOST)
            return false;
    }
    return true;
}

bool path_number_values(const struct path_graph *p, const bool *chosen, uint64_t *paths, uint64_t *value,
                        uint64_t *total)
{
    uint32_t exit = graph_exit(&p->arcs);
    paths[exit] = 1;
    for (uint32_t i = p->block_count; i-- > 0;)
        if (!number_vertex(p, chosen, p->order[i], paths, value, &paths[p->order[i]]))
            return false;
    return number_vertex(p, chosen, exit, paths, value, total);
}

/* Sets potentials along the tree, from ENTRY. Vertices that no chosen arc touches may not be in the
 * tree: theirs stay 0. */
static void spread_potentials(const struct path_graph *p, const bool *in_tree, const uint64_t *value,
                              uint64_t *potential)
{
    uint32_t n = p->arcs.vertex_count, exit = graph_exit(&p->arcs), ready = 0;
    uint32_t *queue = ALLOC(uint32_t, n);
    bool *known = ZALLOC(bool, n);
    for (uint32_t v = 0; v < n; v++)
        potential[v] = 0;
    known[exit] = true;
    queue[ready++] = exit;
    for (uint32_t next = 0; next < ready; next++) {
        uint32_t v = queue[next];
        const struct adjacency *a = &p->adjacency;
        for (uint32_t i = a->out_start[v]; i < a->out_start[v + 1]; i++) {
            uint32_t arc = a->out[i], to = p->arcs.edges[arc].to;
            if (in_tree[arc] && !known[to]) {
                potential[to] = potential[v] + value[arc];
                known[to] = true;
                queue[ready++] = to;
            }
        }
        for (uint32_t i = a->in_start[v]; i < a->in_start[v + 1]; i++) {
            uint32_t arc = a->in[i], from = p->arcs.edges[arc].from;
            if (in_tree[arc] && !known[from]) {
                potential[from] = potential[v] - value[arc];
                known[from] = true;
                queue[ready++] = from;
            }
        }
    }
    free(queue);
    free(known);
}

void path_number_increments(const struct path_graph *p, const bool *chosen, const double *edge_weights,
                            const bool *avoid, const uint64_t *value, uint64_t *potential,
                            uint64_t *increment)
{
    /* The chosen arcs as a graph of their own, in the same order. */
    uint32_t exit = graph_exit(&p->arcs), count = 0;
    uint32_t *arc_of = ALLOC(uint32_t, (size_t)p->arcs.edge_count + 1);
    double *weights = ALLOC(double, (size_t)p->arcs.edge_count + 1);
    bool *must = ALLOC(bool, (size_t)p->arcs.edge_count + 1),
         *taken = ALLOC(bool, (size_t)p->arcs.edge_count + 1),
         *in_tree = ZALLOC(bool, (size_t)p->arcs.edge_count + 1);
    struct graph part;
    graph_init(&part, p->block_count);
    for (uint32_t a = 0; a < p->arcs.edge_count; a++) {
        const struct edge *arc = &p->arcs.edges[a];
        uint32_t e = p->arc_edge[a];
        if (chosen && !chosen[a])
            continue;
        bool inner = arc->from != exit && arc->to != exit;
        must[count] = inner && avoid && avoid[e];
        weights[count] = inner ? 1 + edge_weights[e] : 0;
        arc_of[count++] = a;
        graph_add_edge(&part, arc->from, arc->to, EDGE_FLOW);
    }
    spanning_tree(&part, weights, must, taken);
    for (uint32_t i = 0; i < count; i++)
        in_tree[arc_of[i]] = taken[i];
    spread_potentials(p, in_tree, value, potential);
    for (uint32_t a = 0; a < p->arcs.edge_count; a++)
        increment[a] = chosen && !chosen[a]
                           ? 0
                           : value[a] + potential[p->arcs.edges[a].from] - potential[p->arcs.edges[a].to];
    graph_release(&part);
    free(arc_of);
    free(weights);
    free(must);
    free(taken);
    free(in_tree);
}

bool path_numbering_init(struct path_numbering *n, const struct path_graph *p, const double *edge_weights,
                         const bool *avoid, struct error *error)
{
    uint32_t arcs = p->arcs.edge_count;
    *n = (struct path_numbering){.paths = ZALLOC(uint64_t, p->arcs.vertex_count),
                                 .value = ZALLOC(uint64_t, (size_t)arcs + 1),
                                 .increment = ZALLOC(uint64_t, (size_t)arcs + 1),
                                 .potential = ZALLOC(uint64_t, p->arcs.vertex_count)};
    if (!path_number_values(p, NULL, n->paths, n->value, &n->total)) {
        path_numbering_release(n);
        return error_set(error, "there are 2^62 paths or more");
    }
    if (edge_weights)
        path_number_increments(p, NULL, edge_weights, avoid, n->value, n->potential, n->increment);
    else
        memcpy(n->increment, n->value, arcs * sizeof *n->value);
    return true;
}

void path_numbering_release(struct path_numbering *n)
{
    free(n->paths);
    free(n->value);
    free(n->increment);
    free(n->potential);
    *n = (struct path_numbering){0};
}
