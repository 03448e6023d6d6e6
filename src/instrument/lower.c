/*
 * The last pass: markers -> increments, after all of clang's optimisation.
 *
 * Invariants:
 *  1. An increment is one machine instruction that reads and writes memory: a signal handler that
 *     counts on the same counter never loses a count. In optimised functions load, add and store
 *     become one `incq` (`addq` for more than one) in instruction selection; unoptimised code would
 *     get three instructions, so there it is inline assembly. So it is in bitcode and under
 *     sanitizers: passes that follow would split the arrays, check loads and stores, and keep
 *     counts in registers.
 *  2. A count is in memory before the next call, before copies of memory that may become one, and
 *     before the block ends. Between those points increments move down (`inc` destroys flags that
 *     are often wanted just above) and those of one counter are added up.
 *  3. Afterwards no attribute claims that a function leaves memory alone.
 *
 * Code compiled with -fPIC counts at array + delta (format/counters.h); delta is read once, at the
 * top of what is now one function, whatever was inlined into it.
 */
#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "format/counters.h"
#include "instrument/crash/lower.h"
#include "instrument/final/final.h"
#include "instrument/llvm/shim.h"
#include "instrument/marker/attributes.h"
#include "instrument/marker/marker.h"
#include "instrument/path/address.h"
#include "instrument/place/link_time.h"
#include "instrument/place/places.h"
#include "instrument/place/positions.h"
#include "instrument/unit_context.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

struct increment {
    LLVMValueRef counter; /* address: a constant, unless it is computed */
    uint64_t by;          /* 0: times, a pointer whose address is the number */
    LLVMValueRef times;
    bool in_image; /* at a distance of delta */
    /* The program computes which counter it is: a path counter, or one of several that a pass
     * merged. */
    bool computed;
    LLVMValueRef array;        /* of a path counter; NULL for all others */
    const struct twins *twins; /* that it counts for, or NULL */
    bool shared;               /* of `passed`: an edge of the final function stands for it */
};

/* An instruction with a position, and how many counts of its stretch come before it. */
struct located {
    LLVMValueRef instruction;
    uint32_t passed;
};

struct lowering {
    struct position_table *positions;
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMBuilderRef builder;
    LLVMTypeRef i64, i8, pointer;
    LLVMValueRef annotation;
    unsigned optnone;
    LLVMAttributeRef element_type;
    bool optimised;          /* of the module: not -O0, and no pass follows */
    bool shares;             /* the printer tells what counters of final functions mean */
    bool flows;              /* counts may follow from others by flow */
    bool plain_instructions; /* in this function: instruction selection will make one instruction of three */
    LLVMValueRef delta;      /* of this function, once it is needed */
    bool attaches;           /* some function reads delta */
    bool located;            /* instructions of this function can carry positions */
    LLVMAttributeRef no_merge;
    struct ARRAY_OF(struct increment) pending;
    struct hash_map counted;                  /* counters that this block has incremented already */
    struct ARRAY_OF(struct increment) passed; /* the counts of this stretch, in the order of the markers */
    struct ARRAY_OF(struct located) standing; /* instructions of this stretch that have a position */
    struct final final;
    bool has_final; /* some counts of this function are shared */
};

/* Do numbers in locations mean something here? */
static bool are_numbered(const struct lowering *l)
{
    return l->positions->source != POSITIONS_NONE;
}

/* Allocas after the point where delta is read would become dynamic: all of fixed size go to the top
 * first. */
static LLVMValueRef after_variables(struct lowering *l, LLVMBasicBlockRef entry)
{
    LLVMValueRef first = LLVMGetFirstInstruction(entry), next;
    while (LLVMIsAAllocaInst(first))
        first = LLVMGetNextInstruction(first);
    for (LLVMValueRef i = first; i; i = next) {
        next = LLVMGetNextInstruction(i);
        if (!LLVMIsAAllocaInst(i) || !LLVMIsAConstantInt(LLVMGetOperand(i, 0)))
            continue;
        LLVMInstructionRemoveFromParent(i);
        LLVMPositionBuilderBefore(l->builder, first);
        LLVMInsertIntoBuilder(l->builder, i);
    }
    return first;
}

