/*
 * IR -> graph.
 *
 * Rules, each of which fixes ids:
 *  1. Blocks are clang's blocks in clang's order, without those that control cannot reach, those
 *     that exist for lifetime markers only (cleanup.c), and without `cleanup.cont` where it merely
 *     continues another block.
 *  2. For each block in order: its successors in the terminator's order. Several branches from one
 *     terminator to the same block (cases of a switch, targets of an indirect goto) are one edge:
 *     they cannot be counted apart without changing the code, and the source rarely tells them
 *     apart. ret and resume make one exit edge, unreachable none.
 *  3. graph_complete adds the entry edge and the virtual edges.
 *
 * Ids are the same at every -O level and with -g, except where clang itself emits other blocks: a
 * case that does nothing but break has a block at -O0 only, and in C++ lifetimes that end when an
 * exception passes bring landing pads of their own, from -O1 on. Counts are right everywhere.
 *
 * Where probes go: an edge is counted at the start of its target if that has no other edge in, else
 * at the start of its source if that has no other edge out, else on the branch, which is split.
 * Exit edges and virtual edges are counted at the start of their block; but a block that does
 * nothing but return is counted on the edges into it, where their sources start. So a probe never
 * stands between a call and the return, and tail calls stay tail calls. Branches into landing pads
 * and out of an indirect goto cannot be split.
 */
#include "instrument/graph/function_graph.h"
#include "base/memory.h"
#include "instrument/graph/returns_twice.h"

#include <string.h>

/* A branch of an IR block: the block of the graph that it leads to, and its first step there. */
struct resolved {
    uint32_t to;             /* IR block number, an ordinary one */
    LLVMBasicBlockRef first; /* the successor in the IR */
};
struct resolved_list ARRAY_OF(struct resolved);

struct builder {
    struct function_graph *f;
    struct resolved_list branches; /* of all reachable ordinary blocks */
    uint32_t *start;               /* IR block -> first place in branches */
    uint32_t *end;
    bool *reachable;
};

static unsigned successor_count(LLVMBasicBlockRef block)
{
    LLVMValueRef terminator = LLVMGetBasicBlockTerminator(block);
    return terminator ? LLVMGetNumSuccessors(terminator) : 0;
}

/* Finds the successors of an IR block, each once and in order, and the blocks that they lead to.
 * Takes linear time: switches can have thousands of cases. */
static void resolve_block(struct builder *b, uint32_t from)
{
    const struct ir_blocks *ir = &b->f->ir;
    LLVMValueRef terminator = LLVMGetBasicBlockTerminator(ir->items[from].block);
    struct ir_successors slot;
    bool by_slot = ir_slot_successors(ir, from, &slot);
    unsigned count = by_slot ? slot.count : successor_count(ir->items[from].block);
    struct hash_map seen = {0};
    b->start[from] = (uint32_t)b->branches.count;
    for (unsigned i = 0; i < count; i++) {
        LLVMBasicBlockRef first = by_slot ? slot.items[i] : LLVMGetSuccessor(terminator, i);
        bool added = true;
        if (count > 1)
            hash_map_put(&seen, (uint64_t)(uintptr_t)first, &added);
        if (added) {
            uint32_t to = ir_resolve(ir, from, ir_block_number(ir, first));
            ARRAY_PUSH(&b->branches, ((struct resolved){.to = to, .first = first}));
        }
    }
    b->end[from] = (uint32_t)b->branches.count;
    hash_map_release(&seen);
}

static void find_reachable(struct builder *b)
{
    uint32_t count = b->f->ir.count, depth = 0;
    uint32_t *stack = ALLOC(uint32_t, count);
    b->reachable[0] = true;
    stack[depth++] = 0;
    while (depth) {
        uint32_t at = stack[--depth];
        resolve_block(b, at);
        for (uint32_t i = b->start[at]; i < b->end[at]; i++) {
            uint32_t to = b->branches.items[i].to;
            if (!b->reachable[to]) {
                b->reachable[to] = true;
                stack[depth++] = to;
            }
        }
    }
    free(stack);
}

