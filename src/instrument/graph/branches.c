/*
 * The order of a branch's successors in the IR is not that of the source: for `if (!x)` clang tests
 * x and exchanges the successors, and nothing of the `!` is left in the IR. But clang names its
 * blocks by what they are, and the plugin asks clang to keep the names:
 *
 *  1. The block of the next operand of && and || tells what the operand before it was:
 *     land.lhs.true and land.rhs: true; lor.lhs.false and lor.rhs: false.
 *  2. The last operand shares a successor with the one before it: the false one of &&, the true one
 *     of ||. If that is not where && or || leads by itself (a && leads to if.then when it is
 *     false), the whole is negated, `!(a && b)`, and this rule goes before rule 1.
 *  3. Elsewhere the statement tells: if.then, cond.true, for.body ... are where control goes if it
 *     is true.
 *
 * A branch whose successors have none of these names is clang's own, not one of the source: a test
 * for a null pointer that is deleted, or for a static variable that is initialised once. Neither is
 * one whose condition is a constant. Cases of a switch are in the order of their blocks, which is
 * the source's; a wide range of cases is a branch of its own, after the switch's default.
 */
#include "instrument/graph/branches.h"
#include "base/memory.h"
#include "instrument/graph/strays.h"
#include "instrument/llvm/versions.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

enum truth { UNKNOWN, WHEN_TRUE, WHEN_FALSE };

struct meaning {
    const char *name;
    enum truth truth;
};
static const struct meaning operands[] = {{"land.lhs.true", WHEN_TRUE},
                                          {"land.rhs", WHEN_TRUE},
                                          {"lor.lhs.false", WHEN_FALSE},
                                          {"lor.rhs", WHEN_FALSE},
                                          {NULL, UNKNOWN}};
static const struct meaning statements[] = {{"if.then", WHEN_TRUE},     {"if.else", WHEN_FALSE},
                                            {"if.end", WHEN_FALSE},     {"cond.true", WHEN_TRUE},
                                            {"cond.false", WHEN_FALSE}, {"for.body", WHEN_TRUE},
                                            {"for.end", WHEN_FALSE},    {"for.cond.cleanup", WHEN_FALSE},
                                            {"while.body", WHEN_TRUE},  {"while.end", WHEN_FALSE},
                                            {"while.exit", WHEN_FALSE}, {"do.body", WHEN_TRUE},
                                            {"do.end", WHEN_FALSE},     {NULL, UNKNOWN}};

/* By the block's name, without the number that LLVM adds to make it unique. */
static enum truth meaning_of(LLVMBasicBlockRef block, const struct meaning *list)
{
    const char *name = LLVMGetBasicBlockName(block);
    for (; list->name; list++) {
        size_t length = strlen(list->name);
        if (!strncmp(name, list->name, length) && !name[length + strspn(name + length, "0123456789")])
            return list->truth;
    }
    return UNKNOWN;
}

static enum truth opposite(enum truth truth)
{
    return truth == UNKNOWN ? UNKNOWN : truth == WHEN_TRUE ? WHEN_FALSE : WHEN_TRUE;
}

/* What the list says about the first successor, by the name of either. */
static enum truth by_names(const LLVMBasicBlockRef successors[2], const struct meaning *list)
{
    enum truth first = meaning_of(successors[0], list);
    return first != UNKNOWN ? first : opposite(meaning_of(successors[1], list));
}

/* The only branch into the block, if it is a condition; else NULL. */
static LLVMValueRef only_condition_before(LLVMBasicBlockRef block)
{
    LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block));
    LLVMValueRef user = use && !LLVMGetNextUse(use) ? LLVMGetUser(use) : NULL;
    return user && LLVMIsABranchInst(user) && LLVMIsConditional(user) ? user : NULL;
}

/* Rule 2: what the first successor means where the block is an operand of && or || and shares a
 * successor with the operand before. negated: && or || would not lead there by itself. */