/* delta = cotree_delta; if (delta == 0) delta = cotree_attach(); */
static LLVMValueRef read_delta(struct lowering *l, LLVMValueRef function)
{
    LLVMValueRef variable = LLVMGetNamedGlobal(l->module, COUNTERS_DELTA_SYMBOL);
    if (!variable) {
        variable = LLVMAddGlobal(l->module, l->i64, COUNTERS_DELTA_SYMBOL);
        LLVMSetThreadLocalMode(variable, LLVMInitialExecTLSModel);
        LLVMSetVisibility(variable, LLVMHiddenVisibility);
    }
    LLVMTypeRef attach_type = LLVMFunctionType(l->i64, NULL, 0, false);
    LLVMValueRef attach = LLVMGetNamedFunction(l->module, COUNTERS_ATTACH_SYMBOL);
    if (!attach) {
        attach = LLVMAddFunction(l->module, COUNTERS_ATTACH_SYMBOL, attach_type);
        LLVMSetVisibility(attach, LLVMHiddenVisibility);
        LLVMSetFunctionCallConv(attach, LLVMPreserveMostCallConv);
        attributes_leave_alone(attach);
        static const char *const attributes[] = {"cold", "nounwind", "willreturn"};
        for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
            LLVMAddAttributeAtIndex(
                attach, LLVMAttributeFunctionIndex,
                LLVMCreateEnumAttribute(
                    l->context, LLVMGetEnumAttributeKindForName(attributes[i], strlen(attributes[i])), 0));
    }
    LLVMValueRef at = after_variables(l, LLVMGetEntryBasicBlock(function));
    LLVMPositionBuilderBefore(l->builder, at);
    LLVMSetCurrentDebugLocation2(l->builder, shim_function_location(function));
    LLVMValueRef loaded = LLVMBuildLoad2(l->builder, l->i64, variable, "");
    LLVMValueRef missing = LLVMBuildICmp(l->builder, LLVMIntEQ, loaded, LLVMConstInt(l->i64, 0, false), "");
    LLVMBasicBlockRef before = LLVMGetInstructionParent(loaded);
    LLVMValueRef branch_back = shim_insert_unlikely(missing, at);
    if (shim_can_mark(function))
        shim_mark(l->positions, LLVMGetBasicBlockTerminator(before), POSITION_PASSED);
    LLVMPositionBuilderBefore(l->builder, branch_back);
    LLVMValueRef attached = LLVMBuildCall2(l->builder, attach_type, attach, NULL, 0, "");
    LLVMSetInstructionCallConv(attached, LLVMPreserveMostCallConv);
    if (!VERSIONS_PRESERVE_MOST_RETURNS)
        attached = LLVMBuildLoad2(l->builder, l->i64, variable, ""); /* cotree_attach has set it */
    LLVMPositionBuilderBefore(l->builder, LLVMGetFirstInstruction(LLVMGetInstructionParent(at)));
    LLVMValueRef delta = LLVMBuildPhi(l->builder, l->i64, "");
    LLVMValueRef values[] = {loaded, attached};
    LLVMBasicBlockRef blocks[] = {before, LLVMGetInstructionParent(branch_back)};
    LLVMAddIncoming(delta, values, blocks, 2);
    l->attaches = true;
    return delta;
}

