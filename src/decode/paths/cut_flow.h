/*
 * Beginnings of paths that are certain, from what flows along the arcs of a path graph. Pure.
 *
 * Executions of paths that were cut short are a flow: each unit starts at ENTRY, follows arcs, and
 * stays in the block where it was left. How many stay in each block is known, and for every arc
 * bounds of the flow along it. There may be one split of a flow into ways, or many. What is asked
 * for is, for each way from ENTRY to a block, the number of units that took it in *every* split of
 * *every* flow within the bounds: its definite flow (Ball, Mataga and Sagiv 1998 call it so for
 * whole paths and edge profiles).
 *
 * Let at least L units have arrived at vertex u by one way. Those that came by other ways may take
 * any of the arcs that are left, so by arc b leave, of these L, at least
 *
 *     L - (what may leave u otherwise: by other arcs, at most as much as those hold, or by staying)
 *
 * and at least
 *
 *     L + (least flow of b) - (most that arrives at u)
 *
 * and likewise for staying. Where bounds are exact the two are the same number, and no larger one
 * is true: the choices at different vertices of an acyclic flow do not depend on each other, so
 * some split sends as many of the others as fit by b, at every vertex of the way. So what comes out
 * is then the minimum over all splits, and all of it is listed exactly when there is but one split:
 * when at every vertex what arrives came by one way, or all leaves by one.
 *
 * Where bounds are not exact, because units were resumed or finished paths may be part of the flow,
 * what comes out is still certain, but not all that is certain comes out: it is asked arc by arc
 * what the arc may hold, not what all may hold together; for that each way would take a flow of
 * least cost.
 *
 * How many ways there are: a way with a definite flow is part of every split, and one split of a
 * flow has no more ways than there are arcs; the same holds for beginnings of ways. So the search
 * ends soon, unless numbers contradict each other: then it gives up.
 */
#ifndef COTREE_DECODE_PATHS_CUT_FLOW_H
#define COTREE_DECODE_PATHS_CUT_FLOW_H

#include "plan/path_graph.h"

struct cut_flow {
    const struct path_graph *graph;
    const int64_t *cuts; /* by vertex: units that stay there */
    /* By vertex: units that count as if they had come there, but had not; NULL: none. */
    const int64_t *resumes;
    /*
     * By arc: what flows along it, less the beginnings of units that were resumed, whichever way
     * they would have come; NULL: not known. On arcs that end paths nothing of that flows.
     */
    const int64_t *residual;
    bool others; /* residual holds some finished paths, too; which is not known */
};

struct cut_way {
    uint32_t *blocks; /* in order; the last one is where it was left */
    uint32_t block_count;
    bool from_entry;
    int64_t count;
};
struct cut_ways {
    struct cut_way *items;
    size_t count, capacity;
};

/* False, with nothing listed, when the numbers contradict each other. Release the ways in
 * any case. */
bool cut_flow_split(struct cut_ways *ways, const struct cut_flow *flow);
void cut_ways_release(struct cut_ways *ways);

#endif
