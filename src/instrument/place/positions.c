#include "instrument/place/positions.h"
#include "format/map/map.h"
#include "instrument/graph/function_graph.h"
#include "instrument/graph/returns_twice.h"
#include "instrument/llvm/shim.h"
#include "instrument/marker/marker.h"

#include <string.h>

void position_table_release(struct position_table *t)
{
    for (size_t i = 0; i < t->stretches.count; i++)
        ARRAY_RELEASE(&t->stretches.items[i]);
    ARRAY_RELEASE(&t->positions);
    ARRAY_RELEASE(&t->stretches);
    loop_table_release(&t->loops);
    hash_map_release(&t->in_loop);
    hash_map_release(&t->at_point);
    hash_map_release(&t->in_state);
    for (size_t i = 0; i < t->finals.count; i++)
        buffer_release(&t->finals.items[i]);
    ARRAY_RELEASE(&t->finals);
    hash_map_release(&t->final_of_key);
    hash_map_release(&t->edge_of_stretch);
    hash_map_release(&t->stretch_of_counter);
}

const struct position *position_at(const struct position_table *t, uint32_t number)
{
    return number && number <= t->positions.count ? &t->positions.items[number - 1] : NULL;
}

/* The position that a state is added to; NULL when there is none with this number. Code that is not
 * counted has a state, and nothing else. */
static const struct position *without_state(const struct position_table *t, uint32_t number)
{
    static const struct position uncounted;
    return number == POSITION_UNCOUNTED ? &uncounted : position_at(t, number);
}

bool position_is_uncounted(const struct position_table *t, uint32_t number)
{
    const struct position *p = without_state(t, number);
    return p && !p->key && !p->counts;
}

bool positions_share_line(const struct position_table *t, uint32_t a, uint32_t b)
{
    const struct position *p = position_at(t, a), *q = position_at(t, b);
    return p && q && p->key == q->key && p->block == q->block && p->lines == q->lines && p->loop == q->loop &&
           p->stretch == q->stretch && p->passed == q->passed && p->point == q->point;
}

/* Does the instruction use a load? The code generator makes one instruction of both, at the place
 * of this one. */
static bool uses_load(LLVMValueRef instruction)
{
    for (int i = 0; i < LLVMGetNumOperands(instruction); i++)
        if (LLVMIsALoadInst(LLVMGetOperand(instruction, (unsigned)i)))
            return true;
    return false;
}

/* Can a frame be cut at the instruction? It can where code is called, may fault, or decides where
 * to go. */
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
        return LLVMIsATerminatorInst(instruction) || uses_load(instruction);
    }
}

static bool is_copy(LLVMValueRef instruction)
{
    return LLVMIsAMemCpyInst(instruction) || LLVMIsAMemMoveInst(instruction) ||
           LLVMIsAMemSetInst(instruction);
}

/* Is it more than the code generator copies by moves of its own? */
static bool is_long(LLVMValueRef copy)
{
    enum { LENGTH = 2, MOVES_MOST = 128 };
    LLVMValueRef length = LLVMGetOperand(copy, LENGTH);
    return !LLVMIsAConstantInt(length) || LLVMConstIntGetZExtValue(length) > MOVES_MOST;
}

static unsigned no_merge(void)
{
    static const char name[] = "nomerge";
    return LLVMGetEnumAttributeKindForName(name, strlen(name));
}

/* Copies of the source have `nomerge` (keep_apart), those that optimisation made have not. */
bool copies_much(LLVMValueRef instruction)
{
    return is_copy(instruction) && is_long(instruction) &&
           LLVMGetCallSiteEnumAttribute(instruction, LLVMAttributeFunctionIndex, no_merge());
}

/*
 * Calls must not be merged: two calls in one would be one place for two blocks. A landing pad that
 * only catches would be skipped by other exceptions or not, depending on what was inlined: with
 * `cleanup` every exception stops there, and goes on if the pad does not catch it.
 */
static void keep_apart(LLVMValueRef instruction)
{
    if (!LLVMIsALandingPadInst(instruction)) {
        LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(instruction));
        LLVMAddCallSiteAttribute(instruction, LLVMAttributeFunctionIndex,
                                 LLVMCreateEnumAttribute(context, no_merge(), 0));
    } else {
        LLVMSetCleanup(instruction, true);
    }
}

uint32_t position_add(struct position_table *t, struct position position)
{
    ARRAY_PUSH(&t->positions, position);
    return (uint32_t)t->positions.count;
}

