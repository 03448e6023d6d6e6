#include "decode/crash/history.h"
#include "base/hash.h"
#include "decode/crash/coverage.h"
#include "decode/crash/scheme.h"
#include "decode/elf/map.h"
#include "decode/frames/resolve.h"

#include <signal.h>

/* The numbering of a function, as one unit has it. */
struct known_function {
    struct crash_regions regions;
    struct crash_numbering numbering;
    struct crash_rounds rounds;
    bool damaged; /* the table does not fit the map */
};

struct crash_module {
    struct decode_module decode;
    struct slots_index slots;
    struct coverage coverage;
    bool has_map, has_slots;
    struct ARRAY_OF(struct known_function *) functions;
    struct hash_map by_name; /* of unit and key -> index + 1 */
};

static const char *const state_texts[SLOTS_STATES] = {
    [SLOTS_RETURNS_TWICE] = "the function calls setjmp, or another function that returns twice",
    [SLOTS_TRACED] = "the function is traced: its trace tells more",
    [SLOTS_FOR_LINKER] = "another tool compiled the function (-emit-llvm), or it is durable (-flto)",
    [SLOTS_SANITIZED] = "the function was compiled with a sanitizer",
    [SLOTS_NOWHERE] = "the code of the function has no positions",
    [SLOTS_LEFT_OUT] = "the function was left out when it was compiled",
};

bool history_is_unique(const struct history *h)
{
    bool unique = h->f && !h->why;
    for (size_t i = 0; i < h->parts.count; i++)
        unique &= h->parts.items[i].candidates == 1;
    return unique;
}

uint64_t history_candidates(const struct history *h)
{
    uint64_t all = h->f && !h->why;
    for (size_t i = 0; i < h->parts.count; i++) {
        uint64_t one = h->parts.items[i].candidates;
        all = one && all > UINT64_MAX / one ? UINT64_MAX : all * one;
    }
    return all;
}

const struct map_line *history_line(const struct history *h)
{
    if (!h->f)
        return NULL;
    const struct map_block *b = &h->f->map.blocks[h->block];
    if (!b->line_count)
        return NULL;
    return &b->lines[h->lines ? h->lines - 1 : 0];
}

/* ---- Modules ---- */

/* Reads the coverage bytes, unless functions were off. */
static void load_coverage(struct crash *c, size_t number)
{
    struct crash_module *m = &c->modules[number];
    const struct core_module *module = &c->core.modules.items[number];
    coverage_read(&m->coverage, &c->core, module, m->decode.build_id);
    const char *why = m->coverage.length ? scheme_read(&c->core, module, m->decode.build_id) : NULL;
    if (!why)
        return;
    core_add_problem(&c->core, "'%s': %s: what never ran cannot be told", module->path, why);
    coverage_release(&m->coverage);
    m->coverage = (struct coverage){0};
}

static void load_module(struct crash *c, size_t number, const char *const *debug_paths)
{
    struct crash_module *m = &c->modules[number];
    struct error error;
    bool damaged = false;
    const char *path = c->core.modules.items[number].path;
    if (!decode_module_load(&m->decode, path, debug_paths, &error)) {
        core_add_problem(&c->core, "%s", error.text);
        return;
    }
    m->has_map = m->decode.known && decode_module_places(&m->decode, debug_paths);
    if (m->decode.map_damaged || m->decode.places_damaged)
        core_add_problem(&c->core, "'%s': a part of its map or table of places is damaged", path);
    if (m->has_map)
        m->has_slots =
            elf_slots_read(&m->slots, path, m->decode.build_id, debug_paths, &damaged, &error) || damaged;
    if (m->has_slots)
        load_coverage(c, number);
    if (damaged)
        core_add_problem(&c->core, "%s", error.text);
    if (!number && !m->has_slots)
        core_add_problem(&c->core, "'%s' was not compiled with -fcotree=crash, or was stripped of its tables",
                         path);
}

