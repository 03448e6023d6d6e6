/* Regions are found from the outside in: the strongly connected parts of a region, by Tarjan's
 * method (1972), then those of each part. Nothing recurses. */
#include "plan/crash/regions.h"
#include "base/memory.h"

struct finder {
    struct crash_regions *r;
    struct adjacency adjacency;
    uint32_t *index, *low, *next; /* of Tarjan's method; an index of 0: not visited */
    uint32_t *path, *stack;
    bool *stacked;
    uint32_t visited, path_length, stack_length;
    struct ARRAY_OF(uint32_t) blocks; /* of all regions, one after the other */
    struct ARRAY_OF(uint32_t) starts; /* region -> its first rank there */
    struct ARRAY_OF(uint32_t) parents;
};

/* Does the edge stay inside the region, without beginning a round of it? */
static bool is_inside(const struct finder *f, uint32_t edge, uint32_t region)
{
    const struct edge *e = &f->r->graph->edges[edge];
    return e->kind == EDGE_FLOW && f->r->innermost[e->to] == region && !f->r->head[e->to];
}

static void visit(struct finder *f, uint32_t v)
{
    f->index[v] = f->low[v] = ++f->visited;
    f->next[v] = f->adjacency.out_start[v];
    f->path[f->path_length++] = f->stack[f->stack_length++] = v;
    f->stacked[v] = true;
}

/* Does the block lead to itself? */
static bool has_loop(const struct finder *f, uint32_t v, uint32_t region)
{
    for (uint32_t i = f->adjacency.out_start[v]; i < f->adjacency.out_start[v + 1]; i++) {
        uint32_t e = f->adjacency.out[i];
        if (f->r->graph->edges[e].to == v && is_inside(f, e, region))
            return true;
    }
    return false;
}

/* Takes the part that ends with v off the stack: a region, unless it is one block without a loop. Its
 * blocks get their region later, since the search in the region around them goes on. */
static void take_part(struct finder *f, uint32_t v, uint32_t region)
{
    uint32_t first = f->stack_length;
    do {
        f->stacked[f->stack[--first]] = false;
    } while (f->stack[first] != v);
    uint32_t length = f->stack_length - first;
    f->stack_length = first;
    if (length == 1 && !has_loop(f, v, region))
        return;
    ARRAY_PUSH(&f->starts, (uint32_t)f->blocks.count);
    ARRAY_PUSH(&f->parents, region);
    for (uint32_t i = 0; i < length; i++)
        ARRAY_PUSH(&f->blocks, f->stack[first + i]);
}

static void search_from(struct finder *f, uint32_t start, uint32_t region)
{
    visit(f, start);
    while (f->path_length) {
        uint32_t v = f->path[f->path_length - 1];
        if (f->next[v] < f->adjacency.out_start[v + 1]) {
            uint32_t e = f->adjacency.out[f->next[v]++], to = f->r->graph->edges[e].to;
            if (!is_inside(f, e, region))
                continue;
            if (!f->index[to])
                visit(f, to);
            else if (f->stacked[to] && f->index[to] < f->low[v])
                f->low[v] = f->index[to];
            continue;
        }
        f->path_length--;
        if (f->path_length && f->low[v] < f->low[f->path[f->path_length - 1]])
            f->low[f->path[f->path_length - 1]] = f->low[v];
        if (f->low[v] == f->index[v])
            take_part(f, v, region);
    }
}

static uint32_t end_of(const struct finder *f, uint32_t region)
{
    return region + 1 < f->starts.count ? f->starts.items[region + 1] : (uint32_t)f->blocks.count;
}

/* The region's blocks are its own now; those that control reaches from outside are its heads. */
static void begin_region(struct finder *f, uint32_t region)
{
    struct crash_regions *r = f->r;
    uint32_t end = end_of(f, region);
    for (uint32_t i = f->starts.items[region]; i < end; i++)
        r->innermost[f->blocks.items[i]] = region;
    for (uint32_t i = f->starts.items[region]; region && i < end; i++) {
        uint32_t v = f->blocks.items[i];
        for (uint32_t k = f->adjacency.in_start[v]; k < f->adjacency.in_start[v + 1]; k++)
            if (r->innermost[r->graph->edges[f->adjacency.in[k]].from] != region)
                r->head[v] = true;
    }
}

static void find_regions(struct finder *f)
{
    struct crash_regions *r = f->r;
    const struct graph *g = r->graph;
    bool *reachable = ZALLOC(bool, g->vertex_count);
    graph_reachable(g, reachable);
    ARRAY_PUSH(&f->starts, 0);
    ARRAY_PUSH(&f->parents, GRAPH_NONE);
    for (uint32_t v = 0; v < graph_exit(g); v++)
        if (reachable[v])
            ARRAY_PUSH(&f->blocks, v);
    free(reachable);
    for (uint32_t region = 0; region < f->starts.count; region++) {
        begin_region(f, region);
        uint32_t first = f->starts.items[region], end = end_of(f, region);
        for (uint32_t i = first; i < end; i++)
            f->index[f->blocks.items[i]] = 0;
        for (uint32_t i = first; i < end; i++)
            if (!f->index[f->blocks.items[i]])
                search_from(f, f->blocks.items[i], region);
    }
    r->innermost[graph_exit(g)] = 0;
    r->head[graph_exit(g)] = true;
}

