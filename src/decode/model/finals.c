/*
 * How often a stretch ran that is not counted follows from the frames and from the stretches that
 * are counted. That is exact if every frame that was cut or resumed is known. If not, what was
 * counted still happened, at least so often; and a point that has only one way in was reached that
 * way as often as it was left. The rest is supposed (decode/model/counts.h).
 */
#include "decode/model/finals.h"
#include "decode/model/error_bounds.h"
#include "decode/model/module.h"

#include <stdlib.h>

/* The function that a stretch counts for; NULL: the map does not have the counter. */
static struct decode_function *counted_for(const struct decode_module *m, const struct final_count *count)
{
    struct decode_function *f = decode_module_find(m, count->key);
    return f && count->counter < f->counter_count ? f : NULL;
}

/* What the edge counts follows from flow. */
static void note_flow(const struct decode_module *m, const struct decode_final *f, uint32_t edge)
{
    for (uint32_t i = f->map.first[edge]; i < f->map.first[edge + 1]; i++) {
        struct decode_function *to = counted_for(m, &f->map.counts[i]);
        if (to && !to->code.flows)
            to->code.flows = ZALLOC(bool, to->counter_count + 1);
        if (to)
            to->code.flows[f->map.counts[i].counter] = true;
    }
}

void decode_module_add_final(struct decode_module *m, struct final_function *map)
{
    bool added;
    uint64_t *index = hash_map_put(&m->final_by_key, map->key, &added);
    if (!added) { /* two units have the same code */
        final_function_release(map);
        return;
    }
    struct decode_final *f = ZALLOC(struct decode_final, 1);
    f->map = *map;
    *map = (struct final_function){0};
    f->counter_of = ALLOC(uint32_t, f->map.graph.edge_count + 1);
    for (uint32_t e = 0; e < f->map.graph.edge_count; e++) {
        if (f->map.counted[e])
            f->counter_of[e] = f->counter_count++;
        else
            note_flow(m, f, e);
    }
    ARRAY_PUSH(&m->finals, f);
    *index = m->finals.count;
}

struct decode_final *decode_module_final(const struct decode_module *m, uint64_t key)
{
    const uint64_t *index = key ? hash_map_get(&m->final_by_key, key) : NULL;
    return index ? m->finals.items[*index - 1] : NULL;
}

static void forget_file(struct decode_final *f)
{
    free(f->counters);
    free(f->gains);
    f->counters = f->gains = NULL;
}

void decode_final_release(struct decode_final *f)
{
    forget_file(f);
    if (f->ordered)
        flow_order_release(&f->order);
    free(f->counter_of);
    ARRAY_RELEASE(&f->unsure);
    final_function_release(&f->map);
    free(f);
}

void decode_final_touch(struct decode_final *f)
{
    if (f->counters)
        return;
    f->counters = ZALLOC(int64_t, f->counter_count + 1);
    f->gains = ZALLOC(int64_t, f->map.graph.vertex_count);
}

/* How often each stretch ran. */
static int64_t *solve(struct decode_final *f)
{
    const struct graph *g = &f->map.graph;
    int64_t *counts = ZALLOC(int64_t, g->edge_count + 1), left = 0;
    uint64_t *surplus = ZALLOC(uint64_t, g->vertex_count);
    uint32_t where;
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (f->map.counted[e])
            counts[e] = f->counters[f->counter_of[e]];
    for (uint32_t v = 0; v < graph_exit(g); v++)
        left = (int64_t)((uint64_t)left + (uint64_t)f->gains[v]);
    f->gains[graph_exit(g)] = (int64_t)-(uint64_t)left;
    if (!f->ordered)
        flow_order_init(&f->order, g, f->map.counted);
    f->ordered = true;
    flow_order_solve(&f->order, g, f->gains, counts, surplus, &where);
    free(surplus);
    return counts;
}

/* How often each stretch ran for certain, wherever activations stand. */
static int64_t *find_least(const struct decode_final *f)
{
    enum { ROUNDS = 8 }; /* facts travel backwards, one step a round at least */
    const struct graph *g = &f->map.graph;
    int64_t *least = ZALLOC(int64_t, g->edge_count + 1);
    struct adjacency a;
    adjacency_init(&a, g);
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (f->map.counted[e])
            least[e] = f->counters[f->counter_of[e]];
    bool changed = true;
    for (int round = 0; changed && round < ROUNDS; round++) {
        changed = false;
        for (uint32_t v = graph_exit(g); v-- > 0;) {
            if (a.in_start[v + 1] - a.in_start[v] != 1)
                continue;
            int64_t left = f->gains[v] > 0 ? -f->gains[v] : 0; /* resumed frames came from elsewhere */
            for (uint32_t i = a.out_start[v]; i < a.out_start[v + 1]; i++)
                left = (int64_t)((uint64_t)left + (uint64_t)least[a.out[i]]);
            uint32_t in = a.in[a.in_start[v]];
            if (!f->map.counted[in] && left > least[in]) {
                least[in] = left;
                changed = true;
            }
        }
    }
    adjacency_release(&a);
    return least;
}

static void add(int64_t *sum, uint64_t more)
{
    *sum = (int64_t)((uint64_t)*sum + more);
}

