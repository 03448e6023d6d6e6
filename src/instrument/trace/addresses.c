/*
 * Addresses of loads and stores (-fcotree-trace=addresses): one word each, written before the
 * access is made, so that an access that fails has its address as the last one.
 *
 * The accesses of the source are recorded, as the front end has written them: loads, stores and
 * atomic operations, volatile ones, too. Not recorded are
 *  - memory that is copied or filled as a whole (memcpy and the like, also those the front end
 *    makes of assignments, arguments that are passed by value, va_start),
 *  - vectors that are accessed by mask or index,
 *  - what functions do that are not traced, and operands of assembly,
 *  - other segments (__seg_fs),
 *  - the slots in which the front end keeps where clean-ups go on,
 *  - loads of values that are not used, which no level of optimisation keeps.
 *
 * Where code is optimised, local variables that the optimiser can keep in registers are not
 * recorded, either: those whose address is not taken, used as a whole or at constant offsets. The
 * front end has every variable in memory; a word that holds its address would keep it there.
 */
#include "base/memory.h"
#include "format/trace/layout.h"
#include "instrument/llvm/shim.h"
#include "instrument/trace/trace.h"

#include <llvm-c/Target.h>
#include <stddef.h>
#include <string.h>

enum { OFFSETS_DEEP = 8 };

static LLVMValueRef pointer_of(LLVMValueRef i)
{
    if (LLVMIsALoadInst(i) || LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i))
        return LLVMGetOperand(i, 0);
    return LLVMIsAStoreInst(i) ? LLVMGetOperand(i, 1) : NULL;
}

static LLVMTypeRef type_of(LLVMValueRef i)
{
    if (LLVMIsALoadInst(i))
        return LLVMTypeOf(i);
    return LLVMTypeOf(LLVMGetOperand(i, LLVMIsAStoreInst(i) ? 0 : 1));
}

static enum map_access_kind kind_of(LLVMValueRef i)
{
    return LLVMIsALoadInst(i) ? MAP_LOAD : LLVMIsAStoreInst(i) ? MAP_STORE : MAP_LOAD_AND_STORE;
}

static bool is_constant_offset(LLVMValueRef i)
{
    if (!LLVMIsAGetElementPtrInst(i))
        return false;
    for (int k = 1; k < LLVMGetNumOperands(i); k++)
        if (!LLVMIsAConstantInt(LLVMGetOperand(i, (unsigned)k)))
            return false;
    return true;
}

static bool is_intrinsic_of_memory(LLVMValueRef i)
{
    return LLVMIsAMemIntrinsic(i) && LLVMIsAConstantInt(LLVMGetOperand(i, 2)) &&
           LLVMIsNull(LLVMGetOperand(i, 3));
}

/* Is the variable, or the part of it at this address, only loaded and stored? */
static bool may_be_register(LLVMValueRef address, unsigned deep)
{
    for (LLVMUseRef use = LLVMGetFirstUse(address); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        bool accessed =
            (LLVMIsALoadInst(user) || (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) != address)) &&
            !LLVMGetVolatile(user);
        bool offset = deep < OFFSETS_DEEP && is_constant_offset(user) && may_be_register(user, deep + 1);
        if (!accessed && !offset && !ir_is_lifetime_marker(user) && !is_intrinsic_of_memory(user))
            return false;
    }
    return true;
}

/* Is the value only given to `resume`, as the number of a clause? That number is not used. */
static bool is_selector_sent_on(LLVMValueRef value, LLVMValueRef user)
{
    LLVMUseRef use = LLVMIsAInsertValueInst(user) ? LLVMGetFirstUse(user) : NULL;
    return use && !LLVMGetNextUse(use) && LLVMIsAResumeInst(LLVMGetUser(use)) &&
           LLVMGetOperand(user, 1) == value && LLVMGetIndices(user)[0] == 1;
}

static bool is_unused(LLVMValueRef value, unsigned deep)
{
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        bool drops = LLVMIsAGetElementPtrInst(user) || LLVMIsACastInst(user);
        if (!is_selector_sent_on(value, user) &&
            (deep == OFFSETS_DEEP || !drops || !is_unused(user, deep + 1)))
            return false;
    }
    return true;
}

static LLVMValueRef variable_of(LLVMValueRef pointer)
{
    while (LLVMIsAGetElementPtrInst(pointer))
        pointer = LLVMGetOperand(pointer, 0);
    return LLVMIsAAllocaInst(pointer);
}