uint32_t crash_node_of(const struct crash_regions *r, uint32_t region, uint32_t block)
{
    uint32_t node = block, in = r->innermost[block];
    while (in != GRAPH_NONE && in != region) {
        node = r->graph->vertex_count + in;
        in = r->parent[in];
    }
    return in == GRAPH_NONE ? GRAPH_NONE : node;
}

/* The innermost region that holds both. */
static uint32_t region_of_both(const struct crash_regions *r, uint32_t a, uint32_t b)
{
    while (a != b)
        if (r->depth[a] >= r->depth[b])
            a = r->parent[a];
        else
            b = r->parent[b];
    return a;
}

static void find_step(struct crash_regions *r, uint32_t edge)
{
    const struct edge *e = &r->graph->edges[edge];
    r->from[edge] = r->to[edge] = GRAPH_NONE;
    if ((e->kind != EDGE_FLOW && e->kind != EDGE_ENTRY) || r->innermost[e->from] == GRAPH_NONE ||
        r->innermost[e->to] == GRAPH_NONE)
        return;
    uint32_t region = region_of_both(r, r->innermost[e->from], r->innermost[e->to]);
    if (r->head[e->to] && r->innermost[e->to] == region)
        return;
    r->from[edge] = crash_node_of(r, region, e->from);
    r->to[edge] = crash_node_of(r, region, e->to);
}

uint32_t crash_region_of_step(const struct crash_regions *r, uint32_t edge)
{
    uint32_t node = r->to[edge], vertices = r->graph->vertex_count;
    return node < vertices ? r->innermost[node] : r->parent[node - vertices];
}

/* Steps into nodes, and an order of nodes by Kahn's method (1962). */
static void order_nodes(struct crash_regions *r)
{
    uint32_t edges = r->graph->edge_count, *out_start = ZALLOC(uint32_t, (size_t)r->node_count + 1),
             *out = ALLOC(uint32_t, edges), *left = ALLOC(uint32_t, r->node_count), done = 0, found = 0;
    r->in_start = ZALLOC(uint32_t, (size_t)r->node_count + 1);
    r->in = ALLOC(uint32_t, edges);
    r->order = ALLOC(uint32_t, r->node_count);
    r->rank = ALLOC(uint32_t, r->node_count);
    for (uint32_t e = 0; e < edges; e++)
        if (r->to[e] != GRAPH_NONE) {
            r->in_start[r->to[e] + 1]++;
            out_start[r->from[e] + 1]++;
        }
    for (uint32_t n = 0; n < r->node_count; n++) {
        left[n] = r->in_start[n + 1];
        if (!left[n])
            r->order[found++] = n;
        r->in_start[n + 1] += r->in_start[n];
        out_start[n + 1] += out_start[n];
    }
    uint32_t *in_fill = ALLOC(uint32_t, r->node_count), *out_fill = ALLOC(uint32_t, r->node_count);
    memcpy(in_fill, r->in_start, r->node_count * sizeof *in_fill);
    memcpy(out_fill, out_start, r->node_count * sizeof *out_fill);
    for (uint32_t e = 0; e < edges; e++)
        if (r->to[e] != GRAPH_NONE) {
            r->in[in_fill[r->to[e]]++] = e;
            out[out_fill[r->from[e]]++] = e;
        }
    for (; done < found; done++) {
        uint32_t n = r->order[done];
        r->rank[n] = done;
        for (uint32_t i = out_start[n]; i < out_start[n + 1]; i++)
            if (!--left[r->to[out[i]]])
                r->order[found++] = r->to[out[i]];
    }
    free(in_fill);
    free(out_fill);
    free(out_start);
    free(out);
    free(left);
}

void crash_regions_init(struct crash_regions *r, const struct graph *g)
{
    uint32_t n = g->vertex_count;
    *r = (struct crash_regions){.graph = g, .innermost = ALLOC(uint32_t, n), .head = ZALLOC(bool, n)};
    for (uint32_t v = 0; v < n; v++)
        r->innermost[v] = GRAPH_NONE;
    struct finder f = {.r = r,
                       .index = ZALLOC(uint32_t, n),
                       .low = ALLOC(uint32_t, n),
                       .next = ALLOC(uint32_t, n),
                       .path = ALLOC(uint32_t, n),
                       .stack = ALLOC(uint32_t, n),
                       .stacked = ZALLOC(bool, n)};
    adjacency_init(&f.adjacency, g);
    find_regions(&f);
    r->count = (uint32_t)f.starts.count;
    r->node_count = n + r->count;
    r->parent = f.parents.items;
    r->depth = ZALLOC(uint32_t, r->count);
    for (uint32_t i = 1; i < r->count; i++)
        r->depth[i] = r->depth[r->parent[i]] + 1;
    r->from = ALLOC(uint32_t, g->edge_count);
    r->to = ALLOC(uint32_t, g->edge_count);
    for (uint32_t e = 0; e < g->edge_count; e++)
        find_step(r, e);
    order_nodes(r);
    adjacency_release(&f.adjacency);
    free(f.index);
    free(f.low);
    free(f.next);
    free(f.path);
    free(f.stack);
    free(f.stacked);
    ARRAY_RELEASE(&f.blocks);
    ARRAY_RELEASE(&f.starts);
}

void crash_regions_release(struct crash_regions *r)
{
    free(r->parent);
    free(r->depth);
    free(r->innermost);
    free(r->head);
    free(r->from);
    free(r->to);
    free(r->in_start);
    free(r->in);
    free(r->order);
    free(r->rank);
    *r = (struct crash_regions){0};
}
