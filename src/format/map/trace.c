/*
 * The part of a map record that describes a function's trace (format/map/trace.h):
 *
 *     u64 id | placement << 2 | has a name << 1 | silent | number of values | per edge: value
 *     callees: number, u64 id each | those that are named: number, each: difference to the one
 *     before per call: enum map_trace_call blocks that send exceptions on: number, each: difference
 *     to the one before [with MAP_FUNCTION_ADDRESSES: number of accesses | per part: how many |
 *      per access: size << 2 | kind]
 *
 * Invariants of what the reader hands out: values are not larger than the number of values and
 * stand on edges that are traced; calls name callees that exist; ids are not kinds of other
 * records. Code that uses the witnesses must check itself that they satisfy their conditions
 * (plan/witness.h).
 */
#include "format/map/trace.h"
#include "base/hash.h"
#include "base/memory.h"
#include "format/map/map.h"
#include "format/trace/layout.h"

#include <stdlib.h>

bool map_trace_edge(const struct map_function *f, uint32_t edge)
{
    const struct edge *e = &f->graph.edges[edge];
    return e->kind != EDGE_VIRTUAL &&
           (e->kind != EDGE_FLOW || !(f->blocks[e->to].hazards & MAP_HAZARD_LANDING_PAD));
}

void map_trace_graph(const struct map_function *f, struct graph *g, uint32_t **edge_of)
{
    graph_init(g, f->graph.vertex_count - 1);
    *edge_of = ALLOC(uint32_t, f->graph.edge_count);
    for (uint32_t e = 0; e < f->graph.edge_count; e++)
        if (map_trace_edge(f, e)) {
            const struct edge *edge = &f->graph.edges[e];
            if (edge->kind != EDGE_EXIT || !f->trace->resumes[edge->from])
                (*edge_of)[graph_add_edge(g, edge->from, edge->to, edge->kind)] = e;
        }
}

static void write_accesses(struct buffer *out, const struct map_trace *t, uint32_t places)
{
    const struct map_accesses *a = t->accesses;
    buffer_add_varint(out, a->first[places]);
    for (uint32_t i = 0; i < places; i++)
        buffer_add_varint(out, a->first[i + 1] - a->first[i]);
    for (uint32_t i = 0; i < a->first[places]; i++)
        buffer_add_varint(out, a->items[i]);
}

static void write_flags(struct buffer *out, const bool *flags, uint32_t count)
{
    uint32_t set = 0, last = 0;
    for (uint32_t i = 0; i < count; i++)
        set += flags[i];
    buffer_add_varint(out, set);
    for (uint32_t i = 0; i < count; i++)
        if (flags[i]) {
            buffer_add_varint(out, i - last);
            last = i;
        }
}

void map_trace_write(struct buffer *out, const struct map_function *f, bool without_ids)
{
    const struct map_trace *t = f->trace;
    buffer_add_u64(out, without_ids ? 0 : t->id);
    buffer_add_varint(out, (uint64_t)t->placement << 2 | (uint64_t)t->has_name << 1 | t->silent);
    buffer_add_varint(out, t->value_count);
    for (uint32_t e = 0; e < f->graph.edge_count; e++)
        buffer_add_varint(out, t->values[e]);
    buffer_add_varint(out, t->callee_count);
    for (uint32_t i = 0; i < t->callee_count; i++)
        buffer_add_u64(out, without_ids && !t->named[i] ? 0 : t->callees[i]);
    write_flags(out, t->named, t->callee_count);
    for (uint32_t i = 0; i < t->first[f->graph.vertex_count - 1]; i++)
        buffer_add_varint(out, t->calls[i]);
    uint32_t blocks = f->graph.vertex_count - 1;
    write_flags(out, t->resumes, blocks);
    if (f->flags & MAP_FUNCTION_ADDRESSES)
        write_accesses(out, t, t->first[blocks] + blocks);
}

static uint32_t read_below(struct cursor *c, uint64_t limit)
{
    uint64_t value = cursor_varint(c);
    if (value >= limit)
        c->failed = true;
    return c->failed ? 0 : (uint32_t)value;
}

static uint64_t read_id(struct cursor *c)
{
    uint64_t id = cursor_u64(c);
    if (id < TRACE_KINDS)
        c->failed = true;
    return id;
}

static void read_values(struct cursor *c, const struct map_function *f, struct map_trace *t)
{
    uint32_t edges = f->graph.edge_count;
    uint64_t most = t->placement == WITNESS_PATHS ? (uint64_t)edges * WITNESS_PATH_KINDS : edges;
    t->value_count = read_below(c, most + 1);
    if (t->value_count > WITNESS_VALUES_MOST)
        c->failed = true;
    t->values = ZALLOC(uint32_t, edges);
    for (uint32_t e = 0; e < edges && !c->failed; e++) {
        t->values[e] = read_below(c, (uint64_t)t->value_count + 1);
        if (t->values[e] && (!map_trace_edge(f, e) || f->graph.edges[e].kind == EDGE_ENTRY))
            c->failed = true;
    }
}