static bool entry_never_ran(const struct crash_module *m, const struct map_function *f)
{
    bool *never = coverage_never_ran(&m->coverage, f->key, &f->graph), result = false;
    for (uint32_t e = 0; never && e < f->graph.edge_count; e++)
        result |= f->graph.edges[e].kind == EDGE_ENTRY && never[f->graph.edges[e].to];
    free(never);
    return result;
}

bool crash_never_ran(const struct crash *c, struct crash_names *names)
{
    bool known = false;
    for (size_t i = 0; i < c->core.modules.count; i++) {
        const struct crash_module *m = &c->modules[i];
        known |= m->coverage.length > 0;
        for (size_t k = 0; m->coverage.length && k < m->decode.functions.count; k++)
            if (entry_never_ran(m, &m->decode.functions.items[k]->map))
                ARRAY_PUSH(names, m->decode.functions.items[k]->map.name);
    }
    return known;
}

static void release_module(struct crash_module *m)
{
    coverage_release(&m->coverage);
    for (size_t i = 0; i < m->functions.count; i++) {
        struct known_function *f = m->functions.items[i];
        if (!f->damaged) {
            crash_rounds_release(&f->rounds);
            crash_numbering_release(&f->numbering);
        }
        crash_regions_release(&f->regions);
        free(f);
    }
    ARRAY_RELEASE(&m->functions);
    hash_map_release(&m->by_name);
    slots_index_release(&m->slots);
    decode_module_release(&m->decode);
}

/* ---- Numberings ---- */

/* Finds the regions and the numbering of a function, whose graph is in the map. */
static const struct known_function *find_function(struct crash_module *m, const struct slots_unit *unit,
                                                  const struct slots_function *slots,
                                                  const struct decode_function *f)
{
    const uint64_t name[2] = {unit->offset, slots->key};
    bool added;
    uint64_t *index = hash_map_put(&m->by_name, hash_bytes(name, sizeof name), &added);
    if (!added)
        return m->functions.items[*index - 1];
    struct known_function *k = ZALLOC(struct known_function, 1);
    const struct graph *g = &f->map.graph;
    struct crash_mark *marks = ZALLOC(struct crash_mark, g->edge_count);
    for (size_t i = 0; i < slots->marks.count; i++) {
        const struct slots_mark *mark = &slots->marks.items[i];
        if (mark->edge < g->edge_count)
            marks[mark->edge] = (struct crash_mark){mark->adds ? CRASH_ADD : CRASH_SET, mark->value};
        else
            k->damaged = true;
    }
    crash_regions_init(&k->regions, g);
    if (k->damaged)
        free(marks);
    else
        k->damaged = !crash_numbering_from(&k->numbering, &k->regions, marks);
    if (!k->damaged)
        crash_rounds_init(&k->rounds, &k->regions, &k->numbering);
    ARRAY_PUSH(&m->functions, k);
    *index = m->functions.count;
    return k;
}

/* ---- Slots ---- */

struct frame_reader {
    struct crash *c;
    struct crash_module *m;
    const struct core_frame *frame;
    const struct slots_unit *unit;
    const struct slots_code *code;
    const struct slots_set *set; /* NULL: nothing is claimed about the row */
    bool before;                 /* the row is the next one: that the frame has come there is not certain */
};

/* Reads a part of a slot or ring, from this offset on; or says why it is not known. */
static const char *read_place(const struct frame_reader *r, const struct slots_place *place, uint64_t offset,
                              void *bytes, size_t length)
{
    const struct core_register bases[SLOTS_BASES] = {[SLOTS_CFA] = r->frame->cfa,
                                                     [SLOTS_RBP] = r->frame->rbp,
                                                     [SLOTS_RBX] = r->frame->rbx,
                                                     [SLOTS_RSP] = r->frame->rsp};
    if (place->base == SLOTS_LOST)
        return "the compiler kept no slot for it";
    if (!bases[place->base].known)
        return "the frame around it was not found";
    if (!core_read(&r->c->core, bases[place->base].value + (uint64_t)place->offset + offset, bytes, length))
        return "the core does not hold the stack";
    return NULL;
}

