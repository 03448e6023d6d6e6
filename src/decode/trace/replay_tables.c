/* Programs to replay: functions are checked once, and turned into steps as far as the data need
 * them. */
#include "decode/trace/replay_tables.h"

#include "plan/witness_bits.h"

#include <inttypes.h>

void replay_name_modules(struct replay_program *p, const uint32_t *modules, size_t count)
{
    p->modules = ALLOC(uint32_t, count + 1);
    memory_copy(p->modules, modules, count * sizeof *modules);
    p->module_count = count;
    p->has_modules = true;
}

bool replay_module(const struct replay_program *p, uint32_t number, uint32_t *module)
{
    *module = number;
    if (number == TRACE_MODULE_UNKNOWN)
        *module = REPLAY_MODULE_UNKNOWN;
    else if (p->has_modules)
        *module = number < p->module_count ? p->modules[number] : REPLAY_MODULE_UNKNOWN;
    return number == TRACE_MODULE_UNKNOWN || *module != REPLAY_MODULE_UNKNOWN;
}

uint32_t replay_block_calls(const struct replay_body *b, uint32_t block)
{
    return b->source->call_start[block + 1] - b->source->call_start[block];
}

const struct replay_call *replay_call_at(const struct replay_body *b, uint32_t block, uint32_t number)
{
    return &b->source->calls[b->source->call_start[block] + number - 1];
}

uint32_t replay_run_count(const struct replay_program *program)
{
    return (uint32_t)program->runs.count;
}

void replay_count_runs(const struct replay_program *p, uint64_t *times)
{
    memory_copy(times, p->times.items, p->runs.count * sizeof *times);
    for (size_t i = 0; i < p->steps.count; i++)
        if (p->steps.items[i].run)
            times[p->steps.items[i].run - 1] += p->steps.items[i].times;
}

static void add_totals(struct replay_totals *t, const struct replay_run *run, uint64_t times)
{
    t->blocks += times * run->block_count;
    t->branches += times * run->branch_count;
    t->calls += times * run->call_count;
}

struct replay_totals replay_totals(const struct replay_program *p)
{
    struct replay_totals t = {0};
    for (size_t i = 0; i < p->steps.count; i++)
        if (p->steps.items[i].times && p->steps.items[i].run)
            add_totals(&t, p->runs.items[p->steps.items[i].run - 1], p->steps.items[i].times);
    for (size_t i = 0; i < p->runs.count; i++)
        if (p->times.items[i])
            add_totals(&t, p->runs.items[i], p->times.items[i]);
    return t;
}

const struct replay_run *replay_run_at(const struct replay_program *program, uint32_t id)
{
    return program->runs.items[id];
}

/* ---- Making programs ---- */

static bool is_walked(const struct replay_function *f, const struct edge *e)
{
    return (e->kind == EDGE_FLOW || e->kind == EDGE_EXIT) && !(f->landing && f->landing[e->to]);
}

static void body_make_successors(struct replay_body *b)
{
    const struct graph *g = b->source->graph;
    struct adjacency a;
    struct replay_successor_list ARRAY_OF(struct replay_successor) list = {0};
    uint32_t *seen = ZALLOC(uint32_t, (size_t)g->vertex_count + 1); /* 1 + the block whose successor it is */
    adjacency_init(&a, g);
    b->successor_start = ALLOC(uint32_t, (size_t)g->vertex_count + 1);
    for (uint32_t v = 0; v < graph_exit(g); v++) {
        b->successor_start[v] = (uint32_t)list.count;
        for (uint32_t i = a.out_start[v]; i < a.out_start[v + 1]; i++) {
            uint32_t e = a.out[i], to = g->edges[e].to;
            if (!is_walked(b->source, &g->edges[e]) || seen[to] == v + 1)
                continue;
            seen[to] = v + 1;
            ARRAY_PUSH(&list, ((struct replay_successor){to, e, b->source->values[e]}));
        }
    }
    b->successor_start[graph_exit(g)] = (uint32_t)list.count;
    b->successors = list.items;
    b->entry_edge = GRAPH_NONE;
    for (uint32_t i = a.out_start[graph_exit(g)]; i < a.out_start[graph_exit(g) + 1]; i++)
        if (g->edges[a.out[i]].kind == EDGE_ENTRY)
            b->entry_edge = a.out[i];
    adjacency_release(&a);
    free(seen);
}

