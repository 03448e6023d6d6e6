/*
 * What the graph tests share: enumerating small graphs, making random ones, and walking them. Nothing here
 * uses the analyses, solvers or plans it helps to judge; graph_complete is used where a test says so.
 */
#ifndef COTREE_TESTS_GRAPH_TESTING_H
#define COTREE_TESTS_GRAPH_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "base/memory.h"
#include "graph/graph.h"
#include "samples.h"

#define UNUSED __attribute__((unused))

static uint64_t random_state = 0x9E3779B97F4A7C15u;
static UNUSED uint32_t random_below(uint32_t n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)((random_state >> 33) % n);
}

/* "0>1 0>2 1>x": flow edges, x is EXIT. Not completed. */
static UNUSED struct graph graph_of(uint32_t blocks, const char *edges)
{
    struct graph g;
    graph_init(&g, blocks);
    while (*edges) {
        char *end;
        uint32_t from = (uint32_t)strtoul(edges, &end, 10);
        edges = end + 1;
        bool to_exit = *edges == 'x';
        uint32_t to = to_exit ? blocks : (uint32_t)strtoul(edges, &end, 10);
        edges = to_exit ? edges + 1 : end;
        graph_add_edge(&g, from, to, to_exit ? EDGE_EXIT : EDGE_FLOW);
        while (*edges == ' ')
            edges++;
    }
    return g;
}

static UNUSED void graph_show(const struct graph *g)
{
    printf("blocks %u:", g->vertex_count - 1);
    for (uint32_t e = 0; e < g->edge_count; e++)
        printf(" %u>%u%s", g->edges[e].from, g->edges[e].to, g->edges[e].kind == EDGE_VIRTUAL ? "v" : "");
    printf("\n");
}

/* Reachability by repeated relaxation: slow, obvious. */
static UNUSED bool all_reachable(const struct graph *g)
{
    bool *seen = ZALLOC(bool, g->vertex_count), changed = true, all = true;
    seen[0] = true;
    while (changed) {
        changed = false;
        for (uint32_t e = 0; e < g->edge_count; e++)
            if (seen[g->edges[e].from] && g->edges[e].from != graph_exit(g) && !seen[g->edges[e].to])
                changed = seen[g->edges[e].to] = true;
    }
    for (uint32_t v = 0; v < graph_exit(g); v++)
        all &= seen[v];
    free(seen);
    return all;
}

static unsigned long graphs_made; /* by each_graph */

/* Edges between pairs 0 .. pair-1 are decided; g holds them, and at most `left` more may come. */
static unsigned long each_graph_from(const struct graph *g, uint32_t pair, uint32_t parallel, uint32_t left,
                                     void (*visit)(struct graph *))
{
    uint32_t blocks = g->vertex_count - 1;
    unsigned long visited = 0;
    for (uint32_t times = 0; times <= parallel && times <= left; times++) {
        struct graph copy;
        graph_init(&copy, blocks);
        for (uint32_t e = 0; e < g->edge_count; e++)
            graph_add_edge(&copy, g->edges[e].from, g->edges[e].to, g->edges[e].kind);
        if (pair == blocks * (blocks + 1)) {
            if (all_reachable(&copy)) {
                if (graphs_made++ % samples_step() == 0)
                    visit(&copy);
                visited++;
            }
            graph_release(&copy);
            break;
        }
        uint32_t to = pair % (blocks + 1);
        for (uint32_t k = 0; k < times; k++)
            graph_add_edge(&copy, pair / (blocks + 1), to, to == blocks ? EDGE_EXIT : EDGE_FLOW);
        visited += each_graph_from(&copy, pair + 1, parallel, left - times, visit);
        graph_release(&copy);
    }
    return visited;
}

/*
 * Calls visit with every graph of so many blocks whose blocks are all reachable, with at most `parallel`
 * edges between two vertices and at most `most` edges in all, or with some of them (samples.h). Graphs
 * are not completed. Returns how many there were in all.
 */
static UNUSED unsigned long each_graph(uint32_t blocks, uint32_t parallel, uint32_t most,
                                       void (*visit)(struct graph *))
{
    struct graph none;
    graph_init(&none, blocks);
    return each_graph_from(&none, 0, parallel, most, visit);
}

/* A random graph whose blocks are all reachable: every block but the root has an edge from an earlier one. */
static UNUSED struct graph random_graph(uint32_t blocks, uint32_t extra)
{
    struct graph g;
    graph_init(&g, blocks);
    for (uint32_t v = 1; v < blocks; v++)
        graph_add_edge(&g, random_below(v), v, EDGE_FLOW);
    for (uint32_t i = 0; i < extra; i++) {
        uint32_t to = random_below(blocks + 1);
        graph_add_edge(&g, random_below(blocks), to, to == blocks ? EDGE_EXIT : EDGE_FLOW);
    }
    return g;
}

/* Adds the edges of `runs` random activations of a complete graph to counts. */
static UNUSED void walk(const struct graph *g, unsigned runs, int64_t *counts)
{
    struct adjacency a;
    adjacency_init(&a, g);
    for (unsigned i = 0; i < runs; i++) {
        uint32_t v = graph_exit(g);
        do {
            uint32_t degree = a.out_start[v + 1] - a.out_start[v];
            uint32_t e = a.out[a.out_start[v] + random_below(degree)];
            counts[e]++;
            v = g->edges[e].to;
        } while (v != graph_exit(g));
    }
    adjacency_release(&a);
}

#endif
