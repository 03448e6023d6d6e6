#include "plan/crash/numbering.h"
#include "base/memory.h"
#include "plan/crash/rounds.h"

/* How many numbers the mark of a step leaves. */
static uint64_t numbers_of(const struct crash_numbering *n, const struct crash_regions *r, uint32_t step)
{
    return n->marks[step].op == CRASH_ADD ? n->classes[r->from[step]] : 1;
}

static int by_value(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

/* Invariant 1; sets the classes of a tracked node. */
static bool count_classes(struct crash_numbering *n, const struct crash_regions *r, uint32_t node)
{
    uint32_t first = r->in_start[node], count = r->in_start[node + 1] - first;
    uint64_t(*spans)[2] = memory_alloc(count, sizeof *spans), end = 0;
    bool ok = true;
    n->before[node] = GRAPH_NONE;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t step = r->in[first + i];
        struct crash_mark mark = n->marks[step];
        if (mark.op == CRASH_ADD && !mark.value)
            n->before[node] = n->last[r->from[step]];
        ok &= mark.op == CRASH_SET || (mark.op == CRASH_ADD && n->classes[r->from[step]] > 1);
        spans[i][0] = mark.value;
        spans[i][1] = mark.value + numbers_of(n, r, step);
    }
    qsort(spans, count, sizeof *spans, by_value);
    for (uint32_t i = 0; i < count; i++) {
        ok &= spans[i][0] == end;
        end = spans[i][1];
    }
    free(spans);
    n->classes[node] = (uint32_t)end;
    n->last[node] = end > 1 ? node : GRAPH_NONE;
    return ok && end <= CRASH_CLASSES_MOST;
}

static bool is_tracked(const struct crash_numbering *n, const struct crash_regions *r, uint32_t node)
{
    for (uint32_t i = r->in_start[node]; i < r->in_start[node + 1]; i++)
        if (n->marks[r->in[i]].op != CRASH_UNMARKED)
            return true;
    return false;
}

/* Invariant 2. */
static void hand_on_classes(struct crash_numbering *n, const struct crash_regions *r, uint32_t node)
{
    n->classes[node] = 1;
    n->last[node] = n->before[node] = GRAPH_NONE;
    uint32_t first = r->in_start[node], end = r->in_start[node + 1];
    if (first == end)
        return;
    for (uint32_t i = first; i < end; i++)
        if (n->last[r->from[r->in[i]]] != n->last[r->from[r->in[first]]])
            return;
    n->classes[node] = n->classes[r->from[r->in[first]]];
    n->last[node] = n->last[r->from[r->in[first]]];
}

static bool finish_node(struct crash_numbering *n, const struct crash_regions *r, uint32_t node)
{
    if (is_tracked(n, r, node))
        return count_classes(n, r, node);
    hand_on_classes(n, r, node);
    return true;
}

static void init(struct crash_numbering *n, const struct crash_regions *r, struct crash_mark *marks)
{
    *n = (struct crash_numbering){.marks = marks,
                                  .classes = ALLOC(uint32_t, r->node_count),
                                  .last = ALLOC(uint32_t, r->node_count),
                                  .before = ALLOC(uint32_t, r->node_count)};
}

bool crash_numbering_from(struct crash_numbering *n, const struct crash_regions *r, struct crash_mark *marks)
{
    init(n, r, marks);
    for (uint32_t e = 0; e < r->graph->edge_count; e++)
        if (marks[e].op != CRASH_UNMARKED && r->to[e] == GRAPH_NONE) {
            crash_numbering_release(n);
            return false;
        }
    for (uint32_t i = 0; i < r->node_count; i++)
        if (!finish_node(n, r, r->order[i])) {
            crash_numbering_release(n);
            return false;
        }
    return true;
}

/* ---- Choosing marks ---- */

/* The nodes at which rounds end that somebody asks about. */
static void add_ends(const struct crash_regions *r, const bool *rounds, bool *needed)
{
    for (uint32_t e = 0; e < r->graph->edge_count; e++) {
        uint32_t node = crash_end_of_round(r, e);
        if (node != GRAPH_NONE && rounds[r->innermost[r->graph->edges[e].to]])
            needed[node] = true;
    }
}

/* The nodes from which control may come to an observed block, or to the end of a round (rounds: or NULL), in
 * the same round. */