/* One instruction, whatever the code generator does with the rest. */
static LLVMValueRef increment_by_assembly(struct lowering *l, LLVMValueRef address,
                                          const struct increment *increment)
{
    uint64_t by = increment->by;
    if (!by && LLVMIsAConstantExpr(increment->times) &&
        LLVMIsAConstantInt(LLVMGetOperand(increment->times, 0)))
        by = LLVMConstIntGetZExtValue(LLVMGetOperand(increment->times, 0)); /* a path count taken back: -1 */
    static const char text[] = "addq $2, $0", one[] = "incq $0";
    static const char constraints_constant[] = "=*m,*m,i,~{flags}", constraints_one[] = "=*m,*m,~{flags}",
                      constraints_value[] = "=*m,*m,r,~{flags}";
    bool immediate = by && (int64_t)by == (int32_t)by; /* no instruction holds a larger number */
    const char *constraints = by == 1     ? constraints_one
                              : immediate ? constraints_constant
                                          : constraints_value;
    LLVMTypeRef parameters[] = {l->pointer, l->pointer, l->i64};
    unsigned count = by == 1 ? 2 : 3;
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(l->context), parameters, count, false);
    LLVMValueRef assembly = LLVMGetInlineAsm(
        type, (char *)(by == 1 ? one : text), strlen(by == 1 ? one : text), (char *)constraints,
        strlen(constraints), true, false, LLVMInlineAsmDialectATT, false);
    LLVMValueRef number =
        by ? LLVMConstInt(l->i64, by, false) : LLVMBuildPtrToInt(l->builder, increment->times, l->i64, "");
    LLVMValueRef arguments[] = {address, address, number};
    LLVMValueRef call = LLVMBuildCall2(l->builder, type, assembly, arguments, count, "");
    LLVMAddCallSiteAttribute(call, 1, l->element_type);
    LLVMAddCallSiteAttribute(call, 2, l->element_type);
    LLVMAddCallSiteAttribute(
        call, LLVMAttributeFunctionIndex,
        LLVMCreateEnumAttribute(l->context, LLVMGetEnumAttributeKindForName("nounwind", strlen("nounwind")),
                                0));
    if (increment->twins)
        for (size_t i = 0; i < increment->twins->counters.count; i++)
            shim_tag_counter(call, increment->twins->counters.items[i].key,
                             increment->twins->counters.items[i].counter, 0);
    else if (!increment->computed)
        shim_tag_increment(call, increment->counter, increment->by);
    else if (increment->array && by)
        shim_tag_path(call, increment->array, by);
    return call;
}

/* number: of the increment's position, or 0. */
static void increment_before(struct lowering *l, LLVMValueRef instruction, const struct increment *increment,
                             uint32_t number)
{
    LLVMValueRef address = increment->counter;
    LLVMPositionBuilderBefore(l->builder, instruction);
    LLVMSetCurrentDebugLocation2(l->builder, NULL);
    if (increment->computed)
        address = path_address_fold(l->builder, address);
    if (increment->in_image) {
        LLVMValueRef delta = increment->computed ? path_address_pin(l->builder, l->delta) : l->delta;
        address = LLVMBuildGEP2(l->builder, l->i8, address, &delta, 1, "");
    }
    /* LLVM would rearrange sums with computed numbers; and the printer takes a plain instruction on
     * an array for the increment of one of its counters (machine_code.cpp). */
    if (!l->plain_instructions || !increment->by || increment->computed) {
        LLVMValueRef assembly = increment_by_assembly(l, address, increment);
        if (number)
            shim_mark_increment(l->positions, assembly, number);
        return;
    }
    /* Two increments of one counter in one block must not share a load: volatile ones are never
     * merged. */
    bool first;
    hash_map_put(&l->counted, (uint64_t)(uintptr_t)increment->counter, &first);
    LLVMValueRef load = LLVMBuildLoad2(l->builder, l->i64, address, "");
    LLVMValueRef sum = LLVMBuildAdd(l->builder, load, LLVMConstInt(l->i64, increment->by, false), "");
    LLVMValueRef store = LLVMBuildStore(l->builder, sum, address);
    LLVMSetVolatile(load, !first);
    LLVMSetVolatile(store, !first);
    if (number)
        shim_mark_increment(l->positions, store, number);
}

/* May the instruction do the work of several rounds of a loop? */
static bool is_wide(LLVMValueRef instruction)
{
    bool stores = LLVMIsAStoreInst(instruction);
    LLVMTypeRef type = LLVMTypeOf(stores ? LLVMGetOperand(instruction, 0) : instruction);
    return LLVMIsACallInst(instruction) || LLVMGetTypeKind(type) == LLVMVectorTypeKind;
}

/* Is a counter counted more than once in the stretch? */
static bool counts_several(const struct lowering *l)
{
    bool several = false;
    for (size_t i = 0; i < l->pending.count; i++)
        several |= l->pending.items[i].by > 1;
    for (size_t i = 0; i < l->passed.count && !several; i++) {
        several = l->passed.items[i].shared && l->passed.items[i].by > 1;
        for (size_t k = 0; k < i && l->passed.items[i].shared; k++)
            several |= l->passed.items[k].counter == l->passed.items[i].counter;
    }
    return several;
}

