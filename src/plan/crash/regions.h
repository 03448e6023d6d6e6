/*
 * Regions: how the history of an activation is nested.
 *
 * Words
 *   region   region 0 is the whole function. Inside a region, each strongly connected part that is
 *            left once the edges into the region's heads are taken away is a region of its own: a
 *            loop, which may have several heads.
 *   head     of a region: a block at which control enters it from outside. EXIT is the head of
 *            region 0: activations come from there.
 *   round    of a region: what happens from one arrival at a head to the next. The first round of
 *            region 0 is the only one.
 *   node     of a region: one of its own blocks, or a region directly inside it
 *   step     an edge of the graph that leads from one node of a region to another. An edge into a
 *            head of a region that it does not enter from outside begins a round: it is no step.
 *
 * Example: `while (a) { if (b) f(); }`, with blocks 0 (before), 1 (asks a), 2 (asks b), 3 (calls f):
 *
 *     region 0: EXIT, 0, region 1                  region 1: 1 (head), 2, 3
 *
 * The edges 2 -> 1 and 3 -> 1 begin rounds of region 1. What control did in the last round is a way
 * from head 1 to where it stands; what it did before the loop is a way from EXIT to region 1.
 *
 * Invariants
 *  1. A region comes after the one around it. Every block that the root leads to is in one innermost
 *     region, and every node is a node of exactly one region.
 *  2. Steps form no cycle, so the steps of a round are a way without repetition.
 *
 * Nodes are numbered: vertex v of the graph is node v, region r is node vertex_count + r.
 */
#ifndef COTREE_PLAN_CRASH_REGIONS_H
#define COTREE_PLAN_CRASH_REGIONS_H

#include "graph/graph.h"

struct crash_regions {
    const struct graph *graph; /* must stay */
    uint32_t count;
    uint32_t *parent;    /* region -> region around it; GRAPH_NONE: none */
    uint32_t *depth;     /* region -> number of regions around it */
    uint32_t *innermost; /* vertex -> region; GRAPH_NONE: the root does not lead there */
    bool *head;          /* vertex -> it is a head of its innermost region */
    uint32_t node_count; /* vertex_count + count */
    /* edge -> the nodes that it leads from and to; GRAPH_NONE: it is no step */
    uint32_t *from, *to;
    uint32_t *in_start, *in; /* node -> the steps into it, by edge id: in[in_start[n] .. in_start[n + 1]) */
    uint32_t *order;         /* all nodes; steps lead from earlier ones to later ones */
    uint32_t *rank;          /* node -> its rank in the order */
};

/* The graph is complete. */
void crash_regions_init(struct crash_regions *r, const struct graph *g);
void crash_regions_release(struct crash_regions *r);

/* The node of the region that holds the block, or GRAPH_NONE: the block is not in the region. */
uint32_t crash_node_of(const struct crash_regions *r, uint32_t region, uint32_t block);
/* The region that the step belongs to. */
uint32_t crash_region_of_step(const struct crash_regions *r, uint32_t edge);

#endif