static void find_needed(const struct crash_regions *r, const bool *observed, const bool *rounds, bool *needed)
{
    memset(needed, 0, r->node_count * sizeof *needed);
    if (rounds)
        add_ends(r, rounds, needed);
    for (uint32_t v = 0; v < graph_exit(r->graph); v++) {
        uint32_t in = r->innermost[v];
        if (in == GRAPH_NONE || !observed[v])
            continue;
        needed[v] = true;
        for (; in; in = r->parent[in])
            needed[r->graph->vertex_count + in] = true;
    }
    for (uint32_t i = r->node_count; i-- > 0;)
        if (needed[r->order[i]])
            for (uint32_t k = r->in_start[r->order[i]]; k < r->in_start[r->order[i] + 1]; k++)
                needed[r->from[r->in[k]]] = true;
}

struct chooser {
    struct crash_numbering *n;
    const struct crash_regions *r;
    const struct crash_needs *needs;
    bool for_faults; /* nobody else asks about the node */
    struct chosen_step {
        uint32_t edge;
        bool adds; /* the node that it comes from has several classes */
        double cost;
    } *steps;
    uint32_t count;
};

/* Steps that may add come first, the dearest first: number 0 needs no code there. Equal ones by
 * id. */
static int by_wish(const void *left, const void *right)
{
    const struct chosen_step *a = left, *b = right;
    if (a->adds != b->adds)
        return a->adds ? -1 : 1;
    if (a->cost != b->cost)
        return a->cost > b->cost ? -1 : 1;
    return a->edge < b->edge ? -1 : a->edge > b->edge;
}

static bool all_have_one_last(const struct chooser *c)
{
    for (uint32_t i = 1; i < c->count; i++)
        if (c->n->last[c->r->from[c->steps[i].edge]] != c->n->last[c->r->from[c->steps[0].edge]])
            return false;
    return true;
}

/* Is the node better left untracked? Where ways meet that have different last tracked nodes, all of
 * the way before would be lost: that is only accepted where a mark cannot stand, and for faults: no node
 * behind it is asked about by others. */
static bool is_left_out(const struct chooser *c)
{
    double cost = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        if (c->needs->unmarkable[c->steps[i].edge])
            return true;
        cost += i == 0 && c->steps[0].adds ? 0 : c->steps[i].cost;
    }
    if (c->for_faults)
        return cost > c->needs->fault_cost_most;
    return cost > c->needs->cost_most && all_have_one_last(c);
}

/* If the sum of all classes is too large, every step sets its own number: the way starts here. */
static void mark_steps(struct chooser *c)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < c->count; i++)
        sum += c->n->classes[c->r->from[c->steps[i].edge]];
    bool forgets = sum > CRASH_CLASSES_MOST;
    uint32_t next = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        uint32_t edge = c->steps[i].edge, classes = c->n->classes[c->r->from[edge]];
        bool adds = c->steps[i].adds && !forgets;
        c->n->marks[edge] = (struct crash_mark){adds ? CRASH_ADD : CRASH_SET, next};
        next += adds ? classes : 1;
    }
}

static void choose(struct chooser *c, uint32_t node)
{
    c->count = 0;
    for (uint32_t i = c->r->in_start[node]; i < c->r->in_start[node + 1]; i++) {
        uint32_t edge = c->r->in[i];
        c->steps[c->count++] = (struct chosen_step){
            .edge = edge, .adds = c->n->classes[c->r->from[edge]] > 1, .cost = c->needs->costs[edge]};
    }
    if (c->count < 2)
        return;
    qsort(c->steps, c->count, sizeof *c->steps, by_wish);
    if (!is_left_out(c))
        mark_steps(c);
}

void crash_number(struct crash_numbering *n, const struct crash_regions *r, const struct crash_needs *w)
{
    init(n, r, ZALLOC(struct crash_mark, r->graph->edge_count));
    struct chooser c = {.n = n, .r = r, .needs = w, .steps = ALLOC(struct chosen_step, r->graph->edge_count)};
    bool *needed = ALLOC(bool, r->node_count), *for_faults = ZALLOC(bool, r->node_count);
    find_needed(r, w->observed, w->rounds, needed);
    if (w->faults)
        find_needed(r, w->faults, NULL, for_faults);
    for (uint32_t i = 0; i < r->node_count; i++) {
        uint32_t node = r->order[i];
        c.for_faults = !needed[node];
        if (needed[node] || for_faults[node])
            choose(&c, node);
        finish_node(n, r, node);
    }
    free(needed);
    free(for_faults);
    free(c.steps);
}

void crash_numbering_release(struct crash_numbering *n)
{
    free(n->marks);
    free(n->classes);
    free(n->last);
    free(n->before);
    *n = (struct crash_numbering){0};
}