static void body_make(struct replay_body *b, const struct replay_function *source)
{
    uint32_t blocks = graph_exit(source->graph), places = 0;
    *b = (struct replay_body){.source = source, .width = (uint8_t)witness_width(source->value_count)};
    body_make_successors(b);
    b->callee = ALLOC(uint32_t, (size_t)source->call_start[blocks] + 1);
    b->place_start = ALLOC(uint32_t, (size_t)blocks + 1);
    for (uint32_t v = 0; v < blocks; v++) {
        b->place_start[v] = places;
        places += replay_block_calls(b, v) + 1;
    }
    b->places = ZALLOC(uint32_t, (size_t)places + 1);
}

static bool may_write(const struct replay_program *p, const struct replay_body *b, uint32_t call)
{
    enum replay_call_kind kind = b->source->calls[call].kind;
    return kind == REPLAY_CALL_UNKNOWN || kind == REPLAY_CALL_JUMP ||
           (kind == REPLAY_CALL_KNOWN &&
            (b->callee[call] == GRAPH_NONE || p->bodies[b->callee[call]].writes));
}

/* Finds the functions that may write: those with witnesses or calls of unknown functions, and their
 * callers. */
static void find_writers(struct replay_program *p)
{
    bool changed = true;
    for (size_t i = 0; i < p->count; i++)
        for (uint32_t e = 0; e < p->bodies[i].source->graph->edge_count; e++)
            p->bodies[i].writes |= p->bodies[i].source->values[e] != 0;
    while (changed) {
        changed = false;
        for (size_t i = 0; i < p->count; i++) {
            struct replay_body *b = &p->bodies[i];
            for (uint32_t c = 0; c < b->source->call_start[graph_exit(b->source->graph)] && !b->writes; c++)
                if (may_write(p, b, c))
                    changed = b->writes = true;
        }
    }
}

/* Leaves are found from those that call none. Calls of leaves are at most LEAF_HEIGHT deep, and no
 * more than LEAF_BLOCKS blocks run in a leaf between two events, so tables stay small. */
enum { LEAF_HEIGHT = 3, LEAF_BLOCKS = 256, RUN_ITEMS = 1024 };

static void find_leaves(struct replay_program *p)
{
    uint32_t *blocks = ZALLOC(uint32_t, p->count + 1); /* of leaves and the leaves they call */
    for (int height = 0; height < LEAF_HEIGHT; height++) {
        bool *leaf = ALLOC(bool, p->count + 1);
        for (size_t i = 0; i < p->count; i++) {
            const struct replay_body *b = &p->bodies[i];
            uint64_t sum = graph_exit(b->source->graph);
            leaf[i] = !b->ambiguous;
            for (uint32_t v = 0; v < graph_exit(b->source->graph) && leaf[i]; v++)
                leaf[i] = !(b->source->landing && b->source->landing[v]);
            for (uint32_t c = 0; c < b->source->call_start[graph_exit(b->source->graph)] && leaf[i]; c++) {
                bool known = b->source->calls[c].kind == REPLAY_CALL_KNOWN && b->callee[c] != GRAPH_NONE;
                leaf[i] =
                    b->source->calls[c].kind == REPLAY_CALL_PLAIN || (known && p->bodies[b->callee[c]].leaf);
                sum += known ? blocks[b->callee[c]] : 0;
            }
            leaf[i] &= sum <= LEAF_BLOCKS;
            blocks[i] = leaf[i] ? (uint32_t)sum : 0;
        }
        for (size_t i = 0; i < p->count; i++)
            p->bodies[i].leaf = leaf[i];
        free(leaf);
    }
    free(blocks);
}

