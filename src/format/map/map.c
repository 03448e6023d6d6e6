/*
 * Writer and reader of maps (format/map/map.h). A function record is
 *
 *     flags | name | why_uncounted (only with MAP_FUNCTION_UNCOUNTED)
 *     files: number, names
 *     line
 *     callees: number, u32 each
 *     blocks: number, each: hazards << 2 | has calls << 1 | only returns
 *             lines: number, each: zigzag line delta << 1 | file changed, [file]
 *             [calls: number, each: (callee + 1, or 0) << 1 | invoke]
 *     edges: number, each: zigzag source delta << 2 | kind, [flow edges: zigzag target - source]
 *     [with MAP_FUNCTION_BRANCHES: its branches, format/map/branches.c]
 *     plans: number, each: placement | [path counts: number of paths] |
 *            probes: number, each: zigzag id delta << 1 | kind
 *     [with MAP_FUNCTION_TRACED: its trace, format/map/trace.c]
 *     [derived callees, if there are any: number, each: callee delta, u64 key]
 *
 * Everything but callees and keys is a varint; names are a length and bytes. Deltas run through
 * their list (lines: through all blocks) and start from 0. Exit and virtual edges end at EXIT and
 * the entry edge goes from EXIT to the root, so their ends are not written. The graph's hash is not
 * written either: it follows from the edges.
 *
 * Invariants of what the reader hands out, whatever the bytes were:
 *  1. Every index (file, callee, source, target, probe id) is in range; EXIT is used only where the
 *     kind of the edge says so.
 *  2. There is at least one block and exactly one entry edge.
 *  3. The key is the hash of the bytes that were read; with MAP_FUNCTION_PATHS_TRACED it is the
 *     hash of the bytes without that flag and the path plan.
 *  4. Edge plans of functions with MAP_FUNCTION_DERIVED have a given entry edge and no probe on it.
 *     In all others the entry edge is not given.
 */
#include "format/map/map.h"
#include "base/hash.h"
#include "base/memory.h"
#include "format/map/units.h"
#include "format/zigzag.h"
#include "plan/path_code.h"
#include "plan/path_plan.h"

#include <stdlib.h>
#include <string.h>

void map_function_release(struct map_function *f)
{
    for (uint32_t b = 0; f->blocks && b + 1 < f->graph.vertex_count; b++)
        free(f->blocks[b].lines), free(f->blocks[b].calls);
    free(f->blocks);
    free(f->callees);
    for (uint32_t i = 0; i < f->file_count; i++)
        free(f->files[i]);
    free(f->files);
    for (uint32_t i = 0; i < f->plan_count; i++)
        plan_release(&f->plans[i]);
    free(f->plans);
    free(f->derived);
    map_trace_release(f->trace);
    map_branches_release(f);
    free(f->graph.edges);
    free(f->name);
    free(f->why_uncounted);
    *f = (struct map_function){0};
}

uint32_t map_function_counters(const struct map_function *f)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < f->plan_count; i++)
        count += plan_counters(&f->plans[i]);
    return count;
}

const struct plan *map_path_plan(const struct map_function *f)
{
    for (uint32_t i = 0; i < f->plan_count; i++)
        if (placement_counts_paths(f->plans[i].placement))
            return &f->plans[i];
    return NULL;
}

uint32_t map_name_tag(const char *linkage_name)
{
    return (uint32_t)hash_text(linkage_name);
}

static void write_calls(struct buffer *out, const struct map_block *block)
{
    buffer_add_varint(out, block->call_count);
    for (uint32_t i = 0; i < block->call_count; i++) {
        const struct map_call *call = &block->calls[i];
        uint64_t callee = call->callee == MAP_CALLEE_UNKNOWN ? 0 : (uint64_t)call->callee + 1;
        buffer_add_varint(out, callee << 1 | call->invoke);
    }
}

static void write_blocks(struct buffer *out, const struct map_function *f)
{
    uint32_t line = 0, file = 0, count = f->graph.vertex_count - 1;
    buffer_add_varint(out, count);
    for (uint32_t b = 0; b < count; b++) {
        const struct map_block *block = &f->blocks[b];
        buffer_add_varint(out, (uint64_t)block->hazards << 2 | (block->call_count ? 2 : 0) |
                                   (block->only_returns ? 1 : 0));
        buffer_add_varint(out, block->line_count);
        for (uint32_t i = 0; i < block->line_count; i++) {
            bool moved = block->lines[i].file != file;
            buffer_add_varint(out, zigzag(line, block->lines[i].line) << 1 | moved);
            if (moved)
                buffer_add_varint(out, block->lines[i].file);
            line = block->lines[i].line;
            file = block->lines[i].file;
        }
        if (block->call_count)
            write_calls(out, block);
    }
}

