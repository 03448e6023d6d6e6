/*
 * PSPP's labels. At each vertex the arcs that are not chosen have label 0, and sums through them
 * stay below the largest span of their targets. The chosen arcs come one after the other, in
 * decreasing order of the smallest chosen sum of their targets (w.min in the paper: the order is
 * essential). Then labels are pushed down through vertices with one in-arc (arcs counted, not
 * predecessors), and labels that landed on arcs that are not chosen are dropped.
 */
#include "plan/path_chosen.h"

#include "base/memory.h"

struct chosen_arc {
    uint64_t smallest; /* the smallest chosen sum from its target */
    uint32_t arc;
};

static int by_smallest(const void *x, const void *y)
{
    const struct chosen_arc *a = x, *b = y;
    if (a->smallest != b->smallest)
        return a->smallest > b->smallest ? -1 : 1;
    return a->arc < b->arc ? -1 : a->arc > b->arc;
}

/* Sets the labels of v's out-arcs. smallest: vertex -> its smallest chosen sum, UINT64_MAX where
 * none begins. */
static bool label_vertex(struct path_pspp *s, const struct path_graph *p, const bool *chosen, uint32_t v,
                         uint64_t *smallest, struct chosen_arc *list, uint64_t *span, uint64_t *least)
{
    uint32_t count = 0;
    *span = 0;
    *least = UINT64_MAX;
    for (uint32_t i = p->adjacency.out_start[v]; i < p->adjacency.out_start[v + 1]; i++) {
        uint32_t a = p->adjacency.out[i], to = p->arcs.edges[a].to;
        if (chosen[a])
            list[count++] = (struct chosen_arc){.smallest = smallest[to], .arc = a};
        else if (s->spans[to] > *span)
            *span = s->spans[to];
    }
    qsort(list, count, sizeof *list, by_smallest);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t a = list[i].arc;
        s->value[a] = *span;
        if (*least > *span + list[i].smallest) /* pruned: every chosen arc leads on */
            *least = *span + list[i].smallest;
        *span += s->spans[p->arcs.edges[a].to];
        if (*span >= PATHS_MOST)
            return false;
    }
    return true;
}

/* Moves the label of a vertex's only in-arc to its out-arcs, from the start of paths to their
 * ends. */
static void push_down(struct path_pspp *s, const struct path_graph *p, const bool *chosen)
{
    const struct adjacency *a = &p->adjacency;
    for (uint32_t i = 0; i < p->block_count; i++) {
        uint32_t v = p->order[i];
        if (a->in_start[v + 1] - a->in_start[v] != 1)
            continue;
        uint32_t only = a->in[a->in_start[v]];
        for (uint32_t k = a->out_start[v]; k < a->out_start[v + 1]; k++)
            s->label[a->out[k]] += s->label[only];
        s->label[only] = 0;
    }
    for (uint32_t arc = 0; arc < p->arcs.edge_count; arc++)
        if (!chosen[arc])
            s->label[arc] = 0;
}

bool path_pspp_init(struct path_pspp *s, const struct path_graph *p, const bool *chosen, struct error *error)
{
    uint32_t exit = graph_exit(&p->arcs), arcs = p->arcs.edge_count;
    *s = (struct path_pspp){.spans = ZALLOC(uint64_t, p->arcs.vertex_count),
                            .value = ZALLOC(uint64_t, (size_t)arcs + 1),
                            .label = ZALLOC(uint64_t, (size_t)arcs + 1)};
    struct chosen_arc *list = ALLOC(struct chosen_arc, (size_t)arcs + 1);
    uint64_t *smallest = ZALLOC(uint64_t, p->arcs.vertex_count), least;
    bool ok = true;
    s->spans[exit] = 1;
    for (uint32_t i = p->block_count; i-- > 0 && ok;) {
        uint32_t v = p->order[i];
        ok = label_vertex(s, p, chosen, v, smallest, list, &s->spans[v], &smallest[v]);
    }
    ok = ok && label_vertex(s, p, chosen, exit, smallest, list, &s->span, &least);
    free(smallest);
    free(list);
    if (!ok) {
        path_pspp_release(s);
        return error_set(error, "sums of chosen paths could reach 2^62");
    }
    memcpy(s->label, s->value, arcs * sizeof *s->label);
    push_down(s, p, chosen);
    return true;
}

void path_pspp_release(struct path_pspp *s)
{
    free(s->spans);
    free(s->value);
    free(s->label);
    *s = (struct path_pspp){0};
}

uint32_t path_pspp_decode(const struct path_pspp *s, const struct path_graph *p, const bool *chosen,
                          uint64_t sum, uint32_t *arcs)
{
    uint32_t exit = graph_exit(&p->arcs), v = exit, count = 0;
    do { /* chosen arcs' sums are disjoint ranges, and pushing labels down leaves a chosen path's sum as it
            was */
        uint32_t found = GRAPH_NONE;
        for (uint32_t i = p->adjacency.out_start[v]; i < p->adjacency.out_start[v + 1]; i++) {
            uint32_t a = p->adjacency.out[i];
            if (chosen[a] && s->value[a] <= sum && sum - s->value[a] < s->spans[p->arcs.edges[a].to])
                found = a;
        }
        if (found == GRAPH_NONE)
            return 0;
        sum -= s->value[found];
        arcs[count++] = found;
        v = p->arcs.edges[found].to;
    } while (v != exit);
    return count;
}

double path_pspp_cost(const struct path_pspp *s, const struct path_graph *p, const double *arc_weights)
{
    uint32_t exit = graph_exit(&p->arcs);
    double cost = 0;
    for (uint32_t a = 0; a < p->arcs.edge_count; a++) {
        const struct edge *arc = &p->arcs.edges[a];
        bool at_end = arc->to == exit, at_start = arc->from == exit;
        cost += (at_end || at_start || s->label[a] ? 1 : 0) * arc_weights[a];
    }
    return cost;
}
