/*
 * Guesses how often edges run from the structure of the graph alone: Ball & Larus 1994 section 5,
 * repaired.
 *
 * As printed the heuristic conserves flow only on reducible graphs in which no edge leaves two
 * loops at once; weights_paper.c has it for comparison. The repaired rule gives every branch
 * probabilities (leaving a loop is unlikely, leaving two more so), a multiplier for each loop (how
 * often its head runs per arrival), pushes one activation through the graph along a topological
 * order of its forward edges, and repeats with what is left over where loops have several entries.
 *
 * Invariants:
 *  1. Everything that is pushed into a vertex leaves it or is injected again, so flow is conserved
 *     after the last drain however good the multipliers are, as long as none is too large. One that
 *     is too small only costs precision.
 *  2. Near-linear: multipliers look at whole loop bodies, at most BODY_BUDGET times the size of the
 *     graph in all; loops beyond that (nested hundreds deep) are given no multiplier, which
 *     invariant 1 allows.
 *  3. Doubles neither overflow (multipliers are capped by the depth of nesting) nor vanish
 *     (positive_floor).
 *  4. Amounts have 64-bit mantissas. One pass leaves a small difference of large amounts for the
 *     next, and a loop with several entries may hold 1e8 times what enters and leaves it: in
 *     doubles the rounding inside shows as a relative 1e-8 where the one activation ends.
 */
#include "graph/weights.h"
#include "graph/weights_internal.h"

#include "base/memory.h"

#include <math.h>

#define PASSES 8
#define LARGEST_MULTIPLIER 1e6
#define BODY_BUDGET 16
#define CAUTION 1e-8     /* keeps amounts inside an irreducible loop below about 1e8: invariant 4 */
#define VANISHING 1e-250 /* weights below this count as lost */
#define FLOOR_UNIT 1e-200

typedef long double amount; /* invariant 4 */

const struct weight_options weight_defaults = {
    .loop_factor = 10, .paper = false, .branch_factor = 1, .first_factor = 1};

/* "No loop" holds every vertex: searches up a chain of loops end there. */
static bool loop_holds(const struct weight_context *c, uint32_t loop, uint32_t vertex)
{
    return loop == GRAPH_NONE ||
           (c->rank[vertex] != GRAPH_NONE && c->rank[vertex] >= c->loops.body_start[loop] &&
            c->rank[vertex] < c->loops.body_end[loop]);
}

static void find_ways_to_loops(struct weight_context *c)
{
    c->leads_to_loop = ZALLOC(bool, c->g->vertex_count);
    for (uint32_t k = 0; k < c->loops.count; k++)
        c->leads_to_loop[c->loops.head[k]] = true;
    for (uint32_t i = c->d.reached; i-- > 0;) {
        uint32_t v = c->d.reverse_postorder[i], first = c->a.out_start[v];
        if (v != graph_exit(c->g) && c->a.out_start[v + 1] == first + 1 && !c->d.retreating[c->a.out[first]])
            c->leads_to_loop[v] |= c->leads_to_loop[c->g->edges[c->a.out[first]].to];
    }
}

static void weight_context_init(struct weight_context *c, const struct graph *g,
                                const struct weight_options *options)
{
    uint32_t n = g->vertex_count, m = g->edge_count;
    c->g = g;
    adjacency_init(&c->a, g);
    depth_first_init(&c->d, g, &c->a);
    loops_init(&c->loops, g, &c->a, &c->d);
    const struct loops *l = &c->loops;
    c->rank = ALLOC(uint32_t, n);
    for (uint32_t v = 0; v < n; v++)
        c->rank[v] = GRAPH_NONE;
    for (uint32_t k = 0; k < l->count; k++)
        if (l->parent[k] == GRAPH_NONE)
            for (uint32_t i = l->body_start[k]; i < l->body_end[k]; i++)
                c->rank[l->body[i]] = i;

    /* jump: an ancestor about half way up (Myers' skew-binary pointers). Loops come after those
     * that hold them. */
    uint32_t *jump = ALLOC(uint32_t, (size_t)l->count + 1), *height = ALLOC(uint32_t, (size_t)l->count + 1);
    for (uint32_t k = 0; k < l->count; k++) {
        uint32_t up = l->parent[k];
        height[k] = up == GRAPH_NONE ? 1 : height[up] + 1;
        jump[k] = up;
        if (up == GRAPH_NONE || jump[up] == GRAPH_NONE)
            continue;
        uint32_t far = jump[jump[up]], far_height = far == GRAPH_NONE ? 0 : height[far];
        if (height[up] - height[jump[up]] == height[jump[up]] - far_height)
            jump[k] = far;
    }
    c->leaves_below = ALLOC(uint32_t, (size_t)m + 1);
    c->outermost_left = ALLOC(uint32_t, (size_t)m + 1);
    c->exits = ZALLOC(uint32_t, (size_t)l->count + 1);
    for (uint32_t e = 0; e < m; e++) {
        uint32_t from = g->edges[e].from, to = g->edges[e].to;
        uint32_t loop = l->innermost[from];
        c->outermost_left[e] = GRAPH_NONE;
        while (!loop_holds(c, loop, to)) {
            while (!loop_holds(c, jump[loop], to))
                loop = jump[loop];
            c->outermost_left[e] = loop;
            loop = l->parent[loop];
        }
        c->leaves_below[e] = loop;
        /* Counts for all loops from the innermost one up to the one below this, as a difference;
         * sums up the tree make the counts. */
        if (l->innermost[from] != GRAPH_NONE)
            c->exits[l->innermost[from]]++;
        if (loop != GRAPH_NONE)
            c->exits[loop]--;
    }
    for (uint32_t k = l->count; k-- > 0;)
        if (l->parent[k] != GRAPH_NONE)
            c->exits[l->parent[k]] += c->exits[k];
    c->options = options;
    find_ways_to_loops(c);
    free(jump);
    free(height);
}

