/*
 * Chooses where witnesses stand (Ball & Larus 1994, section 4.2), and checks that they are enough.
 * The conditions have numbers in plan/witness.h. A predicate is a vertex with several successors; a
 * silent edge has no witness.
 *
 * Why the conditions suffice. Replay stands at a predicate p, after p's calls, and the next event
 * is w. Between p and the edge that wrote w control passed no call that may write and no EXIT
 * (condition 3), so w comes from this activation, from the first witness that follows p. Only one
 * successor leads to w along silent edges (condition 2): control went there. There is only one such
 * way from p to any vertex (condition 1), so what w does not decide yet is decided likewise
 * at the next vertex; and the walk ends, since silent edges form no cycle. Where the data end
 * nothing is decided: two prefixes with the same events and the same last vertex are equal, by
 * condition 1 again.
 *
 * Why the placement satisfies them. Blockers: a walk goes back from every call that may write, and
 * from EXIT, over vertices with one successor; the edges of predicates that it meets get a witness,
 * so the last predicate on every way is blocked. Then silent edges become a forest in the
 * undirected sense, which has neither cycles nor two ways between two vertices. Each edge has a
 * value of its own, but for targets that write for all edges into them: two of these are kept apart
 * by another witness where a branch could see both.
 *
 * Edges with the same ends are one class, named by its first edge.
 */
#include "plan/witness.h"

#include "base/memory.h"
#include "graph/tree.h"

/* The graph as a trace walks it. */
struct walked {
    const struct graph *g;
    struct adjacency a;
    uint32_t *class_of;   /* per edge: the first edge with the same ends, GRAPH_NONE: never walked */
    uint32_t *successors; /* per vertex: the number of distinct ones */
};

static bool is_walked(const struct edge *e)
{
    return e->kind == EDGE_FLOW || e->kind == EDGE_EXIT;
}

static void walked_init(struct walked *w, const struct graph *g)
{
    uint32_t n = g->vertex_count;
    *w = (struct walked){.g = g};
    adjacency_init(&w->a, g);
    w->class_of = ALLOC(uint32_t, (size_t)g->edge_count + 1);
    w->successors = ZALLOC(uint32_t, (size_t)n + 1);
    uint32_t *first = ALLOC(uint32_t, (size_t)n + 1); /* the class towards each vertex, if it starts at v */
    for (uint32_t v = 0; v < n; v++)
        first[v] = GRAPH_NONE;
    for (uint32_t v = 0; v < n; v++)
        for (uint32_t i = w->a.out_start[v]; i < w->a.out_start[v + 1]; i++) {
            uint32_t e = w->a.out[i], to = g->edges[e].to;
            w->class_of[e] = GRAPH_NONE;
            if (!is_walked(&g->edges[e]))
                continue;
            if (first[to] == GRAPH_NONE || g->edges[first[to]].from != v) {
                first[to] = e;
                w->successors[v]++;
            }
            w->class_of[e] = first[to];
        }
    free(first);
}

static void walked_release(struct walked *w)
{
    adjacency_release(&w->a);
    free(w->class_of);
    free(w->successors);
}

/* Is e the first edge of a class that has no witness? Values are per edge; 0 is none. */
static bool is_free(const struct walked *w, const uint32_t *value, uint32_t e)
{
    return w->class_of[e] == e && !value[e];
}

/*
 * What can be seen along silent edges from the top vertices, those that no silent edge leads to,
 * one after the other. These are trees, if condition 1 holds. If a predicate cannot tell two
 * successors apart, neither can the top vertex above it, so it is enough to look from top vertices.
 */
struct sight {
    uint32_t *seen;        /* per vertex: 1 + the vertex it was last seen from */
    uint32_t *seen_value;  /* per value: the same */
    uint32_t *value_class; /* per value: the class that was seen then */
    uint32_t *way_in;      /* per vertex: the class by which it was seen */
    uint32_t *queue, count;
};

static void sight_init(struct sight *s, const struct graph *g, uint32_t value_count)
{
    s->seen = ZALLOC(uint32_t, (size_t)g->vertex_count + 1);
    s->seen_value = ZALLOC(uint32_t, (size_t)value_count + 1);
    s->value_class = ALLOC(uint32_t, (size_t)value_count + 1);
    s->way_in = ALLOC(uint32_t, (size_t)g->vertex_count + 1);
    s->queue = ALLOC(uint32_t, (size_t)g->vertex_count + 1);
    s->count = 0;
}

