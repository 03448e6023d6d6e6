/*
 * The acyclic version of a flow graph, whose whole ways from ENTRY to EXIT are the paths of a path
 * profile (Ball & Larus 1996).
 *
 * Some edges are *cut*: a path ends with such an edge, and the next one starts at its target. Cut
 * edge t -> h becomes an arc t -> EXIT of its own and one arc ENTRY -> h for all cut edges into h.
 * So a path tells with which edge it ended, and edge counts follow from path counts. All other
 * edges are arcs as they are, the entry edge included. The virtual edge of an endless loop is no
 * arc, since control never passes it; that of a dead end is one.
 *
 * ENTRY and EXIT are one vertex of `arcs`, graph_exit(): its out-arcs start paths and its in-arcs
 * end them.
 */
#ifndef COTREE_PLAN_PATH_GRAPH_H
#define COTREE_PLAN_PATH_GRAPH_H

#include "graph/graph.h"

/* What ends a path, beside the end of the activation. Values are written into maps: never
 * renumber. */
enum path_ends {
    PATH_ENDS_BACK = 1,  /* the retreating edges of a depth-first search: Ball and Larus's paths */
    PATH_ENDS_LOOPS = 2, /* these, and the edges by which a loop is entered through its head */
    /* Of the latter only edges into loops that hold loops, and into loops that decide at their end
     * whether to go on (do-while): an edge back to the head leaves a block that has another
     * successor. */
    PATH_ENDS_MIXED = 3,
};

/* Marks the edges that the definition cuts. `cut` has edge_count entries. */
void path_ends_mark(const struct graph *g, enum path_ends ends, bool *cut);

struct path_graph {
    struct graph arcs;
    struct adjacency adjacency; /* of arcs */
    uint32_t block_count;
    uint32_t *order;     /* the blocks, ordered so that every arc between two of them leads forward */
    uint32_t *edge_arc;  /* edge -> its arc (that of a cut edge ends paths), or GRAPH_NONE */
    uint32_t *arc_edge;  /* arc -> its edge, or GRAPH_NONE for an arc that starts paths after cut edges */
    uint32_t *start_arc; /* vertex -> the arc that starts paths there after cut edges, or GRAPH_NONE */
};

/*
 * g must be complete. The cut may come from a file: fails when the cut edges leave a cycle, or when
 * an edge is cut that begins or ends an activation.
 */
bool path_graph_init(struct path_graph *p, const struct graph *g, const bool *cut, struct error *error);
void path_graph_release(struct path_graph *p);

/* How often each arc is expected to run. A starting arc runs as often as the cut edges into its
 * block. */
void path_graph_weights(const struct path_graph *p, const struct graph *g, const double *edge_weights,
                        double *arc_weights);

#endif
