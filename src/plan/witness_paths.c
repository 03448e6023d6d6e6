/*
 * Chooses which edges end a stretch, and numbers ways (plan/witness_paths.h).
 *
 * Why a vertex and a number decide. A stretch from s with base b writes b plus what its edges add.
 * The ways from s have the sums 0 .. ways(s) - 1, each a different one, since the intervals of a
 * vertex's successors follow each other. Stretches that begin at different vertices and may have a
 * vertex in common have different intervals. So at any vertex the number of the next event names
 * one stretch, its way and, by the vertex on it, what follows. That event is this activation's,
 * since no other code writes before a choice is written (blocking, as in plan/witness.c).
 */
#include "plan/witness_paths.h"

#include "base/memory.h"
#include "graph/tree.h"

static bool is_walked(const struct edge *e)
{
    return e->kind == EDGE_FLOW || e->kind == EDGE_EXIT;
}

/* Per edge: the first one with the same ends; later ones are the same to a trace. */
static uint32_t *find_classes(const struct graph *g, const struct adjacency *a)
{
    uint32_t *classes = ALLOC(uint32_t, (size_t)g->edge_count + 1);
    uint32_t *first = ALLOC(uint32_t, (size_t)g->vertex_count + 1);
    for (uint32_t v = 0; v < g->vertex_count; v++)
        first[v] = GRAPH_NONE;
    for (uint32_t v = 0; v < g->vertex_count; v++)
        for (uint32_t i = a->out_start[v]; i < a->out_start[v + 1]; i++) {
            uint32_t e = a->out[i], *found = &first[g->edges[e].to];
            if (is_walked(&g->edges[e]) && (*found == GRAPH_NONE || g->edges[*found].from != v))
                *found = e;
            classes[e] = is_walked(&g->edges[e]) ? *found : e;
        }
    free(first);
    return classes;
}

/* ---- Reading marks ---- */

static bool adds(const struct graph *g, const uint32_t *marks, uint32_t e)
{
    return is_walked(&g->edges[e]) && witness_path_kind(marks[e]) == WITNESS_PATH_ADDS;
}

static bool writes(const struct graph *g, const uint32_t *marks, uint32_t e)
{
    return !is_walked(&g->edges[e]) || witness_path_kind(marks[e]) == WITNESS_PATH_WRITES;
}

/* Orders vertices so that edges that do not write lead onwards. Returns how many could be ordered;
 * the others are on cycles, or after them. */
static uint32_t find_order(const struct graph *g, const struct adjacency *a, const uint32_t *marks,
                           uint32_t *order)
{
    uint32_t n = g->vertex_count, count = 0;
    uint32_t *waiting = ZALLOC(uint32_t, (size_t)n + 1);
    for (uint32_t e = 0; e < g->edge_count; e++)
        waiting[g->edges[e].to] += !writes(g, marks, e);
    for (uint32_t v = 0; v < n; v++)
        if (!waiting[v])
            order[count++] = v;
    for (uint32_t head = 0; head < count; head++)
        for (uint32_t i = a->out_start[order[head]]; i < a->out_start[order[head] + 1]; i++)
            if (!writes(g, marks, a->out[i]) && !--waiting[g->edges[a->out[i]].to])
                order[count++] = g->edges[a->out[i]].to;
    free(waiting);
    return count;
}

static bool has_choice(const struct graph *g, const struct adjacency *a, uint32_t v)
{
    uint32_t first = GRAPH_NONE;
    for (uint32_t i = a->out_start[v]; i < a->out_start[v + 1]; i++)
        if (is_walked(&g->edges[a->out[i]])) {
            if (first != GRAPH_NONE && g->edges[a->out[i]].to != first)
                return true;
            first = g->edges[a->out[i]].to;
        }
    return false;
}

/* Per vertex: when control leaves it, a choice was made since the stretch began. */
static bool *find_chosen(const struct graph *g, const struct adjacency *a, const uint32_t *marks,
                         const uint32_t *order)
{
    bool *chosen = ZALLOC(bool, (size_t)g->vertex_count + 1);
    for (uint32_t k = 0; k < g->vertex_count; k++) {
        uint32_t v = order[k];
        if (v == graph_exit(g))
            continue;
        chosen[v] |= has_choice(g, a, v);
        for (uint32_t i = a->out_start[v]; i < a->out_start[v + 1]; i++)
            if (adds(g, marks, a->out[i]))
                chosen[g->edges[a->out[i]].to] |= chosen[v];
    }
    return chosen;
}