static bool *read_flags(struct cursor *c, uint32_t count)
{
    bool *flags = ZALLOC(bool, (size_t)count + 1);
    uint32_t at = 0;
    for (size_t left = cursor_count(c, 1); left && !c->failed; left--) {
        at += read_below(c, count - at);
        if (at >= count || flags[at])
            c->failed = true;
        else
            flags[at] = true;
    }
    return flags;
}

static void read_calls(struct cursor *c, const struct map_function *f, struct map_trace *t)
{
    size_t callees = cursor_count(c, 8);
    uint32_t blocks = f->graph.vertex_count - 1;
    uint64_t calls = 0;
    for (uint32_t b = 0; b < blocks; b++)
        calls += f->blocks[b].call_count;
    if (callees > calls || calls > UINT32_MAX)
        c->failed = true;
    if (c->failed)
        return;
    t->callees = ALLOC(uint64_t, callees);
    for (; t->callee_count < callees; t->callee_count++)
        t->callees[t->callee_count] = read_id(c);
    t->named = read_flags(c, t->callee_count);
    t->linked = ZALLOC(uint64_t, callees);
    t->calls = ALLOC(uint32_t, calls);
    t->first = ALLOC(uint32_t, (size_t)blocks + 1);
    t->first[0] = 0;
    for (uint32_t b = 0; b < blocks; b++)
        t->first[b + 1] = t->first[b] + f->blocks[b].call_count;
    for (uint32_t i = 0; i < calls; i++)
        t->calls[i] = read_below(c, (uint64_t)MAP_TRACE_KNOWN + callees);
}

static void read_accesses(struct cursor *c, const struct map_function *f, struct map_trace *t)
{
    uint32_t blocks = f->graph.vertex_count - 1;
    size_t places = (size_t)t->first[blocks] + blocks, count = cursor_count(c, 1);
    if (c->failed || count > UINT32_MAX || places > cursor_left(c)) {
        c->failed = true;
        return;
    }
    struct map_accesses *a = t->accesses = ZALLOC(struct map_accesses, 1);
    a->first = ZALLOC(uint32_t, places + 1);
    a->items = ALLOC(uint32_t, count + 1);
    for (size_t i = 0; i < places; i++)
        a->first[i + 1] = a->first[i] + read_below(c, count - a->first[i] + 1);
    if (a->first[places] != count)
        c->failed = true;
    for (size_t i = 0; i < count && !c->failed; i++) {
        a->items[i] = read_below(c, UINT32_MAX);
        if ((a->items[i] & 3) > MAP_LOAD_AND_STORE)
            c->failed = true;
    }
}

struct map_trace *map_trace_read(struct cursor *c, const struct map_function *f)
{
    struct map_trace *t = ZALLOC(struct map_trace, 1);
    t->id = read_id(c);
    uint32_t coded = read_below(c, ((uint64_t)WITNESS_PLACEMENTS + 1) << 2);
    t->placement = (enum witness_placement)(coded >> 2);
    t->has_name = coded & 2;
    t->silent = coded & 1;
    if (!t->placement)
        c->failed = true;
    if (!c->failed)
        read_values(c, f, t);
    if (!c->failed)
        read_calls(c, f, t);
    if (!c->failed)
        t->resumes = read_flags(c, f->graph.vertex_count - 1);
    if (!c->failed && f->flags & MAP_FUNCTION_ADDRESSES)
        read_accesses(c, f, t);
    return t;
}

uint64_t map_trace_name(const char *name)
{
    uint64_t number = hash_text(name);
    return number < TRACE_KINDS ? number + TRACE_KINDS : number;
}

/* Functions that record addresses have names of their own (format/trace/layout.h: suffixes of
 * bodies). */
static uint64_t linked_name(const struct map_function *f, uint64_t name)
{
    return name ^ (f->flags & MAP_FUNCTION_ADDRESSES ? UINT64_C(0x9e3779b97f4a7c15) : 0);
}

void map_trace_link(struct map_function *functions, size_t count)
{
    struct hash_map by_name = {0};
    for (size_t i = 0; i < count; i++) {
        const struct map_trace *t = functions[i].trace;
        bool added;
        if (!t || !t->has_name)
            continue;
        uint64_t *id =
            hash_map_put(&by_name, linked_name(&functions[i], map_trace_name(functions[i].name)), &added);
        *id = added || *id == t->id ? t->id : 0;
    }
    for (size_t i = 0; i < count; i++)
        for (uint32_t k = 0; functions[i].trace && k < functions[i].trace->callee_count; k++) {
            struct map_trace *t = functions[i].trace;
            const uint64_t *id =
                t->named[k] ? hash_map_get(&by_name, linked_name(&functions[i], t->callees[k])) : NULL;
            t->linked[k] = id ? *id : 0;
        }
    hash_map_release(&by_name);
}

void map_trace_release(struct map_trace *t)
{
    if (!t)
        return;
    free(t->values);
    free(t->callees);
    free(t->named);
    free(t->linked);
    free(t->calls);
    free(t->first);
    free(t->resumes);
    if (t->accesses) {
        free(t->accesses->first);
        free(t->accesses->items);
    }
    free(t->accesses);
    free(t);
}