/*
 * Counts wait for the end of their stretch, and one position may stand for several rounds of an
 * unrolled loop or for several calls that were inlined. So the position of each instruction says
 * how many of the counts come before it; that of an instruction that does the work of several
 * rounds at once says only that. Returns the number of the stretch, or 0 when there is none.
 */
static uint32_t tell_order(struct lowering *l)
{
    bool several = counts_several(l);
    if (!l->passed.count || !l->located || !are_numbered(l))
        return 0;
    struct stretch counts = {0};
    for (size_t i = 0; i < l->passed.count; i++) {
        unsigned long long key;
        unsigned counter;
        if (!shim_counter(l->passed.items[i].counter, &key, &counter)) {
            ARRAY_RELEASE(&counts);
            return 0;
        }
        ARRAY_PUSH(&counts, ((struct stretch_count){.key = key,
                                                    .counter = counter,
                                                    .by = l->passed.items[i].by,
                                                    .shared = l->passed.items[i].shared}));
    }
    uint32_t stretch = stretch_add(l->positions, counts);
    struct hash_map numbers = {0}; /* (passed, number outside) -> number inside */
    for (size_t i = 0; i < l->standing.count; i++) {
        const struct located *at = &l->standing.items[i];
        uint32_t outside = shim_position(l->positions, at->instruction);
        bool rounds = several && is_wide(at->instruction), added;
        uint32_t passed = rounds ? UINT32_MAX : at->passed;
        uint64_t *inside = hash_map_put(&numbers, (uint64_t)passed << 32 | outside, &added);
        if (added && rounds)
            *inside = position_in_stretch(l->positions, outside, stretch_of_rounds(l->positions), 0);
        else if (added)
            *inside = position_in_stretch(l->positions, outside, stretch, passed);
        shim_mark(l->positions, at->instruction, (uint32_t)*inside);
    }
    hash_map_release(&numbers);
    return stretch;
}

/* Instructions of a stretch that is to end, and the one that ends it, stand at points of the final
 * function. */
static void tell_point(struct lowering *l, LLVMValueRef instruction)
{
    uint32_t number =
        l->has_final && l->located && are_numbered(l) ? shim_position(l->positions, instruction) : 0;
    uint32_t there = position_at_point(l->positions, number, l->final.point);
    if (there)
        shim_mark(l->positions, instruction, there);
}

/* Has the stretch counts that are shared? */
static bool has_shared(const struct lowering *l)
{
    for (size_t i = 0; i < l->passed.count; i++)
        if (l->passed.items[i].shared)
            return true;
    return false;
}

/* Adds a count to those that wait. Few counts wait at a time; looking back at 16 finds what inlining
 * and unrolling brought together. */
static void add_up(struct lowering *l, const struct increment *one)
{
    size_t last = l->pending.count, from = last > 16 ? last - 16 : 0;
    for (size_t i = last; one->by && i-- > from;)
        if (l->pending.items[i].counter == one->counter && l->pending.items[i].by) {
            l->pending.items[i].by += one->by;
            return;
        }
    ARRAY_PUSH(&l->pending, *one);
}

/* Shared counts of the stretch are made one by one after all. */
static void share_nothing(struct lowering *l)
{
    for (size_t i = 0; i < l->passed.count; i++) {
        struct increment *one = &l->passed.items[i];
        if (one->shared)
            add_up(l, one);
        one->shared = false;
    }
}

static void flush(struct lowering *l, LLVMValueRef before)
{
    bool edge = has_shared(l) && final_is_edge(&l->final);
    if (!edge)
        share_nothing(l);
    for (size_t i = 0; i < l->standing.count; i++)
        tell_point(l, l->standing.items[i].instruction);
    uint32_t stretch = tell_order(l), number = stretch ? position_of_counts(l->positions, stretch) : 0;
    struct increment shared = {.by = 1, .in_image = l->final.in_image};
    if (edge && (shared.counter = final_next(&l->final, stretch)))
        ARRAY_PUSH(&l->pending, shared);
    for (size_t i = 0; i < l->pending.count; i++)
        increment_before(l, before, &l->pending.items[i], number);
    l->pending.count = l->passed.count = l->standing.count = 0;
    tell_point(l, before);
}

