#include "old_weights.h"

#include "graph/analysis.h"

#include <math.h>

void weights_uniform(const struct graph *g, double *weights)
{
    for (uint32_t e = 0; e < g->edge_count; e++)
        weights[e] = 1;
}

/* Goldberg 1991: "a node always executes at least as many times as any of its descendants". */
void weights_goldberg(const struct graph *g, double *weights)
{
    struct adjacency a;
    struct depth_first d;
    adjacency_init(&a, g);
    depth_first_init(&d, g, &a);
    for (uint32_t e = 0; e < g->edge_count; e++)
        weights[e] = g->edges[e].from == graph_exit(g) || d.retreating[e]
                         ? g->vertex_count + 1.0
                         : (double)(d.reached - d.position[g->edges[e].from]);
    depth_first_release(&d);
    adjacency_release(&a);
}

/* Wall 1991: loops count, conditions do not. An edge is in the loops that hold both its ends, so in no more
 * than either. */
void weights_wall(const struct graph *g, double *weights)
{
    struct adjacency a;
    struct depth_first d;
    struct loops l;
    adjacency_init(&a, g);
    depth_first_init(&d, g, &a);
    loops_init(&l, g, &a, &d);
    for (uint32_t e = 0; e < g->edge_count; e++) {
        uint32_t from = l.depth[g->edges[e].from], to = l.depth[g->edges[e].to];
        weights[e] = pow(10, from < to ? from : to);
    }
    loops_release(&l);
    depth_first_release(&d);
    adjacency_release(&a);
}
