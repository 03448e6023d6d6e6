/*
 * Placements that give block counts only (Ball & Larus 1994 section 3.3; Knuth & Stevenson 1973).
 *
 * Split each vertex v into an out-half and an in-half; an edge u -> w joins u's out-half and w's
 * in-half in the bipartite graph B. A set of uncounted edges determines every block count exactly
 * when it has as many independent cycles in B as in the graph itself: a cycle whose edges alternate
 * in direction (pipeless) moves counts between edges but not between blocks. So, starting from a
 * spanning tree, which is without cycles in both, an edge may go uncounted for free when its halves
 * are connected in B already.
 */
#include "plan/placements.h"

#include "base/memory.h"
#include "graph/tree.h"
#include "plan/tree_paths.h"

/* Joins the halves of vertices by the edges of a tree: v is the out-half, n + v the in-half. */
static void halves_of_tree(struct union_find *halves, const struct graph *g, const bool *in_tree)
{
    union_find_init(halves, 2 * g->vertex_count);
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (in_tree[e])
            union_find_join(halves, g->edges[e].from, g->vertex_count + g->edges[e].to);
}

static bool closes_pipeless_cycle(struct union_find *halves, const struct graph *g, uint32_t e)
{
    return union_find_root(halves, g->edges[e].from) ==
           union_find_root(halves, g->vertex_count + g->edges[e].to);
}

/* Makes a graph with one edge for each pair of vertices. merged_id: edge -> its edge in that
 * graph. */
static void merge_parallel_edges(const struct plan_input *in, struct graph *merged, uint32_t *merged_id)
{
    const struct graph *g = in->g;
    struct adjacency a;
    adjacency_init(&a, g);
    graph_init(merged, g->vertex_count - 1);
    uint32_t *seen_from = ALLOC(uint32_t, g->vertex_count), *seen_id = ALLOC(uint32_t, g->vertex_count);
    for (uint32_t v = 0; v < g->vertex_count; v++)
        seen_from[v] = GRAPH_NONE;
    for (uint32_t v = 0; v < g->vertex_count; v++)
        for (uint32_t i = a.out_start[v]; i < a.out_start[v + 1]; i++) {
            uint32_t e = a.out[i], to = g->edges[e].to;
            if (seen_from[to] != v) {
                seen_from[to] = v;
                seen_id[to] = graph_add_edge(merged, v, to, g->edges[e].kind);
            }
            merged_id[e] = seen_id[to];
        }
    free(seen_from);
    free(seen_id);
    adjacency_release(&a);
}

/*
 * The union-find rule: takes all free edges at once, in any order, as many as the tree allows.
 * Parallel edges are merged first because they are counted together or not at all; nearly all of
 * the gain over edge counts comes from them.
 */
bool place_blocks(struct plan *plan, const struct plan_input *in, struct error *error)
{
    const struct graph *g = in->g;
    struct graph merged;
    uint32_t *merged_id = ALLOC(uint32_t, (size_t)g->edge_count + 1);
    merge_parallel_edges(in, &merged, merged_id);
    double *weights = ZALLOC(double, (size_t)merged.edge_count + 1);
    bool *must = ZALLOC(bool, (size_t)merged.edge_count + 1),
         *in_tree = ALLOC(bool, (size_t)merged.edge_count + 1);
    for (uint32_t e = 0; e < g->edge_count; e++) {
        weights[merged_id[e]] += in->weights[e];
        must[merged_id[e]] |= in->must[e];
    }
    spanning_tree(&merged, weights, must, in_tree);
    struct union_find halves;
    halves_of_tree(&halves, &merged, in_tree);
    uint32_t refused = GRAPH_NONE;
    for (uint32_t e = 0; e < g->edge_count; e++) {
        uint32_t id = merged_id[e];
        if (in_tree[id] || closes_pipeless_cycle(&halves, &merged, id))
            continue;
        plan_add(plan, PROBE_EDGE, e);
        if (in->must[e] && refused == GRAPH_NONE)
            refused = e;
    }
    union_find_release(&halves);
    free(weights);
    free(must);
    free(in_tree);
    free(merged_id);
    graph_release(&merged);
    return refused == GRAPH_NONE || plan_refuse(g, refused, error);
}

