/* Sharing out paths: plan/path_groups.h. */
#include "plan/path_groups.h"

#include "base/memory.h"
#include "plan/path_decode.h"

/* A part weighs as much as it is expected to run, and a little for each path, so that paths that
 * never run are shared out, too. */
#define PATH_ITSELF 1e-6
/* A part that is more than this of a group's fair share is divided. */
#define PART_MOST 0.25

struct share {
    size_t function;
    uint32_t first, end; /* ids */
    uint32_t vertex;     /* the vertex up to which all its paths are the same */
    uint32_t group;
    uint64_t whole; /* its group follows from it, unless it is PATH_SHARES_FREE */
    double cost;
};

struct shared_function {
    struct path_graph p; /* copies of what dividing needs */
    uint64_t *paths, *value;
    double *cost;     /* id -> the cost of all paths before it */
    uint32_t *wanted; /* id -> how many before it are wanted */
    uint32_t count;
};

struct path_shares {
    struct ARRAY_OF(struct shared_function) functions;
    struct ARRAY_OF(struct share) parts;
    uint32_t groups;
    double *load;
};

struct path_shares *path_shares_new(void)
{
    return ZALLOC(struct path_shares, 1);
}

/* How often a path is expected to run: the weight of its start times, at each vertex, the share of
 * its arc. */
static double expected_runs(const struct path_graph *p, const double *weights, const double *out,
                            const uint32_t *arcs, uint32_t length)
{
    double runs = weights[arcs[0]];
    for (uint32_t i = 1; i < length; i++) {
        double all = out[p->arcs.edges[arcs[i]].from];
        runs *= all > 0 ? weights[arcs[i]] / all : 0;
    }
    return runs;
}

static void copy_graph(struct path_graph *to, const struct path_graph *from)
{
    *to = (struct path_graph){.block_count = from->block_count};
    graph_init(&to->arcs, from->block_count);
    for (uint32_t a = 0; a < from->arcs.edge_count; a++)
        graph_add_edge(&to->arcs, from->arcs.edges[a].from, from->arcs.edges[a].to, from->arcs.edges[a].kind);
    adjacency_init(&to->adjacency, &to->arcs);
}

void path_shares_add(struct path_shares *s, const struct path_graph *p, const struct path_numbering *n,
                     const double *arc_weights, const bool *wanted, uint64_t whole)
{
    struct shared_function *f = ARRAY_ADD(&s->functions);
    uint32_t vertices = p->arcs.vertex_count, arcs = p->arcs.edge_count;
    *f = (struct shared_function){.count = (uint32_t)n->total,
                                  .paths = ALLOC(uint64_t, vertices),
                                  .value = ALLOC(uint64_t, (size_t)arcs + 1),
                                  .cost = ALLOC(double, (size_t)n->total + 1),
                                  .wanted = ZALLOC(uint32_t, (size_t)n->total + 1)};
    copy_graph(&f->p, p);
    memcpy(f->paths, n->paths, vertices * sizeof *f->paths);
    memcpy(f->value, n->value, arcs * sizeof *f->value);
    double *out = ZALLOC(double, vertices), sum = 0;
    uint32_t *way = ALLOC(uint32_t, (size_t)p->block_count + 1);
    for (uint32_t a = 0; a < arcs; a++)
        out[p->arcs.edges[a].from] += arc_weights[a];
    for (uint32_t id = 0; id < f->count; id++) {
        f->cost[id] = sum;
        f->wanted[id + 1] = f->wanted[id] + wanted[id];
        if (wanted[id])
            sum += PATH_ITSELF + expected_runs(p, arc_weights, out, way, path_decode(p, n, id, way));
    }
    f->cost[f->count] = sum;
    free(out);
    free(way);
    if (f->wanted[f->count])
        ARRAY_PUSH(&s->parts, ((struct share){.function = s->functions.count - 1,
                                              .end = f->count,
                                              .vertex = graph_exit(&f->p.arcs),
                                              .whole = whole,
                                              .cost = sum}));
}