static void weight_context_release(struct weight_context *c)
{
    adjacency_release(&c->a);
    depth_first_release(&c->d);
    loops_release(&c->loops);
    free(c->rank);
    free(c->leaves_below);
    free(c->outermost_left);
    free(c->exits);
    free(c->leads_to_loop);
}

double weight_share(const struct weight_context *c, uint32_t edge)
{
    uint32_t from = c->g->edges[edge].from, to = c->g->edges[edge].to;
    double share = 1;
    if (c->outermost_left[edge] != GRAPH_NONE)
        return share;
    if (c->leads_to_loop[to] && !c->d.retreating[edge])
        share *= c->options->branch_factor;
    if (c->a.out[c->a.out_start[from]] == edge)
        share *= c->options->first_factor;
    return share;
}

/* The probability of each edge given its source: an edge that leaves loops is taken about once in
 * all their iterations. */
static void probabilities(const struct weight_context *c, amount *p)
{
    const struct graph *g = c->g;
    const struct loops *l = &c->loops;
    double *sum = ZALLOC(double, (size_t)l->count + 1); /* of logarithms from the outermost loop down */
    for (uint32_t k = 0; k < l->count; k++)
        sum[k] = (l->parent[k] == GRAPH_NONE ? 0 : sum[l->parent[k]]) +
                 log(fmax(1, c->options->loop_factor * c->exits[k] - 1));
    for (uint32_t v = 0; v < graph_exit(g); v++) {
        double least = INFINITY;
        amount total = 0;
        for (uint32_t i = c->a.out_start[v]; i < c->a.out_start[v + 1]; i++) {
            uint32_t stop = c->leaves_below[c->a.out[i]];
            double rarity =
                l->innermost[v] == stop ? 0 : sum[l->innermost[v]] - (stop == GRAPH_NONE ? 0 : sum[stop]);
            p[c->a.out[i]] = rarity;
            least = fmin(least, rarity);
        }
        for (uint32_t i = c->a.out_start[v]; i < c->a.out_start[v + 1]; i++) {
            amount *x = &p[c->a.out[i]];
            *x = exp(fmax(least - (double)*x, -100)) * weight_share(c, c->a.out[i]);
            total += *x;
        }
        for (uint32_t i = c->a.out_start[v]; i < c->a.out_start[v + 1]; i++)
            p[c->a.out[i]] /= total;
    }
    free(sum);
}

static int ascending(const void *x, const void *y)
{
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return a < b ? -1 : a > b;
}

/* A loop's body as positions in reverse postorder, ascending. marks: all false, before and
 * after. */
static void body_in_order(const struct weight_context *c, uint32_t loop, bool *marks, uint32_t *order)
{
    const struct loops *l = &c->loops;
    uint32_t size = l->body_end[loop] - l->body_start[loop], first = c->d.position[l->head[loop]],
             last = first;
    for (uint32_t i = 0; i < size; i++) {
        order[i] = c->d.position[l->body[l->body_start[loop] + i]];
        if (order[i] > last)
            last = order[i];
    }
    if ((last - first) / 8 > size) {
        qsort(order, size, sizeof *order, ascending);
        return;
    }
    /* Most bodies lie close together: looking at every position between is faster than sorting. */
    for (uint32_t i = 0; i < size; i++)
        marks[order[i]] = true;
    for (uint32_t position = first, i = 0; position <= last; position++) {
        if (marks[position])
            order[i++] = position;
        marks[position] = false;
    }
}

/*
 * Loops that hold an entry other than their head, in themselves or in a loop inside. Flow that
 * arrives there is not multiplied, so part of it is left over on the way around and comes back only
 * in a later pass.
 */
