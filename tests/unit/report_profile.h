/* A profile made by hand: what the reports are judged on without a compiler or a run. */
#ifndef COTREE_TESTS_REPORT_PROFILE_H
#define COTREE_TESTS_REPORT_PROFILE_H

#include "base/memory.h"
#include "format/profile/profile.h"

#include <stdarg.h>

#define EVIL_NAME "evil\033[31m,\"q\"\\\n\xff\xc2\x9b"
#define EVIL_FILE "/nowhere/bad\033]0;x\007,name\xfe.c"
#define SOURCE_FILE "/nowhere/src/shapes.c"

static struct profile_function *add_function(struct profile *p, const char *name, const char *file,
                                             uint32_t line, uint32_t blocks)
{
    struct profile_function *f = ARRAY_ADD(&p->functions);
    *f = (struct profile_function){.counted = true, .exact = true, .has_edges = true};
    f->map.name = memory_string(name);
    f->map.line = line;
    if (file) {
        f->map.file_count = 1;
        f->map.files = ZALLOC(char *, 1);
        f->map.files[0] = memory_string(file);
    }
    graph_init(&f->map.graph, blocks);
    f->map.blocks = ZALLOC(struct map_block, blocks);
    f->block_counts = ZALLOC(int64_t, blocks);
    return f;
}

/* Lines of one block, ended by 0. */
static void set_block(struct profile_function *f, uint32_t block, int64_t count, ...)
{
    struct map_block *b = &f->map.blocks[block];
    f->block_counts[block] = count;
    va_list lines;
    va_start(lines, count);
    for (unsigned line; (line = va_arg(lines, unsigned)) != 0;) {
        RESIZE(b->lines, b->line_count + 1);
        b->lines[b->line_count++] = (struct map_line){0, line};
    }
    va_end(lines);
}

static void add_edge(struct profile_function *f, uint32_t from, uint32_t to, enum edge_kind kind,
                     int64_t count)
{
    uint32_t id = graph_add_edge(&f->map.graph, from, to, kind);
    RESIZE(f->edge_counts, id + 1);
    f->edge_counts[id] = count;
}

static void set_plan(struct profile_function *f, enum placement placement, uint32_t edges, ...)
{
    f->map.plan_count = 1;
    f->map.plans = ZALLOC(struct plan, 1);
    f->map.plans[0] = (struct plan){placement, edges, ALLOC(struct probe, edges)};
    va_list ids;
    va_start(ids, edges);
    for (uint32_t i = 0; i < edges; i++)
        f->map.plans[0].probes[i] = (struct probe){PROBE_EDGE, va_arg(ids, uint32_t)};
    va_end(ids);
}

/*
 * main: 3 int main(void) { 4 if (x) 5 a(); else 6 b(); 7 return 0; }, run twice, b never; area: a loop, not
 * exact; a function without counters; one with block counts only; one with a hostile name in a hostile file;
 * one that never returns; one that was left once, and returned to twice, in the middle of its block.
 */