static bool nothing_is_lost(const struct graph *g, const struct adjacency *a, const uint32_t *classes,
                            const uint32_t *marks, const bool *may_emit, const uint32_t *order,
                            struct error *error)
{
    bool *chosen = find_chosen(g, a, marks, order), fine = true;
    for (uint32_t e = 0; e < g->edge_count && fine; e++) {
        uint32_t from = g->edges[e].from, to = g->edges[e].to;
        if (!is_walked(&g->edges[e]))
            continue;
        if (witness_path_kind(marks[e]) == WITNESS_PATH_LOSES && chosen[from])
            fine = error_set(error, "edge %u loses a choice", e);
        else if (adds(g, marks, e) && chosen[from] && (to == graph_exit(g) || may_emit[to]))
            fine = error_set(error, "block %u can be reached from a branch without a witness", to);
        else if (marks[e] != marks[classes[e]])
            fine = error_set(error, "edge %u and one with the same ends differ", e);
    }
    free(chosen);
    return fine;
}

static uint32_t ways_of(const struct graph *g, const uint32_t *marks, const uint32_t *ways, uint32_t e)
{
    switch (witness_path_kind(marks[e])) {
    case WITNESS_PATH_ADDS:
        return ways[g->edges[e].to];
    case WITNESS_PATH_WRITES:
        return 1;
    default:
        return 0;
    }
}

static uint32_t rank_of(uint32_t mark)
{
    return mark / WITNESS_PATH_KINDS;
}

/* Lists the successors of v by rank, each by its first edge. `list` has room for all edges out of
 * v. */
static uint32_t by_rank(const struct graph *g, const struct adjacency *a, const uint32_t *classes,
                        const uint32_t *marks, uint32_t v, uint32_t *list)
{
    uint32_t count = 0;
    for (uint32_t i = a->out_start[v]; i < a->out_start[v + 1]; i++) {
        uint32_t e = a->out[i], at = count;
        if (!is_walked(&g->edges[e]) || classes[e] != e)
            continue;
        for (; at && rank_of(marks[list[at - 1]]) > rank_of(marks[e]); at--)
            list[at] = list[at - 1];
        list[at] = e;
        count++;
    }
    return count;
}

static bool count_ways(struct witness_paths *p, const struct graph *g, const struct adjacency *a,
                       const uint32_t *classes, const uint32_t *marks, const uint32_t *order,
                       struct error *error)
{
    uint32_t *list = ALLOC(uint32_t, (size_t)g->edge_count + 1);
    bool fine = true;
    for (uint32_t k = g->vertex_count; k-- > 0 && fine;) {
        uint32_t v = order[k], count = v == graph_exit(g) ? 0 : by_rank(g, a, classes, marks, v, list);
        for (uint32_t i = 0; i < count && fine; i++) {
            p->add[list[i]] = p->ways[v];
            p->ways[v] += ways_of(g, marks, p->ways, list[i]);
            if (p->ways[v] > WITNESS_PATHS_MOST)
                fine = error_set(error, "block %u has too many ways", v);
        }
    }
    free(list);
    for (uint32_t e = 0; e < g->edge_count && fine; e++)
        if (is_walked(&g->edges[e]))
            p->add[e] = p->add[classes[e]];
    return fine;
}

/* Sets where stretches begin, and their bases. False: too many meet; counting stops there. */
static bool find_bases(struct witness_paths *p, const struct graph *g, const uint32_t *marks)
{
    uint32_t n = g->vertex_count;
    bool *goes_on = ZALLOC(bool, (size_t)n + 1);
    struct union_find u;
    bool fine = true;
    union_find_init(&u, n);
    p->begins[GRAPH_ROOT] = true;
    for (uint32_t e = 0; e < g->edge_count; e++) {
        if (g->edges[e].to == graph_exit(g))
            continue;
        if (adds(g, marks, e)) {
            union_find_join(&u, g->edges[e].from, g->edges[e].to);
            goes_on[g->edges[e].to] = true;
        } else if (is_walked(&g->edges[e])) {
            p->begins[g->edges[e].to] = true;
        }
    }
    for (uint32_t v = 0; v < n; v++) {
        uint32_t *numbers = &p->numbers[p->meeting[v] = union_find_root(&u, v)];
        p->begins[v] |= !goes_on[v];
        if (!p->begins[v])
            continue;
        p->base[v] = *numbers;
        *numbers += p->ways[v];
        if (*numbers > WITNESS_PATHS_MOST) {
            *numbers = WITNESS_PATHS_MOST + 1;
            fine = false;
        }
    }
    free(goes_on);
    union_find_release(&u);
    return fine;
}