static uint32_t lines_at(const struct hash_map *lines_begun, const void *where, uint32_t before)
{
    const uint64_t *lines = hash_map_get(lines_begun, (uint64_t)(uintptr_t)where);
    return lines ? (uint32_t)*lines : before;
}

uint32_t position_ended(struct position_table *t, uint32_t number)
{
    const struct position *p = position_at(t, number);
    if (!p || !p->is_call)
        return 0;
    struct position copy = *p;
    copy.ended = true;
    return position_add(t, copy);
}

uint32_t position_in_loop(struct position_table *t, uint32_t number, uint32_t loop)
{
    const struct position *p = without_state(t, number);
    if (!p || p->loop == loop)
        return p ? number : 0;
    if (p->loop) { /* an inner one */
        loop_table_nest(&t->loops, p->loop, loop);
        return number;
    }
    bool added;
    uint64_t *there = hash_map_put(&t->in_loop, (uint64_t)number << 32 | loop, &added);
    if (added) {
        struct position copy = *p;
        copy.loop = loop;
        *there = position_add(t, copy);
    }
    return (uint32_t)*there;
}

uint32_t position_passed(struct position_table *t, uint32_t number)
{
    const struct position *p = position_at(t, number);
    if (!p || !p->is_call)
        return 0;
    struct position copy = *p;
    copy.is_call = copy.ended = false;
    return position_add(t, copy);
}

uint32_t position_before_jump(struct position_table *t, uint32_t number)
{
    const struct position *p = position_at(t, number);
    if (!p || !p->is_call || !p->call)
        return 0;
    struct position copy = *p;
    copy.is_call = copy.ended = false;
    copy.call--;
    return position_add(t, copy);
}

uint32_t position_settled(struct position_table *t, uint32_t number)
{
    const struct position *p = position_at(t, number);
    if (!p)
        return 0;
    struct position copy = *p;
    copy.is_call = copy.ended = false;
    copy.settled = true;
    return position_add(t, copy);
}

uint32_t stretch_add(struct position_table *t, struct stretch counts)
{
    ARRAY_PUSH(&t->stretches, counts);
    return (uint32_t)t->stretches.count;
}

const struct stretch *stretch_at(const struct position_table *t, uint32_t number)
{
    return number && number <= t->stretches.count ? &t->stretches.items[number - 1] : NULL;
}

uint32_t stretch_of_rounds(struct position_table *t)
{
    if (!t->stretch_of_rounds)
        t->stretch_of_rounds = stretch_add(t, (struct stretch){0});
    return t->stretch_of_rounds;
}

uint32_t position_in_stretch(struct position_table *t, uint32_t number, uint32_t stretch, uint32_t passed)
{
    const struct position *p = without_state(t, number);
    if (!p)
        return 0;
    struct position copy = *p;
    copy.stretch = stretch;
    copy.passed = passed;
    return position_add(t, copy);
}

uint32_t position_at_point(struct position_table *t, uint32_t number, uint32_t point)
{
    const struct position *p = without_state(t, number);
    if (!p)
        return 0;
    bool added;
    uint64_t *there = hash_map_put(&t->at_point, (uint64_t)number << 32 | point, &added);
    if (added) {
        struct position copy = *p;
        copy.point = point;
        *there = position_add(t, copy);
    }
    return (uint32_t)*there;
}

uint32_t position_in_state(struct position_table *t, uint32_t number, uint32_t uncounted)
{
    const struct position *p = position_at(t, number), *state = position_at(t, uncounted);
    if (!p || !state)
        return number;
    bool added;
    uint64_t *there = hash_map_put(&t->in_state, (uint64_t)number << 32 | uncounted, &added);
    if (added) {
        struct position copy = *p;
        copy.loop = state->loop;
        copy.stretch = state->stretch;
        copy.passed = state->passed;
        copy.point = state->point;
        *there = position_add(t, copy);
    }
    return (uint32_t)*there;
}

uint32_t position_with_claims(struct position_table *t, uint32_t number, uint32_t claims)
{
    const struct position *p = position_at(t, number);
    if (!p)
        return 0;
    struct position copy = *p;
    copy.claims = claims;
    return position_add(t, copy);
}

void stretch_is_edge(struct position_table *t, uint32_t stretch, uint32_t edge)
{
    if (stretch)
        *hash_map_put(&t->edge_of_stretch, stretch, NULL) = (uint64_t)edge + 1;
}

