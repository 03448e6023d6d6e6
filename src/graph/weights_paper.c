/*
 * Ball & Larus 1994 section 5 as printed, kept for comparison. It breaks Kirchhoff's law where an
 * edge leaves two loops, may give negative weights, and leaves weights undefined (here: 0) in
 * irreducible graphs; tests hold the counterexamples.
 *
 * "An edge is assigned a weight by the first rule that applies to it in the traversal": an edge
 * that leaves several loops gets its weight at the head that is visited first, the outermost one's.
 */
#include "graph/weights_internal.h"

#include "base/memory.h"

void weights_paper(const struct weight_context *c, double *weights)
{
    const struct graph *g = c->g;
    const struct loops *l = &c->loops;
    uint32_t m = g->edge_count;
    bool *is_head = ZALLOC(bool, g->vertex_count);
    uint32_t *first = ALLOC(uint32_t, (size_t)l->count + 1), *next = ALLOC(uint32_t, (size_t)m + 1);
    for (uint32_t k = 0; k < l->count; k++) {
        is_head[l->head[k]] = true;
        first[k] = GRAPH_NONE;
    }
    for (uint32_t e = 0; e < m; e++) {
        weights[e] = g->edges[e].from == graph_exit(g) ? 1 : 0;
        if (c->outermost_left[e] != GRAPH_NONE) {
            next[e] = first[c->outermost_left[e]];
            first[c->outermost_left[e]] = e;
        }
    }
    for (uint32_t i = 0; i < c->d.reached; i++) {
        uint32_t v = c->d.reverse_postorder[i];
        if (v == graph_exit(g))
            continue;
        double weight = 0; /* rule 1 */
        for (uint32_t k = c->a.in_start[v]; k < c->a.in_start[v + 1]; k++)
            if (!c->d.retreating[c->a.in[k]])
                weight += weights[c->a.in[k]];
        if (is_head[v]) { /* rule 2 */
            uint32_t loop = l->innermost[v];
            for (uint32_t e = first[loop]; e != GRAPH_NONE; e = next[e])
                weights[e] = weight / c->exits[loop];
            weight *= c->options->loop_factor;
        }
        double shares = 0; /* rule 3 */
        for (uint32_t k = c->a.out_start[v]; k < c->a.out_start[v + 1]; k++) {
            uint32_t e = c->a.out[k];
            if (c->outermost_left[e] != GRAPH_NONE)
                weight -= weights[e];
            else
                shares += weight_share(c, e);
        }
        for (uint32_t k = c->a.out_start[v]; k < c->a.out_start[v + 1]; k++) {
            uint32_t e = c->a.out[k];
            if (c->outermost_left[e] == GRAPH_NONE)
                weights[e] = weight * weight_share(c, e) / shares;
        }
    }
    free(is_head);
    free(first);
    free(next);
}
