/*
 * Loops of any graph, reducible or not, in almost linear time.
 *
 * The loop of a head h is h and those of its depth-first descendants that lead to a source of h's
 * retreating edges without leaving the descendants. That is h's strongly connected component among
 * its descendants, so two loops are disjoint or one holds the other, also in irreducible graphs.
 * Loops are found by collapsing, the innermost first (Tarjan 1974). An edge that is neither in the
 * depth-first tree nor retreating matters only to heads above the nearest common ancestor of its
 * ends, so it is looked at when that ancestor's turn comes (Ramalingam 1999). Without this,
 * irreducible graphs would cost quadratic time.
 */
#include "graph/analysis.h"

#include "base/memory.h"
#include "graph/tree.h"

/* Finds the parents in the depth-first tree from preorder numbers alone. by_preorder: number ->
 * vertex. */
static void tree_parents(const struct depth_first *d, const uint32_t *by_preorder, uint32_t *parent)
{
    uint32_t above = GRAPH_NONE;
    for (uint32_t i = 0; i < d->reached; i++) {
        uint32_t v = by_preorder[i];
        while (above != GRAPH_NONE && d->last_descendant[above] < i)
            above = parent[above];
        parent[v] = above;
        above = v;
    }
}

/* For each ancestor, the list (by edge id) of forward, cross and tree edges whose ends have it as
 * nearest common one. */
static void edges_by_ancestor(const struct graph *g, const struct adjacency *a, const struct depth_first *d,
                              const uint32_t *parent, uint32_t *first, uint32_t *next)
{
    /* A finished vertex is linked to its parent: the root is the first unfinished ancestor. */
    struct union_find finished;
    union_find_init(&finished, g->vertex_count);
    for (uint32_t v = 0; v < g->vertex_count; v++)
        first[v] = GRAPH_NONE;
    for (uint32_t i = d->reached; i-- > 0;) {
        uint32_t v = d->reverse_postorder[i];
        if (v != graph_exit(g))
            for (uint32_t k = a->out_start[v]; k < a->out_start[v + 1]; k++) {
                uint32_t e = a->out[k];
                if (d->retreating[e])
                    continue;
                uint32_t ancestor = union_find_root(&finished, g->edges[e].to);
                next[e] = first[ancestor];
                first[ancestor] = e;
            }
        if (parent[v] != GRAPH_NONE)
            finished.parent[v] = parent[v];
    }
    union_find_release(&finished);
}

/* Finds which loops hold which: into[v] = the head of the smallest loop that holds v and is not v's
 * own, or GRAPH_NONE. */
static void collapse(const struct graph *g, const struct adjacency *a, const struct depth_first *d,
                     const uint32_t *by_preorder, const bool *is_head, uint32_t *into)
{
    uint32_t n = g->vertex_count, m = g->edge_count;
    uint32_t *parent = ALLOC(uint32_t, n), *waiting = ALLOC(uint32_t, n),
             *next = ALLOC(uint32_t, (size_t)m + 1);
    uint32_t *arriving = ALLOC(uint32_t, n), *stack = ALLOC(uint32_t, n);
    tree_parents(d, by_preorder, parent);
    edges_by_ancestor(g, a, d, parent, waiting, next);
    struct union_find group; /* a collapsed loop is represented by its head */
    union_find_init(&group, n);
    for (uint32_t v = 0; v < n; v++)
        into[v] = arriving[v] = GRAPH_NONE;

    for (uint32_t i = d->reached; i-- > 0;) {
        uint32_t h = by_preorder[i];
        for (uint32_t e = waiting[h], following; e != GRAPH_NONE; e = following) {
            following = next[e];
            uint32_t target = union_find_root(&group, g->edges[e].to);
            next[e] = arriving[target];
            arriving[target] = e;
        }
        if (!is_head[h])
            continue;
        size_t depth = 0;
        for (uint32_t k = a->in_start[h]; k < a->in_start[h + 1]; k++) {
            if (!d->retreating[a->in[k]])
                continue;
            uint32_t member = union_find_root(&group, g->edges[a->in[k]].from);
            if (member != h && into[member] == GRAPH_NONE) {
                into[member] = h;
                stack[depth++] = member;
            }
        }
        /* Members are linked to the head only afterwards: until then `into` alone says that one was
         * seen. */
        for (size_t seen = 0; seen < depth; seen++)
            for (uint32_t e = arriving[stack[seen]]; e != GRAPH_NONE; e = next[e]) {
                uint32_t member = union_find_root(&group, g->edges[e].from);
                if (member != h && into[member] == GRAPH_NONE) {
                    into[member] = h;
                    stack[depth++] = member;
                }
            }
        for (size_t k = 0; k < depth; k++)
            group.parent[stack[k]] = h;
    }
    union_find_release(&group);
    free(parent);
    free(waiting);
    free(next);
    free(arriving);
    free(stack);
}

