#include "instrument/positions.h"
#include "base/memory.h"
#include "instrument/shim.h"

#include <string.h>

/* Of the unit this process compiles, in order: number i is items[i - 1]. */
static struct ARRAY_OF(struct position) positions;

const struct position *position_at(uint32_t number)
{
    return number && number <= positions.count ? &positions.items[number - 1] : NULL;
}

bool positions_any(void)
{
    return positions.count;
}

/* Instructions where a frame can stand for ever: those that call, may fault, or decide where to go. */
static bool is_marked(LLVMValueRef instruction)
{
    switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMCall:
        return !LLVMIsADbgInfoIntrinsic(instruction);
    case LLVMLoad:
    case LLVMStore:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
    case LLVMSDiv:
    case LLVMUDiv:
    case LLVMSRem:
    case LLVMURem:
        return true;
    default:
        return LLVMIsATerminatorInst(instruction);
    }
}

/*
 * Calls must not be merged: two calls in one would be one place for two blocks. A landing pad that only
 * catches would be passed over or not, depending on what was inlined: `cleanup` makes every exception stop
 * there, and go on if it is not for it.
 */
static void keep_apart(LLVMValueRef instruction)
{
    static const char name[] = "nomerge";
    if (!LLVMIsALandingPadInst(instruction)) {
        LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(instruction));
        unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
        LLVMAddCallSiteAttribute(instruction, LLVMAttributeFunctionIndex,
                                 LLVMCreateEnumAttribute(context, kind, 0));
    } else {
        LLVMSetCleanup(instruction, true);
    }
}

void positions_mark(const struct function_graph *f, const struct map_function *map)
{
    bool located = shim_can_mark(f->function);
    for (uint32_t b = 0; b < graph_exit(&f->graph); b++) {
        struct position here = {.key = map->key, .block = b};
        uint32_t number = 0;
        for (uint32_t ir = f->head[b]; ir != IR_NONE; ir = f->next[ir])
            for (LLVMValueRef i = LLVMGetFirstInstruction(f->ir.items[ir].block); i; i = LLVMGetNextInstruction(i)) {
                bool call = call_is_numbered(i);
                if (call || LLVMIsALandingPadInst(i))
                    keep_apart(i);
                if (call) {
                    here.call++;
                    number = 0;
                }
                if (!located || !is_marked(i))
                    continue;
                if (!number) {
                    ARRAY_PUSH(&positions, here);
                    number = (uint32_t)positions.count;
                }
                shim_mark(i, number);
            }
    }
}
