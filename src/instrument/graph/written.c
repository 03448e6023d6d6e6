#include "instrument/graph/written.h"
#include "base/memory.h"
#include "instrument/graph/describe.h"

#include <string.h>

static LLVMValueRef called_function(LLVMValueRef instruction)
{
    LLVMValueRef callee = call_is_numbered(instruction) ? LLVMGetCalledValue(instruction) : NULL;
    return callee && LLVMIsAFunction(callee) ? callee : NULL;
}

static bool calls_by_name(const struct function_graph *f, uint32_t block, const char *name)
{
    for (uint32_t at = f->head[block]; at != IR_NONE; at = f->next[at])
        for (LLVMValueRef i = LLVMGetFirstInstruction(f->ir.items[at].block); i;
             i = LLVMGetNextInstruction(i)) {
            LLVMValueRef callee = called_function(i);
            if (callee && !strcmp(describe_linkage_name(callee), name))
                return true;
        }
    return false;
}

/* The blocks that control reaches without an exception, from the function's beginning or from a
 * handler. */
static bool *find_reached(const struct map_function *map, const struct function_graph *f)
{
    const struct graph *g = &f->graph;
    uint32_t *stack = ALLOC(uint32_t, g->vertex_count), depth = 0;
    bool *reached = ZALLOC(bool, g->vertex_count);
    struct adjacency adjacent;
    adjacency_init(&adjacent, g);
    for (uint32_t b = 0; b < graph_exit(g); b++)
        if (b == GRAPH_ROOT || calls_by_name(f, b, "__cxa_begin_catch")) {
            reached[b] = true;
            stack[depth++] = b;
        }
    while (depth) {
        uint32_t b = stack[--depth];
        for (uint32_t k = adjacent.out_start[b]; k < adjacent.out_start[b + 1]; k++) {
            uint32_t to = g->edges[adjacent.out[k]].to;
            if (to == graph_exit(g) || reached[to] || map->blocks[to].hazards & MAP_HAZARD_LANDING_PAD)
                continue;
            reached[to] = true;
            stack[depth++] = to;
        }
    }
    adjacency_release(&adjacent);
    free(stack);
    return reached;
}

static bool has_line(const struct map_block *block, struct map_line line)
{
    for (uint32_t i = 0; i < block->line_count; i++)
        if (block->lines[i].line == line.line && block->lines[i].file == line.file)
            return true;
    return false;
}

/* The block that each IR block is part of. */
static uint32_t *find_owners(const struct function_graph *f)
{
    uint32_t *owner = ALLOC(uint32_t, f->ir.count);
    for (uint32_t i = 0; i < f->ir.count; i++)
        owner[i] = GRAPH_NONE;
    for (uint32_t b = 0; b < graph_exit(&f->graph); b++)
        for (uint32_t at = f->head[b]; at != IR_NONE; at = f->next[at])
            owner[at] = b;
    return owner;
}

/*
 * Marks the blocks of a loop of clang's own, as far as the block before the loop has their lines,
 * too. Such a loop begins with a phi: variables of the source are in memory as long as nothing is
 * optimised.
 */
static void mark_loop(struct map_function *map, const struct graph *g, const struct adjacency *adjacent,
                      uint32_t head, uint32_t before, uint32_t latch)
{
    bool *inside = ZALLOC(bool, g->vertex_count);
    uint32_t *stack = ALLOC(uint32_t, g->vertex_count), depth = 0;
    inside[head] = true;
    if (!inside[latch])
        stack[depth++] = latch;
    inside[latch] = true;
    while (depth) {
        uint32_t b = stack[--depth];
        for (uint32_t k = adjacent->in_start[b]; k < adjacent->in_start[b + 1]; k++) {
            uint32_t from = g->edges[adjacent->in[k]].from;
            if (from != graph_exit(g) && !inside[from]) {
                inside[from] = true;
                stack[depth++] = from;
            }
        }
    }
    for (uint32_t b = 0; b < graph_exit(g) && !inside[before]; b++) {
        bool same = inside[b];
        for (uint32_t i = 0; same && i < map->blocks[b].line_count; i++)
            same = has_line(&map->blocks[before], map->blocks[b].lines[i]);
        if (same)
            map->blocks[b].hazards |= MAP_BLOCK_UNWRITTEN;
    }
    free(inside);
    free(stack);
}

static void find_loops(struct map_function *map, const struct function_graph *f)
{
    struct adjacency adjacent = {0};
    uint32_t *owner = find_owners(f);
    for (uint32_t b = 0; b < graph_exit(&f->graph); b++) {
        LLVMValueRef phi = LLVMGetFirstInstruction(function_graph_head(f, b));
        if (!phi || !LLVMIsAPHINode(phi) || LLVMCountIncoming(phi) != 2)
            continue;
        uint32_t from[2];
        for (unsigned i = 0; i < 2; i++)
            from[i] = owner[ir_block_number(&f->ir, LLVMGetIncomingBlock(phi, i))];
        if (from[0] == GRAPH_NONE || from[1] == GRAPH_NONE || (from[0] < b) == (from[1] < b))
            continue; /* no loop: two branches meet */
        if (!adjacent.out)
            adjacency_init(&adjacent, &f->graph);
        mark_loop(map, &f->graph, &adjacent, b, from[from[0] >= b], from[from[0] < b]);
    }
    if (adjacent.out)
        adjacency_release(&adjacent);
    free(owner);
}

/* "_ZN1AD0Ev" and "_ZN1AD1Ev": two bodies of one constructor or destructor. */
static bool are_bodies_of_one(const char *a, const char *b)
{
    size_t length = strlen(a), at = 0;
    if (strncmp(a, "_Z", 2) || length != strlen(b))
        return false;
    while (at < length && a[at] == b[at])
        at++;
    return at && at < length && (a[at - 1] == 'C' || a[at - 1] == 'D') && a[at] >= '0' && a[at] <= '5' &&
           b[at] >= '0' && b[at] <= '5' && !strcmp(a + at + 1, b + at + 1);
}

static bool only_calls_another_body(const struct function_graph *f)
{
    const char *name = describe_linkage_name(f->function);
    for (uint32_t b = 0; b < graph_exit(&f->graph) && !strncmp(name, "_Z", 2); b++)
        for (uint32_t at = f->head[b]; at != IR_NONE; at = f->next[at])
            for (LLVMValueRef i = LLVMGetFirstInstruction(f->ir.items[at].block); i;
                 i = LLVMGetNextInstruction(i)) {
                LLVMValueRef callee = called_function(i);
                if (callee && are_bodies_of_one(name, describe_linkage_name(callee)))
                    return true;
            }
    return false;
}

void written_find(struct map_function *map, const struct function_graph *f)
{
    bool all = only_calls_another_body(f), *reached = find_reached(map, f);
    for (uint32_t b = 0; b < graph_exit(&f->graph); b++)
        if (all || !reached[b])
            map->blocks[b].hazards |= MAP_BLOCK_UNWRITTEN;
    free(reached);
    find_loops(map, f);
}
