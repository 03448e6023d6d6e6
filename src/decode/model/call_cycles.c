/*
 * The edges of the graph of calls. There may be too many of them, never too few:
 *  - A function calls the functions that its map names. A name is 32 bits of a hash. A name that no
 *    function has stands for outside, and so does one that only a static function of another file
 *    has.
 *  - A call that is not by name goes outside.
 *  - Outside calls the functions whose address is taken (by the map of their unit, or found in the
 *    program's code and data: decode/elf/code.h), the functions that the dynamic linker can find,
 *    and those that counted code calls where its map names another: a function without counters
 *    makes that call, and was inlined. The program's start refers to main, and calls it once. Where
 *    main counts its activations, and nothing else can name it, that reference is no edge (judge.c
 *    has looked whether more of them are unfinished than runs were cut).
 *  - Where a signal handler may be installed, every function "calls" outside.
 *
 * Strong components are found by Tarjan's method, without recursion.
 */
#include "decode/model/call_cycles.h"
#include "decode/elf/code.h"

#define NONE UINT32_MAX

struct node {
    struct decode_function *f; /* NULL: outside */
    uint32_t next_of_name;     /* another function with the same tag, or NONE */
    bool from_outside;
    uint32_t index, low; /* Tarjan */
    bool on_stack;
    uint32_t next_edge;
};
struct nodes ARRAY_OF(struct node);

struct cycles {
    struct nodes nodes;      /* the first is outside */
    struct hash_map by_name; /* tag -> node + 1 */
    bool signals;
    struct ARRAY_OF(uint32_t) edges; /* of all nodes */
    struct ARRAY_OF(uint32_t) start; /* node -> first of its edges */
};