/* The only IR block that `from` branches to, or IR_NONE. */
static uint32_t only_target(const struct builder *b, uint32_t from)
{
    return b->end[from] - b->start[from] == 1 ? b->branches.items[b->start[from]].to : IR_NONE;
}

/* How many branches of reachable blocks lead to each IR block. */
static uint32_t *count_branches_in(const struct builder *b)
{
    uint32_t count = b->f->ir.count, *branches_in = ZALLOC(uint32_t, count);
    for (uint32_t from = 0; from < count; from++)
        if (b->reachable[from])
            for (uint32_t i = b->start[from]; i < b->end[from]; i++)
                branches_in[b->branches.items[i].to]++;
    return branches_in;
}

/*
 * A void function whose last block is empty: clang makes it the block of all returns, but where a
 * lifetime ends there, it makes the cleanup.cont after it that block. Then the empty block is
 * looked through, and cleanup.cont stands for it. True if a block was found; branches must then be
 * resolved anew.
 */
static bool pass_empty_ends(struct builder *b)
{
    struct ir_blocks *ir = &b->f->ir;
    if (!ir->slot)
        return false;
    uint32_t *branches_in = count_branches_in(b);
    bool found = false;
    for (uint32_t from = 1; from < ir->count; from++) {
        uint32_t to = b->reachable[from] ? only_target(b, from) : IR_NONE;
        if (to != IR_NONE && to != from && ir->items[to].continuation && branches_in[to] > 1 &&
            ir_is_empty_end(ir, from)) {
            ir->items[from].pass = PASS_BRANCH;
            found = true;
        }
    }
    free(branches_in);
    return found;
}

/*
 * Joins a block with the one that only continues it: cleanup.cont after a cleanup that is looked
 * through, or a cleanup's own switch after the destructor call that it belongs to (kept because it
 * is not known where it leads).
 */
static void join_continuations(struct builder *b)
{
    struct function_graph *f = b->f;
    uint32_t count = f->ir.count;
    uint32_t *branches_in = count_branches_in(b);
    for (uint32_t from = 0; from < count; from++) {
        f->next[from] = IR_NONE;
        uint32_t to = b->reachable[from] ? only_target(b, from) : IR_NONE;
        if (to != IR_NONE && to != 0 && to != from && f->ir.items[to].continuation && branches_in[to] == 1 &&
            !LLVMIsAInvokeInst(LLVMGetBasicBlockTerminator(f->ir.items[from].block)))
            f->next[from] = to;
    }
    free(branches_in);
}

/* Numbers the blocks; the result maps IR blocks that begin one to its number. */
static uint32_t *number_blocks(struct builder *b, uint32_t *block_count)
{
    struct function_graph *f = b->f;
    uint32_t count = f->ir.count, blocks = 0;
    uint32_t *number = ALLOC(uint32_t, count);
    bool *continues = ZALLOC(bool, count);
    for (uint32_t i = 0; i < count; i++)
        if (f->next[i] != IR_NONE)
            continues[f->next[i]] = true;
    f->head = ALLOC(uint32_t, count);
    f->tail = ALLOC(uint32_t, count);
    for (uint32_t i = 0; i < count; i++) {
        number[i] = IR_NONE;
        if (!b->reachable[i] || continues[i])
            continue;
        f->head[blocks] = f->tail[blocks] = i;
        while (f->next[f->tail[blocks]] != IR_NONE)
            f->tail[blocks] = f->next[f->tail[blocks]];
        number[i] = blocks++;
    }
    free(continues);
    *block_count = blocks;
    return number;
}