static void make_profile(struct profile *p)
{
    *p = (struct profile){.program = memory_string("/nowhere/shapes"),
                          .build_id = memory_string("00112233445566778899aabbccddeeff"),
                          .mode = memory_string("edges"),
                          .runs = 2};
    ARRAY_PUSH(&p->reasons, memory_string("1 of 2 runs was ended by a signal"));
    profile_add_cause(p, CAUSE_KILLED, 1,
                      NULL); /* of which a reader of the merged file makes its own sentence */
    ARRAY_PUSH(&p->modules, ((struct profile_module){memory_string("/nowhere/shapes"),
                                                     memory_string("00112233445566778899aabbccddeeff")}));

    struct profile_function *f = add_function(p, EVIL_NAME, EVIL_FILE, 1, 1);
    set_block(f, 0, 1, 1u, 0u);
    add_edge(f, 0, 1, EDGE_EXIT, 1);
    add_edge(f, 1, 0, EDGE_ENTRY, 1);
    set_plan(f, PLACEMENT_EDGES, 1, 0u);
    f->entries = 1;

    f = add_function(p, "main", SOURCE_FILE, 3, 4);
    set_block(f, 0, 2, 3u, 4u, 0u);
    set_block(f, 1, 2, 5u, 0u);
    set_block(f, 2, 0, 6u, 0u);
    set_block(f, 3, 2, 7u, 8u, 0u);
    add_edge(f, 0, 1, EDGE_FLOW, 2);
    add_edge(f, 0, 2, EDGE_FLOW, 0);
    add_edge(f, 1, 3, EDGE_FLOW, 2);
    add_edge(f, 2, 3, EDGE_FLOW, 0);
    add_edge(f, 3, 4, EDGE_EXIT, 2);
    add_edge(f, 4, 0, EDGE_ENTRY, 2);
    set_plan(f, PLACEMENT_EDGES, 2, 1u, 4u);
    f->entries = 2;

    f = add_function(p, "_ZNK5shape4areaEiSt4pairIiiE", SOURCE_FILE, 30, 3);
    set_block(f, 0, 1234567, 30u, 31u, 0u);
    set_block(f, 1, INT64_MAX, 32u, 0u);
    set_block(f, 2, 1234567, 33u, 0u);
    add_edge(f, 0, 1, EDGE_FLOW, 1234567);
    add_edge(f, 1, 1, EDGE_FLOW, INT64_MAX - 1234567);
    add_edge(f, 1, 2, EDGE_FLOW, 1234567);
    add_edge(f, 2, 3, EDGE_EXIT, 1234567);
    add_edge(f, 3, 0, EDGE_ENTRY, 1234567);
    set_plan(f, PLACEMENT_EDGES, 2, 1u, 3u);
    f->entries = 1234567;
    f->exact = false;
    f->why = memory_string("the run ended inside");
    f->max_error = 1;

    f = add_function(p, "resolver", SOURCE_FILE, 40, 1);
    f->counted = false;
    f->has_edges = false;
    set_block(f, 0, 0, 40u, 0u);
    graph_add_edge(&f->map.graph, 0, 1, EDGE_EXIT);
    graph_add_edge(&f->map.graph, 1, 0, EDGE_ENTRY);
    f->map.flags = MAP_FUNCTION_UNCOUNTED;
    f->map.why_uncounted = memory_string("runs before thread-local storage exists");

    f = add_function(p, "blocks_only", SOURCE_FILE, 42, 1);
    f->has_edges = false;
    set_block(f, 0, 7, 42u, 0u);
    set_plan(f, PLACEMENT_EVERY_BLOCK, 1, 0u);
    f->map.plans[0].probes[0].kind = PROBE_VERTEX;
    graph_add_edge(&f->map.graph, 0, 1, EDGE_EXIT);
    graph_add_edge(&f->map.graph, 1, 0, EDGE_ENTRY);
    f->entries = 7;

    f = add_function(p, "jumps", SOURCE_FILE, 44, 1);
    set_block(f, 0, 3, 44u, 45u, 0u);
    add_edge(f, 0, 1, EDGE_EXIT, 4);
    add_edge(f, 1, 0, EDGE_ENTRY, 3);
    set_plan(f, PLACEMENT_EDGES, 1, 0u);
    f->map.blocks[0].call_count = 1;
    f->map.blocks[0].calls = ALLOC(struct map_call, 1);
    f->map.blocks[0].calls[0] = (struct map_call){.callee = MAP_CALLEE_UNKNOWN};
    f->entries = 3;
    profile_frames_add(&f->frames, &(struct profile_frame){.call = 1, .lines = 1, .cuts = 1, .resumes = 2});

    f = add_function(p, "die", NULL, 0, 1);
    set_block(f, 0, 0, 0u);
    add_edge(f, 1, 0, EDGE_ENTRY, 0);
    add_edge(f, 0, 1, EDGE_VIRTUAL, 0);
    set_plan(f, PLACEMENT_EDGES, 1, 1u);
}

#endif