static enum truth by_operand_before(LLVMBasicBlockRef block, const LLVMBasicBlockRef successors[2],
                                    bool *negated)
{
    enum truth before = meaning_of(block, operands);
    LLVMValueRef condition = before == UNKNOWN ? NULL : only_condition_before(block);
    if (!condition)
        return UNKNOWN;
    LLVMBasicBlockRef shared = LLVMGetSuccessor(condition, LLVMGetSuccessor(condition, 0) == block);
    *negated = meaning_of(shared, statements) == before;
    if (shared == successors[0])
        return opposite(before);
    return shared == successors[1] ? before : UNKNOWN;
}

/* Does control take the first successor when the condition of the source is true? */
static enum truth first_successor(LLVMValueRef branch)
{
    LLVMBasicBlockRef block = LLVMGetInstructionParent(branch);
    const LLVMBasicBlockRef successors[2] = {LLVMGetSuccessor(branch, 0), LLVMGetSuccessor(branch, 1)};
    bool negated = false;
    enum truth next = by_names(successors, operands), shared = by_operand_before(block, successors, &negated);
    if (next != UNKNOWN && !(shared != UNKNOWN && negated))
        return next;
    if (shared != UNKNOWN)
        return shared;
    enum truth statement = by_names(successors, statements);
    bool named = LLVMGetBasicBlockName(LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(block)))[0];
    return statement != UNKNOWN || named ? statement : WHEN_TRUE;
}

/* The edge that the branch from the end of the block to `to` is part of. */
static uint32_t edge_of(const struct function_graph *f, const struct adjacency *adjacent, uint32_t block,
                        LLVMBasicBlockRef to)
{
    for (uint32_t k = adjacent->out_start[block]; k < adjacent->out_start[block + 1]; k++)
        for (uint32_t i = f->branch_start[adjacent->out[k]]; i < f->branch_start[adjacent->out[k] + 1]; i++)
            if (f->branches[i].to == to)
                return adjacent->out[k];
    return GRAPH_NONE;
}

/* A range of cases is tested by `(value - first) <= rest`, whose first successor is the cases'
 * block. */
static bool add_range(struct map_branch *branch, const struct function_graph *f,
                      const struct adjacency *adjacent, LLVMValueRef terminator)
{
    LLVMValueRef asks = LLVMGetCondition(terminator);
    LLVMValueRef less = LLVMIsAICmpInst(asks) ? LLVMGetOperand(asks, 0) : NULL;
    if (!less || !LLVMIsAInstruction(less) || LLVMGetInstructionOpcode(less) != LLVMSub ||
        !LLVMIsAConstantInt(LLVMGetOperand(less, 1)) || !LLVMIsAConstantInt(LLVMGetOperand(asks, 1)) ||
        LLVMGetIntTypeWidth(LLVMTypeOf(less)) > 64)
        return false;
    uint64_t rest = LLVMConstIntGetZExtValue(LLVMGetOperand(asks, 1));
    branch->ways[0] =
        (struct map_way){.edge = edge_of(f, adjacent, branch->block, LLVMGetSuccessor(terminator, 0)),
                         .kind = MAP_WAY_CASE,
                         .value = LLVMConstIntGetSExtValue(LLVMGetOperand(less, 1)),
                         .more = rest < UINT32_MAX ? (uint32_t)rest : UINT32_MAX};
    branch->ways[1] =
        (struct map_way){.edge = edge_of(f, adjacent, branch->block, LLVMGetSuccessor(terminator, 1)),
                         .kind = MAP_WAY_DEFAULT};
    branch->way_count = 2;
    return true;
}