static void write_edges(struct buffer *out, const struct graph *g)
{
    uint32_t source = 0;
    buffer_add_varint(out, g->edge_count);
    for (uint32_t i = 0; i < g->edge_count; i++) {
        const struct edge *e = &g->edges[i];
        uint32_t from = e->kind == EDGE_ENTRY ? source : e->from;
        buffer_add_varint(out, zigzag(source, from) << 2 | (uint64_t)e->kind);
        if (e->kind == EDGE_FLOW)
            buffer_add_varint(out, zigzag(e->from, e->to));
        source = from;
    }
}

/* Added to the number of the placement where paths are chosen. */
enum { CHOSEN_PATHS = 16 };

static void write_choice(struct buffer *out, const struct path_choice *choice)
{
    uint32_t end = 0;
    buffer_add_varint(out, choice->kind);
    buffer_add_varint(out, choice->counters);
    buffer_add_varint(out, choice->range_count);
    for (uint32_t i = 0; i < choice->range_count; i++) {
        buffer_add_varint(out, choice->ranges[i].first - end);
        buffer_add_varint(out, choice->ranges[i].end - choice->ranges[i].first);
        end = choice->ranges[i].end;
    }
}

static void write_plans(struct buffer *out, const struct map_function *f)
{
    buffer_add_varint(out, f->plan_count);
    for (uint32_t i = 0; i < f->plan_count; i++) {
        const struct plan *plan = &f->plans[i];
        uint32_t id = 0;
        buffer_add_varint(out, plan->placement + (plan->choice ? CHOSEN_PATHS : 0));
        if (placement_counts_paths(plan->placement))
            buffer_add_varint(out, plan->path_count);
        if (plan->choice)
            write_choice(out, plan->choice);
        buffer_add_varint(out, plan->probe_count);
        for (uint32_t k = 0; k < plan->probe_count; k++) {
            buffer_add_varint(out, zigzag(id, plan->probes[k].id) << 1 | (uint64_t)plan->probes[k].kind);
            id = plan->probes[k].id;
        }
    }
}

static void write_derived(struct buffer *out, const struct map_function *f)
{
    uint32_t callee = 0;
    if (!f->derived_count)
        return;
    buffer_add_varint(out, f->derived_count);
    for (uint32_t i = 0; i < f->derived_count; i++) {
        buffer_add_varint(out, f->derived[i].callee - callee);
        buffer_add_u64(out, f->derived[i].key);
        callee = f->derived[i].callee;
    }
}

/* The first byte holds the first seven flags. */
static uint64_t key_of(const void *record, size_t length)
{
    const uint8_t not_in_key = MAP_FUNCTION_OPTIONAL | MAP_FUNCTION_ADDRESS_TAKEN, *bytes = record;
    uint64_t key;
    if (length && bytes[0] & not_in_key) {
        uint8_t *copy = ALLOC(uint8_t, length);
        memcpy(copy, record, length);
        copy[0] &= (uint8_t)~not_in_key;
        key = hash_bytes(copy, length);
        free(copy);
    } else {
        key = hash_bytes(record, length);
    }
    return key ? key : 1; /* 0 stands between counter arrays */
}

static void write_record(struct buffer *record, const struct map_function *f, bool without_ids)
{
    buffer_add_varint(record, f->flags);
    buffer_add_string(record, f->name);
    if (f->flags & MAP_FUNCTION_UNCOUNTED)
        buffer_add_string(record, f->why_uncounted);
    buffer_add_varint(record, f->file_count);
    for (uint32_t i = 0; i < f->file_count; i++)
        buffer_add_string(record, f->files[i]);
    buffer_add_varint(record, f->line);
    buffer_add_varint(record, f->callee_count);
    for (uint32_t i = 0; i < f->callee_count; i++)
        buffer_add_u32(record, f->callees[i]);
    write_blocks(record, f);
    write_edges(record, &f->graph);
    if (f->flags & MAP_FUNCTION_BRANCHES)
        map_branches_write(record, f);
    write_plans(record, f);
    if (f->flags & MAP_FUNCTION_TRACED)
        map_trace_write(record, f, without_ids);
    write_derived(record, f);
}