static void sight_release(struct sight *s)
{
    free(s->seen);
    free(s->seen_value);
    free(s->value_class);
    free(s->way_in);
    free(s->queue);
}

enum sight_result { SIGHT_CLEAR, SIGHT_TWO_WAYS, SIGHT_ONE_VALUE };

/* Looks from one vertex. Sets *first and *second to classes that clash. */
static enum sight_result sight_look(struct sight *s, const struct walked *w, const uint32_t *value,
                                    uint32_t from, uint32_t *first, uint32_t *second)
{
    s->count = 0;
    s->queue[s->count++] = from;
    s->seen[from] = from + 1;
    s->way_in[from] = GRAPH_NONE;
    for (uint32_t head = 0; head < s->count; head++) {
        uint32_t v = s->queue[head];
        for (uint32_t i = w->a.out_start[v]; i < w->a.out_start[v + 1]; i++) {
            uint32_t e = w->a.out[i], to = w->g->edges[e].to;
            if (w->class_of[e] != e)
                continue;
            *second = e;
            if (value[e]) {
                *first = s->value_class[value[e]];
                if (s->seen_value[value[e]] == from + 1)
                    return SIGHT_ONE_VALUE;
                s->seen_value[value[e]] = from + 1;
                s->value_class[value[e]] = e;
                continue;
            }
            *first = s->way_in[to];
            if (s->seen[to] == from + 1)
                return SIGHT_TWO_WAYS;
            s->seen[to] = from + 1;
            s->way_in[to] = e;
            s->queue[s->count++] = to;
        }
    }
    return SIGHT_CLEAR;
}

/* Does no silent edge lead here? */
static bool is_top(const struct walked *w, const uint32_t *value, uint32_t v)
{
    for (uint32_t i = w->a.in_start[v]; i < w->a.in_start[v + 1]; i++)
        if (is_free(w, value, w->a.in[i]))
            return false;
    return true;
}

static enum sight_result look_from_everywhere(struct sight *s, const struct walked *w, const uint32_t *value,
                                              uint32_t *first, uint32_t *second)
{
    for (uint32_t v = 0; v < graph_exit(w->g); v++)
        if (is_top(w, value, v)) {
            enum sight_result result = sight_look(s, w, value, v, first, second);
            if (result != SIGHT_CLEAR)
                return result;
        }
    return SIGHT_CLEAR;
}

/* Finds a vertex on a cycle of silent edges, or GRAPH_NONE. */
static uint32_t vertex_on_cycle(const struct walked *w, const uint32_t *value)
{
    uint32_t n = w->g->vertex_count, count = 0, found = GRAPH_NONE;
    uint32_t *waiting = ZALLOC(uint32_t, (size_t)n + 1), *queue = ALLOC(uint32_t, (size_t)n + 1);
    for (uint32_t e = 0; e < w->g->edge_count; e++)
        if (is_free(w, value, e))
            waiting[w->g->edges[e].to]++;
    for (uint32_t v = 0; v < n; v++)
        if (!waiting[v])
            queue[count++] = v;
    for (uint32_t head = 0; head < count; head++) {
        uint32_t v = queue[head];
        for (uint32_t i = w->a.out_start[v]; i < w->a.out_start[v + 1]; i++) {
            uint32_t e = w->a.out[i];
            if (is_free(w, value, e) && !--waiting[w->g->edges[e].to])
                queue[count++] = w->g->edges[e].to;
        }
    }
    for (uint32_t v = 0; v < n && found == GRAPH_NONE; v++)
        if (waiting[v])
            found = v;
    free(waiting);
    free(queue);
    return found;
}

/* Finds a vertex that must be blocked and is not, or GRAPH_NONE. */
static uint32_t vertex_not_blocked(const struct walked *w, const uint32_t *value, const bool *may_emit)
{
    uint32_t n = w->g->vertex_count, count = 0, found = GRAPH_NONE;
    bool *behind =
        ZALLOC(bool, (size_t)n + 1); /* a predicate comes before it, without a witness in between */
    uint32_t *queue = ALLOC(uint32_t, (size_t)n + 1);
    for (uint32_t e = 0; e < w->g->edge_count; e++)
        if (is_free(w, value, e) && w->successors[w->g->edges[e].from] > 1 && !behind[w->g->edges[e].to]) {
            behind[w->g->edges[e].to] = true;
            queue[count++] = w->g->edges[e].to;
        }
    for (uint32_t head = 0; head < count; head++) {
        uint32_t v = queue[head];
        for (uint32_t i = w->a.out_start[v]; i < w->a.out_start[v + 1]; i++) {
            uint32_t e = w->a.out[i], to = w->g->edges[e].to;
            if (is_free(w, value, e) && !behind[to]) {
                behind[to] = true;
                queue[count++] = to;
            }
        }
    }
    for (uint32_t v = 0; v < n && found == GRAPH_NONE; v++)
        if (behind[v] && (v == graph_exit(w->g) || may_emit[v]))
            found = v;
    free(behind);
    free(queue);
    return found;
}