/* Edges that must stay uncounted come first, then the heaviest: removing their counters saves
 * most. */
struct chord {
    bool must;
    double weight;
    uint32_t id;
};

static int chord_order(const void *x, const void *y)
{
    const struct chord *a = x, *b = y;
    if (a->must != b->must)
        return a->must ? -1 : 1;
    if (a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    return a->id < b->id ? -1 : a->id > b->id;
}

/* Figure 11: removes the counter of a chord when its cycle in the tree is pipeless and shares no
 * vertex with an earlier such cycle. */
bool place_figure_11(struct plan *plan, const struct plan_input *in, struct error *error)
{
    const struct graph *g = in->g;
    bool *counted = ZALLOC(bool, (size_t)g->edge_count + 1),
         *in_tree = ALLOC(bool, (size_t)g->edge_count + 1);
    struct chord *chords = ALLOC(struct chord, (size_t)g->edge_count + 1);
    uint32_t chord_count = 0, refused = GRAPH_NONE;
    spanning_tree(g, in->weights, in->must, in_tree);
    struct union_find halves;
    halves_of_tree(&halves, g, in_tree);
    struct tree_paths paths;
    tree_paths_init(&paths, g, in_tree);
    for (uint32_t e = 0; e < g->edge_count; e++) {
        counted[e] = !in_tree[e];
        if (!in_tree[e] && closes_pipeless_cycle(&halves, g, e))
            chords[chord_count++] = (struct chord){.must = in->must[e], .weight = in->weights[e], .id = e};
    }
    qsort(chords, chord_count, sizeof *chords, chord_order);
    for (uint32_t i = 0; i < chord_count; i++) {
        const struct edge *e = &g->edges[chords[i].id];
        /* The marks are the paper's caution, not a need: an edge without room for a counter goes
         * uncounted anyway. */
        if (chords[i].must || !tree_paths_marked(&paths, e->from, e->to)) {
            tree_paths_mark(&paths, e->from, e->to);
            counted[chords[i].id] = false;
        }
    }
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (counted[e]) {
            plan_add(plan, PROBE_EDGE, e);
            if (in->must[e] && refused == GRAPH_NONE)
                refused = e;
        }
    tree_paths_release(&paths);
    union_find_release(&halves);
    free(chords);
    free(counted);
    free(in_tree);
    return refused == GRAPH_NONE || plan_refuse(g, refused, error);
}

/*
 * Knuth & Stevenson: the components of B over all edges are classes, each vertex is an arc between
 * two of them, and a maximum spanning tree of arcs goes uncounted. EXIT is an arc, too; if it must
 * be counted, activations are counted at the entry.
 */
bool place_knuth(struct plan *plan, const struct plan_input *in, struct error *error)
{
    const struct graph *g = in->g;
    uint32_t n = g->vertex_count, exit = graph_exit(g), entry = plan_entry_edge(g);
    struct union_find classes;
    union_find_init(&classes, 2 * n);
    struct chord *vertices = ALLOC(struct chord, n);
    bool *counted = ZALLOC(bool, n);
    for (uint32_t v = 0; v < n; v++)
        vertices[v] = (struct chord){.must = v == exit && in->must[entry], .weight = 0, .id = v};
    for (uint32_t e = 0; e < g->edge_count; e++) {
        union_find_join(&classes, g->edges[e].from, n + g->edges[e].to);
        vertices[g->edges[e].to].weight += in->weights[e];
    }
    qsort(vertices, n, sizeof *vertices, chord_order);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t v = vertices[i].id;
        counted[v] = !union_find_join(&classes, n + v, v);
    }
    for (uint32_t v = 0; v < exit; v++)
        if (counted[v])
            plan_add(plan, PROBE_VERTEX, v);
    if (counted[exit])
        plan_add(plan, PROBE_EDGE, entry);
    bool ok = !counted[exit] || !in->must[entry];
    union_find_release(&classes);
    free(vertices);
    free(counted);
    return ok || plan_refuse(g, entry, error);
}
