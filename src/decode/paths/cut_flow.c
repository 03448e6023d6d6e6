#include "decode/paths/cut_flow.h"

#include "base/memory.h"

/* So few units that sums over the arcs of a graph cannot overflow; and the most steps of a
 * search. */
enum { UNITS_MOST_BITS = 40, SEARCH_MOST = 1 << 24 };

struct bounds {
    int64_t *low, *high; /* by arc */
};

static void bounds_init(struct bounds *b, const struct path_graph *g)
{
    size_t room = (size_t)g->arcs.edge_count + 1;
    *b = (struct bounds){ZALLOC(int64_t, room), ZALLOC(int64_t, room)};
}

static void bounds_release(struct bounds *b)
{
    free(b->low);
    free(b->high);
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The arcs between ENTRY and v, on ways of arcs that may be taken. */
struct span {
    const struct path_graph *g;
    uint32_t *position; /* vertex -> its place in the order, from 1; ENTRY has 0 */
    bool *from_entry;   /* by vertex */
    bool *leads;        /* by vertex: to v */
    /* Position -> how many more arcs cross the gap after it than the one before. */
    uint32_t *across;
    /* Likewise, the sum of their numbers. */
    uint64_t *numbers;
};

static bool may_be_taken(const struct path_graph *g, const struct bounds *b, uint32_t a)
{
    return g->arcs.edges[a].to != graph_exit(&g->arcs) && (!b || b->high[a] > 0);
}

static void span_init(struct span *s, const struct path_graph *g)
{
    size_t room = (size_t)g->arcs.vertex_count + 1;
    *s = (struct span){.g = g,
                       .position = ZALLOC(uint32_t, room),
                       .from_entry = ALLOC(bool, room),
                       .leads = ALLOC(bool, room),
                       .across = ALLOC(uint32_t, room),
                       .numbers = ALLOC(uint64_t, room)};
    for (uint32_t i = 0; i < g->block_count; i++)
        s->position[g->order[i]] = i + 1;
}

static void span_release(struct span *s)
{
    free(s->position);
    free(s->from_entry);
    free(s->leads);
    free(s->across);
    free(s->numbers);
}

/*
 * Adds `units` to most[a] of every arc on a way to v, and to least[a] of those on every way. Each
 * way crosses each gap between neighbours of the order once, so an arc alone across a gap is on all
 * ways; and an arc that is on all ways is alone across its gaps, since whatever else is on a way
 * lies before or after it. False when no way leads to v.
 */
static bool span_add(struct span *s, uint32_t v, const struct bounds *within, int64_t units, int64_t *least,
                     int64_t *most)
{
    const struct path_graph *g = s->g;
    const struct adjacency *a = &g->adjacency;
    uint32_t entry = graph_exit(&g->arcs), end = s->position[v];
    memset(s->from_entry, 0, g->arcs.vertex_count * sizeof *s->from_entry);
    memset(s->leads, 0, g->arcs.vertex_count * sizeof *s->leads);
    memset(s->across, 0, ((size_t)end + 1) * sizeof *s->across);
    memset(s->numbers, 0, ((size_t)end + 1) * sizeof *s->numbers);
    s->from_entry[entry] = s->leads[v] = true;
    for (uint32_t i = 0; i < end; i++) {
        uint32_t u = g->order[i];
        for (uint32_t k = a->in_start[u]; k < a->in_start[u + 1]; k++)
            s->from_entry[u] |=
                may_be_taken(g, within, a->in[k]) && s->from_entry[g->arcs.edges[a->in[k]].from];
    }
    for (uint32_t i = end; i-- > 0;) {
        uint32_t u = g->order[i];
        for (uint32_t k = a->in_start[u]; s->leads[u] && k < a->in_start[u + 1]; k++) {
            uint32_t arc = a->in[k], from = g->arcs.edges[arc].from;
            if (!may_be_taken(g, within, arc) || !s->from_entry[from])
                continue;
            s->leads[from] = true;
            most[arc] += units;
            s->across[s->position[from]]++;
            s->numbers[s->position[from]] += arc;
            s->across[i + 1]--;
            s->numbers[i + 1] -= arc;
        }
    }
    uint32_t count = 0, last = GRAPH_NONE;
    uint64_t number = 0;
    for (uint32_t gap = 0; gap < end; gap++) {
        count += s->across[gap];
        number += s->numbers[gap];
        if (count == 1 && number != last) {
            last = (uint32_t)number;
            least[last] += units;
        }
    }
    return s->from_entry[v];
}

/* Finds what resumed units may, and must, have passed, whatever way they came. */
static bool resumed_bounds(const struct cut_flow *f, struct bounds *b)
{
    bool any = false;
    struct span s;
    span_init(&s, f->graph);
    for (uint32_t v = 0; f->resumes && v < f->graph->block_count; v++)
        if (f->resumes[v]) {
            span_add(&s, v, NULL, f->resumes[v], b->low, b->high);
            any = true;
        }
    span_release(&s);
    return any;
}

static bool set_bounds(const struct cut_flow *f, int64_t total, struct bounds *b, bool *open)
{
    const struct path_graph *g = f->graph;
    struct bounds resumed;
    bool possible = true;
    bounds_init(&resumed, g);
    *open = resumed_bounds(f, &resumed) || f->others || !f->residual;
    for (uint32_t a = 0; possible && a < g->arcs.edge_count; a++) {
        int64_t least, most;
        b->high[a] = may_be_taken(g, NULL, a) ? total : 0;
        if (!f->residual || !b->high[a])
            continue;
        possible = !__builtin_add_overflow(f->residual[a], resumed.low[a], &least) &&
                   !__builtin_add_overflow(f->residual[a], resumed.high[a], &most) && most >= 0;
        if (!possible)
            break;
        b->low[a] = f->others ? 0 : larger(0, least);
        b->high[a] = smaller(most, total);
        possible = b->low[a] <= b->high[a];
    }
    bounds_release(&resumed);
    return possible;
}

/* One step of the way that is looked at. */
struct step {
    uint32_t vertex, next; /* next: index of the out-arc to be tried */
    int64_t least;         /* units that came this way, at least */
    bool from_entry;
};

struct search {
    const struct path_graph *graph;
    const int64_t *cuts;
    const struct bounds *bounds;
    int64_t *arrives, *leaves; /* by vertex: at most; by arcs */
    int64_t *left;             /* by vertex: cuts that no way was found for */
    struct step *steps;
    uint32_t depth;
    struct cut_ways *ways;
};

static void list_way(struct search *s, int64_t count)
{
    struct cut_way *way = ARRAY_ADD(s->ways);
    *way = (struct cut_way){.blocks = ALLOC(uint32_t, s->depth),
                            .block_count = s->depth,
                            .from_entry = s->steps[0].from_entry,
                            .count = count};
    for (uint32_t i = 0; i < s->depth; i++)
        way->blocks[i] = s->steps[i].vertex;
}

/* At least `least` units arrive at v by the way of the steps. Lists how many of them stay, and goes
 * on with the others. */
static void arrive(struct search *s, uint32_t v, int64_t least, bool from_entry)
{
    s->steps[s->depth++] = (struct step){
        .vertex = v, .next = s->graph->adjacency.out_start[v], .least = least, .from_entry = from_entry};
    int64_t cuts = s->cuts[v];
    int64_t stay = smaller(cuts, larger(least - s->leaves[v], least + cuts - s->arrives[v]));
    if (stay > 0) {
        list_way(s, stay);
        s->left[v] -= stay;
    }
}

/* Depth first, from one arc out of ENTRY. Returns the steps it took. */
static uint64_t search_from(struct search *s, uint32_t first, uint64_t budget)
{
    const struct path_graph *g = s->graph;
    uint64_t steps = 1;
    if (s->bounds->low[first] <= 0)
        return steps;
    s->depth = 0;
    arrive(s, g->arcs.edges[first].to, s->bounds->low[first], g->arc_edge[first] != GRAPH_NONE);
    while (s->depth && steps < budget) {
        struct step *at = &s->steps[s->depth - 1];
        uint32_t v = at->vertex;
        if (at->next == g->adjacency.out_start[v + 1]) {
            s->depth--;
            continue;
        }
        uint32_t a = g->adjacency.out[at->next++];
        int64_t high = s->bounds->high[a], otherwise = s->leaves[v] - high + s->cuts[v];
        int64_t least = larger(at->least - otherwise, at->least + s->bounds->low[a] - s->arrives[v]);
        least = smaller(smaller(least, high), at->least);
        steps++;
        if (least > 0)
            arrive(s, g->arcs.edges[a].to, least, false);
    }
    return steps;
}

static bool find_ways(struct cut_ways *ways, const struct path_graph *g, const int64_t *cuts,
                      const struct bounds *bounds)
{
    size_t room = (size_t)g->arcs.vertex_count + 1;
    struct search s = {.graph = g,
                       .cuts = cuts,
                       .bounds = bounds,
                       .arrives = ZALLOC(int64_t, room),
                       .leaves = ZALLOC(int64_t, room),
                       .left = ALLOC(int64_t, room),
                       .steps = ALLOC(struct step, room),
                       .ways = ways};
    uint32_t entry = graph_exit(&g->arcs);
    /* There are at most as many ways as arcs, and each is at most as long as there are blocks; at
     * each of its vertices all arcs are tried. */
    uint64_t arcs = g->arcs.edge_count + UINT64_C(16),
             budget = arcs < SEARCH_MOST / arcs ? arcs * arcs : SEARCH_MOST, steps = 0;
    for (uint32_t a = 0; a < g->arcs.edge_count; a++) {
        s.leaves[g->arcs.edges[a].from] += bounds->high[a];
        s.arrives[g->arcs.edges[a].to] += bounds->high[a];
    }
    memcpy(s.left, cuts, g->block_count * sizeof *s.left);
    for (uint32_t i = g->adjacency.out_start[entry]; i < g->adjacency.out_start[entry + 1] && steps < budget;
         i++)
        steps += search_from(&s, g->adjacency.out[i], budget - steps);
    bool possible = steps < budget;
    for (uint32_t v = 0; v < g->block_count; v++)
        possible &= s.left[v] >= 0;
    free(s.arrives);
    free(s.leaves);
    free(s.left);
    free(s.steps);
    return possible;
}

static uint32_t way_end(const struct cut_way *way)
{
    return way->blocks[way->block_count - 1];
}

static int64_t sum_at(const struct cut_ways *ways, uint32_t v)
{
    int64_t sum = 0;
    for (size_t i = 0; i < ways->count; i++)
        sum += way_end(&ways->items[i]) == v ? ways->items[i].count : 0;
    return sum;
}

/* Puts the ways to v in place of those that are listed, if more is certain of them. */
static void take_better(struct cut_ways *ways, struct cut_ways *to_v, uint32_t v)
{
    if (sum_at(to_v, v) <= sum_at(ways, v))
        return;
    size_t kept = 0;
    for (size_t i = 0; i < ways->count; i++)
        if (way_end(&ways->items[i]) == v)
            free(ways->items[i].blocks);
        else
            ways->items[kept++] = ways->items[i];
    ways->count = kept;
    for (size_t i = 0; i < to_v->count; i++)
        ARRAY_PUSH(ways, to_v->items[i]);
    to_v->count = 0; /* their blocks are handed on */
}

/* Splits a flow whose bounds leave room: every unit has a way to where it stays. This is done for
 * all blocks together, and for each block by itself, where what others may have done is taken from
 * what is least. */
static bool split_open(struct cut_ways *ways, const struct cut_flow *f, const struct bounds *b)
{
    const struct path_graph *g = f->graph;
    struct bounds reached, all, one;
    struct span s;
    bool possible = true;
    int64_t *cuts = ZALLOC(int64_t, g->arcs.vertex_count);
    size_t size = g->arcs.edge_count * sizeof *one.low;
    bounds_init(&reached, g);
    bounds_init(&all, g);
    bounds_init(&one, g);
    span_init(&s, g);
    for (uint32_t v = 0; v < g->block_count; v++)
        possible &= !f->cuts[v] || span_add(&s, v, b, f->cuts[v], reached.low, reached.high);
    for (uint32_t a = 0; a < g->arcs.edge_count; a++) {
        all.low[a] = larger(reached.low[a], b->low[a]);
        all.high[a] = smaller(reached.high[a], b->high[a]);
        possible &= all.low[a] <= all.high[a];
    }
    possible = possible && find_ways(ways, g, f->cuts, &all);
    for (uint32_t v = 0; possible && v < g->block_count; v++) {
        struct cut_ways to_v = {0};
        if (!f->cuts[v])
            continue;
        memset(one.low, 0, size);
        memset(one.high, 0, size);
        span_add(&s, v, b, f->cuts[v], one.low, one.high);
        for (uint32_t a = 0; a < g->arcs.edge_count; a++) {
            one.low[a] = larger(one.low[a], b->low[a] - (reached.high[a] - one.high[a]));
            one.high[a] = smaller(one.high[a], b->high[a]);
        }
        cuts[v] = f->cuts[v];
        if (find_ways(&to_v, g, cuts, &one))
            take_better(ways, &to_v, v);
        cuts[v] = 0;
        cut_ways_release(&to_v);
    }
    span_release(&s);
    bounds_release(&reached);
    bounds_release(&all);
    bounds_release(&one);
    free(cuts);
    return possible;
}

bool cut_flow_split(struct cut_ways *ways, const struct cut_flow *flow)
{
    const struct path_graph *g = flow->graph;
    const int64_t most = (int64_t)1 << UNITS_MOST_BITS;
    struct bounds bounds;
    int64_t total = 0;
    bool possible = true, open = false;
    *ways = (struct cut_ways){0};
    for (uint32_t v = 0; possible && v < g->block_count; v++) {
        int64_t resumes = flow->resumes ? flow->resumes[v] : 0;
        possible = flow->cuts[v] >= 0 && flow->cuts[v] <= most - total && resumes >= 0 && resumes <= most;
        total += possible ? flow->cuts[v] : 0;
    }
    bounds_init(&bounds, g);
    possible = possible && set_bounds(flow, total, &bounds, &open) &&
               (open ? split_open(ways, flow, &bounds) : find_ways(ways, g, flow->cuts, &bounds));
    if (!possible)
        cut_ways_release(ways);
    bounds_release(&bounds);
    return possible;
}

void cut_ways_release(struct cut_ways *ways)
{
    for (size_t i = 0; i < ways->count; i++)
        free(ways->items[i].blocks);
    ARRAY_RELEASE(ways);
}