uint64_t map_key_without_ids(const struct map_function *f)
{
    struct buffer record = {0};
    write_record(&record, f, true);
    uint64_t key = key_of(record.data, record.length);
    buffer_release(&record);
    return key;
}

/* The key of a function whose path plan was added when its trace was counted. */
static uint64_t key_without_paths(const struct map_function *f)
{
    struct map_function plain = *f;
    struct buffer record = {0};
    plain.flags &= ~(uint32_t)MAP_FUNCTION_PATHS_TRACED;
    plain.plans = ALLOC(struct plan, f->plan_count + 1);
    plain.plan_count = 0;
    for (uint32_t i = 0; i < f->plan_count; i++)
        if (!placement_counts_paths(f->plans[i].placement))
            plain.plans[plain.plan_count++] = f->plans[i];
    write_record(&record, &plain, false);
    uint64_t key = key_of(record.data, record.length);
    buffer_release(&record);
    free(plain.plans);
    return key;
}

void map_write_function(struct buffer *payload, struct map_function *f)
{
    struct buffer record = {0};
    write_record(&record, f, false);
    f->key = f->flags & MAP_FUNCTION_PATHS_TRACED ? key_without_paths(f) : key_of(record.data, record.length);
    unit_add_record(payload, &record);
    buffer_release(&record);
}

void map_write_unit(struct buffer *out, const struct buffer *payload)
{
    unit_write(out, MAP_MAGIC, MAP_VERSION, payload);
}

static uint32_t read_u32(struct cursor *c)
{
    uint64_t value = cursor_varint(c);
    if (value > UINT32_MAX)
        c->failed = true;
    return c->failed ? 0 : (uint32_t)value;
}

static void read_files(struct cursor *c, struct map_function *f)
{
    size_t count = cursor_count(c, 1);
    f->files = ZALLOC(char *, count);
    for (; f->file_count < count && !c->failed; f->file_count++)
        f->files[f->file_count] = cursor_string(c);
}

static void read_callees(struct cursor *c, struct map_function *f)
{
    size_t count = cursor_count(c, 4);
    if (count >= UINT32_MAX)
        c->failed = true;
    if (c->failed)
        return;
    f->callees = ALLOC(uint32_t, count);
    for (; f->callee_count < count; f->callee_count++)
        f->callees[f->callee_count] = cursor_u32(c);
}

static void read_calls(struct cursor *c, const struct map_function *f, struct map_block *block)
{
    size_t count = cursor_count(c, 1);
    if (!count || count >= UINT32_MAX)
        c->failed = true;
    if (c->failed)
        return;
    block->calls = ALLOC(struct map_call, count);
    for (; block->call_count < count && !c->failed; block->call_count++) {
        uint64_t coded = cursor_varint(c), callee = coded >> 1;
        if (callee > f->callee_count)
            c->failed = true;
        block->calls[block->call_count] = (struct map_call){
            .callee = callee ? (uint32_t)callee - 1 : MAP_CALLEE_UNKNOWN, .invoke = coded & 1};
    }
}

static void read_blocks(struct cursor *c, struct map_function *f)
{
    size_t count = cursor_count(c, 2);
    if (!count || count >= UINT32_MAX)
        c->failed = true;
    if (c->failed)
        return;
    f->graph.vertex_count = (uint32_t)count + 1;
    f->blocks = ZALLOC(struct map_block, count);
    uint32_t line = 0, file = 0;
    for (size_t b = 0; b < count && !c->failed; b++) {
        struct map_block *block = &f->blocks[b];
        uint64_t head = cursor_varint(c);
        if (head >> 2 > UINT32_MAX)
            c->failed = true;
        block->hazards = (uint32_t)(head >> 2);
        block->only_returns = head & 1;
        size_t lines = cursor_count(c, 1);
        block->lines = ALLOC(struct map_line, lines);
        for (; block->line_count < lines && !c->failed; block->line_count++) {
            uint64_t coded = cursor_varint(c);
            line = unzigzag(c, line, coded >> 1, (uint64_t)UINT32_MAX + 1);
            if (coded & 1) {
                uint32_t before = file;
                file = read_u32(c);
                if (file == before)
                    c->failed = true;
            }
            if (file >= f->file_count)
                c->failed = true;
            block->lines[block->line_count] = (struct map_line){.file = file, .line = line};
        }
        if (head & 2 && !c->failed)
            read_calls(c, f, block);
    }
}