static void paths_init(struct witness_paths *p, const struct graph *g)
{
    size_t n = (size_t)g->vertex_count + 1;
    *p = (struct witness_paths){.add = ZALLOC(uint32_t, (size_t)g->edge_count + 1),
                                .base = ZALLOC(uint32_t, n),
                                .ways = ZALLOC(uint32_t, n),
                                .begins = ZALLOC(bool, n),
                                .meeting = ZALLOC(uint32_t, n),
                                .numbers = ZALLOC(uint32_t, n)};
}

bool witness_paths_number(struct witness_paths *p, const struct graph *g, const uint32_t *marks,
                          const bool *may_emit, struct error *error)
{
    paths_init(p, g);
    struct adjacency a;
    adjacency_init(&a, g);
    uint32_t *order = ALLOC(uint32_t, (size_t)g->vertex_count + 1), *classes = find_classes(g, &a);
    bool fine =
        (find_order(g, &a, marks, order) == g->vertex_count || error_set(error, "a loop writes nothing")) &&
        nothing_is_lost(g, &a, classes, marks, may_emit, order, error) &&
        count_ways(p, g, &a, classes, marks, order, error) &&
        (find_bases(p, g, marks) || error_set(error, "too many ways meet"));
    free(order);
    free(classes);
    adjacency_release(&a);
    if (!fine)
        witness_paths_release(p);
    return fine;
}

void witness_paths_release(struct witness_paths *p)
{
    free(p->add);
    free(p->base);
    free(p->ways);
    free(p->begins);
    free(p->meeting);
    free(p->numbers);
    *p = (struct witness_paths){0};
}

/* The edge that the way takes that has `left` to add. */
static uint32_t step(const struct witness_paths *p, const struct graph *g, const struct adjacency *a,
                     const uint32_t *marks, uint32_t v, uint32_t left)
{
    for (uint32_t i = a->out_start[v]; i < a->out_start[v + 1]; i++) {
        uint32_t e = a->out[i];
        if (is_walked(&g->edges[e]) && left >= p->add[e] && left - p->add[e] < ways_of(g, marks, p->ways, e))
            return e;
    }
    return GRAPH_NONE;
}

uint32_t witness_paths_next(const struct witness_paths *p, const struct graph *g, const struct adjacency *a,
                            const uint32_t *marks, uint32_t vertex, uint32_t number)
{
    for (uint32_t s = 0; s < graph_exit(g); s++) {
        if (!p->begins[s] || p->meeting[s] != p->meeting[vertex] || number < p->base[s] ||
            number - p->base[s] >= p->ways[s])
            continue;
        uint32_t left = number - p->base[s];
        for (uint32_t v = s;;) {
            uint32_t e = step(p, g, a, marks, v, left);
            if (v == vertex || e == GRAPH_NONE || !adds(g, marks, e))
                return v == vertex ? e : GRAPH_NONE;
            left -= p->add[e];
            v = g->edges[e].to;
        }
    }
    return GRAPH_NONE;
}

/* ---- Making marks ---- */

/* Marks the retreating edges of a depth-first search from the root, then from vertices that it did
 * not reach. */