/* Takes the last count of the counter off the list of the stretch. */
static void forget_passed(struct lowering *l, LLVMValueRef counter)
{
    size_t at = l->passed.count;
    while (at-- > 0 && l->passed.items[at].counter != counter)
        ;
    if (at == SIZE_MAX || --l->passed.items[at].by)
        return;
    l->passed.count--;
    memmove(&l->passed.items[at], &l->passed.items[at + 1], (l->passed.count - at) * sizeof *l->passed.items);
    for (size_t i = 0; i < l->standing.count; i++)
        l->standing.items[i].passed -= l->standing.items[i].passed > at;
}

static void add_pending(struct lowering *l, LLVMValueRef marker, bool in_image)
{
    LLVMValueRef counter = LLVMGetOperand(marker, 0), partner = marker_partner(marker);
    uint64_t by = marker_by(marker);
    size_t last = l->pending.count, from = last > 16 ? last - 16 : 0;
    for (size_t i = last; partner && i-- > from;)
        if (l->pending.items[i].counter == partner) { /* what begins and ends in one stretch is not counted */
            if (--l->pending.items[i].by == 0)
                l->pending.items[i] = l->pending.items[--l->pending.count];
            forget_passed(l, partner);
            return;
        }
    struct increment one = {.counter = counter,
                            .by = by,
                            .times = marker_times(marker),
                            .in_image = in_image,
                            .shared = l->has_final && marker_is_shared(marker)};
    ARRAY_PUSH(&l->passed, one);
    bool first = true;
    one.twins = l->has_final ? twins_of(&l->final.twins, marker, &first) : NULL;
    if (one.twins)
        one.counter = one.twins->address;
    if (!one.shared && first)
        add_up(l, &one);
}

/* In the function's own code `resume` calls the unwinder, which sees the frame: only copies that
 * were inlined tell the runtime. */
static void lower_goes_on(struct lowering *l, LLVMValueRef marker)
{
    if (shim_is_inlined(marker)) {
        LLVMValueRef function = LLVMGetOperand(marker, 0);
        LLVMPositionBuilderBefore(l->builder, marker);
        LLVMSetCurrentDebugLocation2(l->builder, LLVMInstructionGetDebugLoc(marker));
        LLVMValueRef call =
            LLVMBuildCall2(l->builder, LLVMGlobalGetValueType(function), function, NULL, 0, "");
        LLVMSetTailCallKind(call, LLVMTailCallKindNoTail);
        LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex, l->no_merge);
    }
    LLVMInstructionEraseFromParent(marker);
}

/* Is it the number of a position, or of code that is not counted? */
static bool is_placed(uint32_t number)
{
    return number && number != POSITION_PASSED && number != POSITION_LOST;
}

/* A copy of memory that may become a call, and may fault: its position says that all counts before
 * it are made. */
static void settle(const struct lowering *l, LLVMValueRef copy)
{
    uint32_t number = l->located && are_numbered(l) ? shim_position(l->positions, copy) : 0;
    if (position_at(l->positions, number))
        shim_mark(l->positions, copy, position_settled(l->positions, number));
}

/* A pass has merged several markers: the program computes which counter it counts. */
static void lower_merged(struct lowering *l, LLVMValueRef marker)
{
    struct increment one = {.counter = LLVMGetOperand(marker, 0), .computed = true};
    if (marker_merged_counts(marker, &one.in_image)) {
        one.by = marker_by(marker);
        one.times = marker_times(marker);
        increment_before(l, marker, &one, 0);
    } else {
        struct error text;
        error_set(&text, "counters of '%s' were merged by a pass of the optimiser: leave that pass out",
                  LLVMGetValueName(LLVMGetBasicBlockParent(LLVMGetInstructionParent(marker))));
        shim_error(l->module, text.text);
    }
    LLVMInstructionEraseFromParent(marker);
}