static void add_condition(struct map_branch *branch, const struct function_graph *f,
                          const struct adjacency *adjacent, LLVMValueRef terminator)
{
    if (strays_switch_of_range(LLVMGetInstructionParent(terminator)) &&
        add_range(branch, f, adjacent, terminator))
        return;
    enum truth first = LLVMIsConstant(LLVMGetCondition(terminator)) ? UNKNOWN : first_successor(terminator);
    if (first == UNKNOWN)
        return;
    for (unsigned i = 0; i < 2; i++) {
        LLVMBasicBlockRef to = LLVMGetSuccessor(terminator, first == WHEN_TRUE ? i : 1 - i);
        branch->ways[i] = (struct map_way){.edge = edge_of(f, adjacent, branch->block, to),
                                           .kind = i ? MAP_WAY_FALSE : MAP_WAY_TRUE};
    }
    branch->way_count = 2;
}

static int compare_ways(const void *left, const void *right, void *context)
{
    const struct edge *edges = context;
    uint32_t a = edges[((const struct map_way *)left)->edge].to;
    uint32_t b = edges[((const struct map_way *)right)->edge].to;
    return (a > b) - (a < b);
}

/* The entry that has the edge, added if there is none. By a hash: switches can have thousands of
 * cases. */
static struct map_way *way_of(struct map_branch *branch, struct hash_map *index, uint32_t edge, bool *added)
{
    uint64_t *place = hash_map_put(index, edge, added);
    if (*added) {
        *place = branch->way_count;
        branch->ways[branch->way_count++] = (struct map_way){.edge = edge};
    }
    return &branch->ways[*place];
}

static void add_cases(struct map_branch *branch, const struct function_graph *f,
                      const struct adjacency *adjacent, LLVMValueRef terminator)
{
    struct hash_map index = {0}, edges = {0};
    bool added, switches = LLVMIsASwitchInst(terminator);
    if (switches && LLVMIsConstant(LLVMGetOperand(terminator, 0)))
        return;
    for (uint32_t k = adjacent->out_start[branch->block]; k < adjacent->out_start[branch->block + 1]; k++)
        for (uint32_t i = f->branch_start[adjacent->out[k]]; i < f->branch_start[adjacent->out[k] + 1]; i++)
            *hash_map_put(&edges, (uint64_t)(uintptr_t)f->branches[i].to, NULL) = adjacent->out[k];
    for (unsigned i = 0; i < LLVMGetNumSuccessors(terminator); i++) {
        const uint64_t *edge = hash_map_get(&edges, (uint64_t)(uintptr_t)LLVMGetSuccessor(terminator, i));
        if (!edge)
            continue;
        struct map_way *way = way_of(branch, &index, (uint32_t)*edge, &added);
        if (!switches || i == 0) {
            way->kind = switches ? MAP_WAY_DEFAULT : MAP_WAY_LABEL;
        } else if (added) {
            LLVMValueRef value = LLVMGetSwitchCaseValue(terminator, i);
            way->kind = MAP_WAY_CASE;
            way->value = LLVMGetIntTypeWidth(LLVMTypeOf(value)) <= 64 ? LLVMConstIntGetSExtValue(value) : 0;
        } else if (way->kind == MAP_WAY_CASE) {
            way->more++;
        }
    }
    hash_map_release(&index);
    hash_map_release(&edges);
    if (branch->way_count)
        qsort_r(branch->ways, branch->way_count, sizeof *branch->ways, compare_ways, f->graph.edges);
}

/* Is it the comparison that clang adds to a condition that is no truth value? It has the location
 * of the statement. */
static bool is_question(LLVMValueRef value)
{
    return LLVMIsAICmpInst(value) && LLVMGetICmpPredicate(value) == LLVMIntNE &&
           LLVMIsConstant(LLVMGetOperand(value, 1)) && LLVMIsNull(LLVMGetOperand(value, 1));
}

/* Where a value begins in the source: the first location of all that it is computed from in its
 * block. */
