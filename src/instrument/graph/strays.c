/*
 * Four kinds are known.
 *
 *  1. The jump of an empty block (`case 2: again:`, a join before a label, the end of a loop that
 *     is the body of another statement) has the location that clang was at last. That is of other
 *     code, which need not have run: an instruction before it, or the end of a loop that is over,
 *     which clang notes beside the jump back. A jump of the source, and a brace that the block
 *     comes to, have a location that nothing before them has.
 *
 *  2. The comparison for `case 0 ... 99:` is emitted after the statement that follows it, and has
 *     that statement's location. It belongs to the switch.
 *
 *  3. Clang emits the handlers of a try block from the last to the first, and begins each where it
 *     ended the one before: the code that takes the exception has the location of the next
 *     handler's closing brace, which comes after the first statement of its own handler.
 *
 *  4. A counter of clang's own (-fprofile-instr-generate) has the location that clang was at last,
 *     and fills blocks that are empty without it.
 *
 * Code that exists only from -O1 on, because lifetimes end there, is ignored: only blocks of the
 * graph count, and of them the instructions that have lines. So the same is found at every level.
 */
#include "instrument/graph/strays.h"
#include "base/memory.h"
#include "base/text.h"
#include "instrument/graph/describe.h"
#include "instrument/llvm/versions.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

static uint64_t key_of(LLVMValueRef instruction)
{
    return (uint64_t)(uintptr_t)instruction;
}

/* The spot of a location in the source, regardless of its scope; 0 if it has no line. */
static uint64_t spot_of(LLVMMetadataRef location)
{
    if (!location || !LLVMDILocationGetLine(location))
        return 0;
    uint64_t spot[] = {(uintptr_t)LLVMDIScopeGetFile(LLVMDILocationGetScope(location)),
                       LLVMDILocationGetLine(location), LLVMDILocationGetColumn(location)};
    return hash_bytes(spot, sizeof spot);
}

static bool is_counter_of_clang(LLVMValueRef instruction)
{
    LLVMValueRef callee = LLVMIsACallInst(instruction) ? LLVMGetCalledValue(instruction) : NULL;
    return callee && LLVMIsAFunction(callee) && LLVMGetIntrinsicID(callee) &&
           text_starts_with(describe_linkage_name(callee), "llvm.instrprof.");
}

static bool is_nothing(const struct function_graph *f, LLVMValueRef instruction)
{
    return ir_is_lifetime_marker(instruction) || ir_is_slot_store(&f->ir, instruction) ||
           LLVMIsADbgInfoIntrinsic(instruction) || is_counter_of_clang(instruction);
}

/* The jump of a block of the graph that holds nothing else and leads to a later block, or NULL. */
static LLVMValueRef jump_of_empty(const struct function_graph *f, uint32_t block)
{
    LLVMValueRef jump = NULL;
    for (uint32_t at = f->head[block]; at != IR_NONE; at = f->next[at]) {
        LLVMBasicBlockRef ir = f->ir.items[at].block;
        jump = LLVMGetBasicBlockTerminator(ir);
        if (!jump || !LLVMIsABranchInst(jump) || LLVMIsConditional(jump))
            return NULL;
        for (LLVMValueRef i = LLVMGetFirstInstruction(ir); i != jump; i = LLVMGetNextInstruction(i))
            if (!is_nothing(f, i))
                return NULL;
    }
    uint32_t from = f->tail[block], to = ir_block_number(&f->ir, LLVMGetSuccessor(jump, 0));
    return ir_resolve(&f->ir, from, to) > from ? jump : NULL;
}

/* The end of the loop that the instruction jumps back in: the last location of `llvm.loop`. */
static uint64_t end_of_loop(LLVMValueRef instruction)
{
    LLVMContextRef context = LLVMGetModuleContext(
        LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction))));
    unsigned kind = LLVMGetMDKindIDInContext(context, "llvm.loop", strlen("llvm.loop"));
    LLVMValueRef loop = LLVMGetMetadata(instruction, kind);
    if (!loop)
        return 0;
    unsigned count = LLVMGetMDNodeNumOperands(loop);
    LLVMValueRef *operands = ALLOC(LLVMValueRef, count);
    LLVMMetadataRef end = NULL;
    LLVMGetMDNodeOperands(loop, operands);
    for (unsigned i = 0; i < count; i++) {
        LLVMMetadataRef operand = operands[i] ? LLVMValueAsMetadata(operands[i]) : NULL;
        if (operand && LLVMGetMetadataKind(operand) == LLVMDILocationMetadataKind)
            end = operand;
    }
    free(operands);
    return spot_of(end);
}

static void add_spot(struct hash_map *spots, uint64_t spot)
{
    if (spot)
        hash_map_put(spots, spot, NULL);
}

/* Adds the locations of the IR block that clang may give to later blocks. */
static void add_spots(struct hash_map *spots, const struct function_graph *f, uint32_t ir)
{
    LLVMBasicBlockRef block = f->ir.items[ir].block;
    LLVMValueRef last = LLVMGetBasicBlockTerminator(block);
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
        if (!is_nothing(f, i) && !(i == last && f->next[ir] != IR_NONE))
            add_spot(spots, spot_of(LLVMInstructionGetDebugLoc(i)));
    if (last)
        add_spot(spots, end_of_loop(last));
}

