#include "decode/frames/stretches.h"

#include <stdlib.h>

uint32_t stretch_length(const struct place_code *code, uint32_t stretch)
{
    return code->stretches[stretch] - code->stretches[stretch - 1];
}

enum whether_ahead stretch_is_ahead(const struct code_ahead *ahead, uint32_t stretch,
                                    const struct place_count *count)
{
    bool own = false, unknown = false;
    for (size_t i = 0; i < ahead->counts.count; i++) {
        const struct count_ahead *one = &ahead->counts.items[i];
        if (one->key == count->key && one->counter == count->counter) {
            own |= one->stretch == stretch;
            unknown |= !one->stretch;
        }
    }
    return own ? AHEAD_ALL : unknown ? AHEAD_UNKNOWN : AHEAD_NOTHING;
}

/* Is it a counter of activations or paths, which counts where that is cheapest, at no place of the
 * graph? */
static bool is_anywhere(const struct decode_function *f, uint32_t counter)
{
    for (uint32_t i = 0; i < f->map.plan_count; i++) {
        enum placement placement = f->map.plans[i].placement;
        if (counter < plan_counters(&f->map.plans[i]))
            return placement == PLACEMENT_BALANCE || placement_counts_paths(placement);
        counter -= plan_counters(&f->map.plans[i]);
    }
    return false;
}

/* Was the counter moved out of a loop? */
static bool is_moved(const struct place_code *code, const struct place_count *count)
{
    for (uint32_t i = 0; i < code->moved_count; i++)
        if (code->moved[i].key == count->key && code->moved[i].counter == count->counter)
            return true;
    return false;
}

enum { COUNTS_NOTHING, COUNTS_IT, COUNTS_OTHERS };

static int counts_at(const struct standing_list *list, uint32_t place, uint32_t counter)
{
    int found = list->start[place] < list->start[place + 1] ? COUNTS_OTHERS : COUNTS_NOTHING;
    for (uint32_t i = list->start[place]; i < list->start[place + 1]; i++)
        if (list->items[i] == counter)
            found = COUNTS_IT;
    return found;
}

/* May one of the block's calls after the first `call` ones be a call of the function? */
static bool may_call(const struct map_function *f, uint32_t block, uint32_t call,
                     const struct map_function *callee)
{
    const struct map_block *b = &f->blocks[block];
    for (uint32_t i = call; i < b->call_count; i++)
        if (b->calls[i].callee == MAP_CALLEE_UNKNOWN || b->calls[i].callee >= f->callee_count ||
            f->callees[b->calls[i].callee] == map_name_tag(callee->name))
            return true;
    return false;
}

/* What may come next, before anything else is counted. */
struct next {
    bool counts; /* the counter counts */
    bool leaves; /* the function is left */
    bool begins; /* the callee is called */
};

/* What comes next inside the block `from`, after its call `call` (EXIT: outside). */
static struct next find_next(struct decode_function *f, uint32_t from, uint32_t call, uint32_t counter,
                             const struct map_function *callee)
{
    const struct graph *g = &f->map.graph;
    uint32_t exit = graph_exit(g), *open = ALLOC(uint32_t, g->vertex_count), opened = 0;
    bool *seen = ZALLOC(bool, g->vertex_count);
    struct adjacency adjacency;
    struct next next = {0};
    standing_prepare(&f->standing, &f->map);
    const struct standing *s = &f->standing;
    adjacency_init(&adjacency, g);
    if (from == exit) {
        int counts = counts_at(&s->at_start, GRAPH_ROOT, counter);
        next.counts = counts == COUNTS_IT;
        if (counts == COUNTS_NOTHING)
            open[opened++] = GRAPH_ROOT;
    } else {
        open[opened++] = from;
    }
    while (opened) {
        uint32_t block = open[--opened];
        next.begins |= may_call(&f->map, block, block == from && !seen[block] ? call : 0, callee);
        for (uint32_t i = adjacency.out_start[block]; i < adjacency.out_start[block + 1]; i++) {
            uint32_t e = adjacency.out[i], to = g->edges[e].to;
            if (g->edges[e].kind == EDGE_VIRTUAL)
                continue;
            next.leaves |= to == exit;
            int counts = to == exit ? COUNTS_OTHERS : counts_at(&s->on_branch, e, counter);
            next.counts |= counts == COUNTS_IT;
            if (counts != COUNTS_NOTHING)
                continue;
            counts = counts_at(&s->at_start, to, counter);
            next.counts |= counts == COUNTS_IT;
            if (counts == COUNTS_NOTHING && !seen[to]) {
                seen[to] = true;
                open[opened++] = to;
            }
        }
    }
    free(open);
    free(seen);
    adjacency_release(&adjacency);
    return next;
}