static LLVMMetadataRef first_location(LLVMValueRef value, LLVMBasicBlockRef block)
{
    enum { MOST = 64 };
    LLVMValueRef work[MOST];
    LLVMMetadataRef first = NULL;
    unsigned count = 0, looked_at = 0;
    work[count++] = value;
    while (count && looked_at++ < MOST) {
        LLVMValueRef at = work[--count];
        if (!LLVMIsAInstruction(at) || LLVMIsAPHINode(at) || LLVMGetInstructionParent(at) != block)
            continue;
        LLVMMetadataRef location = LLVMInstructionGetDebugLoc(at);
        unsigned line = location && !is_question(at) ? LLVMDILocationGetLine(location) : 0;
        if (line && (!first || line < LLVMDILocationGetLine(first) ||
                     (line == LLVMDILocationGetLine(first) &&
                      LLVMDILocationGetColumn(location) < LLVMDILocationGetColumn(first))))
            first = location;
        for (int i = 0; i < LLVMGetNumOperands(at) && count < MOST; i++)
            work[count++] = LLVMGetOperand(at, (unsigned)i);
    }
    return first;
}

/* A branch is on the line where its condition begins, if the block has that line, else where the
 * block ends. */
static void locate(struct map_branch *branch, const struct map_block *block, LLVMValueRef terminator)
{
    LLVMValueRef asks = strays_switch_of_range(LLVMGetInstructionParent(terminator));
    terminator = asks ? asks : terminator;
    bool decides = LLVMIsASwitchInst(terminator) || LLVMIsAIndirectBrInst(terminator);
    LLVMValueRef value = LLVMIsABranchInst(terminator) ? LLVMGetCondition(terminator)
                         : decides                     ? LLVMGetOperand(terminator, 0)
                                                       : NULL;
    LLVMMetadataRef locations[2] = {value ? first_location(value, LLVMGetInstructionParent(terminator))
                                          : NULL,
                                    LLVMInstructionGetDebugLoc(terminator)};
    branch->entry = block->line_count ? block->line_count - 1 : MAP_BRANCH_NOWHERE;
    for (unsigned i = 0; i < 2; i++)
        for (uint32_t k = locations[i] ? block->line_count : 0; k-- > 0;)
            if (block->lines[k].line == LLVMDILocationGetLine(locations[i])) {
                branch->entry = k;
                branch->column = LLVMDILocationGetColumn(locations[i]);
                return;
            }
}

void branches_find(struct map_function *map, const struct function_graph *f)
{
    struct adjacency adjacent;
    uint32_t count = 0, blocks = graph_exit(&f->graph);
    adjacency_init(&adjacent, &f->graph);
    map->flags |= MAP_FUNCTION_BRANCHES;
    map->branches = ALLOC(struct map_branch, blocks);
    for (uint32_t b = 0; b < blocks; b++) {
        LLVMValueRef terminator = LLVMGetBasicBlockTerminator(function_graph_tail(f, b));
        struct ir_successors slot;
        if (adjacent.out_start[b + 1] - adjacent.out_start[b] < 2 || !terminator ||
            LLVMIsAInvokeInst(terminator) ||
            (LLVMIsABranchInst(terminator) && !LLVMIsConditional(terminator)) ||
            ir_slot_successors(&f->ir, f->tail[b], &slot) || map->blocks[b].hazards & MAP_BLOCK_UNWRITTEN)
            continue;
        struct map_branch branch = {
            .block = b,
            .ways = ZALLOC(struct map_way, adjacent.out_start[b + 1] - adjacent.out_start[b] + 2)};
        if (LLVMIsABranchInst(terminator))
            add_condition(&branch, f, &adjacent, terminator);
        else
            add_cases(&branch, f, &adjacent, terminator);
        locate(&branch, &map->blocks[b], terminator);
        if (branch.way_count < 2 || branch.ways[0].edge == branch.ways[1].edge)
            free(branch.ways);
        else
            map->branches[count++] = branch;
    }
    map->branch_count = count;
    adjacency_release(&adjacent);
}
