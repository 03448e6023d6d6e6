/*
 * Acyclic paths as witnesses. Instead of writing a byte at every choice, the program adds up the
 * choices of a stretch in a variable, and writes the sum when the stretch ends. The sum is the
 * number of the way that control took (Ball & Larus 1996).
 *
 * A stretch here is a way between two writes. It begins where an activation begins, after the calls
 * of a block that may write events, where control lands, and after every edge that writes. An edge
 * is of one of three kinds (enum witness_path_edge):
 *
 *   ADDS     Most edges only add to the sum.
 *   WRITES   Retreating edges write it; so do edges into calls that may write and edges to EXIT, if
 *            a choice was made since the stretch began; and so do edges that keep the number of
 *            ways small.
 *   LOSES    All other edges into such calls and to EXIT write nothing and drop the sum.
 *
 * Numbers. A vertex has as many ways as its successors have together, and one for each edge that
 * writes. The ways out of a vertex are in the order of rank, so that the first successor adds 0.
 * Where stretches that begin at different vertices may come to the same vertex they have different
 * numbers. So the place and the number decide each branch, wherever in a stretch a reader stands.
 */
#ifndef COTREE_PLAN_WITNESS_PATHS_H
#define COTREE_PLAN_WITNESS_PATHS_H

#include "base/error.h"
#include "graph/graph.h"

enum witness_path_edge {
    WITNESS_PATH_ADDS = 0,
    WITNESS_PATH_WRITES = 1,
    WITNESS_PATH_LOSES = 2,
    WITNESS_PATH_KINDS = 3,
};
/* The mark of an edge holds its kind, and its rank among the edges that leave the same vertex. */
static inline enum witness_path_edge witness_path_kind(uint32_t mark)
{
    return (enum witness_path_edge)(mark % WITNESS_PATH_KINDS);
}

/* A number is written as one byte, 1 + number, so this is how many may meet at a vertex. */
#define WITNESS_PATHS_MOST 254u

/*
 * Sets the mark of each edge. may_emit, weights and no_probe are those of witness_make. Fails, with
 * the reason, where an edge needs code and can have none, or where no cut leaves few enough ways.
 */
bool witness_paths_mark(uint32_t *marks, const struct graph *g, const bool *may_emit, const double *weights,
                        const bool *no_probe, struct error *error);

struct witness_paths {
    uint32_t *add;  /* per edge: what it adds, also if it then writes */
    bool *begins;   /* per vertex: a stretch begins there */
    uint32_t *base; /* per vertex: the sum with which a stretch begins there */
    uint32_t *ways; /* per vertex: how many lead on from it; base .. base + ways - 1 where a stretch begins */
    uint32_t *meeting; /* per vertex: the same for all vertices that one stretch may have in common */
    uint32_t *numbers; /* by `meeting`: how many numbers these stretches have */
};
/* Fails where edges that do not write form a cycle, or a choice is lost, or there are too many
 * numbers. may_emit is that of witness_make; where it is in doubt, a maker of plans passes true, a
 * reader false. */
bool witness_paths_number(struct witness_paths *paths, const struct graph *g, const uint32_t *marks,
                          const bool *may_emit, struct error *error);
void witness_paths_release(struct witness_paths *paths);
/* The edge by which the way with this number leaves the vertex, or GRAPH_NONE if it does not come
 * there. */
uint32_t witness_paths_next(const struct witness_paths *paths, const struct graph *g,
                            const struct adjacency *a, const uint32_t *marks, uint32_t vertex,
                            uint32_t number);

#endif
