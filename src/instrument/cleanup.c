/*
 * Blocks that exist for lifetime markers only.
 *
 * From -O1 on clang marks where the storage of a local variable ends (llvm.lifetime.end). If a scope is left
 * in several ways, the marker needs a block of its own: every way out stores a number into
 * `cleanup.dest.slot` and branches to block `cleanup`, which ends the lifetime and switches on the slot to
 * where control was going:
 *
 *         if.then:  store 2, slot; br cleanup              (break)
 *         if.end:   ...; store 0, slot; br cleanup         (end of the scope)
 *         cleanup:  lifetime.end; switch (load slot) [0: cleanup.cont, 2: for.end]
 *
 * At -O0 there are no markers, hence no such blocks: if.then branches to for.end, and what is in cleanup.cont
 * simply goes on in if.end. The graph must be the same at every level, so these blocks are looked through: a
 * branch into one of them is taken to lead where the constant its source stored leads. Likewise the block
 * `for.cond.cleanup`, which stands between a loop's condition and its end, and the empty conditions of while
 * (1) and do ... while (0), which clang removes itself unless a cleanup is pending. Destructors are real
 * work: a block that calls one is a block of the graph at every level.
 *
 * A block qualifies by what it holds (nothing but markers, the slot's store or load, and its terminator) and
 * by the name clang gave it, since `lifetime.end; br` alone may as well be the end of an if.
 *
 * Invariant: what ir_resolve says is what happens at run time, for every execution of the branch. Where that
 * cannot be shown, the block stays a block of the graph: ids may then differ from -O0, counts are right.
 */
#include "instrument/cleanup.h"
#include "base/memory.h"

#include <string.h>

uint32_t ir_block_number(const struct ir_blocks *blocks, LLVMBasicBlockRef block)
{
    uint64_t *number = hash_map_get(&blocks->numbers, (uint64_t)(uintptr_t)block);
    return number ? (uint32_t)*number : IR_NONE;
}

static unsigned lifetime_start_id, lifetime_end_id;

static unsigned intrinsic_of(LLVMValueRef instruction)
{
    if (LLVMGetInstructionOpcode(instruction) != LLVMCall)
        return 0;
    LLVMValueRef callee = LLVMGetCalledValue(instruction);
    return LLVMIsAFunction(callee) ? LLVMGetIntrinsicID(callee) : 0;
}

bool ir_is_lifetime_marker(LLVMValueRef instruction)
{
    if (!lifetime_end_id) {
        lifetime_start_id = LLVMLookupIntrinsicID("llvm.lifetime.start", strlen("llvm.lifetime.start"));
        lifetime_end_id = LLVMLookupIntrinsicID("llvm.lifetime.end", strlen("llvm.lifetime.end"));
    }
    unsigned id = intrinsic_of(instruction);
    return id && (id == lifetime_start_id || id == lifetime_end_id);
}

bool ir_is_slot_store(const struct ir_blocks *blocks, LLVMValueRef instruction)
{
    return blocks->slot && LLVMGetInstructionOpcode(instruction) == LLVMStore &&
           LLVMGetOperand(instruction, 1) == blocks->slot &&
           LLVMIsAConstantInt(LLVMGetOperand(instruction, 0));
}

static bool is_slot_load(const struct ir_blocks *blocks, LLVMValueRef instruction)
{
    return blocks->slot && LLVMGetInstructionOpcode(instruction) == LLVMLoad &&
           LLVMGetOperand(instruction, 0) == blocks->slot;
}

/* "cleanup", "cleanup12": a name and the number LLVM adds to make it unique. */
static bool is_named(LLVMBasicBlockRef block, const char *name)
{
    const char *own = LLVMGetBasicBlockName(block);
    size_t length = strlen(name);
    return !strncmp(own, name, length) && own[length + strspn(own + length, "0123456789")] == 0;
}

