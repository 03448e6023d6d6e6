/* Code for all paths, and for chosen ones. */
#include "plan/path_code.h"

#include "base/memory.h"
#include "plan/path_chosen.h"
#include "plan/path_decode.h"
#include "plan/path_plan.h"

const char *const path_code_names[PATH_CODE_LAST + 1] = {
    [PATH_CODE_ALL] = "all", [PATH_CODE_PSPP] = "pspp", [PATH_CODE_COMPACT] = "compact"};

bool path_choice_has(const struct path_choice *choice, uint64_t id)
{
    if (!choice)
        return true;
    size_t at = FIRST_WITHOUT(choice->range_count, i, choice->ranges[i].end <= id);
    return at < choice->range_count && choice->ranges[at].first <= id;
}

uint64_t path_choice_size(const struct path_choice *choice)
{
    uint64_t size = 0;
    for (uint32_t i = 0; i < choice->range_count; i++)
        size += choice->ranges[i].end - choice->ranges[i].first;
    return size;
}

/*
 * Ids are in the order of ways: paths that begin with the same way to a vertex are neighbours. So
 * the arcs of a range are found without listing its paths: where all ways of a vertex are in the
 * range, so is everything it leads to; elsewhere the range is divided at its out-arcs.
 */
struct part {
    uint32_t vertex;
    uint64_t first, end; /* which of the ways from there, of 0 .. paths[vertex] */
};

static void mark_part(struct part part, const struct path_graph *p, const struct path_numbering *n,
                      bool *whole, bool *arcs, struct part *stack)
{
    uint32_t exit = graph_exit(&p->arcs);
    size_t depth = 0;
    stack[depth++] = part;
    while (depth) {
        struct part at = stack[--depth];
        uint64_t ways = at.vertex == exit ? n->total : n->paths[at.vertex];
        bool all = at.first == 0 && at.end == ways;
        if (whole[at.vertex])
            continue;
        whole[at.vertex] = all;
        for (uint32_t i = p->adjacency.out_start[at.vertex]; i < p->adjacency.out_start[at.vertex + 1]; i++) {
            uint32_t a = p->adjacency.out[i], to = p->arcs.edges[a].to;
            uint64_t low = n->value[a], high = low + (to == exit ? 1 : n->paths[to]);
            if (high <= at.first || low >= at.end)
                continue;
            arcs[a] = true;
            if (to != exit && !whole[to])
                stack[depth++] = (struct part){.vertex = to,
                                               .first = at.first > low ? at.first - low : 0,
                                               .end = (at.end < high ? at.end : high) - low};
        }
    }
}

void path_choice_arcs(const struct path_choice *choice, const struct path_graph *p,
                      const struct path_numbering *n, bool *arcs)
{
    bool *whole = ZALLOC(bool, p->arcs.vertex_count);
    /* each vertex puts all its out-arcs there once; at either side of a range one way is divided */
    struct part *stack = ALLOC(struct part, 3 * ((size_t)p->arcs.edge_count + p->arcs.vertex_count) + 4);
    for (uint32_t i = 0; i < choice->range_count; i++)
        mark_part((struct part){.vertex = graph_exit(&p->arcs),
                                .first = choice->ranges[i].first,
                                .end = choice->ranges[i].end},
                  p, n, whole, arcs, stack);
    free(whole);
    free(stack);
}

static uint64_t *copy(const uint64_t *from, uint32_t count)
{
    uint64_t *to = ALLOC(uint64_t, (size_t)count + 1);
    memcpy(to, from, count * sizeof *to);
    return to;
}

static void take_all(struct path_code *c, const struct path_graph *p, const struct path_numbering *n)
{
    c->counters = (uint32_t)n->total;
    c->value = copy(n->value, p->arcs.edge_count);
    c->add = copy(n->increment, p->arcs.edge_count);
}

static bool take_pspp(struct path_code *c, const struct path_graph *p, const bool *chosen,
                      struct error *error)
{
    struct path_pspp s;
    if (!path_pspp_init(&s, p, chosen, error))
        return false;
    c->counters = (uint32_t)s.span; /* never more than the number of paths */
    c->value = copy(s.value, p->arcs.edge_count);
    c->add = copy(s.label, p->arcs.edge_count);
    path_pspp_release(&s);
    return true;
}

static bool take_compact(struct path_code *c, const struct path_graph *p, const bool *chosen,
                         const double *edge_weights, struct error *error)
{
    if (!edge_weights) {
        uint64_t *paths = ZALLOC(uint64_t, p->arcs.vertex_count), total;
        c->value = ZALLOC(uint64_t, (size_t)p->arcs.edge_count + 1);
        bool ok = path_number_values(p, chosen, paths, c->value, &total);
        c->counters = (uint32_t)total + 1;
        free(paths);
        return ok || error_set(error, "there are too many chosen paths");
    }
    struct path_compact s;
    if (!path_compact_init(&s, p, chosen, edge_weights, error))
        return false;
    c->counters = (uint32_t)s.total + 1;
    c->checked = true;
    c->value = copy(s.value, p->arcs.edge_count);
    c->add = copy(s.increment, p->arcs.edge_count);
    for (uint32_t a = 0; a < p->arcs.edge_count; a++)
        if (s.poisons[a]) {
            c->sets[a] = true;
            c->add[a] = s.poison;
        }
    path_compact_release(&s);
    return true;
}