static void find_irregular_loops(const struct weight_context *c, bool *irregular)
{
    const struct loops *l = &c->loops;
    for (uint32_t e = 0; e < c->g->edge_count; e++) {
        uint32_t to = c->g->edges[e].to, loop = l->innermost[to];
        if (loop != GRAPH_NONE && l->head[loop] == to)
            loop = l->parent[loop];
        if (!loop_holds(c, loop, c->g->edges[e].from))
            irregular[loop] = true;
    }
}

/* One unit that is pushed from the loop's head through its body, once around. */
struct round {
    amount back, out; /* how much came back to the head, and how much left the loop */
    amount moved;     /* how much moved along all edges: it bounds the rounding errors */
};

/* mass and marks: zero for every vertex, before and after. order: room for the body. */
static struct round push_around(const struct weight_context *c, uint32_t loop, const amount *p,
                                const amount *multiplier, amount *mass, bool *marks, uint32_t *order)
{
    const struct graph *g = c->g;
    const struct loops *l = &c->loops;
    uint32_t size = l->body_end[loop] - l->body_start[loop], head = l->head[loop];
    struct round round = {0};
    body_in_order(c, loop, marks, order);
    for (uint32_t i = 0; i < size; i++) {
        uint32_t v = c->d.reverse_postorder[order[i]];
        amount x = v == head ? 1 : mass[v] * multiplier[v];
        round.moved += x;
        for (uint32_t j = c->a.out_start[v]; j < c->a.out_start[v + 1]; j++) {
            uint32_t e = c->a.out[j], to = g->edges[e].to;
            if (to == head)
                round.back += x * p[e];
            else if (!loop_holds(c, loop, to))
                round.out += x * p[e];
            else if (!c->d.retreating[e]) /* the multiplier stands for the rest */
                mass[to] += x * p[e];
        }
        mass[v] = 0;
    }
    return round;
}

/*
 * How often each head runs per arrival from outside: 1 / (1 - the chance to come back), inner loops
 * first. In a regular loop that is 1 / (the chance to leave), which has no cancellation in it.
 * Elsewhere the difference is taken, and enough added to be sure that no multiplier is too large
 * (invariant 1).
 */
static void multipliers(const struct weight_context *c, const amount *p, amount *multiplier)
{
    const struct graph *g = c->g;
    const struct loops *l = &c->loops;
    uint32_t n = g->vertex_count, deepest = 1;
    for (uint32_t v = 0; v < n; v++) {
        multiplier[v] = 1;
        if (l->depth[v] > deepest)
            deepest = l->depth[v];
    }
    double cap = fmin(LARGEST_MULTIPLIER, pow(10, 250.0 / deepest));
    amount *mass = ZALLOC(amount, n);
    uint32_t *order = ALLOC(uint32_t, n);
    uint64_t budget = (uint64_t)BODY_BUDGET * ((uint64_t)n + g->edge_count);
    uint64_t *work = ZALLOC(uint64_t, (size_t)l->count + 1); /* vertices and edges in a loop's body */
    bool *irregular = ZALLOC(bool, (size_t)l->count + 1), *marks = ZALLOC(bool, n);
    find_irregular_loops(c, irregular);
    for (uint32_t v = 0; v < n; v++)
        if (l->innermost[v] != GRAPH_NONE)
            work[l->innermost[v]] += 1 + c->a.out_start[v + 1] - c->a.out_start[v];
    for (uint32_t k = l->count; k-- > 0;) {
        bool affordable = work[k] <= budget;
        if (affordable) {
            budget -= work[k];
            struct round round = push_around(c, k, p, multiplier, mass, marks, order);
            amount leaving =
                irregular[k] ? fmaxl(1 - round.back, round.out) + CAUTION * round.moved : round.out;
            if (leaving * cap < 1)
                irregular[k] = true; /* capped: the multiplier does not hold all that comes back */
            multiplier[l->head[k]] = fmaxl(1, fminl(1 / leaving, cap));
        }
        if (l->parent[k] != GRAPH_NONE) {
            work[l->parent[k]] += work[k];
            irregular[l->parent[k]] |= irregular[k] || !affordable;
        }
    }
    free(work);
    free(mass);
    free(order);
    free(marks);
    free(irregular);
}

/* Sends rest[v] from each v to EXIT along shortest paths, farthest vertices first. */
static void drain(const struct weight_context *c, amount *rest, amount *weights)
{
    const struct graph *g = c->g;
    uint32_t n = g->vertex_count, *queue = ALLOC(uint32_t, n), *way = ALLOC(uint32_t, n);
    uint32_t head = 0, tail = 0;
    for (uint32_t v = 0; v < n; v++)
        way[v] = GRAPH_NONE;
    queue[tail++] = graph_exit(g);
    while (head < tail) {
        uint32_t v = queue[head++];
        for (uint32_t i = c->a.in_start[v]; i < c->a.in_start[v + 1]; i++) {
            uint32_t e = c->a.in[i], from = g->edges[e].from;
            if (from != graph_exit(g) && way[from] == GRAPH_NONE) {
                way[from] = e;
                queue[tail++] = from;
            }
        }
    }
    while (tail-- > 1) {
        uint32_t v = queue[tail];
        if (rest[v] > 0) {
            weights[way[v]] += rest[v];
            rest[g->edges[way[v]].to] += rest[v];
        }
    }
    free(queue);
    free(way);
}