static uint32_t number_at(const uint8_t *bytes, uint32_t width)
{
    uint32_t number = 0;
    for (uint32_t i = 0; i < width; i++)
        number |= (uint32_t)bytes[i] << 8 * i;
    return number;
}

/* The number in the slot; or why it is not known. */
static const char *read_slot(const struct frame_reader *r, uint32_t slot, uint32_t *value)
{
    const struct slots_place *place = &r->code->places.items[slot];
    uint8_t bytes[4] = {0};
    const char *why = read_place(r, place, 0, bytes, place->bytes);
    *value = number_at(bytes, place->bytes);
    return why;
}

static const struct slots_claim *find_claim(const struct slots_set *set, uint32_t depth, uint32_t region,
                                            bool rounds)
{
    for (size_t i = 0; i < set->count; i++)
        if (set->items[i].depth == depth && set->items[i].region == region && set->items[i].rounds == rounds)
            return &set->items[i];
    return NULL;
}

/* The first head of a loop from this block on; EXIT: there is none. */
static uint32_t next_head(const struct crash_regions *r, uint32_t region, uint32_t v)
{
    while (v < graph_exit(r->graph) && !(r->innermost[v] == region && r->head[v]))
        v++;
    return v;
}

/* By which head the loop was entered, as far as that is known. */
static void set_head(struct history_stop *stop, const struct crash_regions *r, uint32_t region)
{
    uint32_t exit = graph_exit(r->graph);
    if (stop->edge != GRAPH_NONE) {
        stop->block = r->graph->edges[stop->edge].to;
        return;
    }
    stop->block = next_head(r, region, 0);
    stop->around = stop->block < exit && next_head(r, region, stop->block + 1) < exit;
}

/* EXIT is where activations come from: no block of the function. */
static void add_stops(struct history_part *part, const struct crash_regions *r, const struct crash_ways *ways)
{
    const struct graph *g = r->graph;
    bool gap = false;
    for (size_t i = 0; i < ways->stops.count; i++) {
        const struct crash_stop *from = &ways->stops.items[i];
        gap |= from->step == GRAPH_NONE && !from->begins;
        if (from->node == graph_exit(g))
            continue;
        struct history_stop stop = {
            .block = from->node, .is_loop = from->node >= g->vertex_count, .gap = gap, .edge = from->step};
        if (stop.is_loop)
            set_head(&stop, r, from->node - g->vertex_count);
        ARRAY_PUSH(&part->stops, stop);
        gap = false;
    }
}

/* What never ran, as far as bytes tell. Of a frame that stands at a call only: what comes before the call
 * was done before it; a load that faults may have been moved in front of the store that sets a byte. */
static bool *find_never(const struct frame_reader *r, const struct history *h)
{
    bool *never =
        r->frame->at_call ? coverage_never_ran(&r->m->coverage, h->f->map.key, &h->f->map.graph) : NULL;
    if (never)
        never[h->block] = false;
    return never;
}

static void add_part(const struct frame_reader *r, struct history *h, const struct known_function *k,
                     uint32_t depth, uint32_t region, uint64_t earlier, const bool *never)
{
    struct history_part part = {.region = region, .earlier = region ? earlier : 0};
    struct crash_ways ways = {0};
    uint32_t node = crash_node_of(&k->regions, region, h->block), value = 0;
    bool wanted = k->numbering.classes[node] > 1;
    const struct slots_claim *claim = wanted ? find_claim(r->set, depth, region, false) : NULL;
    bool claimed = claim && claim->slot != SLOTS_NONE;
    const char *unread = claimed ? read_slot(r, claim->slot, &value) : NULL;
    if (unread) {
        part.why = unread;
    } else if (!crash_ways_find(&ways, &k->regions, &k->numbering, node, claimed ? &value : NULL, never)) {
        part.why = "the slot was overwritten: no way leaves the number that it holds";
    } else {
        part.candidates = ways.count;
        add_stops(&part, &k->regions, &ways);
    }
    if (part.why)
        crash_ways_find(&ways, &k->regions, &k->numbering, node, NULL, never);
    active_add_ways(h->active, &k->regions, &ways);
    crash_ways_release(&ways);
    ARRAY_PUSH(&h->parts, part);
}

