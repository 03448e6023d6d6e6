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

static struct replay_function make_function(const struct map_function *f, uint32_t module)
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
                                    .module = module,
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
 * module to module. */
static bool is_linked_alike(const struct map_trace *a, const struct map_trace *b)
{
    return a->instead == b->instead && a->callee_count == b->callee_count &&
           !memcmp(a->linked, b->linked, a->callee_count * sizeof *a->linked);
}

static void add(struct trace_program *p, const struct map_function *map, uint32_t module)
{
    p->maps[p->count] = map;
    p->functions[p->count++] = make_function(map, module);
}

/* The functions of one id. */
struct copy {
    uint32_t first, last; /* indices */
    bool differ;          /* in what they call: none can stand for all */
};

/* Adds, for each function that several modules have, one that stands for all: where a record of its
 * entry does not name the module, that is entered, and calls stay among those. */
static void add_for_all(struct trace_program *p)
{
    struct hash_map numbers = {0};
    struct copies ARRAY_OF(struct copy) copies = {0};
    for (uint32_t i = 0; i < p->own; i++) {
        bool added;
        uint64_t *number = hash_map_put(&numbers, p->functions[i].id, &added);
        if (added) {
            *number = copies.count;
            ARRAY_PUSH(&copies, ((struct copy){.first = i, .last = i}));
            continue;
        }
        struct copy *c = &copies.items[*number];
        c->last = i;
        c->differ |= !is_linked_alike(p->maps[c->first]->trace, p->maps[i]->trace);
    }
    for (size_t i = 0; i < copies.count; i++) {
        const struct copy *c = &copies.items[i];
        if (c->first != c->last && !c->differ && !p->maps[c->first]->trace->instead)
            add(p, p->maps[c->first], REPLAY_MODULE_UNKNOWN);
    }
    ARRAY_RELEASE(&copies);
    hash_map_release(&numbers);
}

/* room: for how many functions of all modules. */
static void begin(struct trace_program *p, size_t room)
{
    *p = (struct trace_program){.maps = ALLOC(const struct map_function *, 2 * room + 1),
                                .functions = ALLOC(struct replay_function, 2 * room + 1)};
}

static void add_module(struct trace_program *p, struct hash_map *seen, const struct map_function *map,
                       uint32_t module)
{
    bool added;
    if (!map->trace)
        return;
    *hash_map_put(&p->modules, (uintptr_t)map, NULL) = module + 1;
    hash_map_put(seen, map->trace->id, &added);
    if (added)
        add(p, map, module);
}

static void finish(struct trace_program *p)
{
    p->own = p->count;
    add_for_all(p);
    bool *ambiguous = ALLOC(bool, p->count + 1);
    replay_places_make(&p->places, p->functions, p->count, ambiguous);
    free(ambiguous);
}

void trace_program_make(struct trace_program *p, struct decode_module *const *modules, size_t count)
{
    size_t room = 0;
    struct hash_map numbers = {0}; /* of modules that were seen */
    for (size_t i = 0; i < count; i++)
        room += modules[i] ? modules[i]->functions.count : 0;
    begin(p, room);
    p->numbers = ALLOC(uint32_t, count + 1);
    p->number_count = count;
    for (uint32_t i = 0; i < count; i++) {
        bool added;
        p->numbers[i] = REPLAY_MODULE_UNKNOWN;
        if (!modules[i])
            continue;
        uint64_t *number = hash_map_put(&numbers, (uintptr_t)modules[i], &added);
        if (added)
            *number = i;
        p->numbers[i] = (uint32_t)*number;
        struct hash_map seen = {0};
        for (size_t k = 0; added && k < modules[i]->functions.count; k++)
            add_module(p, &seen, &modules[i]->functions.items[k]->map, i);
        hash_map_release(&seen);
    }
    hash_map_release(&numbers);
    finish(p);
}

void trace_program_make_of(struct trace_program *p, const struct map_function *const *maps, size_t count)
{
    struct hash_map seen = {0};
    begin(p, count);
    for (size_t i = 0; i < count; i++)
        add_module(p, &seen, maps[i], 0);
    hash_map_release(&seen);
    finish(p);
}

uint32_t trace_program_find(const struct trace_program *p, const struct map_function *map)
{
    const uint64_t *module = hash_map_get(&p->modules, (uintptr_t)map);
    return module ? replay_places_find(&p->places, map->trace->id, (uint32_t)(*module - 1)) : GRAPH_NONE;
}

uint32_t trace_program_callee(const struct trace_program *p, uint32_t caller, uint64_t id)
{
    return replay_places_find(&p->places, id, p->functions[caller].module);
}

struct replay_program *trace_program_replay(const struct trace_program *p, struct error *error)
{
    struct replay_program *replay = replay_program_make(p->functions, p->count, error);
    if (replay && p->numbers)
        replay_name_modules(replay, p->numbers, p->number_count);
    return replay;
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
    free(p->numbers);
    hash_map_release(&p->modules);
    replay_places_release(&p->places);
    *p = (struct trace_program){0};
}