static void mark_retreating(const struct graph *g, const struct adjacency *a, bool *back)
{
    uint32_t n = g->vertex_count, depth;
    uint32_t *next = ALLOC(uint32_t, (size_t)n + 1), *stack = ALLOC(uint32_t, (size_t)n + 1);
    enum { NEW, OPEN, DONE } *seen = memory_zero((size_t)n + 1, sizeof *seen);
    for (uint32_t root = 0; root < graph_exit(g); root++) {
        if (seen[root] != NEW)
            continue;
        depth = 0;
        stack[depth++] = root;
        next[root] = a->out_start[root];
        seen[root] = OPEN;
        while (depth) {
            uint32_t v = stack[depth - 1];
            if (next[v] == a->out_start[v + 1]) {
                seen[v] = DONE;
                depth--;
                continue;
            }
            uint32_t e = a->out[next[v]++], to = g->edges[e].to;
            if (!is_walked(&g->edges[e]) || to == graph_exit(g))
                continue;
            back[e] = seen[to] == OPEN;
            if (seen[to] != NEW)
                continue;
            seen[to] = OPEN;
            next[to] = a->out_start[to];
            stack[depth++] = to;
        }
    }
    free(next);
    free(stack);
    free(seen);
}

struct marking {
    const struct graph *g;
    struct adjacency a;
    uint32_t *marks, *classes, *order, *ways, *limit, *list;
    bool *cut;  /* per edge: it writes, wherever it leads to */
    bool *back; /* per edge: it retreats */
    const bool *may_emit, *no_probe;
    const double *weights;
};

static void rank(struct marking *m)
{
    for (uint32_t v = 0; v < graph_exit(m->g); v++) {
        uint32_t count = by_rank(m->g, &m->a, m->classes, m->marks, v, m->list);
        for (uint32_t i = 1; i < count; i++)
            for (uint32_t k = i; k; k--) {
                uint32_t *one = &m->list[k - 1], *other = &m->list[k], e = *one;
                bool first = m->no_probe && m->no_probe[*one] != m->no_probe[*other]
                                 ? m->no_probe[*one]
                                 : m->weights[*one] >= m->weights[*other];
                if (first)
                    break;
                *one = *other;
                *other = e;
            }
        for (uint32_t i = 0; i < count; i++)
            m->marks[m->list[i]] = i * WITNESS_PATH_KINDS + witness_path_kind(m->marks[m->list[i]]);
    }
    for (uint32_t e = 0; e < m->g->edge_count; e++)
        if (is_walked(&m->g->edges[e]))
            m->marks[e] = m->marks[m->classes[e]];
}

/* Sets the kinds of edges, given the cuts. Edges back, into calls and to EXIT end a stretch: by
 * writing, if a choice was made in it. */
static void find_kinds(struct marking *m)
{
    const struct graph *g = m->g;
    for (uint32_t e = 0; e < g->edge_count; e++) {
        uint32_t to = g->edges[e].to;
        if (!is_walked(&g->edges[e]))
            m->marks[e] = WITNESS_PATH_ADDS;
        else if (m->cut[m->classes[e]] || m->back[e])
            m->marks[e] = WITNESS_PATH_WRITES;
        else
            m->marks[e] = to == graph_exit(g) || m->may_emit[to] ? WITNESS_PATH_LOSES : WITNESS_PATH_ADDS;
    }
    find_order(g, &m->a, m->marks, m->order);
    bool *chosen = find_chosen(g, &m->a, m->marks, m->order);
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (witness_path_kind(m->marks[e]) == WITNESS_PATH_LOSES && chosen[g->edges[e].from])
            m->marks[e] = WITNESS_PATH_WRITES;
        else if (m->back[e] && !m->cut[e] && !chosen[g->edges[e].from])
            m->marks[e] = WITNESS_PATH_LOSES;
    free(chosen);
    /* An edge back must write if no other edge of its cycle does. */
    uint32_t left = find_order(g, &m->a, m->marks, m->order);
    bool *ordered = ZALLOC(bool, (size_t)g->vertex_count + 1);
    for (uint32_t i = 0; i < left; i++)
        ordered[m->order[i]] = true;
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (m->back[e] && !ordered[g->edges[e].from])
            m->marks[e] = WITNESS_PATH_WRITES;
    free(ordered);
    find_order(g, &m->a, m->marks, m->order);
}

/* Where a vertex has more ways than it may have, cuts off the successors that have most. True: some
 * were cut. */