static void read_edges(struct cursor *c, struct graph *g)
{
    size_t count = cursor_count(c, 1);
    uint32_t source = 0, entries = 0, exit = g->vertex_count - 1;
    if (count > UINT32_MAX)
        c->failed = true;
    if (c->failed)
        return;
    g->edges = ALLOC(struct edge, count);
    g->edge_capacity = (uint32_t)count;
    while (g->edge_count < count && !c->failed) {
        uint64_t coded = cursor_varint(c);
        struct edge e = {.kind = (enum edge_kind)(coded & 3), .to = exit};
        e.from = source = unzigzag(c, source, coded >> 2, exit);
        if (e.kind == EDGE_FLOW) {
            e.to = unzigzag(c, e.from, cursor_varint(c), exit);
        } else if (e.kind == EDGE_ENTRY) {
            e.from = exit;
            e.to = GRAPH_ROOT;
            if (coded >> 2)
                c->failed = true;
            entries++;
        }
        g->edges[g->edge_count++] = e;
    }
    if (entries != 1)
        c->failed = true;
}

/* Readers of path counters rely on this: the numbers of paths follow from the graph and the
 * cuts. */
static void check_paths(struct cursor *c, const struct plan *plan, const struct graph *g)
{
    struct path_graph p;
    struct path_numbering n;
    struct path_code code;
    if (plan->path_count > PATH_COUNTERS_MOST(g) || !path_plan_number(plan, g, NULL, NULL, &p, &n, NULL)) {
        c->failed = true;
        return;
    }
    if (!path_code_init(&code, plan, &p, &n, NULL, NULL) || code.counters != plan_counters(plan))
        c->failed = true;
    path_code_release(&code);
    path_numbering_release(&n);
    path_graph_release(&p);
}

static void read_choice(struct cursor *c, struct plan *plan)
{
    uint64_t kind = cursor_varint(c), end = 0;
    uint32_t counters = read_u32(c);
    size_t count = cursor_count(c, 2);
    if (kind < 1 || kind > PATH_CODE_LAST || c->failed) {
        c->failed = true;
        return;
    }
    plan->choice = ZALLOC(struct path_choice, 1);
    *plan->choice = (struct path_choice){.kind = (enum path_code_kind)kind,
                                         .counters = counters,
                                         .ranges = ALLOC(struct path_range, count + 1)};
    for (size_t i = 0; i < count && !c->failed; i++) {
        uint64_t gap = cursor_varint(c), length = cursor_varint(c);
        if ((i && !gap) || !length || gap > plan->path_count || length > plan->path_count ||
            end + gap + length > plan->path_count) {
            c->failed = true;
            return;
        }
        plan->choice->ranges[plan->choice->range_count++] =
            (struct path_range){.first = (uint32_t)(end + gap), .end = (uint32_t)(end + gap + length)};
        end += gap + length;
    }
}