bool path_code_init(struct path_code *c, const struct plan *plan, const struct path_graph *p,
                    const struct path_numbering *n, const double *edge_weights, struct error *error)
{
    uint32_t arcs = p->arcs.edge_count;
    const struct path_choice *choice = plan->choice;
    *c = (struct path_code){.sets = ZALLOC(bool, (size_t)arcs + 1), .counts = ZALLOC(bool, (size_t)arcs + 1)};
    if (choice && !choice->range_count) { /* no path is counted */
        c->value = ZALLOC(uint64_t, (size_t)arcs + 1);
        c->add = ZALLOC(uint64_t, (size_t)arcs + 1);
        return true;
    }
    bool ok = true;
    if (choice)
        path_choice_arcs(choice, p, n, c->counts);
    else
        memset(c->counts, true, arcs);
    if (!choice || choice->kind == PATH_CODE_ALL)
        take_all(c, p, n);
    else if (choice->kind == PATH_CODE_PSPP)
        ok = take_pspp(c, p, c->counts, error);
    else
        ok = take_compact(c, p, c->counts, edge_weights, error);
    for (uint32_t a = 0; a < arcs; a++)
        c->counts[a] &= p->arcs.edges[a].to == graph_exit(&p->arcs);
    return ok;
}

void path_code_release(struct path_code *c)
{
    free(c->value);
    free(c->add);
    free(c->sets);
    free(c->counts);
    *c = (struct path_code){0};
}

uint64_t path_code_counter(const struct path_code *c, const struct path_graph *p,
                           const struct path_numbering *n, uint64_t id, uint32_t *arcs)
{
    uint32_t length = path_decode(p, n, id, arcs);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < length; i++)
        sum += c->value[arcs[i]];
    return sum;
}

double path_code_cost(const struct path_code *c, const struct path_graph *p, const double *arc_weights)
{
    uint32_t exit = graph_exit(&p->arcs);
    bool *matters =
        ZALLOC(bool, p->arcs.vertex_count); /* vertex -> the sum matters there: a count may follow */
    double cost = 0;
    for (uint32_t i = p->block_count; i-- > 0;)
        for (uint32_t k = p->adjacency.out_start[p->order[i]]; k < p->adjacency.out_start[p->order[i] + 1];
             k++) {
            uint32_t a = p->adjacency.out[k], to = p->arcs.edges[a].to;
            matters[p->order[i]] |= to == exit ? c->counts[a] : matters[to];
        }
    for (uint32_t a = 0; a < p->arcs.edge_count; a++) {
        const struct edge *arc = &p->arcs.edges[a];
        unsigned steps = arc->to == exit     ? (c->counts[a] ? (c->checked ? 4 : 2) : 0)
                         : !matters[arc->to] ? 0
                         : arc->from == exit ? 1
                                             : c->sets[a] || c->add[a];
        cost += steps * arc_weights[a];
    }
    free(matters);
    return cost;
}

static struct path_choice *choice_of(const bool *wanted, uint32_t count)
{
    struct path_choice *choice = ZALLOC(struct path_choice, 1);
    for (uint32_t id = 0; id < count;) {
        if (!wanted[id]) {
            id++;
            continue;
        }
        uint32_t first = id;
        while (id < count && wanted[id])
            id++;
        RESIZE(choice->ranges, (size_t)choice->range_count + 1);
        choice->ranges[choice->range_count++] = (struct path_range){first, id};
    }
    choice->kind = PATH_CODE_ALL;
    return choice;
}

bool path_choose(struct plan *plan, const struct graph *g, const double *edge_weights, const bool *wanted,
                 enum path_code_kind only, struct error *error)
{
    struct path_graph p;
    struct path_numbering n;
    uint32_t count = 0;
    for (uint32_t id = 0; id < plan->path_count; id++)
        count += wanted[id];
    if (count == plan->path_count)
        return true;
    plan->choice = choice_of(wanted, plan->path_count);
    if (!count)
        return true;
    if (!path_plan_number(plan, g, edge_weights, NULL, &p, &n, error))
        return false;
    double *weights = ALLOC(double, (size_t)p.arcs.edge_count + 1), best = 0;
    path_graph_weights(&p, g, edge_weights, weights);
    enum path_code_kind taken = PATH_CODE_ALL;
    for (int kind = PATH_CODE_ALL; kind <= PATH_CODE_LAST; kind++) {
        struct path_code code;
        plan->choice->kind = (enum path_code_kind)kind;
        if (path_code_init(&code, plan, &p, &n, edge_weights, NULL)) {
            double cost = path_code_cost(&code, &p, weights);
            if ((int)only == kind || (!only && (kind == PATH_CODE_ALL || cost < best ||
                                                (cost == best && code.counters < plan->choice->counters)))) {
                taken = (enum path_code_kind)kind;
                best = cost;
                plan->choice->counters = code.counters;
            }
        }
        path_code_release(&code);
    }
    plan->choice->kind = taken;
    free(weights);
    path_numbering_release(&n);
    path_graph_release(&p);
    return true;
}
