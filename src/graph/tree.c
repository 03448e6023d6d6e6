/* Union-find with path halving, and Kruskal's maximum spanning tree with the seeds of Ball & Larus
 * 1994 section 3.1. */
#include "graph/tree.h"

#include "base/memory.h"

void union_find_init(struct union_find *u, uint32_t count)
{
    u->count = count;
    u->parent = ALLOC(uint32_t, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++)
        u->parent[i] = i;
}

void union_find_release(struct union_find *u)
{
    free(u->parent);
    *u = (struct union_find){0};
}

uint32_t union_find_root(struct union_find *u, uint32_t x)
{
    while (u->parent[x] != x) {
        u->parent[x] = u->parent[u->parent[x]];
        x = u->parent[x];
    }
    return x;
}

bool union_find_join(struct union_find *u, uint32_t x, uint32_t y)
{
    x = union_find_root(u, x);
    y = union_find_root(u, y);
    if (x == y)
        return false;
    u->parent[y] = x;
    return true;
}

/* The order in which edges are tried: seeds by rank, then the heaviest, then the lowest id, so that
 * every build makes the same plan. */
struct candidate {
    uint32_t rank, id;
    double weight;
};

static int candidate_order(const void *x, const void *y)
{
    const struct candidate *a = x, *b = y;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    return a->id < b->id ? -1 : a->id > b->id;
}

enum rank { RANK_MUST, RANK_ENTRY, RANK_VIRTUAL, RANK_BY_WEIGHT, RANK_LAST };

static enum rank rank_of(enum edge_kind kind, bool must, bool entry_given)
{
    if (must)
        return RANK_MUST;
    if (kind == EDGE_ENTRY)
        return RANK_ENTRY;
    return kind != EDGE_VIRTUAL ? RANK_BY_WEIGHT : entry_given ? RANK_LAST : RANK_VIRTUAL;
}

/* Kruskal's algorithm on all edges, or on all but the entry edge. */
static uint32_t grow_tree(const struct graph *g, const double *weights, const bool *must, bool entry_given,
                          bool *in_tree)
{
    struct candidate *candidates = ALLOC(struct candidate, (size_t)g->edge_count + 1);
    uint32_t count = 0;
    for (uint32_t e = 0; e < g->edge_count; e++) {
        enum edge_kind kind = g->edges[e].kind;
        enum rank rank = rank_of(kind, must && must[e], entry_given);
        in_tree[e] = false;
        if (!entry_given || kind != EDGE_ENTRY)
            candidates[count++] =
                (struct candidate){.rank = rank, .id = e, .weight = rank == RANK_BY_WEIGHT ? weights[e] : 0};
    }
    qsort(candidates, count, sizeof *candidates, candidate_order);

    struct union_find u;
    union_find_init(&u, g->vertex_count);
    uint32_t refused = GRAPH_NONE;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t e = candidates[i].id;
        in_tree[e] = union_find_join(&u, g->edges[e].from, g->edges[e].to);
        if (!in_tree[e] && candidates[i].rank == RANK_MUST && refused == GRAPH_NONE)
            refused = e;
    }
    union_find_release(&u);
    free(candidates);
    return refused;
}

uint32_t spanning_tree(const struct graph *g, const double *weights, const bool *must, bool *in_tree)
{
    return grow_tree(g, weights, must, false, in_tree);
}

uint32_t spanning_tree_without_entry(const struct graph *g, const double *weights, const bool *must,
                                     bool *in_tree)
{
    return grow_tree(g, weights, must, true, in_tree);
}
