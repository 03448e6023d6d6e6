/*
 * Paths by enumeration: what the numberings are judged by. A path is where it starts and the edges it takes;
 * nothing here knows arcs, values or orders.
 */
#ifndef COTREE_TESTS_PATH_TESTING_H
#define COTREE_TESTS_PATH_TESTING_H

#include "graph_testing.h"

#include "plan/path_graph.h"

enum { STEPS_MOST = 40, PATHS_LISTED_MOST = 3000 };

struct listed_path {
    uint32_t start; /* block after a cut edge, or GRAPH_NONE: begins with the entry edge, which is edges[0] */
    uint32_t length, edges[STEPS_MOST];
};

static struct listed_path listed[PATHS_LISTED_MOST];
static uint32_t listed_count;
static bool listed_too_many;

/* An endless loop's virtual edge is passed by nobody. */
static UNUSED bool is_passed(const struct graph *g, uint32_t e)
{
    if (g->edges[e].kind != EDGE_VIRTUAL)
        return true;
    for (uint32_t other = 0; other < g->edge_count; other++)
        if (other != e && g->edges[other].from == g->edges[e].from)
            return false;
    return true;
}

static void list_from(const struct graph *g, const bool *cut, struct listed_path *path, uint32_t v)
{
    for (uint32_t e = 0; e < g->edge_count && !listed_too_many; e++) {
        if (g->edges[e].from != v || !is_passed(g, e))
            continue;
        if (path->length == STEPS_MOST || listed_count == PATHS_LISTED_MOST) {
            listed_too_many = true;
            return;
        }
        path->edges[path->length++] = e;
        if (cut[e] || g->edges[e].to == graph_exit(g))
            listed[listed_count++] = *path;
        else
            list_from(g, cut, path, g->edges[e].to);
        path->length--;
    }
}

/* Fills listed[] with every path. False when there are too many to list. */
static UNUSED bool list_paths(const struct graph *g, const bool *cut)
{
    listed_count = 0;
    listed_too_many = false;
    for (uint32_t v = 0; v < graph_exit(g); v++) {
        struct listed_path path = {.start = v};
        bool starts = false;
        for (uint32_t e = 0; e < g->edge_count; e++)
            starts |= cut[e] && g->edges[e].to == v;
        if (starts)
            list_from(g, cut, &path, v);
    }
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (g->edges[e].kind == EDGE_ENTRY) {
            struct listed_path path = {.start = GRAPH_NONE, .length = 1, .edges = {e}};
            list_from(g, cut, &path, GRAPH_ROOT);
        }
    return !listed_too_many;
}

/* The arcs of the first `length` edges of a path; returns how many. */
static UNUSED uint32_t arcs_of_path(const struct path_graph *p, const struct listed_path *path,
                                    uint32_t length, uint32_t *arcs)
{
    uint32_t count = 0;
    if (path->start != GRAPH_NONE)
        arcs[count++] = p->start_arc[path->start];
    for (uint32_t i = 0; i < length; i++)
        arcs[count++] = p->edge_arc[path->edges[i]];
    return count;
}

/* Whether arcs are those of the first `length` edges of the path, said in blocks and edges. */
static UNUSED bool is_path(const struct path_graph *p, const struct listed_path *path, uint32_t length,
                           const uint32_t *arcs, uint32_t count)
{
    uint32_t at = 0;
    if (path->start != GRAPH_NONE) {
        if (!count || p->arc_edge[arcs[0]] != GRAPH_NONE || p->arcs.edges[arcs[0]].to != path->start)
            return false;
        at = 1;
    }
    if (count - at != length)
        return false;
    for (uint32_t i = 0; i < length; i++)
        if (p->arc_edge[arcs[at + i]] != path->edges[i])
            return false;
    return true;
}

#endif