/* Replaces part i by the parts of the ways on from its vertex; parts in which no path is wanted are
 * dropped. */
static void divide(struct path_shares *s, size_t i)
{
    struct share part = s->parts.items[i];
    const struct shared_function *f = &s->functions.items[part.function];
    const struct adjacency *a = &f->p.adjacency;
    bool replaced = false;
    for (uint32_t k = a->out_start[part.vertex]; k < a->out_start[part.vertex + 1]; k++) {
        uint32_t arc = a->out[k], to = f->p.arcs.edges[arc].to;
        uint64_t ways = to == graph_exit(&f->p.arcs) ? 1 : f->paths[to];
        struct share next = {
            .function = part.function, .first = part.first + (uint32_t)f->value[arc], .vertex = to};
        next.end = next.first + (uint32_t)ways;
        next.cost = f->cost[next.end] - f->cost[next.first];
        if (f->wanted[next.end] == f->wanted[next.first])
            continue;
        if (replaced)
            ARRAY_PUSH(&s->parts, next);
        else
            s->parts.items[i] = next;
        replaced = true;
    }
}

static int by_cost(const void *left, const void *right)
{
    const struct share *a = left, *b = right;
    if (a->cost != b->cost)
        return a->cost > b->cost ? -1 : 1;
    if (a->function != b->function)
        return a->function < b->function ? -1 : 1;
    return a->first < b->first ? -1 : a->first > b->first;
}

void path_shares_divide(struct path_shares *s, uint32_t groups)
{
    double all = 0;
    s->groups = groups;
    s->load = ZALLOC(double, groups);
    for (size_t i = 0; i < s->parts.count; i++)
        all += s->parts.items[i].cost;
    double most = all / groups * PART_MOST;
    for (size_t i = 0; i < s->parts.count; i++)
        while (s->parts.items[i].whole == PATH_SHARES_FREE && s->parts.items[i].cost > most &&
               s->parts.items[i].end - s->parts.items[i].first > 1)
            divide(s, i);
    if (s->parts.count)
        qsort(s->parts.items, s->parts.count, sizeof *s->parts.items, by_cost);
    for (size_t i = 0; i < s->parts.count; i++)
        if (s->parts.items[i].whole != PATH_SHARES_FREE) {
            s->parts.items[i].group = (uint32_t)((s->parts.items[i].whole >> 1) % groups);
            s->load[s->parts.items[i].group] += s->parts.items[i].cost;
        }
    for (size_t i = 0; i < s->parts.count; i++) {
        uint32_t least = 0;
        if (s->parts.items[i].whole != PATH_SHARES_FREE)
            continue;
        for (uint32_t g = 1; g < groups; g++)
            if (s->load[g] < s->load[least])
                least = g;
        s->parts.items[i].group = least;
        s->load[least] += s->parts.items[i].cost;
    }
}

void path_shares_take(const struct path_shares *s, size_t function, uint32_t group, bool *wanted)
{
    for (size_t i = 0; i < s->parts.count; i++)
        if (s->parts.items[i].function == function && s->parts.items[i].group != group)
            memset(wanted + s->parts.items[i].first, false, s->parts.items[i].end - s->parts.items[i].first);
}

double path_shares_load(const struct path_shares *s, uint32_t group)
{
    return s->load[group];
}

void path_shares_free(struct path_shares *s)
{
    for (size_t i = 0; i < s->functions.count; i++) {
        struct shared_function *f = &s->functions.items[i];
        adjacency_release(&f->p.adjacency);
        graph_release(&f->p.arcs);
        free(f->paths);
        free(f->value);
        free(f->cost);
        free(f->wanted);
    }
    ARRAY_RELEASE(&s->functions);
    ARRAY_RELEASE(&s->parts);
    free(s->load);
    free(s);
}