static void spread(struct decode_final *f, struct decode_module *m,
                   void (*touch)(void *context, struct decode_function *f), void *context)
{
    int64_t *counts = solve(f);
    for (uint32_t e = 0; e < f->map.graph.edge_count; e++)
        for (uint32_t i = f->map.first[e]; counts[e] && i < f->map.first[e + 1]; i++) {
            const struct final_count *one = &f->map.counts[i];
            struct decode_function *to = counted_for(m, one);
            if (!to)
                continue;
            touch(context, to);
            add(&to->file.counters[one->counter], (uint64_t)counts[e] * one->by);
        }
    free(counts);
}

void finals_spread(struct decode_module *m, void (*touch)(void *context, struct decode_function *f),
                   void *context)
{
    for (size_t i = 0; i < m->finals.count; i++)
        if (m->finals.items[i]->counters)
            spread(m->finals.items[i], m, touch, context);
}

static void suppose(struct decode_final *f, const struct decode_module *m)
{
    int64_t *counts = solve(f), *least = find_least(f);
    for (uint32_t e = 0; e < f->map.graph.edge_count; e++)
        for (uint32_t i = f->map.first[e]; counts[e] != least[e] && i < f->map.first[e + 1]; i++) {
            const struct final_count *one = &f->map.counts[i];
            struct decode_function *to = counted_for(m, one);
            if (!to)
                continue;
            if (!to->file.supposed)
                to->file.supposed = ZALLOC(int64_t, to->counter_count + 1);
            add(&to->file.supposed[one->counter], ((uint64_t)counts[e] - (uint64_t)least[e]) * one->by);
        }
    free(counts);
    free(least);
}

void finals_suppose(struct decode_module *m)
{
    for (size_t i = 0; i < m->finals.count; i++)
        if (m->finals.items[i]->counters)
            suppose(m->finals.items[i], m);
}

void finals_drop(struct decode_module *m)
{
    for (size_t i = 0; i < m->finals.count; i++)
        forget_file(m->finals.items[i]);
}

/* The tree of the edges that are not counted, while it is walked. */
struct tree_walk {
    struct decode_final *f;
    struct adjacency adjacency;
    bool *seen;
    struct hash_map index_of_key; /* + 1 */
    int64_t *here;                /* by index: the sum on the way from the root */
};

/* The walk goes over an edge: forwards, or back. */
static void pass_edge(struct tree_walk *w, uint32_t edge, bool back)
{
    struct decode_final *f = w->f;
    for (uint32_t i = f->map.first[edge]; i < f->map.first[edge + 1]; i++) {
        const struct final_count *one = &f->map.counts[i];
        int64_t by = one->by < INT32_MAX ? (int64_t)one->by : INT32_MAX;
        bool added;
        uint64_t *index = hash_map_put(&w->index_of_key, one->key, &added);
        if (added) {
            ARRAY_PUSH(&f->unsure, ((struct final_unsure){.key = one->key}));
            *index = f->unsure.count;
            RESIZE(w->here, f->unsure.count);
            w->here[*index - 1] = 0;
        }
        int64_t *sum = &w->here[*index - 1], *most = &f->unsure.items[*index - 1].error;
        *sum += back ? -by : by;
        if (*most < *sum)
            *most = *sum;
    }
}

/* Walks over the tree that the vertex is in, depth first. */
static void walk_tree(struct tree_walk *w, uint32_t root)
{
    const struct graph *g = &w->f->map.graph;
    struct step {
        uint32_t vertex, in, next; /* by which edge, and the next of its edges */
    };
    struct ARRAY_OF(struct step) way = {0};
    ARRAY_PUSH(&way, ((struct step){root, GRAPH_NONE, 0}));
    w->seen[root] = true;
    while (way.count) {
        struct step *at = &way.items[way.count - 1];
        uint32_t v = at->vertex, outs = w->adjacency.out_start[v + 1] - w->adjacency.out_start[v];
        uint32_t ins = w->adjacency.in_start[v + 1] - w->adjacency.in_start[v];
        if (at->next == outs + ins) {
            if (at->in != GRAPH_NONE)
                pass_edge(w, at->in, true);
            way.count--;
            continue;
        }
        uint32_t n = at->next++;
        uint32_t e = n < outs ? w->adjacency.out[w->adjacency.out_start[v] + n]
                              : w->adjacency.in[w->adjacency.in_start[v] + n - outs];
        uint32_t to = n < outs ? g->edges[e].to : g->edges[e].from;
        if (w->f->map.counted[e] || w->seen[to])
            continue;
        w->seen[to] = true;
        pass_edge(w, e, false);
        ARRAY_PUSH(&way, ((struct step){to, e, 0}));
    }
    ARRAY_RELEASE(&way);
}

/* A frame that stays at a point adds one unit along the way of the tree from there to EXIT. */
const struct final_unsure *decode_final_unsure(struct decode_final *f, size_t *count)
{
    const struct graph *g = &f->map.graph;
    if (!f->unsure_known) {
        struct tree_walk w = {.f = f, .seen = ZALLOC(bool, g->vertex_count)};
        adjacency_init(&w.adjacency, g);
        for (uint32_t v = g->vertex_count; v-- > 0;) /* EXIT first */
            if (!w.seen[v])
                walk_tree(&w, v);
        adjacency_release(&w.adjacency);
        hash_map_release(&w.index_of_key);
        free(w.here);
        free(w.seen);
    }
    f->unsure_known = true;
    *count = f->unsure.count;
    return f->unsure.items;
}
