#include "decode/trace/program.h"
#include "base/memory.h"
#include "format/map/trace.h"
#include "plan/witness_bits.h"

static struct replay_call translate(const struct map_trace *t, uint32_t call)
{
    switch (call) {
    case MAP_TRACE_PLAIN:
        return (struct replay_call){.kind = REPLAY_CALL_PLAIN};
    case MAP_TRACE_UNKNOWN:
        return (struct replay_call){.kind = REPLAY_CALL_UNKNOWN};
    case MAP_TRACE_TWICE:
        return (struct replay_call){.kind = REPLAY_CALL_TWICE};
    case MAP_TRACE_JUMP:
        return (struct replay_call){.kind = REPLAY_CALL_JUMP};
    default:
        return (struct replay_call){.kind = REPLAY_CALL_KNOWN, .function = map_trace_callee(t, call)};
    }
}

static struct replay_function make_function(const struct map_function *f)
{
    const struct map_trace *t = f->trace;
    uint32_t blocks = graph_exit(&f->graph), used = 0;
    bool *landing = ZALLOC(bool, f->graph.vertex_count);
    uint32_t *start = ALLOC(uint32_t, (size_t)blocks + 1);
    struct replay_call *calls = ALLOC(struct replay_call, (size_t)t->first[blocks] + blocks + 1);
    for (uint32_t b = 0; b < blocks; b++) {
        landing[b] = f->blocks[b].hazards & MAP_HAZARD_LANDING_PAD;
        start[b] = used;
        for (uint32_t i = t->first[b]; i < t->first[b + 1]; i++)
            calls[used++] = translate(t, map_trace_call(t, b, i - t->first[b] + 1));
        if (t->resumes[b])
            calls[used++] = (struct replay_call){.kind = REPLAY_CALL_UNKNOWN};
    }
    start[blocks] = used;
    bool paths = t->placement == WITNESS_PATHS;
    uint32_t *writes = paths ? ZALLOC(uint32_t, (size_t)f->graph.edge_count + 1) : NULL;
    for (uint32_t e = 0; paths && e < f->graph.edge_count; e++)
        writes[e] = map_trace_writes(t, e);
    uint8_t *bits =
        witness_has_bits(t->placement) ? ZALLOC(uint8_t, (size_t)f->graph.vertex_count + 1) : NULL;
    struct error none;
    if (bits &&
        !witness_bits_find(bits, &f->graph, t->placement, t->values, &none)) /* then no byte can be read */
        memset(bits, 8, f->graph.vertex_count);
    return (struct replay_function){.id = t->id,
                                    .instead = t->instead,
                                    .graph = &f->graph,
                                    .values = paths ? writes : t->values,
                                    .value_count = paths ? 1 : t->value_count,
                                    .marks = paths ? t->values : NULL,
                                    .bits = bits,
                                    .landing = landing,
                                    .call_start = start,
                                    .calls = calls};
}

/* Map records with the same id are equal, but the functions they call by name may differ from
 * module to module. Then replay cannot tell which of them was entered, and says so. */
static bool is_linked_alike(const struct map_trace *a, const struct map_trace *b)
{
    return a->instead == b->instead && a->callee_count == b->callee_count &&
           !memcmp(a->linked, b->linked, a->callee_count * sizeof *a->linked);
}

static void add(struct trace_program *p, const struct map_function *map)
{
    bool added;
    uint64_t *number = hash_map_put(&p->by_id, map->trace->id, &added);
    if (!added && is_linked_alike(map->trace, p->maps[*number - 1]->trace))
        return;
    p->maps[p->count] = map;
    p->functions[p->count++] = make_function(map);
    if (added)
        *number = p->count;
}

/* Adds a function instead of which another one was linked in its module. If the function itself is
 * in another module, an entry record does not tell which of the two was entered; known calls do. */
static void add_replaced(struct trace_program *p, const struct map_function *map)
{
    const uint64_t *there = hash_map_get(&p->by_id, map->trace->id);
    if (there && !p->maps[*there - 1]->trace->instead)
        p->functions[*there - 1].only_called = true;
    else
        add(p, map);
}

void trace_program_make(struct trace_program *p, const struct map_function *const *maps, size_t count)
{
    *p = (struct trace_program){.maps = ALLOC(const struct map_function *, count + 1),
                                .functions = ALLOC(struct replay_function, count + 1)};
    for (size_t i = 0; i < count; i++)
        if (maps[i]->trace && !maps[i]->trace->instead)
            add(p, maps[i]);
    for (size_t i = 0; i < count; i++)
        if (maps[i]->trace && maps[i]->trace->instead)
            add_replaced(p, maps[i]);
    for (size_t i = 0; i < p->count; i++) {
        const struct map_trace *t = p->maps[i]->trace;
        const uint64_t *linked = t->instead ? hash_map_get(&p->by_id, t->instead) : NULL;
        if (linked)
            *hash_map_put(&p->by_id, t->id, NULL) = *linked;
    }
}

void trace_program_release(struct trace_program *p)
{
    for (size_t i = 0; i < p->count; i++) {
        free((void *)(uintptr_t)p->functions[i].landing);
        free((void *)(uintptr_t)p->functions[i].call_start);
        free((void *)(uintptr_t)p->functions[i].calls);
        free((void *)(uintptr_t)p->functions[i].bits);
        if (p->functions[i].marks)
            free((void *)(uintptr_t)p->functions[i].values);
    }
    free(p->maps);
    free(p->functions);
    hash_map_release(&p->by_id);
    *p = (struct trace_program){0};
}