/* Checks that only the end of the activation comes after a call in tail position. */
static bool jumps_leave(const struct replay_body *b, struct error *error)
{
    uint32_t exit = graph_exit(b->source->graph);
    for (uint32_t v = 0; v < exit; v++)
        for (uint32_t k = 1; k <= replay_block_calls(b, v); k++) {
            if (replay_call_at(b, v, k)->kind != REPLAY_CALL_JUMP)
                continue;
            bool leaves = k == replay_block_calls(b, v);
            for (uint32_t at = v, steps = 0; leaves && at != exit; steps++) {
                const struct replay_successor *s = &b->successors[b->successor_start[at]];
                leaves = b->successor_start[at + 1] - b->successor_start[at] == 1 && !s->value &&
                         steps <= exit && (s->to == exit || !replay_block_calls(b, s->to));
                at = s->to;
            }
            if (!leaves)
                return error_set(error, "call %u of block %u is not in tail position", k, v);
        }
    return true;
}

static void paths_free(struct replay_paths *paths)
{
    if (!paths)
        return;
    graph_release(&paths->graph);
    adjacency_release(&paths->a);
    free(paths->marks);
    witness_paths_release(&paths->numbers);
    free(paths);
}

/* Owns the graph from now on. False: the marks do not decide every branch. */
static bool body_number_paths(struct replay_body *b, struct graph *walked, const bool *may_emit,
                              struct error *error)
{
    const struct replay_function *f = b->source;
    struct replay_paths *paths = b->paths = ZALLOC(struct replay_paths, 1);
    uint32_t count = 0;
    paths->graph = *walked;
    *walked = (struct graph){0};
    adjacency_init(&paths->a, &paths->graph);
    paths->marks = ALLOC(uint32_t, (size_t)f->graph->edge_count + 1);
    for (uint32_t e = 0; e < f->graph->edge_count; e++)
        if (is_walked(f, &f->graph->edges[e]))
            paths->marks[count++] = f->marks[e];
    return witness_paths_number(&paths->numbers, &paths->graph, paths->marks, may_emit, error);
}

static bool body_check(const struct replay_program *p, struct replay_body *b, struct error *error)
{
    const struct replay_function *f = b->source;
    struct graph walked;
    graph_init(&walked, graph_exit(f->graph));
    uint32_t *value = ALLOC(uint32_t, (size_t)f->graph->edge_count + 1);
    bool *may_emit = ZALLOC(bool, (size_t)f->graph->vertex_count + 1);
    for (uint32_t e = 0; e < f->graph->edge_count; e++)
        if (is_walked(f, &f->graph->edges[e]))
            value[graph_add_edge(&walked, f->graph->edges[e].from, f->graph->edges[e].to,
                                 f->graph->edges[e].kind)] = f->values[e];
    for (uint32_t v = 0; v < graph_exit(f->graph); v++)
        for (uint32_t c = f->call_start[v]; c < f->call_start[v + 1]; c++)
            may_emit[v] |= may_write(p, b, c);
    struct witness_plan plan = {.placement = WITNESS_FOREST, .value = value, .value_count = f->value_count};
    bool fine = (f->marks ? body_number_paths(b, &walked, may_emit, error)
                          : witness_check(&plan, &walked, may_emit, error)) &&
                jumps_leave(b, error);
    graph_release(&walked);
    free(value);
    free(may_emit);
    return fine || error_prefix(error, "function %016" PRIx64, f->id);
}

