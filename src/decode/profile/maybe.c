/*
 * An activation that has not ended came to where it stands by ways whose counters, if they have any,
 * count: a block or an edge with a counter that is 0 was not passed, but for the instructions
 * between the beginning of a block and its increment. A counter whose count follows from flow in
 * final functions (decode/model/finals.h) says nothing of activations that have not ended. And the
 * activation began by a call, from a block of which the same holds, or from code without counters,
 * which calls any function that it has the address of (decode/model/call_cycles.h). Where the entries
 * of a function follow from calls (decode/profile/derived.h) and its caller is not known, activations
 * that ended are not known, either.
 *
 * Where counts began in the middle (cotree_reset), activations stood in calls anywhere, and have gone
 * on from there.
 *
 * Where a part of a trace is lost, all traced code may have run in it.
 *
 * Where only a trace tells, what comes after the last event may have run: from blocks that ran,
 * along edges that write nothing, and into functions that are called from there.
 */
#include "decode/profile/maybe.h"
#include "decode/model/call_cycles.h"

struct search {
    struct hash_map by_name; /* tag -> number of the first function + 1 */
    struct search_functions ARRAY_OF(struct decode_function *) functions;
    struct search_next ARRAY_OF(uint32_t) next_of_name; /* another function of the same tag, or none */
    struct search_stack ARRAY_OF(uint32_t) to_enter;
    bool *entered;
    /* Activations may have begun before the counts did. */
    bool resumed_anywhere;
};
#define NONE UINT32_MAX

static void enter(struct search *s, uint32_t function)
{
    if (s->entered[function])
        return;
    s->entered[function] = true;
    ARRAY_PUSH(&s->to_enter, function);
}

static bool counted_zero(const struct decode_function *f, const struct standing_list *list, uint32_t place)
{
    for (uint32_t i = list->start[place]; i < list->start[place + 1]; i++)
        if ((!f->total.doubtful || !f->total.doubtful[list->items[i]]) &&
            !(f->code.flows && f->code.flows[list->items[i]]))
            return true;
    return false;
}

static void enter_callees(struct search *s, const struct map_function *map, const struct map_block *block)
{
    for (uint32_t i = 0; i < block->call_count; i++) {
        if (block->calls[i].callee == MAP_CALLEE_UNKNOWN)
            continue;
        const uint64_t *first = hash_map_get(&s->by_name, map->callees[block->calls[i].callee]);
        for (uint32_t to = first ? (uint32_t)*first - 1 : NONE; to != NONE; to = s->next_of_name.items[to])
            enter(s, to);
    }
}

/* Does only a trace tell what ran? */
static bool is_traced(const struct decode_function *f)
{
    return f->set == SET_NONE && f->map.trace;
}

/* Would it be known that control took the edge? Bits and numbers of paths are written later. */
static bool would_be_seen(const struct decode_function *f, uint32_t edge)
{
    const struct map_trace *t = f->map.trace;
    if (!is_traced(f))
        return counted_zero(f, &f->standing.on_branch, edge);
    if (t->placement == WITNESS_PATHS || t->placement == WITNESS_BITS || t->placement == WITNESS_LOG2)
        return false;
    return !map_trace_edge(&f->map, edge) || map_trace_writes(t, edge);
}

/* Marks the blocks where a search begins; returns how many there are. */
static uint32_t find_starts(const struct search *s, const struct decode_function *f, bool entered,
                            bool *reached, uint32_t *stack)
{
    const struct graph *g = &f->map.graph;
    uint32_t exit = graph_exit(g), depth = 0;
    if (exit && entered && !counted_zero(f, &f->standing.at_start, GRAPH_ROOT))
        reached[stack[depth++] = GRAPH_ROOT] = true;
    /* Resumed activations need not have passed a counter. */
    for (size_t i = 0; i < f->total.frames.count; i++)
        if (f->total.frames.items[i].resumes && !reached[f->total.frames.items[i].block])
            reached[stack[depth++] = f->total.frames.items[i].block] = true;
    for (uint32_t v = 0; s->resumed_anywhere && !is_traced(f) && v < exit; v++)
        if (f->map.blocks[v].call_count && !reached[v])
            reached[stack[depth++] = v] = true;
    for (uint32_t e = 0; is_traced(f) && f->total.trace.edges && e < g->edge_count; e++)
        if (f->total.trace.edges[e] && g->edges[e].to != exit && !reached[g->edges[e].to])
            reached[stack[depth++] = g->edges[e].to] = true;
    return depth;
}

