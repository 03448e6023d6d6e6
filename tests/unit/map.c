/* What is written into a map is what is read back, and no bytes crash the reader. */
#include "format/map/map.h"
#include "base/hash.h"
#include "base/memory.h"
#include "format/trace/layout.h"
#include "samples.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static uint64_t state = 88172645463325252u;
static uint32_t random_below(uint32_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)((state >> 16) % n);
}

/* A trace of anything that the reader accepts. */
static void add_trace(struct map_function *f)
{
    uint32_t blocks = f->graph.vertex_count - 1, calls = 0;
    struct map_trace *t = f->trace = ZALLOC(struct map_trace, 1);
    f->flags |= MAP_FUNCTION_TRACED;
    t->id = TRACE_KINDS + random_below(UINT32_MAX);
    t->placement = (enum witness_placement)(1 + random_below(WITNESS_PLACEMENTS));
    t->silent = random_below(2);
    t->has_name = random_below(2);
    t->value_count = random_below(f->graph.edge_count + 1);
    t->values = ZALLOC(uint32_t, f->graph.edge_count);
    for (uint32_t e = 0; e < f->graph.edge_count; e++)
        if (map_trace_edge(f, e) && f->graph.edges[e].kind != EDGE_ENTRY)
            t->values[e] = random_below(t->value_count + 1);
    t->first = ZALLOC(uint32_t, blocks + 1);
    for (uint32_t b = 0; b < blocks; b++)
        t->first[b + 1] = calls += f->blocks[b].call_count;
    t->callee_count = calls ? random_below(calls + 1) : 0;
    t->callees = ALLOC(uint64_t, t->callee_count);
    t->named = ALLOC(bool, t->callee_count);
    t->linked = ZALLOC(uint64_t, t->callee_count);
    for (uint32_t i = 0; i < t->callee_count; i++) {
        t->callees[i] = TRACE_KINDS + ((uint64_t)random_below(UINT32_MAX) << 32);
        t->named[i] = random_below(2);
    }
    t->calls = ALLOC(uint32_t, calls);
    for (uint32_t i = 0; i < calls; i++)
        t->calls[i] = random_below(MAP_TRACE_KNOWN + t->callee_count);
    t->resumes = ALLOC(bool, blocks);
    for (uint32_t b = 0; b < blocks; b++)
        t->resumes[b] = random_below(3) == 0;
}

/* Every block with two ways out or more is a branch, or not. */
static void add_branches(struct map_function *f)
{
    struct adjacency ways;
    f->flags |= MAP_FUNCTION_BRANCHES;
    f->branches = ZALLOC(struct map_branch, f->graph.vertex_count);
    adjacency_init(&ways, &f->graph);
    for (uint32_t b = 0; b < graph_exit(&f->graph); b++) {
        const struct map_block *block = &f->blocks[b];
        struct map_branch branch = {.block = b, .entry = MAP_BRANCH_NOWHERE, .column = random_below(300)};
        if (block->line_count && random_below(4))
            branch.entry = random_below(block->line_count);
        branch.ways = ALLOC(struct map_way, ways.out_start[b + 1] - ways.out_start[b] + 1);
        for (uint32_t k = ways.out_start[b + 1]; k-- > ways.out_start[b];)
            if (f->graph.edges[ways.out[k]].kind != EDGE_VIRTUAL) {
                struct map_way way = {.edge = ways.out[k], .kind = (enum map_way_kind)random_below(5)};
                if (way.kind == MAP_WAY_CASE)
                    way.value = random_below(2) ? INT64_MIN + random_below(9) : random_below(1000),
                    way.more = random_below(3);
                branch.ways[branch.way_count++] = way;
            }
        if (branch.way_count > 1 && random_below(3))
            f->branches[f->branch_count++] = branch;
        else
            free(branch.ways);
    }
    adjacency_release(&ways);
}