struct replay_program *replay_program_make(const struct replay_function *functions, size_t count,
                                           struct error *error)
{
    struct replay_program *p = ZALLOC(struct replay_program, 1);
    p->bodies = ZALLOC(struct replay_body, count + 1);
    p->count = count;
    ARRAY_PUSH(&p->steps, ((struct replay_step){.kind = STEP_IMPOSSIBLE}));
    ARRAY_PUSH(&p->steps, ((struct replay_step){.kind = STEP_UNBUILT}));
    bool fine = true;
    for (size_t i = 0; i < count; i++)
        body_make(&p->bodies[i], &functions[i]);
    bool *ambiguous = ALLOC(bool, count + 1);
    replay_places_make(&p->places, functions, count, ambiguous);
    for (size_t i = 0; i < count; i++)
        p->bodies[i].ambiguous = ambiguous[i];
    free(ambiguous);
    for (size_t i = 0; i < count; i++)
        for (uint32_t c = 0; c < functions[i].call_start[graph_exit(functions[i].graph)]; c++)
            p->bodies[i].callee[c] =
                functions[i].calls[c].kind == REPLAY_CALL_KNOWN
                    ? replay_places_find(&p->places, functions[i].calls[c].function, functions[i].module)
                    : GRAPH_NONE;
    find_writers(p);
    find_leaves(p);
    for (size_t i = 0; i < count && fine; i++)
        fine = body_check(p, &p->bodies[i], error);
    if (fine)
        return p;
    replay_program_free(p);
    return NULL;
}

void replay_program_free(struct replay_program *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->count; i++) {
        free(p->bodies[i].successor_start);
        free(p->bodies[i].successors);
        free(p->bodies[i].callee);
        free(p->bodies[i].place_start);
        free(p->bodies[i].places);
        paths_free(p->bodies[i].paths);
    }
    free(p->bodies);
    replay_places_release(&p->places);
    free(p->modules);
    ARRAY_RELEASE(&p->states);
    ARRAY_RELEASE(&p->times);
    hash_map_release(&p->inner);
    ARRAY_RELEASE(&p->steps);
    for (size_t i = 0; i < p->runs.count; i++)
        free(p->runs.items[i]);
    ARRAY_RELEASE(&p->runs);
    hash_map_release(&p->single);
    ARRAY_RELEASE(&p->scratch);
    free(p);
}

/* ---- Runs ---- */

/* Makes a run of the items in `scratch`. */
static struct replay_run *make_run(struct replay_program *p, uint32_t event_count, uint32_t branch_count)
{
    size_t count = p->scratch.count;
    struct replay_run *run = memory_alloc(1, sizeof *run + count * sizeof *run->items);
    struct replay_item *items = (struct replay_item *)(run + 1);
    memory_copy(items, p->scratch.items, count * sizeof *items);
    *run = (struct replay_run){.id = (uint32_t)p->runs.count,
                               .event_count = event_count,
                               .branch_count = branch_count,
                               .item_count = (uint32_t)count,
                               .items = items};
    for (size_t i = 0; i < count; i++) {
        run->block_count += items[i].kind != REPLAY_LEAVE && items[i].kind != REPLAY_LAND_BEHIND;
        run->call_count += items[i].kind == REPLAY_ENTER || items[i].kind == REPLAY_ENTER_CALLED;
    }
    ARRAY_PUSH(&p->runs, run);
    ARRAY_PUSH(&p->times, 0);
    return run;
}

const struct replay_run *replay_single_run(struct replay_program *p, struct replay_item item,
                                           uint32_t event_count, bool branch)
{
    const uint32_t words[] = {item.kind, item.function, item.block, item.from, item.call};
    bool added;
    uint64_t *id = hash_map_put(&p->single, hash_bytes(words, sizeof words), &added);
    if (added) {
        p->scratch.count = 0;
        ARRAY_PUSH(&p->scratch, item);
        *id = make_run(p, event_count, branch)->id;
    }
    return p->runs.items[*id];
}

/* ---- States and steps ---- */

uint32_t replay_state_at(struct replay_program *p, uint32_t function, uint32_t block, uint32_t call)
{
    struct replay_body *b = &p->bodies[function];
    uint32_t *place = &b->places[b->place_start[block] + call];
    if (!*place) {
        ARRAY_PUSH(&p->states, ((struct replay_state){.function = function, .block = block, .call = call}));
        *place = (uint32_t)p->states.count;
        struct replay_state *s = &p->states.items[*place - 1];
        s->width = b->width;
        s->first = STEP_TO_BUILD;
        s->behind_unknown = call && replay_call_at(b, block, call)->kind == REPLAY_CALL_UNKNOWN;
        s->at_last_call = call == replay_block_calls(b, block);
    }
    return *place - 1;
}

