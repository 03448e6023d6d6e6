/*
 * A way is found backwards, piece by piece. A piece ends at a node and begins at the last tracked
 * node before it, which has the same number; one step into that node fits the number, and the next
 * piece ends where this step comes from. The first piece begins wherever a round may.
 *
 * All ways through a piece share the nodes over which no step leads: in the order of nodes, those
 * that no earlier node of the piece has a step beyond.
 */
#include "plan/crash/ways.h"

struct walk {
    struct crash_ways *ways;
    const struct crash_regions *r;
    const struct crash_numbering *n;
    uint32_t *piece; /* the places of its nodes in the order of nodes, rising */
    uint32_t length;
    /* By rank: ways from the beginning of the piece (0: it is not in the piece), and the farthest
     * rank that a step leads to. */
    uint64_t *count;
    uint32_t *farthest;
    uint32_t *only;    /* by rank: the one step by which the ways come there, or GRAPH_NONE */
    const bool *never; /* by vertex; or NULL */
};

static uint64_t add(uint64_t a, uint64_t b)
{
    return a + b < a ? UINT64_MAX : a + b;
}

static uint64_t multiply(uint64_t a, uint64_t b)
{
    return a && b > UINT64_MAX / a ? UINT64_MAX : a * b;
}

static int by_place(const void *left, const void *right)
{
    const uint32_t *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

static void put_in_piece(struct walk *w, uint32_t node)
{
    uint32_t rank = w->r->rank[node];
    if (!w->count[rank]) {
        w->count[rank] = 1;
        w->farthest[rank] = 0;
        w->piece[w->length++] = rank;
    }
}

/* Can control have taken the step? */
static bool is_open(const struct walk *w, uint32_t step)
{
    const struct edge *e = &w->r->graph->edges[step];
    return !w->never || !(w->never[e->from] || w->never[e->to]);
}

/* Does a way of the piece begin at the node? */
static bool is_source(const struct walk *w, uint32_t node, uint32_t begin)
{
    return node == begin || w->r->in_start[node] == w->r->in_start[node + 1];
}

/* Finds the nodes from which control may come to `end`; not past `begin`, if that is a node. */
static void collect(struct walk *w, uint32_t begin, uint32_t end)
{
    const struct crash_regions *r = w->r;
    w->length = 0;
    put_in_piece(w, end);
    for (uint32_t i = 0; i < w->length; i++) {
        uint32_t node = r->order[w->piece[i]];
        for (uint32_t k = r->in_start[node]; !is_source(w, node, begin) && k < r->in_start[node + 1]; k++)
            if (is_open(w, r->in[k]))
                put_in_piece(w, r->from[r->in[k]]);
    }
    qsort(w->piece, w->length, sizeof *w->piece, by_place);
}

/* Counts the ways to each node of the piece; nodes to which none leads are dropped. */
static void count_ways(struct walk *w, uint32_t begin)
{
    const struct crash_regions *r = w->r;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < w->length; i++) {
        uint32_t rank = w->piece[i], node = r->order[rank], steps = 0;
        w->count[rank] = is_source(w, node, begin);
        w->only[rank] = GRAPH_NONE;
        for (uint32_t k = r->in_start[node]; !is_source(w, node, begin) && k < r->in_start[node + 1]; k++) {
            uint32_t from = r->rank[r->from[r->in[k]]];
            if (!is_open(w, r->in[k]) || !w->count[from])
                continue;
            w->count[rank] = add(w->count[rank], w->count[from]);
            w->only[rank] = steps++ ? GRAPH_NONE : r->in[k];
            if (rank > w->farthest[from])
                w->farthest[from] = rank;
        }
        if (w->count[rank])
            w->piece[kept++] = rank;
    }
    w->length = kept;
}

static void add_stop(struct walk *w, uint32_t node)
{
    const struct crash_regions *r = w->r;
    ARRAY_PUSH(&w->ways->stops,
               ((struct crash_stop){.node = node,
                                    .step = w->only[r->rank[node]],
                                    .begins = node < r->graph->vertex_count && r->head[node]}));
}

/* Adds the stops of a piece, last first, without its beginning, whose step is of another piece;
 * returns how many ways lead through it. */