/* May an activation that has made this count end without another one? */
static bool may_end_after(struct decode_function *f, uint32_t counter)
{
    const struct graph *g = &f->map.graph;
    uint32_t exit = graph_exit(g);
    bool ends = false, stands = false;
    standing_prepare(&f->standing, &f->map);
    for (uint32_t e = 0; e < g->edge_count && !ends; e++)
        if (counts_at(&f->standing.on_branch, e, counter) == COUNTS_IT) {
            uint32_t to = g->edges[e].to;
            stands = true;
            ends = to == exit || (counts_at(&f->standing.at_start, to, UINT32_MAX) == COUNTS_NOTHING &&
                                  find_next(f, to, 0, UINT32_MAX, &f->map).leaves);
        }
    for (uint32_t b = 0; b < exit && !ends; b++)
        if (counts_at(&f->standing.at_start, b, counter) == COUNTS_IT) {
            stands = true;
            ends = find_next(f, b, 0, UINT32_MAX, &f->map).leaves;
        }
    return ends || !stands;
}

/* Was the last count before the position made by one of its activations, or by one that may have ended?
 * Otherwise the instruction was moved down over it. */
static bool follows(const struct code_ahead *ahead, const struct chain *chain, const struct place_position *p)
{
    const struct place_code *code = ahead->code;
    uint32_t first = code->stretches[p->stretch - 1], at = first + p->passed;
    while (at-- > first) {
        struct decode_function *f = decode_module_find(ahead->module, code->keys[code->counts[at].key]);
        if (!f || code->counts[at].counter >= f->counter_count)
            return false;
        if (!is_anywhere(f, code->counts[at].counter) && !is_moved(code, &code->counts[at]))
            return chain_has(chain, f) || may_end_after(f, code->counts[at].counter);
    }
    return true;
}

bool stretch_fits(const struct code_ahead *ahead, const struct chain *chain, const struct place_position *p)
{
    const struct place_code *code = ahead->code;
    if (!follows(ahead, chain, p))
        return false;
    uint32_t at = code->stretches[p->stretch - 1] + p->passed, end = code->stretches[p->stretch];
    struct decode_function *f = NULL;
    for (; at < end; at++) {
        f = decode_module_find(ahead->module, code->keys[code->counts[at].key]);
        if (!f || code->counts[at].counter >= f->counter_count)
            return false;
        if (!is_anywhere(f, code->counts[at].counter) && !is_moved(code, &code->counts[at]))
            break;
    }
    if (at == end)
        return true;
    uint32_t counter = code->counts[at].counter;
    struct next next = {.leaves = true};
    bool begins = false;
    for (size_t i = 0; i < chain->count && next.leaves; i++) {
        const struct activation *e = &chain->items[i];
        next = find_next(e->f, e->block, e->call, e->f == f ? counter : UINT32_MAX, &f->map);
        if (next.counts)
            return true;
        begins |= next.begins;
    }
    return begins && find_next(f, graph_exit(&f->map.graph), 0, counter, &f->map).counts;
}