const struct replay_entry *replay_find_entry(struct replay_program *p, const struct trace_record *record)
{
    uint64_t id = record->what;
    uint32_t number = trace_record_module(record), module;
    struct replay_entry *entry = &p->entries[(id ^ id >> 32 ^ number) % REPLAY_ENTRIES];
    if (entry->id == id && entry->number == number)
        return entry;
    uint32_t function =
        replay_module(p, number, &module) ? replay_places_find(&p->places, id, module) : GRAPH_NONE;
    if (function == GRAPH_NONE || p->bodies[function].ambiguous)
        return NULL;
    struct replay_item item = {REPLAY_ENTER_CALLED, function, 0, 0, p->bodies[function].entry_edge};
    *entry = (struct replay_entry){.id = id,
                                   .number = number,
                                   .run = replay_single_run(p, item, 0, false),
                                   .state = replay_state_at(p, function, GRAPH_ROOT, 0)};
    return entry;
}

uint32_t replay_code(const struct replay_body *b, uint32_t block, uint32_t byte, uint32_t left)
{
    uint32_t bits = b->source->bits[block];
    return left < bits ? 0 : 1 + (byte >> (left - bits) & ((1u << bits) - 1));
}

/* The successor that the path with this number takes from the block. */
static const struct replay_successor *decide_by_path(const struct replay_body *b, uint32_t block,
                                                     uint32_t value)
{
    const struct replay_paths *p = b->paths;
    uint32_t e =
        value ? witness_paths_next(&p->numbers, &p->graph, &p->a, p->marks, block, value - 1) : GRAPH_NONE;
    for (uint32_t i = b->successor_start[block]; e != GRAPH_NONE && i < b->successor_start[block + 1]; i++)
        if (b->successors[i].to == p->graph.edges[e].to)
            return &b->successors[i];
    return NULL;
}

/* By conditions 1 and 2 (plan/witness.h) at most one way leads from a branch to the witness with
 * this value. */
const struct replay_successor *replay_decide(struct replay_program *p, uint32_t function, uint32_t block,
                                             uint32_t value)
{
    const struct replay_body *b = &p->bodies[function];
    struct way ARRAY_OF(struct {
        uint32_t block;
        const struct replay_successor *first;
    }) ways = {0};
    const struct replay_successor *found = NULL;
    uint32_t exit = graph_exit(b->source->graph);
    if (b->paths)
        return decide_by_path(b, block, value);
    for (uint32_t i = b->successor_start[block]; i < b->successor_start[block + 1] && !found; i++) {
        const struct replay_successor *first = &b->successors[i];
        if (first->value == value)
            found = first;
        else if (!first->value && first->to != exit) {
            __typeof__(ways.items) way = ARRAY_ADD(&ways);
            way->block = first->to;
            way->first = first;
        }
    }
    for (size_t head = 0; head < ways.count && !found; head++)
        for (uint32_t at = ways.items[head].block, i = b->successor_start[at]; i < b->successor_start[at + 1];
             i++) {
            const struct replay_successor *s = &b->successors[i];
            const struct replay_successor *first = ways.items[head].first;
            if (s->value == value) {
                found = first;
                break;
            }
            if (!s->value && s->to != exit) {
                __typeof__(ways.items) way = ARRAY_ADD(&ways);
                way->block = s->to;
                way->first = first;
            }
        }
    ARRAY_RELEASE(&ways);
    return found;
}

/* Where a walk is. */
struct at {
    uint32_t function, block, call, outer;
};

static uint32_t inner_state(struct replay_program *p, const struct at *at)
{
    if (!at->outer)
        return replay_state_at(p, at->function, at->block, at->call);
    const uint32_t key[4] = {at->function, at->block, at->call, at->outer};
    bool added;
    uint64_t *number = hash_map_put(&p->inner, hash_bytes(key, sizeof key), &added);
    if (added) {
        ARRAY_PUSH(&p->states, ((struct replay_state){.function = at->function,
                                                      .block = at->block,
                                                      .call = at->call,
                                                      .outer = at->outer,
                                                      .first = STEP_TO_BUILD,
                                                      .width = p->bodies[at->function].width}));
        *number = p->states.count;
    }
    return (uint32_t)*number - 1;
}

