/*
 * Flow graphs: what every room below the compiler agrees on.
 *
 * Invariants:
 *  1. Vertices are 0 .. vertex_count-1. Vertex 0 is the root (the function's first block); the last vertex is
 * EXIT, which stands for "outside the function" and is also where activations come from.
 *  2. Edges have ids 0 .. edge_count-1 and are compared by id: parallel edges and self loops are ordinary.
 *  3. A complete graph (graph_complete) has exactly one entry edge EXIT -> 0, every block is reachable from
 * the root, and every block reaches EXIT: dead ends and endless loops got one virtual edge each (Ball & Larus
 * 1994 leaves them out; without them flow is not conserved).
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
uint32_t graph_add_edge(struct graph *g, uint32_t from, uint32_t to,
                        enum edge_kind kind); /* the new edge's id */
uint64_t graph_hash(const struct graph *g); /* of the structure: vertex count and edges in order with kinds */

/* Edge ids by source and by target, in id order: out[out_start[v] .. out_start[v+1]). */
struct adjacency {
    uint32_t *out_start, *out, *in_start, *in;
};
void adjacency_init(struct adjacency *a, const struct graph *g);
void adjacency_release(struct adjacency *a);

/* Marks what the root reaches; reachable has vertex_count entries. EXIT -> root is not followed. */
void graph_reachable(const struct graph *g, bool *reachable);

/*
 * Adds the entry edge EXIT -> root if there is none, then one virtual edge representative -> EXIT for each
 * terminal strongly connected component other than {EXIT}; the representative is not the root if possible.
 * Requires every block to be reachable. Flow edges keep their ids: the entry edge comes next, then the
 * virtual edges in order of representative.
 */
void graph_complete(struct graph *g);

/*
 * Text form, one statement a line, '#' starts a comment:
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
 * Reads the graph at *at, up to the next "graph" line or the end (then *at == end). *line is the number of
 * the line at *at: 1 to begin with. Returns false with an error naming the line.
 */
bool graph_text_parse(struct graph_text *t, const char **at, const char *end, unsigned *line,
                      struct error *error);
void graph_text_print(const struct graph_text *t, struct buffer *out);
void graph_text_release(struct graph_text *t);

#endif