static void assert_same_branches(const struct map_function *a, const struct map_function *b)
{
    assert_int_equal(a->branch_count, b->branch_count);
    for (uint32_t i = 0; i < a->branch_count; i++) {
        const struct map_branch *x = &a->branches[i], *y = &b->branches[i];
        assert_int_equal(x->block, y->block);
        assert_int_equal(x->entry, y->entry);
        assert_int_equal(x->column, y->column);
        assert_int_equal(x->way_count, y->way_count);
        for (uint32_t k = 0; k < x->way_count; k++) {
            assert_int_equal(x->ways[k].edge, y->ways[k].edge);
            assert_int_equal(x->ways[k].kind, y->ways[k].kind);
            assert_int_equal(x->ways[k].value, y->ways[k].value);
            assert_int_equal(x->ways[k].more, y->ways[k].more);
        }
    }
}

static struct map_function random_function(uint32_t number)
{
    struct map_function f = {0};
    char name[40];
    snprintf(name, sizeof name, "function_%u", number);
    f.name = memory_string(name);
    f.flags = random_below(64);
    if (f.flags & MAP_FUNCTION_UNCOUNTED)
        f.why_uncounted = memory_string("an edge that cannot be split");
    f.file_count = random_below(4);
    f.files = ZALLOC(char *, f.file_count);
    for (uint32_t i = 0; i < f.file_count; i++) {
        snprintf(name, sizeof name, "/source/%u.c", i);
        f.files[i] = memory_string(name);
    }
    f.line = random_below(100000);
    f.callee_count = random_below(20);
    f.callees = ALLOC(uint32_t, f.callee_count);
    for (uint32_t i = 0; i < f.callee_count; i++)
        f.callees[i] = random_below(UINT32_MAX);
    uint32_t blocks = 1 + random_below(20);
    graph_init(&f.graph, blocks);
    for (uint32_t b = 0; b < blocks; b++) {
        if (random_below(3) == 0)
            graph_add_edge(&f.graph, b, blocks, EDGE_EXIT);
        for (uint32_t n = random_below(4); n; n--)
            graph_add_edge(&f.graph, b, random_below(blocks), EDGE_FLOW);
    }
    graph_add_edge(&f.graph, blocks, 0, EDGE_ENTRY);
    graph_add_edge(&f.graph, blocks - 1, blocks, EDGE_VIRTUAL);
    f.graph_hash = graph_hash(&f.graph);
    f.blocks = ZALLOC(struct map_block, blocks);
    for (uint32_t b = 0; b < blocks; b++) {
        f.blocks[b].hazards = random_below(512);
        f.blocks[b].only_returns = random_below(2);
        f.blocks[b].line_count = f.file_count ? random_below(9) : 0;
        f.blocks[b].lines = ALLOC(struct map_line, f.blocks[b].line_count);
        for (uint32_t i = 0; i < f.blocks[b].line_count; i++)
            f.blocks[b].lines[i] =
                (struct map_line){.file = random_below(f.file_count),
                                  .line = random_below(2) ? random_below(500) : UINT32_MAX - i};
        f.blocks[b].call_count = random_below(4);
        f.blocks[b].calls = ALLOC(struct map_call, f.blocks[b].call_count);
        for (uint32_t i = 0; i < f.blocks[b].call_count; i++) {
            bool named = f.callee_count && random_below(4);
            f.blocks[b].calls[i] =
                (struct map_call){.callee = named ? random_below(f.callee_count) : MAP_CALLEE_UNKNOWN,
                                  .invoke = random_below(2)};
        }
    }
    if (random_below(2))
        add_branches(&f);
    f.plan_count = random_below(4);
    f.plans = ZALLOC(struct plan, f.plan_count);
    for (uint32_t p = 0; p < f.plan_count; p++) {
        f.plans[p].placement = (enum placement)(1 + random_below(PLACEMENT_LAST));
        f.plans[p].probe_count = random_below(9);
        f.plans[p].probes = ALLOC(struct probe, f.plans[p].probe_count);
        for (uint32_t i = 0; i < f.plans[p].probe_count; i++) {
            bool edge = random_below(2);
            f.plans[p].probes[i] =
                (struct probe){.kind = edge ? PROBE_EDGE : PROBE_VERTEX,
                               .id = random_below(edge ? f.graph.edge_count : f.graph.vertex_count)};
        }
    }
    if (random_below(2))
        add_trace(&f);
    return f;
}

