/*
 * Flow graphs, as all rooms but the compiler see a function.
 *
 * Words
 *   block     a vertex that stands for a basic block of the function
 *   root      vertex 0, the block in which the function begins
 *   EXIT      the last vertex. It stands for everything outside the function: activations come from
 *             there and go there.
 *   complete  of a graph: graph_complete has added the edges that the flow of control needs to be
 *             conserved (invariant 3)
 *
 * Example: `if (c) f(); return;` has three blocks: 0 asks, 1 calls, 2 returns.
 *
 *     struct graph g;
 *     graph_init(&g, 3);                                        vertices 0, 1, 2 and EXIT = 3
 *     graph_add_edge(&g, 0, 1, EDGE_FLOW);                      edge 0
 *     graph_add_edge(&g, 0, 2, EDGE_FLOW);                      edge 1
 *     graph_add_edge(&g, 1, 2, EDGE_FLOW);                      edge 2
 *     graph_add_edge(&g, 2, graph_exit(&g), EDGE_EXIT);         edge 3
 *     graph_complete(&g);                                       adds edge 4: EXIT -> 0, EDGE_ENTRY
 *     graph_release(&g);
 *
 * Invariants
 *  1. Vertices are 0 .. vertex_count-1. Vertex 0 is the root, the last vertex is EXIT.
 *  2. Edges have ids 0 .. edge_count-1 and are told apart by id, so there may be parallel edges and
 *     self loops.
 *  3. A complete graph has exactly one entry edge EXIT -> 0. The root leads to every block, and
 *     every block leads to EXIT: each dead end and each endless loop has one virtual edge to EXIT.
 *     (Ball & Larus 1994 leaves these edges out; without them flow is not conserved.)
 */
#ifndef COTREE_GRAPH_GRAPH_H
#define COTREE_GRAPH_GRAPH_H

#include "base/buffer.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum edge_kind {
    EDGE_FLOW,    /* block to block */
    EDGE_EXIT,    /* block to EXIT: the block returns (or resumes unwinding) */
    EDGE_ENTRY,   /* EXIT to block: an activation begins */
    EDGE_VIRTUAL, /* block to EXIT, for a dead end or an endless loop: activations that stayed there */
};

struct edge {
    uint32_t from, to;
    enum edge_kind kind;
};

struct graph {
    uint32_t vertex_count; /* EXIT included */
    uint32_t edge_count, edge_capacity;
    struct edge *edges;
};

#define GRAPH_ROOT 0u
#define GRAPH_NONE UINT32_MAX

static inline uint32_t graph_exit(const struct graph *g)
{
    return g->vertex_count - 1;
}

void graph_init(struct graph *g, uint32_t block_count); /* vertices: the blocks and EXIT; no edges */
void graph_release(struct graph *g);
/* Returns the new edge's id. */
uint32_t graph_add_edge(struct graph *g, uint32_t from, uint32_t to, enum edge_kind kind);
/* Hashes the structure: the number of vertices, and the edges with their kinds, in order. */
uint64_t graph_hash(const struct graph *g);

/* Edge ids by source and by target, in id order: out[out_start[v] .. out_start[v+1]). */
struct adjacency {
    uint32_t *out_start, *out, *in_start, *in;
};
void adjacency_init(struct adjacency *a, const struct graph *g);
void adjacency_release(struct adjacency *a);

/* Marks the vertices that the root leads to. `reachable` has vertex_count entries. The edge EXIT ->
 * root is not followed. */
void graph_reachable(const struct graph *g, bool *reachable);

/*
 * Adds the entry edge EXIT -> root if there is none, then one virtual edge to EXIT for each
 * strongly connected component that no edge leaves, other than {EXIT}. The virtual edge starts at a
 * block that represents the component, which is not the root if possible. Every block must be
 * reachable. Edges that were there keep their ids; the entry edge comes after them, then the
 * virtual edges in the order of the blocks they start at.
 */
void graph_complete(struct graph *g);

/*
 * Graphs as text: one statement a line, '#' starts a comment.
 *     graph NAME
 *     blocks N
 *     FROM -> TO [WEIGHT]        TO may be "exit" or "virtual", FROM may be "entry"
 * Several graphs may follow each other. Documented in docs/cotree-graph-format.5.scd.
 */
struct graph_text {
    char *name;
    struct graph graph;
    double *weights; /* per edge, or NULL when none was given */
};
/*
 * Reads the graph at *at, up to the next "graph" line or to the end, where *at == end. *line is the
 * number of the line at *at, 1 to begin with. False, with an error that names the line, if it makes
 * no sense.
 */
bool graph_text_parse(struct graph_text *t, const char **at, const char *end, unsigned *line,
                      struct error *error);
void graph_text_print(const struct graph_text *t, struct buffer *out);
void graph_text_release(struct graph_text *t);

#endif