/* Sizes are constants: x86-64 has no scalable vectors. */
static uint64_t size_of(LLVMValueRef i)
{
    LLVMModuleRef module = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(i)));
    return LLVMStoreSizeOfType(LLVMGetModuleDataLayout(module), type_of(i));
}

struct finder {
    bool optimised;
    struct hash_map variables; /* alloca -> 1: it may be a register, 2: not */
};

static bool is_recorded(struct finder *finder, LLVMValueRef i)
{
    LLVMValueRef pointer = pointer_of(i);
    if (LLVMIsALoadInst(i) && !LLVMGetVolatile(i) && LLVMGetOrdering(i) <= LLVMAtomicOrderingUnordered &&
        is_unused(i, 0))
        return false;
    if (!pointer || LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)) != 0 || size_of(i) >= UINT32_MAX >> 2)
        return false;
    LLVMValueRef variable = finder->optimised ? variable_of(pointer) : NULL;
    if (!variable)
        return true;
    uint64_t *known = hash_map_put(&finder->variables, (uint64_t)(uintptr_t)variable, NULL);
    if (!*known)
        *known = may_be_register(variable, 0) ? 1 : 2;
    return *known == 2;
}

void trace_find_accesses(struct unit_function *to)
{
    const struct function_graph *f = &to->f;
    struct map_trace *t = to->map.trace;
    uint32_t blocks = f->graph.vertex_count - 1, place = 0;
    unsigned optnone = LLVMGetEnumAttributeKindForName("optnone", strlen("optnone"));
    struct finder finder = {
        .optimised = !LLVMGetEnumAttributeAtIndex(f->function, LLVMAttributeFunctionIndex, optnone)};
    struct ARRAY_OF(uint32_t) items = {0};
    struct map_accesses *a = t->accesses = ZALLOC(struct map_accesses, 1);
    a->first = ZALLOC(uint32_t, (size_t)t->first[blocks] + blocks + 1);
    for (uint32_t b = 0; b < blocks; b++, place++) {
        uint32_t call = 0;
        a->first[place] = (uint32_t)items.count;
        for (uint32_t ir = f->head[b]; ir != IR_NONE; ir = f->next[ir])
            for (LLVMValueRef i = LLVMGetFirstInstruction(f->ir.items[ir].block); i;
                 i = LLVMGetNextInstruction(i)) {
                if (call_is_numbered(i)) {
                    call++;
                    a->first[++place] = (uint32_t)items.count;
                    continue;
                }
                /* After a jump the activation is over, as far as replay can tell. */
                if ((call && map_trace_call(t, b, call) == MAP_TRACE_JUMP) || !is_recorded(&finder, i))
                    continue;
                ARRAY_PUSH(&to->trace->accesses, i);
                ARRAY_PUSH(&items, (uint32_t)(size_of(i) << 2 | kind_of(i)));
            }
    }
    a->first[place] = (uint32_t)items.count;
    a->items = items.items;
    to->map.flags |= MAP_FUNCTION_ADDRESSES;
    hash_map_release(&finder.variables);
}

static void put_word(struct trace_maker *m, LLVMValueRef word)
{
    LLVMValueRef at = trace_load(m, m->pointer, offsetof(struct cotree_trace_thread, addresses));
    trace_store_event(m, word, at);
    trace_store(m, trace_address(m, at, sizeof(uint64_t)), offsetof(struct cotree_trace_thread, addresses));
}

void trace_put_mark(struct trace_maker *m, uint64_t mark)
{
    put_word(m, LLVMConstInt(m->i64, TRACE_MARK_WORD(mark), false));
}

void trace_place_addresses(struct trace_maker *m, const struct unit_function *f)
{
    for (size_t i = 0; i < f->trace->accesses.count; i++) {
        LLVMValueRef access = f->trace->accesses.items[i];
        LLVMPositionBuilderBefore(m->builder, access);
        LLVMSetCurrentDebugLocation2(m->builder, NULL);
        LLVMValueRef address = LLVMBuildPtrToInt(m->builder, pointer_of(access), m->i64, "");
        put_word(m, LLVMBuildAdd(m->builder, address, LLVMConstInt(m->i64, TRACE_WORD_MORE, false), ""));
    }
}