static void find_jumps(struct hash_map *strays, const struct function_graph *f)
{
    struct hash_map spots = {0};
    LLVMValueRef *jumps = ZALLOC(LLVMValueRef, f->ir.count); /* by the IR block that they end */
    for (uint32_t b = 0; b < graph_exit(&f->graph); b++)
        jumps[f->tail[b]] = jump_of_empty(f, b);
    for (uint32_t ir = 0; ir < f->ir.count; ir++) {
        if (f->ir.items[ir].pass != PASS_NONE)
            continue;
        uint64_t spot = jumps[ir] ? spot_of(LLVMInstructionGetDebugLoc(jumps[ir])) : 0;
        if (spot && hash_map_get(&spots, spot))
            *hash_map_put(strays, key_of(jumps[ir]), NULL) = 0;
        add_spots(&spots, f, ir);
    }
    free(jumps);
    hash_map_release(&spots);
}

LLVMValueRef strays_switch_of_range(LLVMBasicBlockRef block)
{
    enum { NAME_LENGTH = 12 };
    while (!strncmp(LLVMGetBasicBlockName(block), "sw.caserange", NAME_LENGTH)) {
        LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block));
        LLVMValueRef before = use && !LLVMGetNextUse(use) ? LLVMGetUser(use) : NULL;
        if (!before || LLVMIsASwitchInst(before))
            return before;
        block = LLVMGetInstructionParent(before);
    }
    return NULL;
}

static void find_ranges(struct hash_map *strays, const struct function_graph *f)
{
    for (uint32_t ir = 0; ir < f->ir.count; ir++) {
        LLVMBasicBlockRef block = f->ir.items[ir].block;
        LLVMValueRef asks = strays_switch_of_range(block);
        for (LLVMValueRef i = asks ? LLVMGetFirstInstruction(block) : NULL; i; i = LLVMGetNextInstruction(i))
            *hash_map_put(strays, key_of(i), NULL) = key_of(asks);
    }
}

static bool begins_catch(LLVMValueRef instruction)
{
    LLVMValueRef callee = call_is_numbered(instruction) ? LLVMGetCalledValue(instruction) : NULL;
    return callee && LLVMIsAFunction(callee) && !strcmp(describe_linkage_name(callee), "__cxa_begin_catch");
}

/* Does a come after b in the same file? */
static bool is_behind(LLVMMetadataRef a, LLVMMetadataRef b)
{
    unsigned line_a = LLVMDILocationGetLine(a), line_b = LLVMDILocationGetLine(b);
    return LLVMDIScopeGetFile(LLVMDILocationGetScope(a)) == LLVMDIScopeGetFile(LLVMDILocationGetScope(b)) &&
           (line_a > line_b || (line_a == line_b && LLVMDILocationGetColumn(a) > LLVMDILocationGetColumn(b)));
}

/* The first instruction from `i` on that is elsewhere than at `spot`, as far as control can go
 * only one way but for exceptions; NULL if there is none. */
static LLVMValueRef first_elsewhere(LLVMValueRef i, uint64_t spot)
{
    enum { MOST_BLOCKS = 16 };
    for (unsigned blocks = 0; i && blocks < MOST_BLOCKS;) {
        uint64_t own = spot_of(LLVMInstructionGetDebugLoc(i));
        if (own && own != spot && !ir_is_lifetime_marker(i) && !is_counter_of_clang(i))
            return i;
        LLVMValueRef next = LLVMGetNextInstruction(i);
        bool goes_on = LLVMIsAInvokeInst(i) || (LLVMIsABranchInst(i) && !LLVMIsConditional(i));
        blocks += !next;
        i = next ? next : goes_on ? LLVMGetFirstInstruction(LLVMGetSuccessor(i, 0)) : NULL;
    }
    return NULL;
}

static void find_handlers(struct hash_map *strays, const struct function_graph *f)
{
    for (uint32_t ir = 0; ir < f->ir.count; ir++) {
        LLVMValueRef first = LLVMGetFirstInstruction(f->ir.items[ir].block), i = first;
        while (i && !begins_catch(i))
            i = LLVMGetNextInstruction(i);
        LLVMMetadataRef at = i ? LLVMInstructionGetDebugLoc(i) : NULL;
        LLVMValueRef own = at ? first_elsewhere(i, spot_of(at)) : NULL;
        if (!own || !is_behind(at, LLVMInstructionGetDebugLoc(own)))
            continue;
        for (i = first; i != own;) {
            *hash_map_put(strays, key_of(i), NULL) = 0;
            LLVMValueRef next = LLVMGetNextInstruction(i);
            i = next ? next : LLVMGetFirstInstruction(LLVMGetSuccessor(i, 0));
        }
    }
}

static void find_counters(struct hash_map *strays, const struct function_graph *f)
{
    for (uint32_t ir = 0; ir < f->ir.count; ir++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(f->ir.items[ir].block); i;
             i = LLVMGetNextInstruction(i))
            if (is_counter_of_clang(i))
                *hash_map_put(strays, key_of(i), NULL) = 0;
}

void strays_find(struct hash_map *strays, const struct function_graph *f)
{
    find_counters(strays, f);
    find_jumps(strays, f);
    find_ranges(strays, f);
    find_handlers(strays, f);
}