static void add_item(struct replay_program *p, enum replay_item_kind kind, uint32_t function, uint32_t block,
                     uint32_t from, uint32_t edge)
{
    ARRAY_PUSH(&p->scratch, ((struct replay_item){kind, function, block, from, edge}));
}

/* Goes to the end of the activation, which follows a call in tail position. */
static void walk_out(struct replay_program *p, struct at *at)
{
    const struct replay_body *b = &p->bodies[at->function];
    uint32_t exit = graph_exit(b->source->graph);
    for (bool leave = false; !leave;) {
        const struct replay_successor *s = &b->successors[b->successor_start[at->block]];
        leave = s->to == exit;
        add_item(p, leave ? REPLAY_LEAVE : REPLAY_FLOW, at->function, leave ? at->block : s->to, at->block,
                 s->edge);
        if (!leave)
            at->block = s->to;
    }
}

/* Walks the calls of the block from here on, up to one that needs a step of its own, and returns
 * the kind of that step. pending: an event decided a branch before, and its witness is still to
 * come. */
static enum step_kind walk_calls(struct replay_program *p, struct at *at, bool pending, uint32_t *callee)
{
    const struct replay_body *b = &p->bodies[at->function];
    while (at->call < replay_block_calls(b, at->block)) {
        uint32_t c = b->source->call_start[at->block] + at->call++;
        switch (b->source->calls[c].kind) {
        case REPLAY_CALL_PLAIN:
        case REPLAY_CALL_TWICE:
            break;
        case REPLAY_CALL_UNKNOWN:
            return STEP_OUTSIDE;
        case REPLAY_CALL_JUMP:
            walk_out(p, at);
            return STEP_JUMP;
        case REPLAY_CALL_KNOWN:
            *callee = b->callee[c];
            if (*callee == GRAPH_NONE || p->bodies[*callee].ambiguous ||
                (pending && (p->bodies[*callee].writes || b->source->bits)))
                return STEP_IMPOSSIBLE;
            add_item(p, REPLAY_ENTER, *callee, 0, 0, p->bodies[*callee].entry_edge);
            if (!p->bodies[*callee].leaf || (!at->outer && p->scratch.count > RUN_ITEMS))
                return STEP_CALL;
            *at = (struct at){*callee, GRAPH_ROOT, 0, 1 + inner_state(p, at)};
            b = &p->bodies[at->function];
        }
    }
    return STEP_UNBUILT;
}

/*
 * Walks on to where the tables do not decide alone: a call, the end of the activation or, after
 * `value` has been used up (0: there is none), an event.
 */
static struct replay_step walk(struct replay_program *p, struct at at, uint32_t value)
{
    uint32_t events = 0, branches = 0, callee = GRAPH_NONE;
    uint32_t byte = value + 1, left = value ? witness_bits_in(byte) : 0; /* of bits: a byte as it is */
    enum step_kind kind;
    bool decided = false;
    p->scratch.count = 0;
    while ((kind = walk_calls(p, &at, decided && value, &callee)) == STEP_UNBUILT) {
        const struct replay_body *b = &p->bodies[at.function];
        uint32_t successors = b->successor_start[at.block + 1] - b->successor_start[at.block];
        const struct replay_successor *s = &b->successors[b->successor_start[at.block]];
        if (!successors) {
            kind = STEP_DEAD;
            break;
        }
        if (successors > 1 || s->value) {
            kind = STEP_EVENT;
            if (!value)
                break;
            uint32_t code = b->source->bits ? replay_code(b, at.block, byte, left) : value;
            s = code ? replay_decide(p, at.function, at.block, code) : NULL;
            kind = STEP_IMPOSSIBLE;
            if (!s)
                break;
            decided = true;
        }
        if (s->value && b->source->bits)
            left -= b->source->bits[at.block];
        if (s->value && !(b->source->bits && left)) {
            events = b->width;
            value = 0;
        }
        branches += successors > 1;
        bool leave = s->to == graph_exit(b->source->graph);
        add_item(p, leave ? REPLAY_LEAVE : REPLAY_FLOW, at.function, leave ? at.block : s->to, at.block,
                 s->edge);
        if (leave) {
            kind = STEP_RETURN;
            if (!at.outer)
                break;
            const struct replay_state *outer = &p->states.items[at.outer - 1];
            at = (struct at){outer->function, outer->block, outer->call, outer->outer};
        } else {
            at.block = s->to;
            at.call = 0;
        }
    }
    /* Only silent functions are called before the value is used up: it stays for the code after
     * them. */
    if (value && kind != STEP_CALL)
        kind = STEP_IMPOSSIBLE;
    struct replay_step step = {.kind = (uint8_t)kind, .events = (uint8_t)events};
    if (kind == STEP_IMPOSSIBLE)
        return step;
    if (kind == STEP_CALL)
        step.callee = replay_state_at(p, callee, GRAPH_ROOT, 0);
    if (kind != STEP_RETURN && kind != STEP_JUMP)
        step.next = inner_state(p, &at);
    if (p->scratch.count)
        step.run = make_run(p, step.events, branches)->id + 1;
    return step;
}