static LLVMValueRef find_slot(LLVMValueRef function)
{
    LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function));
    for (; i && LLVMIsAAllocaInst(i); i = LLVMGetNextInstruction(i)) {
        size_t length;
        const char *name = LLVMGetValueName2(i, &length);
        if (length == strlen("cleanup.dest.slot") && !memcmp(name, "cleanup.dest.slot", length))
            return i;
    }
    return NULL;
}

static enum pass_kind classify(const struct ir_blocks *blocks, LLVMBasicBlockRef block)
{
    if (is_named(block, "while.cond") || is_named(block, "do.cond")) {
        LLVMValueRef only = LLVMGetFirstInstruction(block);
        return LLVMIsABranchInst(only) && !LLVMIsConditional(only) ? PASS_BRANCH : PASS_NONE;
    }
    if (!is_named(block, "cleanup") && !is_named(block, "for.cond.cleanup"))
        return PASS_NONE;
    LLVMValueRef terminator = LLVMGetBasicBlockTerminator(block), load = NULL;
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i && i != terminator;
         i = LLVMGetNextInstruction(i)) {
        if (ir_is_lifetime_marker(i) || ir_is_slot_store(blocks, i))
            continue;
        if (load || !is_slot_load(blocks, i))
            return PASS_NONE;
        load = i;
    }
    if (!terminator)
        return PASS_NONE;
    if (LLVMIsABranchInst(terminator) && !LLVMIsConditional(terminator))
        return load ? PASS_NONE : PASS_BRANCH;
    if (load && LLVMIsASwitchInst(terminator) && LLVMGetOperand(terminator, 0) == load)
        return PASS_SWITCH;
    return PASS_NONE;
}

/* The constant that the slot holds when the block ends, or NULL if the block does not say. */
static LLVMValueRef slot_at_end(const struct ir_blocks *blocks, LLVMBasicBlockRef block)
{
    LLVMValueRef i = blocks->slot ? LLVMGetLastInstruction(block) : NULL;
    for (; i; i = LLVMGetPreviousInstruction(i)) {
        if (ir_is_slot_store(blocks, i))
            return LLVMGetOperand(i, 0);
        if (LLVMGetInstructionOpcode(i) == LLVMStore && LLVMGetOperand(i, 1) == blocks->slot)
            return NULL; /* something saved earlier is put back */
    }
    return NULL;
}

bool ir_is_empty_end(const struct ir_blocks *blocks, uint32_t number)
{
    LLVMBasicBlockRef block = blocks->items[number].block;
    LLVMValueRef terminator = LLVMGetBasicBlockTerminator(block);
    if (!terminator || !LLVMIsABranchInst(terminator) || LLVMIsConditional(terminator))
        return false;
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i != terminator; i = LLVMGetNextInstruction(i))
        if (!ir_is_lifetime_marker(i) && !ir_is_slot_store(blocks, i))
            return false;
    LLVMValueRef slot = slot_at_end(blocks, block);
    return slot && LLVMConstIntGetZExtValue(slot) == 0;
}

static LLVMBasicBlockRef switch_target(LLVMValueRef terminator, LLVMValueRef value)
{
    unsigned count = LLVMGetNumSuccessors(terminator);
    for (unsigned i = 1; i < count; i++)
        if (LLVMGetOperand(terminator, 2 * i) == value) /* constants are unique */
            return LLVMGetSuccessor(terminator, i);
    return LLVMGetSwitchDefaultDest(terminator);
}

LLVMBasicBlockRef ir_only_successor(const struct ir_blocks *blocks, uint32_t number)
{
    LLVMBasicBlockRef block = blocks->items[number].block;
    LLVMValueRef terminator = LLVMGetBasicBlockTerminator(block), slot;
    if (!blocks->slot || !terminator || !LLVMIsASwitchInst(terminator))
        return NULL;
    LLVMValueRef value = LLVMGetOperand(terminator, 0);
    if (!LLVMIsALoadInst(value) || !is_slot_load(blocks, value) || LLVMGetInstructionParent(value) != block)
        return NULL;
    slot = slot_at_end(blocks, block);
    return slot ? switch_target(terminator, slot) : NULL;
}

