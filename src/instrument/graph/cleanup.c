/*
 * Blocks that exist for lifetime markers only.
 *
 * From -O1 on clang marks where the storage of a local variable ends (llvm.lifetime.end). If a
 * scope is left in several ways, the marker needs a block of its own: every way out stores a number
 * into `cleanup.dest.slot` and branches to block `cleanup`, which ends the lifetime and switches on
 * the slot to where control was going:
 *
 *         if.then:  store 2, slot; br cleanup              (break)
 *         if.end:   ...; store 0, slot; br cleanup         (end of the scope)
 *         cleanup:  lifetime.end; switch (load slot) [0: cleanup.cont, 2: for.end]
 *
 * At -O0 there are no markers, hence no such blocks: if.then branches to for.end, and what is in
 * cleanup.cont simply goes on in if.end. The graph must be the same at every level, so these blocks
 * are looked through: a branch into one of them is taken to lead where the constant its source
 * stored leads. Likewise the block `for.cond.cleanup`, which stands between a loop's condition and
 * its end, and the empty conditions of while (1) and do ... while (0), which clang removes itself
 * unless a cleanup is pending. Destructors are real work: a block that calls one is a block of the
 * graph at every level.
 *
 * A block qualifies by what it holds (nothing but markers, the slot's store or load, and its
 * terminator) and by the name clang gave it, since `lifetime.end; br` alone may as well be the end
 * of an if.
 *
 * Invariant: what ir_resolve says is what happens at run time, for every execution of the branch.
 * Where that cannot be shown, the block stays a block of the graph: ids may then differ from -O0,
 * counts are right.
 */
#include "instrument/graph/cleanup.h"
#include "base/memory.h"
#include "instrument/llvm/versions.h"

#include <string.h>

uint32_t ir_block_number(const struct ir_blocks *blocks, LLVMBasicBlockRef block)
{
    uint64_t *number = hash_map_get(&blocks->numbers, (uint64_t)(uintptr_t)block);
    return number ? (uint32_t)*number : IR_NONE;
}

static unsigned lifetime_start_id, lifetime_end_id; /* the same in all contexts of LLVM */

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
    if (!is_named(block, "cleanup") && !is_named(block, "for.cond.cleanup") && !is_named(block, "ehcleanup"))
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

/* Does the block switch on what the slot holds? */
static bool is_slot_switch(const struct ir_blocks *blocks, LLVMValueRef terminator)
{
    if (!blocks->slot || !LLVMIsASwitchInst(terminator))
        return false;
    LLVMValueRef value = LLVMGetOperand(terminator, 0);
    return LLVMIsALoadInst(value) && is_slot_load(blocks, value) &&
           LLVMGetInstructionParent(value) == LLVMGetInstructionParent(terminator);
}

static bool stores_to_slot(const struct ir_blocks *blocks, LLVMBasicBlockRef block)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
        if (LLVMGetInstructionOpcode(i) == LLVMStore && LLVMGetOperand(i, 1) == blocks->slot)
            return true;
    return false;
}

/* The constant that the block stores into the slot last, or NULL. */
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
        if (LLVMGetSwitchCaseValue(terminator, i) == value) /* constants are unique */
            return LLVMGetSuccessor(terminator, i);
    return LLVMGetSwitchDefaultDest(terminator);
}

/* What the slot may hold: some constants, unless it is not known. */
enum { SLOT_SEARCH_MAX = 256 };
struct slot_values {
    LLVMValueRef items[SLOT_VALUES_MAX];
    unsigned count;
    bool unknown;
};

static void add_value(struct slot_values *values, LLVMValueRef value)
{
    for (unsigned i = 0; i < values->count; i++)
        if (values->items[i] == value)
            return;
    if (values->count == SLOT_VALUES_MAX)
        values->unknown = true;
    else
        values->items[values->count++] = value;
}

/*
 * Finds all constants that may be in the slot when the block ends: what is stored last on each way
 * to it. A cleanup that calls a destructor stores nothing itself; the blocks before it do.
 */
static void find_values(const struct ir_blocks *blocks, uint32_t number, struct slot_values *values)
{
    struct hash_map seen = {0};
    uint32_t work[SLOT_SEARCH_MAX], count = 0;
    *values = (struct slot_values){.unknown = !blocks->slot};
    work[count++] = number;
    hash_map_put(&seen, number, NULL);
    while (count && !values->unknown) {
        LLVMBasicBlockRef block = blocks->items[work[--count]].block;
        LLVMValueRef stored = slot_at_end(blocks, block);
        if (stored) {
            add_value(values, stored);
            continue;
        }
        LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block));
        if (!use || stores_to_slot(blocks, block))
            values->unknown = true;
        for (; use && !values->unknown; use = LLVMGetNextUse(use)) {
            LLVMValueRef user = LLVMGetUser(use);
            if (!LLVMIsAInstruction(user)) {
                values->unknown = true; /* the address of a label is taken */
                break;
            }
            uint32_t before = ir_block_number(blocks, LLVMGetInstructionParent(user));
            bool added;
            hash_map_put(&seen, before, &added);
            if (added && count == SLOT_SEARCH_MAX)
                values->unknown = true;
            else if (added)
                work[count++] = before;
        }
    }
    hash_map_release(&seen);
}

