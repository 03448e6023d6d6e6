/*
 * One depth-first search, and its numbers. The stack is explicit, so that a chain of a million
 * blocks does no harm.
 */
#include "graph/analysis.h"

#include "base/memory.h"

void depth_first_init(struct depth_first *d, const struct graph *g, const struct adjacency *a)
{
    uint32_t n = g->vertex_count, number = 0, finished = 0;
    d->preorder = ALLOC(uint32_t, n);
    d->last_descendant = ALLOC(uint32_t, n);
    d->reverse_postorder = ALLOC(uint32_t, n);
    d->position = ALLOC(uint32_t, n);
    d->retreating = ZALLOC(bool, (size_t)g->edge_count + 1);
    for (uint32_t v = 0; v < n; v++)
        d->preorder[v] = d->last_descendant[v] = d->position[v] = GRAPH_NONE;

    uint32_t *stack = ALLOC(uint32_t, n), *next = ALLOC(uint32_t, n);
    uint32_t *postorder = ALLOC(uint32_t, n);
    size_t depth = 0;
    stack[depth++] = GRAPH_ROOT;
    next[GRAPH_ROOT] = a->out_start[GRAPH_ROOT];
    d->preorder[GRAPH_ROOT] = number++;
    while (depth) {
        uint32_t v = stack[depth - 1];
        if (v != graph_exit(g) && next[v] < a->out_start[v + 1]) {
            uint32_t e = a->out[next[v]++], w = g->edges[e].to;
            if (d->preorder[w] == GRAPH_NONE) {
                d->preorder[w] = number++;
                next[w] = a->out_start[w];
                stack[depth++] = w;
            } else {
                /* An ancestor is a vertex that was reached and is not finished yet. */
                d->retreating[e] = d->last_descendant[w] == GRAPH_NONE;
            }
            continue;
        }
        depth--;
        d->last_descendant[v] = number - 1;
        postorder[finished++] = v;
    }
    d->reached = finished;
    for (uint32_t i = 0; i < finished; i++) {
        uint32_t v = postorder[finished - 1 - i];
        d->reverse_postorder[i] = v;
        d->position[v] = i;
    }
    free(stack);
    free(next);
    free(postorder);
}

void depth_first_release(struct depth_first *d)
{
    free(d->preorder);
    free(d->last_descendant);
    free(d->reverse_postorder);
    free(d->position);
    free(d->retreating);
    *d = (struct depth_first){0};
}