/* Adds the round that a ring has noted by this number; false: it notes no such round. */
static bool add_round(struct history *h, const struct known_function *k, struct history_part part,
                      uint32_t number, const bool *never)
{
    struct crash_ways ways = {0};
    uint32_t slot;
    bool known;
    uint32_t edge = crash_round_find(&k->rounds, &k->regions, part.region, number, &slot, &known);
    if (edge == GRAPH_NONE)
        return false;
    crash_ways_find(&ways, &k->regions, &k->numbering, crash_end_of_round(&k->regions, edge),
                    known ? &slot : NULL, never);
    part.candidates = ways.count;
    add_stops(&part, &k->regions, &ways);
    active_add_ways(h->active, &k->regions, &ways);
    crash_ways_release(&ways);
    ARRAY_PUSH(&h->parts, part);
    return true;
}

/* Adds the completed rounds of a loop that its ring holds; returns how many rounds were completed, or
 * HISTORY_UNKNOWN. The oldest number of a full ring may be overwritten already. */
static uint64_t add_rounds(const struct frame_reader *r, struct history *h, const struct known_function *k,
                           uint32_t depth, uint32_t region, const bool *never)
{
    const struct slots_claim *claim = r->frame->at_call ? find_claim(r->set, depth, region, true) : NULL;
    const struct slots_place *place =
        claim && claim->slot != SLOTS_NONE ? &r->code->places.items[claim->slot] : NULL;
    uint8_t count_bytes[sizeof(uint64_t)];
    size_t before = h->parts.count;
    if (!place || read_place(r, place, 0, count_bytes, sizeof count_bytes))
        return HISTORY_UNKNOWN;
    uint64_t count = number_at(count_bytes, 4) | (uint64_t)number_at(count_bytes + 4, 4) << 32;
    uint8_t *numbers = ALLOC(uint8_t, (size_t)place->ring * place->bytes);
    bool ok = !read_place(r, place, sizeof count_bytes, numbers, (size_t)place->ring * place->bytes);
    for (uint64_t n = count < place->ring ? 0 : count - place->ring + 1; ok && n < count; n++) {
        const uint8_t *at = &numbers[(n & (place->ring - 1)) * place->bytes];
        const struct history_part part = {.region = region, .completed = true, .earlier = n};
        ok = add_round(h, k, part, number_at(at, place->bytes), never);
    }
    free(numbers);
    if (ok)
        return count;
    while (h->parts.count > before) { /* it was overwritten */
        h->parts.count--;
        ARRAY_RELEASE(&h->parts.items[h->parts.count].stops);
    }
    return HISTORY_UNKNOWN;
}

