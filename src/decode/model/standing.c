#include "decode/model/standing.h"
#include "base/memory.h"

#include <pthread.h>

/* As in instrument/graph/function_graph.h. Whether a branch can carry a counter at all does not
 * matter here. */
enum place { AT_TARGET, AT_SOURCE, ON_BRANCH, NOWHERE };

struct pair {
    uint32_t place, counter;
};
struct pairs ARRAY_OF(struct pair);

struct builder {
    const struct map_function *f;
    const struct graph *g;
    struct adjacency adjacency;
    struct pairs at_start, on_branch, ahead;
    uint32_t counter; /* the one whose places are being found */
};

static uint32_t degree(const uint32_t *start, uint32_t v)
{
    return start[v + 1] - start[v];
}

static enum place place_of(const struct builder *b, uint32_t edge)
{
    const struct edge *e = &b->g->edges[edge];
    if (e->kind == EDGE_ENTRY)
        return AT_TARGET;
    bool only_way_out = degree(b->adjacency.out_start, e->from) == 1;
    if (e->kind != EDGE_FLOW)
        return only_way_out ? AT_SOURCE : NOWHERE;
    if (degree(b->adjacency.in_start, e->to) == 1 && !(only_way_out && b->f->blocks[e->to].only_returns))
        return AT_TARGET;
    return only_way_out ? AT_SOURCE : ON_BRANCH;
}

static void add(struct pairs *pairs, uint32_t place, uint32_t counter)
{
    ARRAY_PUSH(pairs, ((struct pair){.place = place, .counter = counter}));
}

/* The counter stands where `edge`, a flow or entry edge, is counted. */
static void stand_on(struct builder *b, uint32_t edge, enum place place)
{
    const struct edge *e = &b->g->edges[edge];
    if (place == AT_TARGET) {
        add(&b->at_start, e->to, b->counter);
    } else if (place == AT_SOURCE) {
        add(&b->at_start, e->from, b->counter);
        add(&b->ahead, e->from, b->counter);
    } else if (place == ON_BRANCH) {
        add(&b->on_branch, edge, b->counter);
    }
}

/* The counter counts executions of a block; of a block that does nothing but return, it stands on
 * the ways into it. */
static void stand_in(struct builder *b, uint32_t block)
{
    if (!b->f->blocks[block].only_returns) {
        add(&b->at_start, block, b->counter);
        return;
    }
    for (uint32_t i = b->adjacency.in_start[block]; i < b->adjacency.in_start[block + 1]; i++)
        stand_on(b, b->adjacency.in[i], place_of(b, b->adjacency.in[i]));
}

/* The counter of an exit or virtual edge stands where its block is counted, and so is ahead
 * in it. */
static void stand_before_exit(struct builder *b, uint32_t edge)
{
    uint32_t block = b->g->edges[edge].from;
    if (place_of(b, edge) != AT_SOURCE)
        return;
    stand_in(b, block);
    add(&b->ahead, block, b->counter);
}

static void stand(struct builder *b, const struct plan *plan, const struct probe *probe)
{
    uint32_t exit = graph_exit(b->g);
    if (plan->placement == PLACEMENT_BALANCE && !(b->f->flags & MAP_FUNCTION_MAIN))
        return; /* its counter stands around its calls, wherever that is cheapest */
    if (probe->kind == PROBE_EDGE) {
        enum edge_kind kind = b->g->edges[probe->id].kind;
        if (kind == EDGE_FLOW || kind == EDGE_ENTRY)
            stand_on(b, probe->id, place_of(b, probe->id));
        else
            stand_before_exit(b, probe->id);
    } else if (probe->id != exit) {
        stand_in(b, probe->id);
    } else if (plan->placement != PLACEMENT_BALANCE) { /* of balance: right before the return, never ahead */
        for (uint32_t i = b->adjacency.in_start[exit]; i < b->adjacency.in_start[exit + 1]; i++)
            stand_before_exit(b, b->adjacency.in[i]);
    }
}

static void make_list(struct standing_list *list, struct pairs *pairs, uint32_t places)
{
    list->start = ZALLOC(uint32_t, (size_t)places + 1);
    list->items = ALLOC(uint32_t, pairs->count);
    for (size_t i = 0; i < pairs->count; i++)
        list->start[pairs->items[i].place + 1]++;
    for (uint32_t i = 0; i < places; i++)
        list->start[i + 1] += list->start[i];
    uint32_t *fill = ALLOC(uint32_t, places);
    if (places)
        memcpy(fill, list->start, places * sizeof *fill);
    for (size_t i = 0; i < pairs->count; i++)
        list->items[fill[pairs->items[i].place]++] = pairs->items[i].counter;
    free(fill);
    ARRAY_RELEASE(pairs);
}

static void standing_init(struct standing *s, const struct map_function *f)
{
    struct builder b = {.f = f, .g = &f->graph};
    adjacency_init(&b.adjacency, &f->graph);
    for (uint32_t p = 0; p < f->plan_count; p++)
        if (placement_counts_paths(f->plans[p].placement)) /* a path counts when it ends, never ahead */
            b.counter += plan_counters(&f->plans[p]);
        else
            for (uint32_t i = 0; i < f->plans[p].probe_count; i++, b.counter++)
                stand(&b, &f->plans[p], &f->plans[p].probes[i]);
    s->dead_end = ALLOC(bool, f->graph.vertex_count);
    for (uint32_t v = 0; v < f->graph.vertex_count; v++)
        s->dead_end[v] = true;
    for (uint32_t e = 0; e < f->graph.edge_count; e++)
        s->dead_end[f->graph.edges[e].from] &= f->graph.edges[e].kind == EDGE_VIRTUAL;
    make_list(&s->at_start, &b.at_start, f->graph.vertex_count);
    make_list(&s->on_branch, &b.on_branch, f->graph.edge_count);
    make_list(&s->ahead, &b.ahead, f->graph.vertex_count);
    adjacency_release(&b.adjacency);
}

void standing_prepare(struct standing *s, const struct map_function *f)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    if (__atomic_load_n(&s->ready, __ATOMIC_ACQUIRE))
        return;
    pthread_mutex_lock(&lock);
    if (!s->ready) {
        standing_init(s, f);
        __atomic_store_n(&s->ready, true, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
}

void standing_release(struct standing *s)
{
    struct standing_list *lists[] = {&s->at_start, &s->on_branch, &s->ahead};
    for (size_t i = 0; i < 3; i++) {
        free(lists[i]->start);
        free(lists[i]->items);
    }
    free(s->dead_end);
    *s = (struct standing){0};
}

void standing_correct(const struct standing *s, uint32_t block, int64_t times, int64_t *counters)
{
    for (uint32_t i = s->ahead.start[block]; i < s->ahead.start[block + 1]; i++) {
        int64_t *counter = &counters[s->ahead.items[i]];
        *counter = (int64_t)((uint64_t)*counter + (uint64_t)times);
    }
}