static bool leaves_function(LLVMBasicBlockRef block)
{
    LLVMValueRef terminator = LLVMGetBasicBlockTerminator(block);
    return terminator && (LLVMIsAReturnInst(terminator) || LLVMIsAResumeInst(terminator));
}

/* Adds the edges of all blocks, and their branches. Branches of one edge become neighbours: few
 * edges have two. */
static void add_edges(struct builder *b, const uint32_t *number)
{
    struct function_graph *f = b->f;
    uint32_t blocks = f->graph.vertex_count - 1, branch_count = 0;
    struct {
        uint32_t edge;
        struct ir_branch branch;
    } *found = memory_alloc(b->branches.count, sizeof *found);
    for (uint32_t v = 0; v < blocks; v++) {
        uint32_t at = f->tail[v];
        LLVMBasicBlockRef from = f->ir.items[at].block;
        struct hash_map seen = {0};
        for (uint32_t i = b->start[at]; i < b->end[at]; i++) {
            uint32_t to = number[b->branches.items[i].to];
            bool added = true;
            uint64_t *edge = b->end[at] - b->start[at] > 1 ? hash_map_put(&seen, to, &added) : &(uint64_t){0};
            if (added)
                *edge = graph_add_edge(&f->graph, v, to, EDGE_FLOW);
            found[branch_count].edge = (uint32_t)*edge;
            found[branch_count++].branch = (struct ir_branch){.from = from, .to = b->branches.items[i].first};
        }
        hash_map_release(&seen);
        if (leaves_function(from))
            graph_add_edge(&f->graph, v, graph_exit(&f->graph), EDGE_EXIT);
    }
    graph_complete(&f->graph);

    f->branch_start = ZALLOC(uint32_t, (size_t)f->graph.edge_count + 1);
    f->branches = ALLOC(struct ir_branch, branch_count);
    for (uint32_t i = 0; i < branch_count; i++)
        f->branch_start[found[i].edge + 1]++;
    for (uint32_t e = 0; e < f->graph.edge_count; e++)
        f->branch_start[e + 1] += f->branch_start[e];
    uint32_t *fill = ALLOC(uint32_t, f->graph.edge_count);
    memcpy(fill, f->branch_start, f->graph.edge_count * sizeof *fill);
    for (uint32_t i = 0; i < branch_count; i++)
        f->branches[fill[found[i].edge]++] = found[i].branch;
    free(fill);
    free(found);
}

static bool is_landing_pad(LLVMBasicBlockRef block)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
        if (!LLVMIsAPHINode(i))
            return LLVMIsALandingPadInst(i) != NULL;
    return false;
}

static enum probe_site site_of(const struct function_graph *f, uint32_t edge, const uint32_t *in,
                               const uint32_t *out)
{
    const struct edge *e = &f->graph.edges[edge];
    if (e->kind == EDGE_ENTRY)
        return EDGE_AT_TARGET;
    if (e->kind != EDGE_FLOW)
        return out[e->from] == 1 ? EDGE_AT_SOURCE : EDGE_NOWHERE;
    if (in[e->to] == 1 && !(out[e->from] == 1 && f->only_returns[e->to]))
        return EDGE_AT_TARGET;
    if (out[e->from] == 1)
        return EDGE_AT_SOURCE;
    for (uint32_t i = f->branch_start[edge]; i < f->branch_start[edge + 1]; i++) {
        const struct ir_branch *branch = &f->branches[i];
        if (LLVMIsAIndirectBrInst(LLVMGetBasicBlockTerminator(branch->from)) || is_landing_pad(branch->to))
            return EDGE_NOWHERE;
    }
    return EDGE_ON_BRANCH;
}

/* Does the block hold nothing but loads of the value to return, lifetime markers and the return?
 * That is what comes after a tail call. */