/* Fills in the parts of an activation, outermost first. */
static void tell(const struct frame_reader *r, struct history *h, uint32_t depth)
{
    const struct slots_function *slots = r->unit ? slots_unit_function(r->unit, h->f->map.key) : NULL;
    if (!slots)
        h->why = "it was not compiled with -fcotree=crash";
    else if (slots->state != SLOTS_TRACKED)
        h->why = state_texts[slots->state];
    else if (!r->set)
        h->why = r->frame->at_call ? "the compiler may have moved this call"
                                   : "the compiler may have moved this instruction";
    h->active = active_new(&h->f->map.graph);
    if (h->why)
        active_add_all(h->active, &h->f->map.graph);
    if (h->why)
        return;
    const struct known_function *k = find_function(r->m, r->unit, slots, h->f);
    if (k->damaged || k->regions.innermost[h->block] == GRAPH_NONE) {
        h->why = "its table of slots is damaged";
        active_add_all(h->active, &h->f->map.graph);
        return;
    }
    uint32_t inner = k->regions.innermost[h->block], levels = k->regions.depth[inner] + 1;
    uint32_t *chain = ALLOC(uint32_t, levels);
    for (uint32_t region = inner, i = levels; i-- > 0; region = k->regions.parent[region])
        chain[i] = region;
    bool *never = find_never(r, h);
    for (uint32_t i = 0; i < levels; i++) {
        uint64_t rounds = chain[i] ? add_rounds(r, h, k, depth, chain[i], never) : 0;
        add_part(r, h, k, depth, chain[i], rounds, never);
    }
    for (uint32_t b = 0; never && b < graph_exit(&h->f->map.graph); b++)
        if (never[b] && h->active[b] == ACTIVE_MAYBE)
            h->active[b] = ACTIVE_NO;
    free(never);
    if (h->before && h->active[h->block] == ACTIVE_CERTAIN)
        h->active[h->block] = ACTIVE_MAYBE;
    free(chain);
}

/* ---- Frames ---- */

/* The row of a call's return address; row_count: there is none. */
static uint32_t call_row(const struct place_code *code, uint32_t offset)
{
    uint32_t i = place_first_row(code, offset);
    for (; i < code->row_count && code->rows[i].offset == offset; i++)
        if (code->rows[i].kind == PLACE_CALL || code->rows[i].kind == PLACE_SETTLED ||
            code->rows[i].kind == PLACE_LIBCALL)
            return i;
    return code->row_count;
}

/*
 * The row that tells where a frame stands that a signal interrupted: the instruction itself, or the next
 * one that control comes to and whose place is known, if nothing changes on the way there. row_count:
 * there is none.
 */
static uint32_t interrupted_row(const struct place_code *code, uint32_t offset)
{
    bool changes = false;
    for (uint32_t i = place_first_row(code, offset); i < code->row_count; i++) {
        const struct place_row *row = &code->rows[i];
        switch (row->kind) {
        case PLACE_ACCESS:
        case PLACE_BRANCH:
            return row->value == PLACE_NONE || changes ? code->row_count : i;
        case PLACE_CALL:
        case PLACE_SETTLED:
        case PLACE_LIBCALL:
        case PLACE_ENDED_CALL:
            if (row->offset != offset) /* else it has returned */
                return row->value == PLACE_NONE || changes ? code->row_count : i;
            break;
        case PLACE_STEP:
            changes |= row->offset != offset;
            break;
        case PLACE_GOTO:
            return code->row_count;
        default:
            break;
        }
    }
    return code->row_count;
}

/* Did the instruction that the frame stands at fault? Then the row that tells of it is its own, or one
 * that agrees with it. */
static bool faulted(const struct frame_reader *r)
{
    const struct core *c = &r->c->core;
    return c->has_details && c->code > 0 && r->frame == &c->threads.items[0].frames.items[0] &&
           (c->signal == SIGSEGV || c->signal == SIGBUS || c->signal == SIGFPE || c->signal == SIGILL);
}

static void find_unit(struct frame_reader *r, const struct place_code *code, uint32_t row)
{
    const struct slots_unit *unit = r->m->has_slots ? slots_index_find(&r->m->slots, code->unit) : NULL;
    if (!unit || unit->tag != code->tag || code->number >= unit->codes.count)
        return;
    r->unit = unit;
    r->code = &unit->codes.items[code->number];
    r->set = row < code->row_count ? slots_code_set(r->code, row) : NULL;
}