static struct at at_state(const struct replay_program *p, uint32_t state)
{
    const struct replay_state *s = &p->states.items[state];
    return (struct at){s->function, s->block, s->call, s->outer};
}

/* The range of values of the next event: those of the witnesses that can be reached without another
 * one. */
static void find_values(const struct replay_body *b, uint32_t block, uint32_t *least, uint32_t *count)
{
    uint32_t exit = graph_exit(b->source->graph), low = UINT32_MAX, high = 0, left = 0;
    if (b->source->bits) {
        *least = 1; /* byte 2 */
        *count = 254;
        return;
    }
    if (b->paths) {
        *least = 1;
        *count = b->paths->numbers.numbers[b->paths->numbers.meeting[block]];
        return;
    }
    bool *seen = ZALLOC(bool, (size_t)exit + 1);
    uint32_t *list = ALLOC(uint32_t, (size_t)exit + 1);
    seen[block] = true;
    list[left++] = block;
    while (left) {
        uint32_t at = list[--left];
        for (uint32_t i = b->successor_start[at]; i < b->successor_start[at + 1]; i++) {
            const struct replay_successor *s = &b->successors[i];
            if (s->value) {
                low = s->value < low ? s->value : low;
                high = s->value > high ? s->value : high;
            } else if (s->to != exit && !seen[s->to]) {
                seen[s->to] = true;
                list[left++] = s->to;
            }
        }
    }
    *least = high ? low : 0;
    *count = high ? high - low + 1 : 0;
    free(seen);
    free(list);
}

void replay_build_state(struct replay_program *p, uint32_t state)
{
    struct replay_step step = walk(p, at_state(p, state), 0);
    struct replay_state *s = &p->states.items[state];
    s->first = (uint32_t)p->steps.count;
    s->kind = step.kind;
    if (step.kind != STEP_EVENT) {
        ARRAY_PUSH(&p->steps, step);
        return;
    }
    /* the blocks before the event are given out with what it decides */
    const struct replay_body *b =
        &p->bodies[p->states.items[step.next].function]; /* the function that decides */
    s->width = b->width;
    find_values(b, p->states.items[step.next].block, &s->least, &s->size);
    for (uint32_t i = 0; i < s->size; i++)
        ARRAY_PUSH(&p->steps, ((struct replay_step){.kind = STEP_UNBUILT}));
}

uint32_t replay_build_step(struct replay_program *p, uint32_t state, uint32_t value)
{
    const struct replay_state s = p->states.items[state];
    if (!value || value - s.least >= s.size)
        return 0;
    uint32_t number = s.first + (value - s.least);
    if (p->steps.items[number].kind == STEP_UNBUILT) {
        struct replay_step step = walk(p, at_state(p, state), value);
        p->steps.items[number] = step;
    }
    return number;
}