static bool installs_handlers(const struct map_function *f)
{
    static const char *const names[] = {"signal",  "sigaction", "bsd_signal", "sysv_signal", "__sysv_signal",
                                        "ssignal", "sigset",    "sigvec",     "__sigaction", "syscall"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (uint32_t k = 0, tag = map_name_tag(names[i]); k < f->callee_count; k++)
            if (f->callees[k] == tag)
                return true;
    return false;
}

static bool has_balance(const struct map_function *f)
{
    for (uint32_t i = 0; i < f->plan_count; i++)
        if (f->plans[i].placement == PLACEMENT_BALANCE)
            return true;
    return false;
}

static bool is_called_from_outside(const struct decode_module *m, const struct decode_function *f,
                                   uint32_t tag)
{
    /* The compiler has seen all its calls; what looks like its address is something else. */
    if (f->map.flags & MAP_FUNCTION_DERIVED)
        return false;
    bool begins = f->map.flags & MAP_FUNCTION_MAIN && has_balance(&f->map);
    return f->map.flags & MAP_FUNCTION_ADDRESS_TAKEN || (f->code.referenced && !begins) ||
           (m->exports_known ? hash_map_get(&m->exports, tag) != NULL : !(f->map.flags & MAP_FUNCTION_LOCAL));
}

bool call_cycles_from_outside(const struct decode_module *m, const struct decode_function *f)
{
    return is_called_from_outside(m, f, map_name_tag(f->map.name));
}

static void add_nodes(struct cycles *c, struct decode_module *const *modules, size_t count)
{
    ARRAY_PUSH(&c->nodes, (struct node){0});
    for (size_t m = 0; m < count; m++)
        for (size_t i = 0; i < modules[m]->functions.count; i++) {
            struct decode_function *f = modules[m]->functions.items[i];
            uint32_t tag = map_name_tag(f->map.name);
            uint64_t *first = hash_map_put(&c->by_name, tag, NULL);
            ARRAY_PUSH(&c->nodes,
                       ((struct node){.f = f,
                                      .next_of_name = *first ? (uint32_t)*first - 1 : NONE,
                                      .from_outside = is_called_from_outside(modules[m], f, tag)}));
            *first = c->nodes.count;
            c->signals |= installs_handlers(&f->map);
        }
}

static bool same_file(const struct map_function *a, const struct map_function *b)
{
    return a->file_count && b->file_count && !strcmp(a->files[0], b->files[0]);
}

static void add_edges(struct cycles *c)
{
    for (uint32_t n = 0; n < c->nodes.count; n++) {
        const struct node *node = &c->nodes.items[n];
        ARRAY_PUSH(&c->start, (uint32_t)c->edges.count);
        if (!node->f) {
            for (uint32_t to = 1; to < c->nodes.count; to++)
                if (c->nodes.items[to].from_outside)
                    ARRAY_PUSH(&c->edges, to);
            continue;
        }
        const struct map_function *map = &node->f->map;
        bool outside = c->signals;
        for (uint32_t k = 0; k < map->callee_count; k++) {
            const uint64_t *first = hash_map_get(&c->by_name, map->callees[k]);
            bool named = false;
            for (uint32_t to = first ? (uint32_t)*first - 1 : NONE; to != NONE;
                 to = c->nodes.items[to].next_of_name) {
                const struct map_function *callee = &c->nodes.items[to].f->map;
                named |= !(callee->flags & MAP_FUNCTION_LOCAL) || same_file(map, callee);
                ARRAY_PUSH(&c->edges, to);
            }
            outside |= !named;
        }
        for (uint32_t b = 0; b < graph_exit(&map->graph) && !outside; b++)
            for (uint32_t i = 0; i < map->blocks[b].call_count; i++)
                outside |= map->blocks[b].calls[i].callee == MAP_CALLEE_UNKNOWN;
        if (outside)
            ARRAY_PUSH(&c->edges, 0);
    }
    ARRAY_PUSH(&c->start, (uint32_t)c->edges.count);
}

static bool calls_itself(const struct cycles *c, uint32_t n)
{
    for (uint32_t i = c->start.items[n]; i < c->start.items[n + 1]; i++)
        if (c->edges.items[i] == n)
            return true;
    return false;
}

static void find_components(struct cycles *c)
{
    uint32_t count = (uint32_t)c->nodes.count, next_index = 1, depth = 0, held = 0;
    uint32_t *path = ALLOC(uint32_t, count), *stack = ALLOC(uint32_t, count);
    struct node *nodes = c->nodes.items;
    for (uint32_t root = 0; root < count; root++) {
        if (nodes[root].index)
            continue;
        path[depth++] = root;
        while (depth) {
            uint32_t v = path[depth - 1];
            if (!nodes[v].index) {
                nodes[v].index = nodes[v].low = next_index++;
                nodes[v].on_stack = true;
                nodes[v].next_edge = c->start.items[v];
                stack[held++] = v;
            }
            if (nodes[v].next_edge < c->start.items[v + 1]) {
                uint32_t to = c->edges.items[nodes[v].next_edge++];
                if (!nodes[to].index)
                    path[depth++] = to;
                else if (nodes[to].on_stack && nodes[to].index < nodes[v].low)
                    nodes[v].low = nodes[to].index;
                continue;
            }
            depth--;
            if (depth && nodes[v].low < nodes[path[depth - 1]].low)
                nodes[path[depth - 1]].low = nodes[v].low;
            if (nodes[v].low != nodes[v].index)
                continue;
            bool alone = stack[held - 1] == v && !calls_itself(c, v);
            uint32_t member;
            do {
                member = stack[--held];
                nodes[member].on_stack = false;
                if (nodes[member].f)
                    nodes[member].f->code.on_cycle = !alone;
            } while (member != v);
        }
    }
    free(path);
    free(stack);
}

/* The set that the counter belongs to, or SET_NONE. */
static uint32_t set_of(const struct decode_function *f, uint32_t counter)
{
    for (uint32_t i = 0; i < f->map.plan_count; i++) {
        uint32_t count = plan_counters(&f->map.plans[i]);
        if (counter < count)
            return i;
        counter -= count;
    }
    return SET_NONE;
}

/* All activations of the position were counted as ended, but have not ended. */
static void note_ended(const struct decode_module *m, const struct place_code *code, uint32_t position)
{
    for (; position != PLACE_NONE; position = code->positions[position - 1].outer) {
        struct decode_function *f = decode_module_find(m, code->keys[code->positions[position - 1].key]);
        if (f)
            f->code.ends_unsure = true;
    }
}

/* Adds to what is counted in the current stretch; `most` is the largest such sum. */
static void note_most(struct hash_map *counted, uint64_t what, uint64_t by, int64_t *most)
{
    uint64_t *sum = hash_map_put(counted, what, NULL);
    *sum = by < INT32_MAX && *sum < INT32_MAX ? *sum + by : INT32_MAX;
    if (*most < (int64_t)*sum)
        *most = (int64_t)*sum;
}

/* Adds a count to what the current stretch counts. */
static void note_count(struct decode_module *m, struct hash_map *counted, uint64_t key, uint32_t counter,
                       uint64_t by)
{
    enum { ENDS = 1, PATHS = 2 }; /* besides what counts blocks and edges */
    struct decode_function *f = decode_module_find(m, key);
    uint32_t set = f && counter != PLACE_PATHS ? set_of(f, counter) : SET_NONE;
    enum placement placement = set != SET_NONE ? f->map.plans[set].placement : 0;
    bool paths = f && (counter == PLACE_PATHS || placement_counts_paths(placement));
    if (paths)
        note_most(counted, key ^ PATHS, by, &f->code.most_paths);
    if (placement == PLACEMENT_BALANCE)
        note_most(counted, key ^ ENDS, by, &f->code.most_ends);
    else if (paths || (f && set == f->set && set != SET_NONE))
        note_most(counted, key, by, &f->code.most_pending);
}

/* Finds how much one stretch of code counts, for each function of the module: control takes no way
 * more often in the stretch, but for one that is not counted and leads into it. */
static void find_most_pending(struct decode_module *m)
{
    /* A key, or a key ^ a number of note_count -> how much is counted in the current stretch. */
    struct hash_map counted = {0};
    for (size_t i = 0; i < m->functions.count; i++)
        m->functions.items[i]->code.most_pending = m->functions.items[i]->code.most_paths = 1;
    for (size_t i = 0; i < m->places.count; i++) {
        const struct place_code *code = &m->places.items[i];
        for (uint32_t r = 0; r < code->row_count; r++) {
            const struct place_row *row = &code->rows[r];
            if (row->kind == PLACE_ACCESS || row->kind == PLACE_STEP)
                continue;
            if (row->kind == PLACE_SHARED) {
                for (uint32_t n = row->stretch ? code->stretches[row->stretch - 1] : 0;
                     row->stretch && n < code->stretches[row->stretch]; n++)
                    if (code->counts[n].shared)
                        note_count(m, &counted, code->keys[code->counts[n].key], code->counts[n].counter,
                                   code->counts[n].by);
                continue;
            }
            if (row->kind != PLACE_INCREMENT) {
                if (counted.count)
                    hash_map_release(&counted);
                if (row->ended)
                    note_ended(m, code, row->value);
                continue;
            }
            note_count(m, &counted, code->keys[row->value], row->counter, row->by);
        }
        hash_map_release(&counted);
    }
}

bool most_pending_find(struct decode_module *m, const char *const *debug_paths)
{
    if (!decode_module_places(m, debug_paths))
        return false;
    if (!m->pending_known)
        find_most_pending(m);
    return m->pending_known = true;
}

static void mark_referenced(void *context, const struct place_code *code)
{
    struct decode_module *m = context;
    bool found = false;
    for (uint32_t i = 0; i < code->position_count; i++) {
        struct decode_function *f =
            code->positions[i].outer ? NULL : decode_module_find(m, code->keys[code->positions[i].key]);
        if (f)
            f->code.referenced = found = true;
    }
    /* Which of them the code belongs to is not known: it may be any. */
    for (uint32_t k = 0; !found && k < code->key_count; k++) {
        struct decode_function *f = decode_module_find(m, code->keys[k]);
        if (f)
            f->code.referenced = true;
    }
}

/* Which row is that of the call, or jump, with this address after it? NULL: it has none. */
static const struct place_row *row_of_call(const struct place_code *code, uint64_t address, unsigned length)
{
    uint32_t after = (uint32_t)(address - code->address), at = after - length;
    for (uint32_t i = place_first_row(code, at); i < code->row_count && code->rows[i].offset <= after; i++) {
        const struct place_row *row = &code->rows[i];
        if ((row->kind == PLACE_CALL && row->offset == after) ||
            (row->kind == PLACE_BRANCH && row->offset == at))
            return row;
    }
    return NULL;
}

/* Is the call of the row one of the source that the map knows, to the function with this tag? */
static bool names(const struct decode_module *m, const struct place_code *code, const struct place_row *row,
                  uint32_t tag)
{
    if (row->value == PLACE_NONE)
        return false;
    const struct place_position *p = &code->positions[row->value - 1];
    const struct decode_function *f = decode_module_find(m, code->keys[p->key]);
    /* A jump stands before its call. */
    uint32_t call = p->call - (row->kind == PLACE_CALL);
    if (!f || p->block >= graph_exit(&f->map.graph) || call >= f->map.blocks[p->block].call_count)
        return false;
    uint32_t callee = f->map.blocks[p->block].calls[call].callee;
    return callee != MAP_CALLEE_UNKNOWN && f->map.callees[callee] == tag;
}

/* Calls of functions without counters that were inlined come from outside. Code without a row there
 * only looks like a call. */
static void note_call(void *context, const struct place_code *from, uint64_t address, unsigned length,
                      const struct place_code *to)
{
    struct decode_module *m = context;
    const struct place_row *row = from == to ? NULL : row_of_call(from, address, length);
    for (uint32_t i = 0; row && i < to->position_count; i++) {
        struct decode_function *f =
            to->positions[i].outer ? NULL : decode_module_find(m, to->keys[to->positions[i].key]);
        if (f && !names(m, from, row, map_name_tag(f->map.name)))
            f->code.referenced = true;
    }
}

static bool look_at_code(struct decode_module *m, const char *const *debug_paths)
{
    if (m->code_tried)
        return m->code_known;
    m->code_tried = true;
    if (!most_pending_find(m, debug_paths))
        return false;
    m->exports_known = elf_code_exports(m->path, m->build_id, &m->exports);
    const struct elf_references found = {.context = m, .refer = mark_referenced, .call = note_call};
    return m->code_known = elf_code_references(m->path, m->build_id, &m->places, &found);
}

bool call_cycles_find(struct decode_module *const *modules, size_t count, const char *const *debug_paths)
{
    bool known = true, done = true;
    uint64_t these = hash_bytes(modules, count * sizeof *modules);
    for (size_t m = 0; m < count; m++) {
        known &= look_at_code(modules[m], debug_paths);
        done &= modules[m]->cycles_of == these;
    }
    if (!known || done)
        return known;
    struct cycles c = {0};
    add_nodes(&c, modules, count);
    add_edges(&c);
    find_components(&c);
    for (size_t m = 0; m < count; m++) {
        modules[m]->cycles_of = these;
        modules[m]->handlers = c.signals;
    }
    ARRAY_RELEASE(&c.nodes);
    ARRAY_RELEASE(&c.edges);
    ARRAY_RELEASE(&c.start);
    hash_map_release(&c.by_name);
    return true;
}
