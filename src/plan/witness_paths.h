/*
 * Acyclic paths as witnesses: instead of a byte at every choice, the choices of a stretch are added up in a
 * variable and written when it ends, as the number of the way that control took (Ball & Larus 1996).
 *
 * A stretch begins where an activation begins, behind a block's calls that may write events, where control
 * lands, and behind every edge that writes. Edges are of three kinds (witness_path_edge): most only add to
 * the sum; some write it: retreating edges, those into calls that may write and to EXIT if a choice was made
 * since the stretch began, and those that keep the number of ways small; others into such calls and to EXIT
 * write nothing and lose the sum.
 *
 * Numbers. A vertex has as many ways as its successors have together, and one for each edge that writes. The
 * ways out of a vertex are in order of rank, so that the first successor adds 0. Where stretches that begin
 * at different vertices may come to the same vertex, they have different numbers: then the place and the
 * number decide each branch, wherever in a stretch a reader stands.
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
/* A mark, per edge: its kind, and its rank among those that leave the same vertex. */
static inline enum witness_path_edge witness_path_kind(uint32_t mark)
{
    return (enum witness_path_edge)(mark % WITNESS_PATH_KINDS);
}

/* A number is written as one byte, 1 + number: so many may meet. */
#define WITNESS_PATHS_MOST 255u

/*
 * Marks per edge. may_emit, weights and no_probe are those of witness_make. Fails, with the reason, where an
 * edge needs code and can have none, or no cut is enough.
 */
bool witness_paths_mark(uint32_t *marks, const struct graph *g, const bool *may_emit, const double *weights,
                        const bool *no_probe, struct error *error);

struct witness_paths {
    uint32_t *add;  /* per edge: what it adds, also if it then writes */
    uint32_t *base; /* per vertex: with what a stretch begins there */
    uint32_t *ways; /* per vertex: how many lead on from it; they are base .. base + ways - 1 if it begins */
    bool *begins;   /* per vertex */
    uint32_t *meeting; /* per vertex: a number for all vertices that stretches may have in common */
    uint32_t *numbers; /* by that number: how many numbers these stretches have */
};
/* Fails where edges that do not write form a cycle, or a choice is lost, or numbers are too many. may_emit:
 * as in witness_make; where in doubt, true for who makes a plan and false for who reads one. */
bool witness_paths_number(struct witness_paths *paths, const struct graph *g, const uint32_t *marks,
                          const bool *may_emit, struct error *error);
void witness_paths_release(struct witness_paths *paths);
/* The edge by which a way with this number leaves the vertex, or GRAPH_NONE: it does not come there. */
uint32_t witness_paths_next(const struct witness_paths *paths, const struct graph *g,
                            const struct adjacency *a, const uint32_t *marks, uint32_t vertex,
                            uint32_t number);

#endif