void loops_init(struct loops *l, const struct graph *g, const struct adjacency *a,
                const struct depth_first *d)
{
    uint32_t n = g->vertex_count;
    *l = (struct loops){0};
    bool *is_head = ZALLOC(bool, n);
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (d->retreating[e] && !is_head[g->edges[e].to]) {
            is_head[g->edges[e].to] = true;
            l->count++;
        }
    uint32_t *by_preorder = ALLOC(uint32_t, n), *into = ALLOC(uint32_t, n);
    for (uint32_t v = 0; v < n; v++)
        if (d->preorder[v] != GRAPH_NONE)
            by_preorder[d->preorder[v]] = v;
    collapse(g, a, d, by_preorder, is_head, into);

    l->head = ALLOC(uint32_t, (size_t)l->count + 1);
    l->parent = ALLOC(uint32_t, (size_t)l->count + 1);
    l->body_start = ALLOC(uint32_t, (size_t)l->count + 1);
    l->body_end = ALLOC(uint32_t, (size_t)l->count + 1);
    l->innermost = ALLOC(uint32_t, n);
    l->depth = ZALLOC(uint32_t, n);
    l->body = ALLOC(uint32_t, n);
    uint32_t number = 0;
    for (uint32_t v = 0; v < n; v++)
        l->innermost[v] = GRAPH_NONE;
    /* In preorder a head comes before what its loop holds, so every container is known when it is
     * asked for. */
    for (uint32_t i = 0; i < d->reached; i++) {
        uint32_t v = by_preorder[i], outer = into[v] == GRAPH_NONE ? GRAPH_NONE : l->innermost[into[v]];
        l->depth[v] = outer == GRAPH_NONE ? 0 : l->depth[l->head[outer]];
        l->innermost[v] = outer;
        if (is_head[v]) {
            l->head[number] = v;
            l->parent[number] = outer;
            l->innermost[v] = number++;
            l->depth[v]++;
        }
    }
    /* Sizes from the inside out, then each loop takes its place inside its parent's: bodies nest
     * like brackets. */
    uint32_t *size = ZALLOC(uint32_t, (size_t)l->count + 1), *cursor = ALLOC(uint32_t, (size_t)l->count + 1);
    uint32_t used = 0;
    for (uint32_t v = 0; v < n; v++)
        if (l->innermost[v] != GRAPH_NONE)
            size[l->innermost[v]]++;
    for (uint32_t k = l->count; k-- > 0;)
        if (l->parent[k] != GRAPH_NONE)
            size[l->parent[k]] += size[k];
    for (uint32_t i = 0; i < d->reached; i++) {
        uint32_t v = by_preorder[i], loop = l->innermost[v];
        if (loop == GRAPH_NONE)
            continue;
        if (l->head[loop] == v) {
            uint32_t *next = l->parent[loop] == GRAPH_NONE ? &used : &cursor[l->parent[loop]];
            l->body_start[loop] = cursor[loop] = *next;
            l->body_end[loop] = *next += size[loop];
        }
        l->body[cursor[loop]++] = v;
    }
    free(size);
    free(cursor);
    free(by_preorder);
    free(into);
    free(is_head);
}

void loops_release(struct loops *l)
{
    free(l->head);
    free(l->parent);
    free(l->body_start);
    free(l->body_end);
    free(l->body);
    free(l->innermost);
    free(l->depth);
    *l = (struct loops){0};
}