/* The activations where the frame stands; none: the module knows nothing of the code. */
static void find_chain(struct frame_reader *r, uint64_t address, struct chain *chain)
{
    struct resolver resolver = {.ahead = {.module = &r->m->decode}};
    const struct place_code *code = place_index_find(&r->m->decode.places, address - r->frame->at_call);
    if (!code)
        return;
    resolver.ahead.code = code;
    uint32_t offset = (uint32_t)(address - code->address);
    uint32_t row = r->frame->at_call ? call_row(code, offset) : interrupted_row(code, offset);
    find_unit(r, code, row);
    r->before =
        !r->frame->at_call && !faulted(r) && row < code->row_count && code->rows[row].offset != offset;
    if (row < code->row_count && r->frame->at_call)
        chain_read(chain, &r->m->decode, code, code->rows[row].value);
    else if (r->set)
        chain_read_before(chain, &r->m->decode, code, &code->rows[row]);
    else if (resolver_find(&resolver, address, r->frame->at_call)) {
        *chain = resolver.chain;
        resolver.chain = (struct chain){0};
    }
    resolver_release(&resolver);
}

static void add_frame(struct crash *c, struct thread_history *to, const struct core_frame *frame)
{
    struct frame_history f = {.frame = frame};
    struct chain chain = {0};
    struct frame_reader r = {.c = c, .frame = frame};
    if (frame->module != CORE_NONE && c->modules[frame->module].has_map) {
        r.m = &c->modules[frame->module];
        find_chain(&r, frame->pc - c->core.modules.items[frame->module].bias, &chain);
    }
    for (uint32_t i = 0; i < chain.count; i++) {
        const struct activation *a = &chain.items[i];
        struct history h = {.f = a->f, .block = a->block, .lines = a->lines, .before = r.before};
        tell(&r, &h, i);
        ARRAY_PUSH(&f.activations, h);
    }
    for (size_t i = 0; !chain.count && i <= frame->inlined.count; i++)
        ARRAY_PUSH(
            &f.activations,
            ((struct history){.symbol = i < frame->inlined.count ? frame->inlined.items[i] : frame->symbol,
                              .why = "cotree knows nothing of this code"}));
    ARRAY_RELEASE(&chain);
    ARRAY_PUSH(&to->frames, f);
}

bool crash_read(struct crash *c, const char *program, const char *core, const struct crash_files *files,
                size_t frames_most, struct error *error)
{
    *c = (struct crash){0};
    if (!core_open(&c->core, core, program, files->sysroot, error))
        return false;
    c->modules = ZALLOC(struct crash_module, c->core.modules.count);
    for (size_t i = 0; i < c->core.modules.count; i++)
        load_module(c, i, files->debug_paths);
    for (size_t i = 0; i < c->core.threads.count; i++) {
        struct thread_history thread = {.thread = &c->core.threads.items[i]};
        for (size_t k = 0; k < thread.thread->frames.count && k < frames_most; k++)
            add_frame(c, &thread, &thread.thread->frames.items[k]);
        ARRAY_PUSH(&c->threads, thread);
    }
    return true;
}

static void release_history(struct history *h)
{
    for (size_t i = 0; i < h->parts.count; i++)
        ARRAY_RELEASE(&h->parts.items[i].stops);
    ARRAY_RELEASE(&h->parts);
    free(h->active);
}

void crash_release(struct crash *c)
{
    for (size_t i = 0; i < c->threads.count; i++) {
        struct thread_history *t = &c->threads.items[i];
        for (size_t k = 0; k < t->frames.count; k++) {
            for (size_t n = 0; n < t->frames.items[k].activations.count; n++)
                release_history(&t->frames.items[k].activations.items[n]);
            ARRAY_RELEASE(&t->frames.items[k].activations);
        }
        ARRAY_RELEASE(&t->frames);
    }
    ARRAY_RELEASE(&c->threads);
    for (size_t i = 0; i < c->core.modules.count; i++)
        release_module(&c->modules[i]);
    free(c->modules);
    core_release(&c->core);
}