static bool check_values(const struct witness_plan *plan, const struct walked *w, struct error *error)
{
    if (plan->value_count > WITNESS_VALUES_MOST)
        return error_set(error, "%u witness values are too many", plan->value_count);
    for (uint32_t e = 0; e < w->g->edge_count; e++) {
        uint32_t value = plan->value[e],
                 class_value = w->class_of[e] == GRAPH_NONE ? 0 : plan->value[w->class_of[e]];
        if (value > plan->value_count)
            return error_set(error, "edge %u has witness %u of %u", e, value, plan->value_count);
        if (value != class_value)
            return error_set(error, "edge %u has witness %u where %u is expected", e, value, class_value);
    }
    return true;
}

/* Do silent edges form no cycle even if directions are ignored, and is no value used twice? Then
 * nothing can be seen twice from anywhere. Almost all plans are of this kind, and looking from all
 * top vertices takes longer. */
static bool is_plainly_clear(const struct walked *w, const struct witness_plan *plan)
{
    struct union_find u;
    bool *used = ZALLOC(bool, (size_t)plan->value_count + 1), clear = true;
    union_find_init(&u, w->g->vertex_count);
    for (uint32_t e = 0; e < w->g->edge_count && clear; e++) {
        uint32_t value = plan->value[e];
        if (w->class_of[e] != e)
            continue;
        clear = value ? !used[value] : union_find_join(&u, w->g->edges[e].from, w->g->edges[e].to);
        used[value] = true;
    }
    union_find_release(&u);
    free(used);
    return clear;
}

bool witness_check(const struct witness_plan *plan, const struct graph *g, const bool *may_emit,
                   struct error *error)
{
    struct walked w;
    walked_init(&w, g);
    bool fine = check_values(plan, &w, error);
    if (fine) {
        uint32_t v = vertex_on_cycle(&w, plan->value);
        if (v != GRAPH_NONE)
            fine = error_set(error, "block %u is on a cycle without a witness", v);
    }
    if (fine && !is_plainly_clear(&w, plan)) {
        struct sight s;
        uint32_t first, second;
        sight_init(&s, g, plan->value_count);
        if (look_from_everywhere(&s, &w, plan->value, &first, &second) != SIGHT_CLEAR)
            fine = error_set(error, "the witnesses do not tell edges %u and %u apart", first, second);
        sight_release(&s);
    }
    if (fine) {
        uint32_t v = vertex_not_blocked(&w, plan->value, may_emit);
        if (v != GRAPH_NONE)
            fine = error_set(error, "block %u can be reached from a branch without a witness", v);
    }
    walked_release(&w);
    return fine;
}

/* A placement that is being made. Values are 1 for "has a witness" until they are numbered. */
struct placing {
    struct walked w;
    uint32_t *value;
    const bool *may_emit;
    double *weight;   /* per class: the sum of its edges */
    bool *no_probe;   /* per class: no code can stand on one of its edges */
    bool *writes;     /* per vertex: it writes the witness of all edges into it, at its start */
    uint32_t nowhere; /* an edge that needs a witness which cannot stand anywhere, or GRAPH_NONE */
};

static void give_class(struct placing *p, uint32_t class)
{
    uint32_t from = p->w.g->edges[class].from;
    for (uint32_t i = p->w.a.out_start[from]; i < p->w.a.out_start[from + 1]; i++)
        if (p->w.class_of[p->w.a.out[i]] == class)
            p->value[p->w.a.out[i]] = 1;
}