uint32_t stretch_edge(const struct position_table *t, uint32_t stretch)
{
    const uint64_t *edge = hash_map_get(&t->edge_of_stretch, stretch);
    return edge ? (uint32_t)*edge : 0;
}

static uint64_t counter_name(uint64_t final, uint32_t counter)
{
    const uint64_t name[2] = {final, counter};
    return hash_bytes(name, sizeof name);
}

void stretch_has_counter(struct position_table *t, uint32_t stretch, uint64_t final, uint32_t counter)
{
    if (stretch)
        *hash_map_put(&t->stretch_of_counter, counter_name(final, counter), NULL) = stretch;
}

uint32_t stretch_of_counter(const struct position_table *t, uint64_t final, uint32_t counter)
{
    const uint64_t *stretch = hash_map_get(&t->stretch_of_counter, counter_name(final, counter));
    return stretch ? (uint32_t)*stretch : 0;
}

void positions_add_final(struct position_table *t, uint64_t key, struct buffer record)
{
    ARRAY_PUSH(&t->finals, record);
    *hash_map_put(&t->final_of_key, key, NULL) = t->finals.count;
}

const struct buffer *positions_final(const struct position_table *t, uint64_t key)
{
    const uint64_t *index = hash_map_get(&t->final_of_key, key);
    return index ? &t->finals.items[*index - 1] : NULL;
}

uint32_t position_of_counts(struct position_table *t, uint32_t stretch)
{
    return position_add(t, (struct position){.counts = true, .stretch = stretch});
}

static void mark_block(struct position_table *t, const struct function_graph *f, uint32_t block, uint64_t key,
                       const struct hash_map *lines_begun, struct marker_maker *maker, bool located)
{
    struct position here = {
        .key = key, .block = block, .lines = lines_at(lines_begun, function_graph_head(f, block), 0)};
    uint32_t number = 0; /* of `here`, once it is needed */
    for (uint32_t ir = f->head[block]; ir != IR_NONE; ir = f->next[ir]) {
        LLVMValueRef i = LLVMGetFirstInstruction(f->ir.items[ir].block);
        for (; i; i = LLVMGetNextInstruction(i)) {
            bool call = call_is_numbered(i);
            if (call_is_builtin_longjmp(i) && !maker->alone)
                marker_unseen_jump(maker, i);
            if (call || (LLVMIsALandingPadInst(i) && !maker->alone) || (is_copy(i) && is_long(i)))
                keep_apart(i);
            here.call += call;
            uint32_t lines = lines_at(lines_begun, i, here.lines);
            if (call || here.is_call || lines != here.lines)
                number = 0;
            here.lines = lines;
            here.is_call = call;
            if (!located || !is_marked(i))
                continue;
            if (LLVMGetInstructionOpcode(i) == LLVMResume && !maker->alone) {
                struct position told = here;
                told.is_call = true;
                shim_mark(t, marker_goes_on(maker, i), position_add(t, told));
            }
            if (!number)
                number = position_add(t, here);
            shim_mark(t, i, number);
        }
    }
}

/* The runtime finds frames by their call frame information: programs that are compiled without get
 * it. */
static void describe_frame(LLVMValueRef function)
{
    enum { ASYNCHRONOUS = 2 }; /* right at every instruction, as clang makes it by default */
    static const char name[] = "uwtable";
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(function));
    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(context, kind, ASYNCHRONOUS));
}

void positions_mark(struct position_table *t, const struct function_graph *f, const struct map_function *map,
                    const struct hash_map *lines_begun, struct marker_maker *maker)
{
    bool located = shim_can_mark(f->function);
    t->source = POSITIONS_MARKED;
    describe_frame(f->function);
    for (uint32_t b = 0; b < graph_exit(&f->graph); b++)
        mark_block(t, f, b, map->key, lines_begun, maker, located);
}

/* Invokes are left out: an exception that one lets in stops in this activation and not in those
 * around it, whatever their calls are. The position of the call around it would claim otherwise. */
void positions_mark_uncounted(const struct position_table *t, LLVMValueRef function)
{
    if (!shim_can_mark(function))
        return;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (is_marked(i) && !LLVMIsAInvokeInst(i) && !LLVMIsAResumeInst(i))
                shim_mark(t, i, POSITION_UNCOUNTED);
}