static void assert_same_trace(const struct map_function *a, const struct map_function *b)
{
    const struct map_trace *s = a->trace, *t = b->trace;
    assert_int_equal(!s, !t);
    if (!s)
        return;
    assert_int_equal(s->id, t->id);
    assert_int_equal(s->placement, t->placement);
    assert_int_equal(s->silent, t->silent);
    assert_int_equal(s->has_name, t->has_name);
    assert_int_equal(s->value_count, t->value_count);
    assert_memory_equal(s->values, t->values, a->graph.edge_count * sizeof *s->values);
    assert_int_equal(s->callee_count, t->callee_count);
    assert_memory_equal(s->callees, t->callees, s->callee_count * sizeof *s->callees);
    assert_memory_equal(s->named, t->named, s->callee_count * sizeof *s->named);
    assert_memory_equal(s->resumes, t->resumes, a->graph.vertex_count - 1);
    assert_memory_equal(s->first, t->first, a->graph.vertex_count * sizeof *s->first);
    assert_memory_equal(s->calls, t->calls, s->first[a->graph.vertex_count - 1] * sizeof *s->calls);
}

static void assert_same(const struct map_function *a, const struct map_function *b)
{
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->key, b->key);
    assert_int_equal(a->graph_hash, b->graph_hash);
    assert_int_equal(a->flags, b->flags);
    assert_int_equal(a->line, b->line);
    assert_int_equal(!a->why_uncounted, !b->why_uncounted);
    if (a->why_uncounted)
        assert_string_equal(a->why_uncounted, b->why_uncounted);
    assert_int_equal(a->file_count, b->file_count);
    for (uint32_t i = 0; i < a->file_count; i++)
        assert_string_equal(a->files[i], b->files[i]);
    assert_int_equal(a->graph.vertex_count, b->graph.vertex_count);
    assert_int_equal(a->graph.edge_count, b->graph.edge_count);
    for (uint32_t i = 0; i < a->graph.edge_count; i++) {
        assert_int_equal(a->graph.edges[i].from, b->graph.edges[i].from);
        assert_int_equal(a->graph.edges[i].to, b->graph.edges[i].to);
        assert_int_equal(a->graph.edges[i].kind, b->graph.edges[i].kind);
    }
    for (uint32_t i = 0; i + 1 < a->graph.vertex_count; i++) {
        assert_int_equal(a->blocks[i].hazards, b->blocks[i].hazards);
        assert_int_equal(a->blocks[i].line_count, b->blocks[i].line_count);
        for (uint32_t k = 0; k < a->blocks[i].line_count; k++) {
            assert_int_equal(a->blocks[i].lines[k].file, b->blocks[i].lines[k].file);
            assert_int_equal(a->blocks[i].lines[k].line, b->blocks[i].lines[k].line);
        }
        assert_int_equal(a->blocks[i].only_returns, b->blocks[i].only_returns);
        assert_int_equal(a->blocks[i].call_count, b->blocks[i].call_count);
        for (uint32_t k = 0; k < a->blocks[i].call_count; k++) {
            assert_int_equal(a->blocks[i].calls[k].callee, b->blocks[i].calls[k].callee);
            assert_int_equal(a->blocks[i].calls[k].invoke, b->blocks[i].calls[k].invoke);
        }
    }
    assert_int_equal(a->callee_count, b->callee_count);
    for (uint32_t i = 0; i < a->callee_count; i++)
        assert_int_equal(a->callees[i], b->callees[i]);
    assert_int_equal(a->plan_count, b->plan_count);
    assert_int_equal(map_function_counters(a), map_function_counters(b));
    for (uint32_t p = 0; p < a->plan_count; p++) {
        assert_int_equal(a->plans[p].placement, b->plans[p].placement);
        assert_int_equal(a->plans[p].probe_count, b->plans[p].probe_count);
        for (uint32_t k = 0; k < a->plans[p].probe_count; k++) {
            assert_int_equal(a->plans[p].probes[k].kind, b->plans[p].probes[k].kind);
            assert_int_equal(a->plans[p].probes[k].id, b->plans[p].probes[k].id);
        }
    }
    assert_same_branches(a, b);
    assert_same_trace(a, b);
}

struct expected {
    struct map_function *functions;
    uint32_t at;
};