/*
 * Follows a branch through pass blocks while the slot holds `slot` (NULL: not known). The result is
 * an ordinary block; or IR_NONE with *stuck set to the pass block after which it is not known where
 * control goes.
 */
static uint32_t follow_value(const struct ir_blocks *blocks, uint32_t to, LLVMValueRef slot, uint32_t *stuck)
{
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

static uint32_t follow(const struct ir_blocks *blocks, uint32_t from, uint32_t to, uint32_t *stuck)
{
    if (blocks->items[to].pass == PASS_NONE)
        return to;
    LLVMBasicBlockRef block = blocks->items[from].block;
    uint32_t result = follow_value(blocks, to, slot_at_end(blocks, block), stuck);
    if (result != IR_NONE)
        return result;
    struct slot_values values;
    find_values(blocks, from, &values);
    LLVMValueRef terminator = LLVMGetBasicBlockTerminator(block);
    bool switches = is_slot_switch(blocks, terminator);
    for (unsigned i = 0; i < values.count && !values.unknown; i++) {
        /* If this block switches on the slot itself, only some values come this way. */
        if (switches && switch_target(terminator, values.items[i]) != blocks->items[to].block)
            continue;
        uint32_t one = follow_value(blocks, to, values.items[i], stuck);
        if (one == IR_NONE || (result != IR_NONE && one != result))
            return IR_NONE;
        result = one;
    }
    return values.unknown ? IR_NONE : result;
}

/* A constant that is in the slot whenever the branch is taken, or one of several that lead to the
 * same block. */
static LLVMValueRef slot_on_branch(const struct ir_blocks *blocks, uint32_t from, uint32_t to)
{
    LLVMBasicBlockRef block = blocks->items[from].block;
    LLVMValueRef slot = slot_at_end(blocks, block), terminator = LLVMGetBasicBlockTerminator(block);
    if (slot)
        return slot;
    struct slot_values values;
    find_values(blocks, from, &values);
    for (unsigned i = 0; i < values.count && !values.unknown; i++)
        if (!is_slot_switch(blocks, terminator) ||
            switch_target(terminator, values.items[i]) == blocks->items[to].block)
            return values.items[i];
    return NULL;
}

void ir_visit_passes(const struct ir_blocks *blocks, uint32_t from, uint32_t to, ir_pass_visitor *visit,
                     void *context)
{
    if (blocks->items[to].pass == PASS_NONE)
        return;
    LLVMValueRef slot = slot_on_branch(blocks, from, to), stored;
    for (uint32_t steps = 0; blocks->items[to].pass != PASS_NONE && steps < 256; steps++) {
        const struct ir_block *pass = &blocks->items[to];
        LLVMValueRef terminator = LLVMGetBasicBlockTerminator(pass->block);
        if ((stored = slot_at_end(blocks, pass->block)) != NULL)
            slot = stored;
        if (pass->pass == PASS_SWITCH && !slot)
            return;
        uint32_t next = ir_block_number(blocks, pass->pass == PASS_SWITCH ? switch_target(terminator, slot)
                                                                          : LLVMGetSuccessor(terminator, 0));
        if (pass->pass == PASS_SWITCH)
            visit(context, to, next);
        to = next;
    }
}

static int compare_values(const void *a, const void *b)
{
    uint64_t x = LLVMConstIntGetZExtValue(*(const LLVMValueRef *)a);
    uint64_t y = LLVMConstIntGetZExtValue(*(const LLVMValueRef *)b);
    return (x > y) - (x < y);
}

bool ir_slot_successors(const struct ir_blocks *blocks, uint32_t number, struct ir_successors *successors)
{
    LLVMValueRef terminator = LLVMGetBasicBlockTerminator(blocks->items[number].block);
    struct slot_values values;
    if (!terminator || !is_slot_switch(blocks, terminator))
        return false;
    find_values(blocks, number, &values);
    if (values.unknown || !values.count)
        return false;
    qsort(values.items, values.count, sizeof *values.items, compare_values);
    successors->count = values.count;
    for (unsigned i = 0; i < values.count; i++)
        successors->items[i] = switch_target(terminator, values.items[i]);
    return true;
}

uint32_t ir_resolve(const struct ir_blocks *blocks, uint32_t from, uint32_t to)
{
    uint32_t stuck;
    return follow(blocks, from, to, &stuck);
}

/* Makes ordinary blocks of the pass blocks that a branch cannot be followed through; true if there
 * were any. */
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
                blocks->items[stuck].continuation =
                    true; /* it continues the only block before it, if there is only one */
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
    /* A block that is kept may stop other branches further on; how often that repeats is the
     * nesting of scopes. */
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