static uint64_t add_piece(struct walk *w, uint32_t begin, uint32_t end)
{
    const struct crash_regions *r = w->r;
    collect(w, begin, end);
    count_ways(w, begin);
    uint64_t count = w->count[r->rank[end]];
    for (uint32_t i = 0; i < w->length; i++)
        ARRAY_PUSH(&w->ways->nodes, r->order[w->piece[i]]);
    uint32_t reached = 0, shared = 0, length = w->length;
    for (uint32_t i = 0; i < length; i++) /* all sources are one beginning */
        if (is_source(w, r->order[w->piece[i]], begin))
            reached = w->piece[i];
    for (uint32_t i = 0; i < length; i++) {
        uint32_t rank = w->piece[i];
        w->count[rank] = 0;
        if (reached <= rank)
            w->piece[shared++] = rank;
        if (w->farthest[rank] > reached)
            reached = w->farthest[rank];
    }
    while (shared--)
        if (r->order[w->piece[shared]] != begin)
            add_stop(w, r->order[w->piece[shared]]);
    return count;
}

/* The step into the tracked node that leaves this number; *slot becomes the number before it. */
static uint32_t step_into(const struct walk *w, uint32_t node, uint32_t *slot, bool *known)
{
    for (uint32_t i = w->r->in_start[node]; i < w->r->in_start[node + 1]; i++) {
        uint32_t step = w->r->in[i];
        struct crash_mark mark = w->n->marks[step];
        uint32_t span = mark.op == CRASH_ADD ? w->n->classes[w->r->from[step]] : 1;
        if (*slot >= mark.value && *slot - mark.value < span) {
            *slot -= mark.value;
            *known = mark.op == CRASH_ADD;
            return step;
        }
    }
    return GRAPH_NONE; /* never: the numbers fill [0, classes) */
}

/* Finds the ways; none, if blocks are said to have never run that are on all of them. */
static void find(struct walk *w, uint32_t node, const uint32_t *slot)
{
    struct crash_ways *ways = w->ways;
    bool known = slot != NULL;
    uint32_t value = known ? *slot : 0;
    ways->count = 1;
    ways->stops.count = ways->nodes.count = 0;
    while (known && ways->count) {
        uint32_t begin = w->n->last[node];
        ways->count = multiply(ways->count, add_piece(w, begin, node));
        uint32_t step = step_into(w, begin, &value, &known);
        if (!is_open(w, step))
            ways->count = 0;
        ARRAY_PUSH(&ways->stops, ((struct crash_stop){.node = begin, .step = step}));
        node = w->r->from[step];
    }
    if (ways->count)
        ways->count = multiply(ways->count, add_piece(w, GRAPH_NONE, node));
}

bool crash_ways_find(struct crash_ways *ways, const struct crash_regions *r, const struct crash_numbering *n,
                     uint32_t node, const uint32_t *slot, const bool *never)
{
    if (n->classes[node] < 2)
        slot = NULL;
    ways->count = 1;
    ways->stops.count = ways->nodes.count = 0;
    if (slot && *slot >= n->classes[node])
        return false;
    struct walk w = {.ways = ways,
                     .r = r,
                     .n = n,
                     .piece = ALLOC(uint32_t, r->node_count),
                     .count = ZALLOC(uint64_t, r->node_count),
                     .farthest = ALLOC(uint32_t, r->node_count),
                     .only = ALLOC(uint32_t, r->node_count),
                     .never = never};
    find(&w, node, slot);
    if (!ways->count) { /* the bytes that said so were overwritten */
        w.never = NULL;
        find(&w, node, slot);
    }
    for (size_t i = 0; i < ways->stops.count / 2; i++) {
        struct crash_stop swap = ways->stops.items[i];
        ways->stops.items[i] = ways->stops.items[ways->stops.count - 1 - i];
        ways->stops.items[ways->stops.count - 1 - i] = swap;
    }
    free(w.piece);
    free(w.count);
    free(w.farthest);
    free(w.only);
    return true;
}

void crash_ways_release(struct crash_ways *w)
{
    ARRAY_RELEASE(&w->stops);
    ARRAY_RELEASE(&w->nodes);
}