static void compare(void *context, struct map_function *f)
{
    struct expected *e = context;
    assert_same(&e->functions[e->at++], f);
    map_function_release(f);
}

static void drop(void *context, struct map_function *f)
{
    ++*(unsigned *)context;
    map_function_release(f);
}

enum { UNITS = 5, PER_UNIT = 40 };

static void write_section(struct buffer *section, struct map_function *functions)
{
    for (uint32_t u = 0; u < UNITS; u++) {
        struct buffer payload = {0};
        for (uint32_t i = 0; i < PER_UNIT; i++) {
            functions[u * PER_UNIT + i] = random_function(u * PER_UNIT + i);
            map_write_function(&payload, &functions[u * PER_UNIT + i]);
        }
        map_write_unit(section, &payload);
        buffer_release(&payload);
        buffer_add(section, "\0\0\0\0\0\0", u); /* linkers pad */
    }
}

static void release_all(struct map_function *functions)
{
    for (uint32_t i = 0; i < UNITS * PER_UNIT; i++)
        map_function_release(&functions[i]);
}

static void what_is_written_is_read(void **s)
{
    (void)s;
    struct map_function functions[UNITS * PER_UNIT];
    struct buffer section = {0};
    write_section(&section, functions);
    struct expected e = {.functions = functions};
    struct error error = {0};
    assert_true(map_read_section(section.data, section.length, compare, &e, &error));
    assert_int_equal(e.at, UNITS * PER_UNIT);
    buffer_release(&section);
    release_all(functions);
}

/* A unit record, header and checksum right. */
static void add_unit(struct buffer *section, uint32_t version, uint32_t unpacked, const void *data,
                     size_t length)
{
    buffer_add_u32(section, MAP_MAGIC);
    buffer_add_u32(section, (uint32_t)length + 16);
    buffer_add_u32(section, version);
    buffer_add_u32(section, unpacked);
    buffer_add_u64(section, hash_bytes(data, length));
    buffer_add(section, data, length);
}

static void units_of_older_versions_are_read(void **s)
{
    (void)s;
    for (uint32_t version = MAP_VERSION_OLDEST; version <= MAP_VERSION_NOT_PACKED; version++) {
        struct map_function f = random_function(version);
        struct buffer payload = {0}, section = {0};
        map_write_function(&payload, &f);
        add_unit(&section, version, 0, payload.data, payload.length);
        struct expected e = {.functions = &f};
        struct error error = {0};
        assert_true(map_read_section(section.data, section.length, compare, &e, &error));
        assert_int_equal(e.at, 1);
        buffer_release(&payload);
        buffer_release(&section);
        map_function_release(&f);
    }
}

/* Copies of one function: some are packed well, and as many as would be packed better than readers believe
 * are not packed. */
static void units_are_packed_within_bounds(void **s)
{
    (void)s;
    struct map_function f = random_function(3);
    for (unsigned copies = 10; copies <= 10000; copies *= 1000) {
        struct buffer payload = {0}, unit = {0};
        for (unsigned i = 0; i < copies; i++)
            map_write_function(&payload, &f);
        map_write_unit(&unit, &payload);
        assert_true(copies > 10 ? unit.length == payload.length + 24 : unit.length < payload.length / 3);
        unsigned seen = 0;
        assert_true(map_read_section(unit.data, unit.length, drop, &seen, NULL));
        assert_int_equal(seen, copies);
        const uint32_t wrong[] = {
            0, 1, 1000, (uint32_t)payload.length - 1, (uint32_t)payload.length + 1, UINT32_MAX};
        for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
            struct buffer section = {0};
            struct error error = {0};
            add_unit(&section, MAP_VERSION, wrong[i], unit.data + 24, unit.length - 24);
            seen = 0;
            assert_false(map_read_section(section.data, section.length, drop, &seen, &error));
            assert_non_null(strstr(error.text, "unpacked"));
            assert_int_equal(seen, 0);
            buffer_release(&section);
        }
        buffer_release(&payload);
        buffer_release(&unit);
    }
    map_function_release(&f);
}