static bool does_only_return(const struct function_graph *f, uint32_t block)
{
    LLVMBasicBlockRef ir = function_graph_head(f, block);
    LLVMValueRef terminator = LLVMGetBasicBlockTerminator(ir);
    if (f->head[block] != f->tail[block] || !terminator || !LLVMIsAReturnInst(terminator))
        return false;
    for (LLVMValueRef i = LLVMGetFirstInstruction(ir); i != terminator; i = LLVMGetNextInstruction(i))
        if (LLVMGetInstructionOpcode(i) == LLVMCall ? !ir_is_lifetime_marker(i) : !LLVMIsAUnaryInstruction(i))
            return false;
    return true;
}

static void find_sites(struct function_graph *f)
{
    const struct graph *g = &f->graph;
    uint32_t *in = ZALLOC(uint32_t, g->vertex_count), *out = ZALLOC(uint32_t, g->vertex_count);
    for (uint32_t e = 0; e < g->edge_count; e++) {
        out[g->edges[e].from]++;
        in[g->edges[e].to]++;
    }
    f->only_returns = ZALLOC(bool, g->vertex_count);
    for (uint32_t v = 1; v < graph_exit(g); v++)
        f->only_returns[v] = does_only_return(f, v);
    f->site = ALLOC(enum probe_site, g->edge_count);
    f->no_probe = ALLOC(bool, g->edge_count);
    for (uint32_t e = 0; e < g->edge_count; e++) {
        f->site[e] = site_of(f, e, in, out);
        f->no_probe[e] = f->site[e] == EDGE_NOWHERE;
    }
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (f->no_probe[e])
            f->only_returns[g->edges[e].to] = false;
    free(in);
    free(out);
}

bool call_is_numbered(LLVMValueRef instruction)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);
    if (opcode != LLVMCall && opcode != LLVMInvoke && opcode != LLVMCallBr)
        return false;
    LLVMValueRef callee = LLVMGetCalledValue(instruction);
    return !LLVMIsAInlineAsm(callee) &&
           (!(LLVMIsAFunction(callee) && LLVMGetIntrinsicID(callee)) || call_is_builtin_jump(instruction));
}

bool call_is_of_kernel(LLVMValueRef instruction)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);
    bool calls = opcode == LLVMCall || opcode == LLVMInvoke || opcode == LLVMCallBr, found = false;
    if (!calls || !LLVMIsAInlineAsm(LLVMGetCalledValue(instruction)))
        return false;
    static const char *const words[] = {"syscall", "sysenter", "int $$0x80", "int $$128"};
    char *text = LLVMPrintValueToString(LLVMGetCalledValue(instruction));
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        found |= strstr(text, words[i]) != NULL;
    LLVMDisposeMessage(text);
    return found;
}

void function_graph_init(struct function_graph *f, LLVMValueRef function)
{
    *f = (struct function_graph){.function = function};
    ir_blocks_init(&f->ir, function);
    uint32_t count = f->ir.count, blocks;
    f->next = ALLOC(uint32_t, count);
    struct builder b = {.f = f,
                        .start = ZALLOC(uint32_t, count),
                        .end = ZALLOC(uint32_t, count),
                        .reachable = ZALLOC(bool, count)};
    do {
        memset(b.reachable, 0, count * sizeof *b.reachable);
        b.branches.count = 0;
        find_reachable(&b);
    } while (pass_empty_ends(&b));
    join_continuations(&b);
    uint32_t *number = number_blocks(&b, &blocks);
    graph_init(&f->graph, blocks);
    add_edges(&b, number);
    find_sites(f);
    free(number);
    free(b.start);
    free(b.end);
    free(b.reachable);
    ARRAY_RELEASE(&b.branches);
}

void function_graph_release(struct function_graph *f)
{
    ir_blocks_release(&f->ir);
    graph_release(&f->graph);
    free(f->head);
    free(f->tail);
    free(f->next);
    free(f->branch_start);
    free(f->branches);
    free(f->site);
    free(f->no_probe);
    free(f->only_returns);
    free(f->region);
    *f = (struct function_graph){0};
}