static void lower_block(struct lowering *l, LLVMBasicBlockRef block)
{
    hash_map_release(&l->counted);
    if (l->has_final)
        final_enter_block(&l->final, block);
    for (LLVMValueRef i = LLVMGetFirstInstruction(block), next; i; i = next) {
        next = LLVMGetNextInstruction(i);
        if (l->located && LLVMIsASelectInst(i))
            shim_mark(l->positions, i, POSITION_PASSED); /* the code generator may make a branch of it */
        if (marker_was_merged(i, l->annotation)) {
            flush(l, i);
            lower_merged(l, i);
            continue;
        }
        if (marker_is_goes_on(i, l->annotation)) {
            flush(l, i);
            lower_goes_on(l, i);
            continue;
        }
        LLVMValueRef array = marker_path_array(i, l->annotation);
        if (array) {
            const struct increment one = {.counter = LLVMGetOperand(i, 0),
                                          .by = marker_by(i),
                                          .times = marker_times(i),
                                          .in_image = !LLVMIsThreadLocal(array),
                                          .computed = true,
                                          .array = array};
            increment_before(l, i, &one, 0);
            LLVMInstructionEraseFromParent(i);
            continue;
        }
        array = marker_array(i, l->annotation);
        if (array) {
            add_pending(l, i, !LLVMIsThreadLocal(array));
            LLVMInstructionEraseFromParent(i);
        } else if (stretch_ends_before(i, l->annotation)) {
            flush(l, i);
            if (copies_much(i))
                settle(l, i);
        } else if (l->located && is_placed(shim_position(l->positions, i))) {
            uint32_t passed =
                are_numbered(l) ? position_passed(l->positions, shim_position(l->positions, i)) : 0;
            /* A call of the source that is an instruction now (memcpy): counts wait until after
             * it. */
            if (passed)
                shim_mark(l->positions, i, passed);
            ARRAY_PUSH(&l->standing, ((struct located){i, (uint32_t)l->passed.count}));
        }
    }
}

/* Does the function have markers? *images: are some of their arrays images, which are reached
 * through delta? A linker may inline code of one kind into code of the other. */
static bool find_arrays(const struct lowering *l, LLVMValueRef function, bool *images)
{
    bool any = *images = false;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            LLVMValueRef array = marker_array(i, l->annotation);
            if (!array)
                array = marker_path_array(i, l->annotation);
            bool merged = !array && marker_was_merged(i, l->annotation), merged_images = false;
            if (merged)
                (void)marker_merged_counts(i, &merged_images);
            any |= array || merged;
            *images |= merged_images || (array && !LLVMIsThreadLocal(array));
        }
    return any;
}

static bool has_merged(const struct lowering *l, LLVMValueRef function)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (marker_was_merged(i, l->annotation))
                return true;
    return false;
}

/* With merged markers it is not known which counts come before an instruction; before calls all are
 * made. */
static void lose_places(const struct lowering *l, LLVMValueRef function)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (!LLVMIsACallInst(i) && !LLVMIsAInvokeInst(i) && is_placed(shim_position(l->positions, i)))
                shim_mark(l->positions, i, POSITION_LOST);
}

static bool lower_function(struct lowering *l, LLVMValueRef function)
{
    bool images;
    if (!find_arrays(l, function, &images))
        return false;
    l->plain_instructions =
        l->optimised && !LLVMGetEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, l->optnone);
    l->delta = images ? read_delta(l, function) : NULL;
    l->located = shim_can_mark(function);
    if (l->located && has_merged(l, function))
        lose_places(l, function);
    const struct final_place at = {.module = l->module,
                                   .function = function,
                                   .annotation = l->annotation,
                                   .positions = l->positions,
                                   .flows = l->located && are_numbered(l) && l->flows};
    l->has_final = l->plain_instructions && l->shares && final_begin(&l->final, &at);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        lower_block(l, b);
    if (l->has_final)
        final_end(&l->final);
    return true;
}

/* Sanitizers run after this pass, and the memory sanitizer brings optimisations of its own. */
static bool is_sanitized(LLVMModuleRef module)
{
    static const char *const names[] = {"sanitize_address", "sanitize_hwaddress", "sanitize_memory",
                                        "sanitize_thread"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        unsigned kind = LLVMGetEnumAttributeKindForName(names[i], strlen(names[i]));
        for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
            if (LLVMGetEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, kind))
                return true;
    }
    return false;
}