static void equal_functions_have_equal_keys(void **s)
{
    (void)s;
    struct buffer payload = {0};
    state = 5;
    struct map_function a = random_function(1);
    state = 5;
    struct map_function b = random_function(1);
    map_write_function(&payload, &a);
    map_write_function(&payload, &b);
    assert_int_equal(a.key, b.key);
    b.flags ^= MAP_FUNCTION_OPTIONAL | MAP_FUNCTION_ADDRESS_TAKEN; /* what units may differ in */
    map_write_function(&payload, &b);
    assert_int_equal(a.key, b.key);
    b.line++;
    map_write_function(&payload, &b);
    assert_int_not_equal(a.key, b.key);
    assert_int_not_equal(a.key, 0);
    map_function_release(&a);
    map_function_release(&b);
    buffer_release(&payload);
}

static void a_damaged_unit_costs_only_itself(void **s)
{
    (void)s;
    struct map_function functions[UNITS * PER_UNIT];
    struct buffer section = {0};
    write_section(&section, functions);
    section.data[200] ^= 1; /* inside the first unit's payload */
    struct error error = {0};
    unsigned seen = 0;
    assert_false(map_read_section(section.data, section.length, drop, &seen, &error));
    assert_non_null(strstr(error.text, "checksum"));
    assert_int_equal(seen, (UNITS - 1) * PER_UNIT);
    buffer_release(&section);
    release_all(functions);
}

/* Any change of any bytes of a record, even one with a right checksum, gives a well-formed function or an
 * error. */
static void no_bytes_crash_the_reader(void **s)
{
    (void)s;
    for (unsigned round = 0; round < sampled(20000); round++) {
        struct map_function f = random_function(round), again;
        struct buffer payload = {0};
        map_write_function(&payload, &f);
        struct cursor c = cursor_over(payload.data, payload.length);
        size_t length = cursor_count(&c, 1);
        uint8_t *record = payload.data + (payload.length - length);
        for (uint32_t n = 1 + random_below(3); n; n--)
            record[random_below((uint32_t)length)] = (uint8_t)random_below(256);
        struct error error = {0};
        size_t cut = random_below(4) ? length : random_below((uint32_t)length);
        uint8_t *exact = ALLOC(uint8_t, cut);
        memcpy(exact, record, cut);
        if (map_read_function(&again, exact, cut, &error)) {
            uint32_t entries = 0;
            for (uint32_t i = 0; i < again.graph.edge_count; i++) {
                assert_true(again.graph.edges[i].from < again.graph.vertex_count);
                assert_true(again.graph.edges[i].to < again.graph.vertex_count);
                entries += again.graph.edges[i].kind == EDGE_ENTRY;
            }
            assert_int_equal(entries, 1);
            for (uint32_t b = 0; b < graph_exit(&again.graph); b++)
                for (uint32_t i = 0; i < again.blocks[b].call_count; i++) {
                    const struct map_call *call = &again.blocks[b].calls[i];
                    assert_true(call->callee == MAP_CALLEE_UNKNOWN || call->callee < again.callee_count);
                }
            map_function_release(&again);
        } else {
            assert_true(error.text[0]);
        }
        free(exact);
        buffer_release(&payload);
        map_function_release(&f);
    }
}

static void cut_sections_are_errors(void **s)
{
    (void)s;
    struct map_function functions[UNITS * PER_UNIT];
    struct buffer section = {0};
    write_section(&section, functions);
    for (size_t cut = 1; cut + 5 < section.length; cut += 97) {
        unsigned seen = 0;
        struct error error = {0};
        uint8_t *exact = ALLOC(uint8_t, cut);
        memcpy(exact, section.data, cut);
        if (!map_read_section(exact, cut, drop, &seen, &error))
            assert_true(error.text[0]);
        assert_true(seen <= UNITS * PER_UNIT);
        free(exact);
    }
    buffer_release(&section);
    release_all(functions);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(equal_functions_have_equal_keys),
        cmocka_unit_test(a_damaged_unit_costs_only_itself),
        cmocka_unit_test(no_bytes_crash_the_reader),
        cmocka_unit_test(cut_sections_are_errors),
        cmocka_unit_test(units_of_older_versions_are_read),
        cmocka_unit_test(units_are_packed_within_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
