/*
 * A minimum cut between the wanted blocks and EXIT, by Dinic's method (1970), on the graph without
 * directions; capacities are weights. Of all minimum cuts the one with the smallest region is
 * taken. Nothing recurses.
 */
#include "plan/region.h"
#include "base/memory.h"

#define FINEST 4294967296.0         /* weights are rounded to this part of the largest */
#define ENDLESS (UINT64_C(1) << 60) /* more than all weights together */

struct cut {
    const struct graph *g;
    const bool *wanted;
    struct adjacency adjacency;
    uint64_t *left;  /* arc -> what can still flow; arc 2e goes along edge e, 2e + 1 against it */
    uint32_t *level; /* vertex -> distance from the wanted blocks, or GRAPH_NONE */
    uint32_t *next;  /* vertex -> the first of its arcs that may lead on */
    uint32_t *queue, *path;
};

static uint32_t arcs_of(const struct cut *c, uint32_t v)
{
    const struct adjacency *a = &c->adjacency;
    return a->out_start[v + 1] - a->out_start[v] + a->in_start[v + 1] - a->in_start[v];
}

static uint32_t arc_at(const struct cut *c, uint32_t v, uint32_t i)
{
    const struct adjacency *a = &c->adjacency;
    uint32_t out = a->out_start[v + 1] - a->out_start[v];
    return i < out ? 2 * a->out[a->out_start[v] + i] : 2 * a->in[a->in_start[v] + i - out] + 1;
}

static uint32_t target_of(const struct cut *c, uint32_t arc)
{
    const struct edge *e = &c->g->edges[arc / 2];
    return arc % 2 ? e->from : e->to;
}

/* Sets distances over arcs with capacity left; false when EXIT cannot be reached. */
static bool find_levels(struct cut *c)
{
    uint32_t head = 0, tail = 0;
    for (uint32_t v = 0; v < c->g->vertex_count; v++) {
        c->level[v] = c->wanted[v] ? 0 : GRAPH_NONE;
        c->next[v] = 0;
        if (c->wanted[v])
            c->queue[tail++] = v;
    }
    while (head < tail) {
        uint32_t v = c->queue[head++], count = arcs_of(c, v);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t arc = arc_at(c, v, i), to = target_of(c, arc);
            if (c->left[arc] && c->level[to] == GRAPH_NONE) {
                c->level[to] = c->level[v] + 1;
                c->queue[tail++] = to;
            }
        }
    }
    return c->level[graph_exit(c->g)] != GRAPH_NONE;
}

/* Sends as much as can flow from one block along shortest ways. */
static void send_from(struct cut *c, uint32_t source)
{
    uint32_t depth = 0, at = source;
    for (;;) {
        if (at == graph_exit(c->g)) {
            uint64_t least = ENDLESS;
            for (uint32_t i = 0; i < depth; i++)
                least = c->left[c->path[i]] < least ? c->left[c->path[i]] : least;
            for (uint32_t i = 0; i < depth; i++) {
                c->left[c->path[i]] -= least;
                c->left[c->path[i] ^ 1] += least;
            }
            depth = 0;
            at = source;
        }
        uint32_t count = arcs_of(c, at), arc = GRAPH_NONE;
        for (; c->next[at] < count; c->next[at]++) {
            arc = arc_at(c, at, c->next[at]);
            if (c->left[arc] && c->level[target_of(c, arc)] == c->level[at] + 1)
                break;
        }
        if (c->next[at] < count) {
            c->path[depth++] = arc;
            at = target_of(c, arc);
        } else if (depth) { /* a dead end: go back, and do not come here again */
            at = target_of(c, c->path[--depth] ^ 1);
            c->next[at]++;
        } else {
            return;
        }
    }
}

void plan_region(const struct graph *g, const double *weights, const bool *joined, const bool *wanted,
                 bool *inside)
{
    struct cut c = {.g = g,
                    .wanted = wanted,
                    .left = ALLOC(uint64_t, 2 * (size_t)g->edge_count),
                    .level = ALLOC(uint32_t, g->vertex_count),
                    .next = ALLOC(uint32_t, g->vertex_count),
                    .queue = ALLOC(uint32_t, g->vertex_count),
                    .path = ALLOC(uint32_t, g->vertex_count)};
    double most = 0;
    adjacency_init(&c.adjacency, g);
    for (uint32_t e = 0; e < g->edge_count; e++)
        most = weights[e] > most ? weights[e] : most;
    for (uint32_t e = 0; e < g->edge_count;
         e++) /* of two cuts that weigh the same, the one with fewer edges is taken */
        c.left[2 * e] = c.left[2 * e + 1] =
            joined[e] ? ENDLESS : 1 + (most > 0 ? (uint64_t)(weights[e] / most * FINEST) : 0);
    while (find_levels(&c))
        for (uint32_t v = 0; v < g->vertex_count; v++)
            if (wanted[v])
                send_from(&c, v);
    for (uint32_t v = 0; v < g->vertex_count; v++)
        inside[v] = c.level[v] != GRAPH_NONE;
    adjacency_release(&c.adjacency);
    free(c.left);
    free(c.level);
    free(c.next);
    free(c.queue);
    free(c.path);
}