/* Finds the blocks that control may have come to. */
static void look_at(struct search *s, struct decode_function *f, bool entered)
{
    const struct graph *g = &f->map.graph;
    uint32_t exit = graph_exit(g);
    struct adjacency a;
    adjacency_init(&a, g);
    standing_prepare(&f->standing, &f->map);
    bool *reached = ZALLOC(bool, g->vertex_count);
    uint32_t *stack = ALLOC(uint32_t, g->vertex_count);
    uint32_t depth = find_starts(s, f, entered, reached, stack);
    while (depth) {
        uint32_t v = stack[--depth];
        enter_callees(s, &f->map, &f->map.blocks[v]);
        for (uint32_t i = a.out_start[v]; i < a.out_start[v + 1]; i++) {
            uint32_t e = a.out[i], to = g->edges[e].to;
            if (to == exit || reached[to] || would_be_seen(f, e) ||
                counted_zero(f, &f->standing.at_start, to))
                continue;
            reached[stack[depth++] = to] = true;
        }
    }
    for (uint32_t v = 0; v < exit; v++)
        f->total.certain.may_have_run[v] |= reached[v];
    free(reached);
    free(stack);
    adjacency_release(&a);
}

static void list_functions(struct search *s, struct decode_module *const *modules, size_t count)
{
    for (size_t m = 0; m < count; m++)
        for (size_t i = 0; i < modules[m]->functions.count; i++) {
            struct decode_function *f = modules[m]->functions.items[i];
            uint64_t *first = hash_map_put(&s->by_name, map_name_tag(f->map.name), NULL);
            ARRAY_PUSH(&s->next_of_name, *first ? (uint32_t)*first - 1 : NONE);
            ARRAY_PUSH(&s->functions, f);
            *first = s->functions.count;
            if (!f->total.certain.may_have_run)
                f->total.certain.may_have_run = ZALLOC(bool, f->map.graph.vertex_count);
        }
}

void maybe_find(struct decode_module *const *modules, size_t count, const char *const *debug_paths)
{
    struct search s = {0};
    bool known = call_cycles_find(modules, count, debug_paths);
    list_functions(&s, modules, count);
    s.entered = ZALLOC(bool, s.functions.count + 1);
    for (size_t m = 0; m < count; m++)
        s.resumed_anywhere |= modules[m]->resumed_anywhere;
    for (size_t m = 0, number = 0; m < count; m++)
        for (size_t i = 0; i < modules[m]->functions.count; i++, number++) {
            const struct decode_function *f = modules[m]->functions.items[i];
            if (is_traced(f) && modules[m]->trace_lost)
                memset(f->total.certain.may_have_run, 1, graph_exit(&f->map.graph) * sizeof(bool));
            else if (is_traced(f)) /* an entry from outside is recorded in the trace */
                look_at(&s, s.functions.items[number], false);
            else if (!known || s.resumed_anywhere || f->map.flags & MAP_FUNCTION_MAIN ||
                     call_cycles_from_outside(modules[m], f))
                enter(&s, (uint32_t)number);
        }
    while (s.to_enter.count)
        look_at(&s, s.functions.items[s.to_enter.items[--s.to_enter.count]], true);
    hash_map_release(&s.by_name);
    ARRAY_RELEASE(&s.functions);
    ARRAY_RELEASE(&s.next_of_name);
    ARRAY_RELEASE(&s.to_enter);
    free(s.entered);
}