/* Puts a witness on the class of edge e; where no code can stand, on all edges into its target. */
static void give_witness(struct placing *p, uint32_t e)
{
    uint32_t class = p->w.class_of[e], to = p->w.g->edges[e].to;
    if (p->value[class])
        return;
    give_class(p, class);
    if (!p->no_probe[class])
        return;
    if (to == graph_exit(p->w.g)) {
        p->nowhere = e;
        return;
    }
    p->writes[to] = true;
    for (uint32_t i = p->w.a.in_start[to]; i < p->w.a.in_start[to + 1]; i++)
        if (p->w.class_of[p->w.a.in[i]] == p->w.a.in[i])
            give_class(p, p->w.a.in[i]);
}

/*
 * Blocks calls and EXIT where they are not blocked yet. Walks back from them over silent edges to
 * the nearest predicates: a witness that far from the calls never costs more, and it serves all
 * ways that meet (the paper's Figure 16).
 */
static void place_blockers(struct placing *p)
{
    const struct graph *g = p->w.g;
    uint32_t count = 0;
    uint32_t *queue = ALLOC(uint32_t, (size_t)g->vertex_count + 1);
    bool *met = ZALLOC(bool, (size_t)g->vertex_count + 1);
    for (uint32_t v = 0; v < g->vertex_count; v++)
        if (v == graph_exit(g) || p->may_emit[v]) {
            met[v] = true;
            queue[count++] = v;
        }
    for (uint32_t head = 0; head < count; head++) {
        uint32_t v = queue[head];
        for (uint32_t i = p->w.a.in_start[v]; i < p->w.a.in_start[v + 1]; i++) {
            uint32_t e = p->w.a.in[i], from = g->edges[e].from;
            if (!is_free(&p->w, p->value, e))
                continue;
            if (p->w.successors[from] > 1) {
                give_witness(p, e);
            } else if (!met[from]) {
                met[from] = true;
                queue[count++] = from;
            }
        }
    }
    free(queue);
    free(met);
}

struct candidate {
    uint32_t class;
    bool no_probe;
    double weight;
};