/* watch: the printer is still to be told to watch. options: NULL in a linker. */
static bool lower(LLVMModuleRef module, bool optimised, bool watch, const struct instrument_options *options,
                  struct position_table *positions)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    struct lowering l = {.positions = positions,
                         .module = module,
                         .context = context,
                         .annotation = LLVMGetNamedFunction(module, MARKER_INTRINSIC),
                         .i64 = LLVMInt64TypeInContext(context),
                         .i8 = LLVMInt8TypeInContext(context),
                         .pointer = LLVMPointerTypeInContext(context, 0),
                         .optnone = LLVMGetEnumAttributeKindForName("optnone", strlen("optnone")),
                         .optimised = optimised,
                         .shares = positions->positions.count && !(options && options->source_plan) &&
                                   !shim_code_is_taken_out(),
                         /* durable: counts are facts at every moment */
                         .flows = !(options && options->durable)};
    if (!l.annotation) { /* LLVM drops the intrinsic from a unit that is traced and counts nothing */
        if (watch && positions->positions.count)
            shim_watch_printer(module, false);
        return false;
    }
    l.element_type = LLVMCreateTypeAttribute(
        context, LLVMGetEnumAttributeKindForName("elementtype", strlen("elementtype")), l.i64);
    l.no_merge =
        LLVMCreateEnumAttribute(context, LLVMGetEnumAttributeKindForName("nomerge", strlen("nomerge")), 0);
    l.builder = LLVMCreateBuilderInContext(context);
    bool changed = false;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        changed |= lower_function(&l, f);
    if (changed)
        attributes_widen(module, l.attaches);
    if (changed && l.shares && l.optimised)
        marker_drop_arrays(module);
    LLVMValueRef goes_on = LLVMGetNamedFunction(module, COUNTERS_GOES_ON_SYMBOL);
    if (goes_on && !LLVMGetFirstUse(goes_on))
        LLVMDeleteFunction(goes_on);
    if (watch && positions->positions.count)
        shim_watch_printer(module, false);
    LLVMDisposeBuilder(l.builder);
    ARRAY_RELEASE(&l.pending);
    ARRAY_RELEASE(&l.passed);
    ARRAY_RELEASE(&l.standing);
    hash_map_release(&l.counted);
    return changed;
}

bool lower_module(LLVMModuleRef module, bool optimised, struct unit_context *context)
{
    const struct instrument_options *options = &context->options->parsed;
    bool passes_follow = options->bitcode || options->lto;
    if (options->lto && !options->durable) {
        /* The optimiser in the linker need not work around markers that nobody will read. */
        for (LLVMValueRef f = LLVMGetFirstFunction(module); optimised && f; f = LLVMGetNextFunction(f))
            if (!LLVMIsDeclaration(f))
                crash_drop_dead(f, &context->crash, &context->positions);
        bool packed = link_time_prepare(module, &context->positions, &context->crash);
        /* With -ffat-lto-objects this process makes machine code, too: of what the bitcode carries. */
        position_table_release(&context->positions);
        crash_table_release(&context->crash);
        context->positions = (struct position_table){0};
        context->crash = (struct crash_table){0};
        return packed;
    }
    bool crash = crash_lower(module, &context->crash, &context->positions, optimised);
    bool counts = lower(module, optimised && !passes_follow && !is_sanitized(module), !passes_follow, options,
                        &context->positions);
    return crash || counts;
}

/* The functions by which the code generator was led here (shim_watch_printer) have done their duty: they
 * need no code. */
static void drop_watchers(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        const char *collector = LLVMGetGC(f);
        if (collector && !strcmp(collector, PRINTER_COLLECTOR) && LLVMGetLinkage(f) == LLVMInternalLinkage)
            LLVMSetLinkage(f, LLVMAvailableExternallyLinkage);
    }
}

void lower_at_link_time(LLVMModuleRef module, bool optimised, struct unit_context *context)
{
    drop_watchers(module);
    carried_unpack(module, &context->positions, &context->crash);
    if (context->positions.source == POSITIONS_UNPACKED) /* else it has been done */
        crash_lower(module, &context->crash, &context->positions, optimised);
    lower(module, optimised, false, NULL, &context->positions);
}