/*
 * Follows a branch through pass blocks. The result is an ordinary block; or IR_NONE with *stuck set to the
 * pass block beyond which the way is not known.
 */
static uint32_t follow(const struct ir_blocks *blocks, uint32_t from, uint32_t to, uint32_t *stuck)
{
    if (blocks->items[to].pass == PASS_NONE)
        return to;
    LLVMValueRef slot = slot_at_end(blocks, blocks->items[from].block);
    for (uint32_t steps = 0; blocks->items[to].pass != PASS_NONE; steps++) {
        const struct ir_block *pass = &blocks->items[to];
        LLVMValueRef terminator = LLVMGetBasicBlockTerminator(pass->block), stored;
        *stuck = to;
        if (steps > 256) /* a ring of pass blocks */
            return IR_NONE;
        if ((stored = slot_at_end(blocks, pass->block)) != NULL)
            slot = stored;
        if (pass->pass == PASS_SWITCH && !slot)
            return IR_NONE;
        LLVMBasicBlockRef next =
            pass->pass == PASS_SWITCH ? switch_target(terminator, slot) : LLVMGetSuccessor(terminator, 0);
        to = ir_block_number(blocks, next);
    }
    return to;
}

uint32_t ir_resolve(const struct ir_blocks *blocks, uint32_t from, uint32_t to)
{
    uint32_t stuck;
    return follow(blocks, from, to, &stuck);
}

/* Makes ordinary blocks of the pass blocks some branch is stuck in; true if there were any. */
static bool keep_stuck(struct ir_blocks *blocks)
{
    bool found = false;
    for (uint32_t b = 0; b < blocks->count; b++) {
        if (blocks->items[b].pass != PASS_NONE)
            continue;
        LLVMValueRef terminator = LLVMGetBasicBlockTerminator(blocks->items[b].block);
        unsigned count = terminator ? LLVMGetNumSuccessors(terminator) : 0;
        for (unsigned i = 0; i < count; i++) {
            uint32_t stuck, to = ir_block_number(blocks, LLVMGetSuccessor(terminator, i));
            if (blocks->items[to].pass != PASS_NONE && follow(blocks, b, to, &stuck) == IR_NONE) {
                blocks->items[stuck].pass = PASS_NONE;
                blocks->items[stuck].continuation = true; /* of the only block before it, if there is one */
                found = true;
            }
        }
    }
    return found;
}

void ir_blocks_init(struct ir_blocks *blocks, LLVMValueRef function)
{
    *blocks = (struct ir_blocks){.count = LLVMCountBasicBlocks(function), .slot = find_slot(function)};
    blocks->items = ZALLOC(struct ir_block, blocks->count);
    uint32_t n = 0;
    bool passes = false;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
        *hash_map_put(&blocks->numbers, (uint64_t)(uintptr_t)b, NULL) = n;
        blocks->items[n].block = b;
        blocks->items[n].pass = n ? classify(blocks, b) : PASS_NONE;
        blocks->items[n].continuation =
            is_named(b, "cleanup.cont") || is_named(b, "cleanup") || is_named(b, "return");
        passes |= blocks->items[n].pass != PASS_NONE;
        n++;
    }
    /* What is kept may leave other branches stuck further on; the depth of that is the nesting of scopes. */
    for (unsigned round = 0; passes && keep_stuck(blocks); round++)
        if (round == 16)
            for (uint32_t b = 0; b < blocks->count; b++)
                blocks->items[b].pass = PASS_NONE;
}

void ir_blocks_release(struct ir_blocks *blocks)
{
    free(blocks->items);
    hash_map_release(&blocks->numbers);
    *blocks = (struct ir_blocks){0};
}