static int candidate_order(const void *x, const void *y)
{
    const struct candidate *a = x, *b = y;
    if (a->no_probe != b->no_probe)
        return a->no_probe ? -1 : 1;
    if (a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    return a->class < b->class ? -1 : a->class > b->class;
}

/* Makes the silent edges a forest, of the largest weight possible. */
static void place_forest(struct placing *p)
{
    const struct graph *g = p->w.g;
    uint32_t count = 0;
    struct candidate *candidates = ALLOC(struct candidate, (size_t)g->edge_count + 1);
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (is_free(&p->w, p->value, e))
            candidates[count++] =
                (struct candidate){.class = e, .no_probe = p->no_probe[e], .weight = p->weight[e]};
    qsort(candidates, count, sizeof *candidates, candidate_order);
    struct union_find u;
    union_find_init(&u, g->vertex_count);
    for (uint32_t i = 0; i < count; i++) {
        const struct edge *edge = &g->edges[candidates[i].class];
        if (!p->value[candidates[i].class] && !union_find_join(&u, edge->from, edge->to))
            give_witness(p, candidates[i].class);
    }
    union_find_release(&u);
    free(candidates);
}

/* Figure 16, left: puts a witness on every edge into a call or EXIT that a predicate may come
 * before. */
static void place_before_calls(struct placing *p)
{
    const struct graph *g = p->w.g;
    uint32_t count = 0;
    bool *behind = ZALLOC(bool, (size_t)g->vertex_count + 1);
    uint32_t *queue = ALLOC(uint32_t, (size_t)g->vertex_count + 1);
    for (uint32_t v = 0; v < graph_exit(g); v++)
        if (p->w.successors[v] > 1) {
            behind[v] = true;
            queue[count++] = v;
        }
    for (uint32_t head = 0; head < count; head++)
        for (uint32_t v = queue[head], i = p->w.a.out_start[v]; i < p->w.a.out_start[v + 1]; i++) {
            uint32_t e = p->w.a.out[i], to = g->edges[e].to;
            if (p->w.class_of[e] != e)
                continue;
            if (to == graph_exit(g) || p->may_emit[to])
                give_witness(p, e);
            else if (!behind[to]) {
                behind[to] = true;
                queue[count++] = to;
            }
        }
    free(behind);
    free(queue);
}

static void place_at_predicates(struct placing *p)
{
    for (uint32_t e = 0; e < p->w.g->edge_count; e++)
        if (p->w.class_of[e] == e && p->w.successors[p->w.g->edges[e].from] > 1)
            give_witness(p, e);
}

/* Numbers values in the order of edges; edges into a vertex that writes for them share one. */
static uint32_t number_values(struct placing *p)
{
    const struct graph *g = p->w.g;
    uint32_t *of_vertex = ZALLOC(uint32_t, (size_t)g->vertex_count + 1), count = 0;
    for (uint32_t e = 0; e < g->edge_count; e++) {
        uint32_t class = p->w.class_of[e], to = g->edges[e].to;
        if (class == GRAPH_NONE || !p->value[e])
            continue;
        if (class != e)
            p->value[e] = p->value[class];
        else if (!p->writes[to])
            p->value[e] = ++count;
        else
            p->value[e] = of_vertex[to] ? of_vertex[to] : (of_vertex[to] = ++count);
    }
    free(of_vertex);
    return count;
}

/*
 * Edges into a vertex that writes share a value. Where one branch can see two of them, another
 * witness on the way to one keeps them apart: on the lightest edge between the vertex where the
 * ways part and these two.
 */
static bool separate(struct placing *p, const struct sight *s, uint32_t first, uint32_t second)
{
    const struct graph *g = p->w.g;
    bool *on_first = ZALLOC(bool, (size_t)g->vertex_count + 1);
    uint32_t best = GRAPH_NONE;
    for (uint32_t v = g->edges[first].from;; v = g->edges[s->way_in[v]].from) {
        on_first[v] = true;
        if (s->way_in[v] == GRAPH_NONE)
            break;
    }
    uint32_t parting = g->edges[second].from;
    while (!on_first[parting])
        parting = g->edges[s->way_in[parting]].from;
    uint32_t ends[2] = {g->edges[first].from, g->edges[second].from};
    for (int k = 0; k < 2; k++)
        for (uint32_t v = ends[k]; v != parting; v = g->edges[s->way_in[v]].from) {
            uint32_t e = s->way_in[v];
            if (best == GRAPH_NONE || p->no_probe[e] < p->no_probe[best] ||
                (p->no_probe[e] == p->no_probe[best] && p->weight[e] < p->weight[best]))
                best = e;
        }
    free(on_first);
    if (best == GRAPH_NONE)
        return false;
    give_witness(p, best);
    return true;
}

static bool separate_all(struct placing *p, struct error *error)
{
    bool done = true, fine = true;
    for (uint32_t v = 0; v < p->w.g->vertex_count; v++)
        done &= !p->writes[v];
    while (fine && !done) {
        struct sight s;
        uint32_t first, second;
        uint32_t *flags = ALLOC(uint32_t, (size_t)p->w.g->edge_count + 1);
        memcpy(flags, p->value, p->w.g->edge_count * sizeof *flags);
        sight_init(&s, p->w.g, number_values(p));
        done = look_from_everywhere(&s, &p->w, p->value, &first, &second) == SIGHT_CLEAR;
        memcpy(p->value, flags, p->w.g->edge_count * sizeof *flags);
        if (!done && !separate(p, &s, first, second))
            fine = error_set(error, "no witness can tell edges %u and %u apart", first, second);
        sight_release(&s);
        free(flags);
    }
    return fine;
}

static void placing_init(struct placing *p, const struct graph *g, uint32_t *value, const bool *may_emit,
                         const double *weights, const bool *no_probe)
{
    *p = (struct placing){.value = value, .may_emit = may_emit, .nowhere = GRAPH_NONE};
    walked_init(&p->w, g);
    p->weight = ZALLOC(double, (size_t)g->edge_count + 1);
    p->no_probe = ZALLOC(bool, (size_t)g->edge_count + 1);
    p->writes = ZALLOC(bool, (size_t)g->vertex_count + 1);
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (p->w.class_of[e] != GRAPH_NONE) {
            p->weight[p->w.class_of[e]] += weights[e];
            p->no_probe[p->w.class_of[e]] |= no_probe && no_probe[e];
        }
}

static void placing_release(struct placing *p)
{
    walked_release(&p->w);
    free(p->weight);
    free(p->no_probe);
    free(p->writes);
}

bool witness_make(struct witness_plan *plan, const struct graph *g, enum witness_placement placement,
                  const bool *may_emit, const double *weights, const bool *no_probe, struct error *error)
{
    *plan =
        (struct witness_plan){.placement = placement, .value = ZALLOC(uint32_t, (size_t)g->edge_count + 1)};
    struct placing p;
    placing_init(&p, g, plan->value, may_emit, weights, no_probe);
    switch (placement) {
    case WITNESS_FOREST:
        place_blockers(&p);
        place_forest(&p);
        break;
    case WITNESS_CALLS:
        place_before_calls(&p);
        place_forest(&p);
        break;
    case WITNESS_FOREST_FIRST:
        place_forest(&p);
        place_blockers(&p);
        break;
    case WITNESS_PREDICATES:
        place_at_predicates(&p);
        place_forest(&p); /* for loops that control does not leave */
        break;
    case WITNESS_PATHS: /* has no such witnesses */
    case WITNESS_BITS:
    case WITNESS_LOG2:
        break;
    }
    bool fine = p.nowhere == GRAPH_NONE;
    if (!fine)
        error_set(error, "edge %u needs a witness, and none can stand there", p.nowhere);
    fine = fine && separate_all(&p, error);
    if (fine && p.nowhere != GRAPH_NONE)
        fine = error_set(error, "edge %u needs a witness, and none can stand there", p.nowhere);
    if (fine)
        plan->value_count = number_values(&p);
    placing_release(&p);
    fine = fine && witness_check(plan, g, may_emit, error);
    if (!fine)
        witness_release(plan);
    return fine;
}

void witness_release(struct witness_plan *plan)
{
    free(plan->value);
    *plan = (struct witness_plan){0};
}

/* Which values each top vertex sees: pairs, sorted by vertex. */
struct sighting {
    uint32_t top, value;
};
struct sightings ARRAY_OF(struct sighting);

static int sighting_by_value(const void *x, const void *y)
{
    const struct sighting *a = x, *b = y;
    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    return a->top < b->top ? -1 : a->top > b->top;
}

/* Sharing values is for speed; where it would take long, it is not done. */
#define SIGHTINGS_MOST ((size_t)1 << 22)

static uint32_t gather_sightings(struct sightings *list, const struct witness_plan *plan,
                                 const struct graph *g)
{
    struct walked w;
    struct sight s;
    uint32_t first, second, tops = 0;
    walked_init(&w, g);
    sight_init(&s, g, plan->value_count);
    for (uint32_t v = 0; v < graph_exit(g) && list->count <= SIGHTINGS_MOST; v++) {
        if (!is_top(&w, plan->value, v))
            continue;
        sight_look(&s, &w, plan->value, v, &first, &second);
        for (uint32_t k = 0; k < s.count; k++)
            for (uint32_t x = s.queue[k], i = w.a.out_start[x]; i < w.a.out_start[x + 1]; i++)
                if (w.class_of[w.a.out[i]] == w.a.out[i] && plan->value[w.a.out[i]])
                    ARRAY_PUSH(list, ((struct sighting){tops, plan->value[w.a.out[i]]}));
        tops++;
    }
    sight_release(&s);
    walked_release(&w);
    return tops;
}

/* Greedy colouring: two values must differ if a top vertex sees both. */
void witness_share_values(struct witness_plan *plan, const struct graph *g)
{
    struct sightings list = {0};
    uint32_t tops = gather_sightings(&list, plan, g), words = plan->value_count / 64 + 1, most = 0;
    if (list.count > SIGHTINGS_MOST) {
        ARRAY_RELEASE(&list);
        return;
    }
    uint64_t *taken =
        ZALLOC(uint64_t, (size_t)tops *words + 1); /* per top vertex: the colours of the values it sees */
    uint64_t *here = ALLOC(uint64_t, words);
    uint32_t *colour = ZALLOC(uint32_t, (size_t)plan->value_count + 1);
    if (list.count)
        qsort(list.items, list.count, sizeof *list.items, sighting_by_value);
    for (size_t at = 0, end; at < list.count; at = end) {
        uint32_t value = list.items[at].value, chosen = 0;
        memset(here, 0, words * sizeof *here);
        for (end = at; end < list.count && list.items[end].value == value; end++)
            for (uint32_t i = 0; i < words; i++)
                here[i] |= taken[(size_t)list.items[end].top * words + i];
        while (here[chosen / 64] >> chosen % 64 & 1)
            chosen++;
        for (size_t i = at; i < end; i++)
            taken[(size_t)list.items[i].top * words + chosen / 64] |= UINT64_C(1) << chosen % 64;
        colour[value] = chosen + 1;
        most = chosen + 1 > most ? chosen + 1 : most;
    }
    for (uint32_t e = 0; e < g->edge_count; e++)
        plan->value[e] = colour[plan->value[e]];
    plan->value_count = most;
    free(taken);
    free(here);
    free(colour);
    ARRAY_RELEASE(&list);
}