static void read_plans(struct cursor *c, struct map_function *f)
{
    size_t count = cursor_count(c, 2);
    uint64_t counters = 0;
    f->plans = ZALLOC(struct plan, count);
    for (; f->plan_count < count && !c->failed; f->plan_count++) {
        struct plan *plan = &f->plans[f->plan_count];
        uint64_t placement = cursor_varint(c);
        bool chosen = placement > CHOSEN_PATHS && placement <= CHOSEN_PATHS + PLACEMENT_HIGHEST &&
                      placement_counts_paths((enum placement)(placement - CHOSEN_PATHS));
        placement -= chosen ? CHOSEN_PATHS : 0;
        if (placement < 1 || placement > PLACEMENT_HIGHEST)
            c->failed = true;
        plan->placement = (enum placement)placement;
        plan->entry_given = placement == PLACEMENT_EDGES && f->flags & MAP_FUNCTION_DERIVED;
        bool paths = placement_counts_paths(plan->placement);
        if (paths && map_path_plan(f))
            c->failed = true;
        if (paths)
            plan->path_count = read_u32(c);
        if (chosen && !c->failed)
            read_choice(c, plan);
        size_t probes = cursor_count(c, 1);
        counters += paths ? plan_counters(plan) : probes;
        if (counters > UINT32_MAX)
            c->failed = true;
        if (c->failed) {
            f->plan_count++; /* so that what was read of it is released with the others */
            return;
        }
        plan->probes = ALLOC(struct probe, probes);
        uint32_t id = 0;
        for (; plan->probe_count < probes && !c->failed; plan->probe_count++) {
            uint64_t coded = cursor_varint(c);
            enum probe_kind kind = (enum probe_kind)(coded & 1);
            id =
                unzigzag(c, id, coded >> 1, kind == PROBE_EDGE ? f->graph.edge_count : f->graph.vertex_count);
            plan->probes[plan->probe_count] = (struct probe){.kind = kind, .id = id};
            if (plan->entry_given && kind == PROBE_EDGE && !c->failed &&
                f->graph.edges[id].kind == EDGE_ENTRY)
                c->failed = true;
        }
        if (paths && !c->failed)
            check_paths(c, plan, &f->graph);
    }
    const struct plan *chosen_paths = map_path_plan(f);
    for (uint32_t i = 0; i < f->plan_count && !c->failed; i++)
        if (f->plans[i].placement == PLACEMENT_REST && chosen_paths && chosen_paths->choice)
            c->failed = true; /* this plan relies on the counts of all paths */
}

static void read_derived(struct cursor *c, struct map_function *f)
{
    size_t count = cursor_count(c, 9);
    if (!count || count > f->callee_count)
        c->failed = true;
    if (c->failed)
        return;
    f->derived = ALLOC(struct map_derived, count);
    uint64_t callee = 0;
    for (; f->derived_count < count && !c->failed; f->derived_count++) {
        uint64_t more = cursor_varint(c);
        if (more >= f->callee_count || (callee += more) >= f->callee_count || (f->derived_count && !more))
            c->failed = true;
        f->derived[f->derived_count] = (struct map_derived){.callee = (uint32_t)callee, .key = cursor_u64(c)};
    }
}

bool map_read_function(struct map_function *f, const void *data, size_t length, struct error *error)
{
    *f = (struct map_function){0};
    struct cursor c = cursor_over(data, length);
    f->key = key_of(data, length);
    f->flags = read_u32(&c);
    f->name = cursor_string(&c);
    if (f->flags & MAP_FUNCTION_UNCOUNTED)
        f->why_uncounted = cursor_string(&c);
    read_files(&c, f);
    f->line = read_u32(&c);
    if (!c.failed)
        read_callees(&c, f);
    if (!c.failed)
        read_blocks(&c, f);
    if (!c.failed)
        read_edges(&c, &f->graph);
    if (!c.failed && f->flags & MAP_FUNCTION_BRANCHES)
        map_branches_read(&c, f);
    if (!c.failed)
        read_plans(&c, f);
    if (!c.failed && f->flags & MAP_FUNCTION_TRACED)
        f->trace = map_trace_read(&c, f);
    if (!c.failed && cursor_left(&c))
        read_derived(&c, f);
    if (f->flags & MAP_FUNCTION_PATHS_TRACED && (!f->trace || !map_path_plan(f)))
        c.failed = true;
    if (!c.failed && cursor_left(&c))
        c.failed = true;
    if (c.failed) {
        error_set(error, "map record of function '%s' is damaged", f->name);
        map_function_release(f);
        return false;
    }
    f->graph_hash = graph_hash(&f->graph);
    if (f->flags & MAP_FUNCTION_PATHS_TRACED)
        f->key = key_without_paths(f);
    return true;
}

struct visiting {
    map_visitor *visit;
    void *context;
};

static bool take_record(void *context, const uint8_t *record, size_t length, struct error *error)
{
    const struct visiting *v = context;
    struct map_function f;
    if (!map_read_function(&f, record, length, error))
        return false;
    v->visit(v->context, &f);
    return true;
}

bool map_read_section(const void *data, size_t length, map_visitor *visit, void *context, struct error *error)
{
    struct visiting v = {visit, context};
    const struct unit_kind functions = {.magic = MAP_MAGIC,
                                        .oldest = MAP_VERSION_OLDEST,
                                        .newest = MAP_VERSION,
                                        .not_packed = MAP_VERSION_NOT_PACKED,
                                        .take = take_record,
                                        .context = &v};
    return units_read(&functions, data, length, error);
}