/*
 * After a thousand branches in a row a double has no room left for the last one's weight. Then a
 * tiny flow that covers every edge is added: for each edge one unit from the root to it and on to
 * EXIT.
 */
static void positive_floor(const struct weight_context *c, amount *weights)
{
    const struct graph *g = c->g;
    uint32_t n = g->vertex_count;
    bool vanishing = false;
    for (uint32_t e = 0; e < g->edge_count; e++)
        vanishing |= weights[e] < VANISHING;
    if (!vanishing)
        return;
    amount *cover = ZALLOC(amount, (size_t)g->edge_count + 1);
    amount *wanted = ZALLOC(amount, n), *arrived = ZALLOC(amount, n);
    for (uint32_t e = 0; e < g->edge_count; e++) {
        if (g->edges[e].from == graph_exit(g)) {
            cover[e] = (amount)g->edge_count - 1;
            continue;
        }
        cover[e] = 1;
        wanted[g->edges[e].from] += 1;
        arrived[g->edges[e].to] += 1;
    }
    for (uint32_t i = c->d.reached; i-- > 1;) {
        uint32_t v = c->d.reverse_postorder[i];
        for (uint32_t k = c->a.in_start[v]; k < c->a.in_start[v + 1]; k++) {
            uint32_t e = c->a.in[k], from = g->edges[e].from;
            if (c->d.position[from] >= i)
                continue;
            cover[e] += wanted[v];
            wanted[from] += wanted[v];
            break;
        }
    }
    drain(c, arrived, cover);
    for (uint32_t e = 0; e < g->edge_count; e++)
        weights[e] += cover[e] * FLOOR_UNIT;
    free(cover);
    free(wanted);
    free(arrived);
}

static void weights_repaired(const struct weight_context *c, double *rounded)
{
    const struct graph *g = c->g;
    const struct loops *l = &c->loops;
    uint32_t n = g->vertex_count;
    amount *p = ZALLOC(amount, (size_t)g->edge_count + 1),
           *weights = ALLOC(amount, (size_t)g->edge_count + 1);
    amount *injected = ZALLOC(amount, n), *mass = ALLOC(amount, n), *returned = ALLOC(amount, n);
    amount *multiplier = ALLOC(amount, n);
    probabilities(c, p);
    multipliers(c, p, multiplier);
    for (uint32_t e = 0; e < g->edge_count; e++)
        weights[e] = g->edges[e].from == graph_exit(g) ? 1 : 0;

    injected[GRAPH_ROOT] = 1;
    bool left = true;
    for (int pass = 0; pass < PASSES && left; pass++) {
        memcpy(mass, injected, n * sizeof *mass);
        memset(returned, 0, n * sizeof *returned);
        memset(injected, 0, n * sizeof *injected);
        for (uint32_t i = 0; i < c->d.reached; i++) {
            uint32_t v = c->d.reverse_postorder[i];
            if (v == graph_exit(g))
                continue;
            for (uint32_t k = c->a.out_start[v]; k < c->a.out_start[v + 1]; k++) {
                uint32_t e = c->a.out[k];
                amount x = mass[v] * multiplier[v] * p[e];
                weights[e] += x;
                (c->d.retreating[e] ? returned : mass)[g->edges[e].to] += x;
            }
        }
        left = false;
        for (uint32_t k = 0; k < l->count; k++) {
            uint32_t h = l->head[k];
            amount ran = mass[h] * multiplier[h], rest = mass[h] + returned[h] - ran;
            /* What rounding leaves over needs no pass of its own, but it is drained: EXIT may be
             * small beside it. */
            injected[h] = fmaxl(rest, 0);
            left |= rest > 1e-12 * ran;
        }
    }
    drain(c, injected, weights);
    positive_floor(c, weights);
    for (uint32_t e = 0; e < g->edge_count; e++)
        rounded[e] = (double)weights[e];
    free(weights);
    free(p);
    free(multiplier);
    free(injected);
    free(mass);
    free(returned);
}

void weights_guess(const struct graph *g, const struct weight_options *options, double *weights)
{
    if (!options)
        options = &weight_defaults;
    struct weight_context c;
    weight_context_init(&c, g, options);
    if (options->paper)
        weights_paper(&c, weights);
    else
        weights_repaired(&c, weights);
    weight_context_release(&c);
}