static bool cut_ways(struct marking *m)
{
    const struct graph *g = m->g;
    bool any = false;
    memset(m->ways, 0, g->vertex_count * sizeof *m->ways);
    for (uint32_t k = g->vertex_count; k-- > 0;) {
        uint32_t v = m->order[k],
                 count = v == graph_exit(g) ? 0 : by_rank(g, &m->a, m->classes, m->marks, v, m->list);
        for (uint32_t i = 0; i < count; i++)
            m->ways[v] += ways_of(g, m->marks, m->ways, m->list[i]);
        while (m->ways[v] > m->limit[v]) {
            uint32_t widest = GRAPH_NONE, most = 1;
            for (uint32_t i = 0; i < count; i++) {
                uint32_t ways = ways_of(g, m->marks, m->ways, m->list[i]);
                if (ways > most) {
                    most = ways;
                    widest = m->list[i];
                }
            }
            if (widest == GRAPH_NONE)
                break;
            m->cut[widest] = any = true;
            m->marks[widest] = WITNESS_PATH_WRITES;
            m->ways[v] -= most - 1;
        }
    }
    return any;
}

/* Where the stretches that meet have too many numbers together, lowers the limit of each. False: it
 * cannot. */
static bool lower_limits(struct marking *m, bool *enough)
{
    struct witness_paths p;
    paths_init(&p, m->g);
    memcpy(p.ways, m->ways, m->g->vertex_count * sizeof *p.ways);
    find_bases(&p, m->g, m->marks);
    bool lowered = false;
    *enough = true;
    for (uint32_t v = 0; v < m->g->vertex_count; v++)
        if (p.numbers[p.meeting[v]] > WITNESS_PATHS_MOST) {
            *enough = false;
            lowered |= m->limit[v] > 1;
            m->limit[v] = m->limit[v] > 1 ? m->limit[v] / 2 : 1;
        }
    witness_paths_release(&p);
    return lowered;
}

static bool needs_no_code_there(const struct marking *m, struct error *error)
{
    struct witness_paths p;
    if (!witness_paths_number(&p, m->g, m->marks, m->may_emit, error))
        return false;
    uint32_t e = 0;
    while (e < m->g->edge_count && !(m->no_probe && m->no_probe[e] && is_walked(&m->g->edges[e]) &&
                                     (p.add[e] || witness_path_kind(m->marks[e]) == WITNESS_PATH_WRITES ||
                                      (witness_path_kind(m->marks[e]) == WITNESS_PATH_LOSES && m->back[e]))))
        e++;
    witness_paths_release(&p);
    return e == m->g->edge_count || error_set(error, "edge %u needs code, and none can stand there", e);
}

bool witness_paths_mark(uint32_t *marks, const struct graph *g, const bool *may_emit, const double *weights,
                        const bool *no_probe, struct error *error)
{
    size_t n = (size_t)g->vertex_count + 1;
    memset(marks, 0, g->edge_count * sizeof *marks);
    struct marking m = {.g = g,
                        .marks = marks,
                        .order = ALLOC(uint32_t, n),
                        .ways = ALLOC(uint32_t, n),
                        .limit = ALLOC(uint32_t, n),
                        .list = ALLOC(uint32_t, (size_t)g->edge_count + 1),
                        .cut = ZALLOC(bool, (size_t)g->edge_count + 1),
                        .back = ZALLOC(bool, (size_t)g->edge_count + 1),
                        .may_emit = may_emit,
                        .no_probe = no_probe,
                        .weights = weights};
    adjacency_init(&m.a, g);
    m.classes = find_classes(g, &m.a);
    bool fine = true, enough = false;
    for (uint32_t v = 0; v < graph_exit(g) && fine; v++)
        if (by_rank(g, &m.a, m.classes, marks, v, m.list) > WITNESS_PATHS_MOST)
            fine = error_set(error, "block %u has too many ways", v);
    for (uint32_t v = 0; v < g->vertex_count; v++)
        m.limit[v] = WITNESS_PATHS_MOST;
    mark_retreating(g, &m.a, m.back);
    while (fine && !enough) {
        do
            find_kinds(&m);
        while (cut_ways(&m));
        fine = lower_limits(&m, &enough) || enough || error_set(error, "there are too many ways");
    }
    if (fine)
        rank(&m);
    fine = fine && needs_no_code_there(&m, error);
    adjacency_release(&m.a);
    free(m.order);
    free(m.classes);
    free(m.ways);
    free(m.limit);
    free(m.list);
    free(m.cut);
    free(m.back);
    return fine;
}
