#include "instrument/crash/final.h"
#include "instrument/crash/coverage.h"
#include "instrument/graph/function_graph.h"
#include "instrument/llvm/shim.h"

#include <string.h>

enum { DEPTH_MOST = 64, REGISTERS_FOR_ARGUMENTS = 6 };

/* ---- Subjects ---- */

static uint32_t subject_number(struct crash_final *f, const struct crash_subject *subject, bool add)
{
    const uint64_t name[] = {(uint64_t)(uintptr_t)subject->f, (uint64_t)(uintptr_t)subject->instance,
                             subject->region, subject->ring};
    uint64_t hash = hash_bytes(name, sizeof name);
    const uint64_t *found = hash_map_get(&f->subject_of, hash);
    if (found)
        return (uint32_t)*found - 1;
    if (!add)
        return SLOTS_NONE;
    ARRAY_PUSH(&f->subjects, *subject);
    *hash_map_put(&f->subject_of, hash, NULL) = f->subjects.count;
    return (uint32_t)f->subjects.count - 1;
}

/* Can there be such a marker? */
static bool is_on_edge(const struct crash_function *of, const struct crash_marker *marker)
{
    return marker->edge < of->graph.edge_count &&
           (marker->ring ? of->ring && crash_begins_round(&of->regions, marker->edge)
                         : of->regions.to[marker->edge] != GRAPH_NONE);
}

static uint32_t region_of(const struct crash_function *of, const struct crash_marker *marker)
{
    return marker->ring ? of->regions.innermost[of->graph.edges[marker->edge].to]
                        : crash_region_of_step(&of->regions, marker->edge);
}

/* A round that is completed wishes to know the slot that tells its way. */
static void add_slot_of_round(struct crash_final *f, const struct crash_subject *ring,
                              struct crash_site *site)
{
    struct crash_subject subject = *ring;
    subject.ring = false;
    site->first_wish = (uint32_t)f->wishes.count;
    if (ring->f->rounds.span[site->edge] < 2)
        return;
    ARRAY_PUSH(&f->wishes, ((struct crash_wish){.subject = subject_number(f, &subject, false),
                                                .region = ring->region,
                                                .node = crash_end_of_round(&ring->f->regions, site->edge)}));
    site->wishes = 1;
}

/* Reads a marker; false: it is none, or a stray. */
static bool read_marker(struct crash_final *f, LLVMValueRef instruction, struct crash_site *site)
{
    struct crash_marker marker;
    bool is_marker = crash_marker_read(instruction, &marker);
    if (!is_marker && !marker.changed)
        return false;
    struct shim_place place;
    unsigned depth = is_marker ? shim_chain(f->positions, instruction, &place, 1) : 0;
    const struct position *p = depth ? position_at(f->positions, place.number) : NULL;
    const struct crash_function *of = is_marker ? crash_table_find(f->table, marker.key) : NULL;
    if (!p || p->key != marker.key || !of || of->state != SLOTS_TRACKED || !is_on_edge(of, &marker)) {
        ARRAY_PUSH(&f->strays, instruction);
        return false;
    }
    const struct crash_subject subject = {
        .f = of, .instance = place.instance, .region = region_of(of, &marker), .ring = marker.ring};
    *site = (struct crash_site){
        .instruction = instruction, .subject = subject_number(f, &subject, true), .edge = marker.edge};
    if (marker.ring)
        add_slot_of_round(f, &subject, site);
    return true;
}

/* ---- Points ---- */

static bool has_text_attribute(LLVMValueRef function, const char *name)
{
    return LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, name,
                                         (unsigned)strlen(name)) != NULL;
}

/* The next instruction that does something. */
static LLVMValueRef next_of(LLVMValueRef instruction)
{
    LLVMValueRef next = LLVMGetNextInstruction(instruction);
    while (next && (LLVMIsADbgInfoIntrinsic(next) || ir_is_lifetime_marker(next)))
        next = LLVMGetNextInstruction(next);
    return next;
}

/* May the call become a jump, which leaves no return address? Not if it passes arguments in memory. */
static bool may_jump(LLVMValueRef call)
{
    if (!LLVMIsACallInst(call) || LLVMGetTailCallKind(call) == LLVMTailCallKindNone ||
        LLVMGetTailCallKind(call) == LLVMTailCallKindNoTail)
        return false;
    LLVMValueRef next = next_of(call);
    if (!next || !LLVMIsAReturnInst(next) ||
        (LLVMGetNumOperands(next) && LLVMGetOperand(next, 0) != call &&
         !LLVMIsUndef(LLVMGetOperand(next, 0))))
        return false;
    LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
    return LLVMGetTailCallKind(call) == LLVMTailCallKindMustTail ||
           (!has_text_attribute(function, "disable-tail-calls") &&
            LLVMGetNumArgOperands(call) <= REGISTERS_FOR_ARGUMENTS);
}

struct chain {
    struct shim_place places[DEPTH_MOST];
    unsigned depth;
};

/* Where the instruction stands; false: that is not known. */
static bool read_chain(const struct crash_final *f, LLVMValueRef instruction, struct chain *chain)
{
    chain->depth = shim_chain(f->positions, instruction, chain->places, DEPTH_MOST);
    for (unsigned i = 0; i < chain->depth; i++)
        if (!position_at(f->positions, chain->places[i].number))
            return false;
    return chain->depth;
}

static bool share_block(const struct crash_final *f, const struct chain *a, const struct chain *b)
{
    bool same = a->depth == b->depth;
    for (unsigned i = 0; same && i < a->depth; i++) {
        const struct position *p = position_at(f->positions, a->places[i].number),
                              *q = position_at(f->positions, b->places[i].number);
        same = p->key == q->key && p->block == q->block && a->places[i].instance == b->places[i].instance;
    }
    return same;
}

/*
 * Does control surely stand where the stop's position says? A call that only reads, or touches no
 * memory but its arguments', may have been moved over branches. It stands in its block if what comes
 * next and cannot be moved does, and no slot and no coverage byte changes on the way there.
 */
static bool is_placed(const struct crash_final *f, LLVMValueRef stop, const struct chain *chain)
{
    if (!shim_may_move(stop))
        return true;
    for (LLVMValueRef i = LLVMGetNextInstruction(stop); i; i = LLVMGetNextInstruction(i)) {
        struct crash_marker marker;
        struct chain there;
        if (crash_marker_read(i, &marker) || marker.changed || crash_is_cover(i))
            return false;
        if (LLVMIsATerminatorInst(i) || (call_is_numbered(i) && !shim_may_move(i)))
            return read_chain(f, i, &there) && share_block(f, chain, &there);
    }
    return false;
}

/* What the ring of a loop that the activation is in tells, if there is one. */
static void add_ring(struct crash_final *f, struct crash_subject subject, unsigned depth)
{
    subject.ring = true;
    uint32_t number = subject.f->ring && subject.region ? subject_number(f, &subject, false) : SLOTS_NONE;
    if (number != SLOTS_NONE)
        ARRAY_PUSH(
            &f->wishes,
            ((struct crash_wish){.subject = number, .depth = depth, .region = subject.region, .ring = true}));
}

/* rings: rounds that are completed are asked about, too. */
static void add_wishes(struct crash_final *f, const struct chain *chain, bool rings)
{
    for (unsigned depth = 0; depth < chain->depth; depth++) {
        const struct position *p = position_at(f->positions, chain->places[depth].number);
        const struct crash_function *of = crash_table_find(f->table, p->key);
        if (!of || of->state != SLOTS_TRACKED)
            continue;
        for (uint32_t region = of->regions.innermost[p->block]; region != GRAPH_NONE;
             region = of->regions.parent[region]) {
            uint32_t node = crash_node_of(&of->regions, region, p->block);
            const struct crash_subject subject = {
                .f = of, .instance = chain->places[depth].instance, .region = region};
            if (rings)
                add_ring(f, subject, depth);
            if (of->numbering.classes[node] < 2)
                continue;
            ARRAY_PUSH(&f->wishes, ((struct crash_wish){.subject = subject_number(f, &subject, false),
                                                        .depth = depth,
                                                        .region = region,
                                                        .node = node}));
        }
    }
}

static void add_stop(struct crash_final *f, LLVMValueRef instruction, const struct chain *chain, bool is_call,
                     struct crash_site *site)
{
    *site = (struct crash_site){
        .instruction = instruction, .is_stop = true, .first_wish = (uint32_t)f->wishes.count};
    add_wishes(f, chain, is_call);
    site->wishes = (uint32_t)f->wishes.count - site->first_wish;
}

static bool read_call(struct crash_final *f, LLVMValueRef instruction, bool jumps, struct crash_site *site)
{
    struct chain chain;
    if (!call_is_numbered(instruction) && !copies_much(instruction))
        return false;
    if ((jumps && may_jump(instruction)) || !read_chain(f, instruction, &chain))
        return false;
    add_stop(f, instruction, &chain, true, site);
    site->placed = is_placed(f, instruction, &chain);
    return true;
}

/* ---- Faults ---- */

static bool is_marker(LLVMValueRef instruction)
{
    struct crash_marker marker;
    return crash_marker_read(instruction, &marker) || marker.changed;
}

/* The next instruction on straight code at which control surely stands where its position says. */
static LLVMValueRef next_certain(LLVMValueRef instruction)
{
    enum { BLOCKS_MOST = 8 };
    LLVMValueRef i = LLVMGetNextInstruction(instruction);
    for (unsigned blocks = 0; i && blocks < BLOCKS_MOST;) {
        if (call_is_numbered(i) && !shim_may_move(i))
            return i;
        if (!LLVMIsATerminatorInst(i)) {
            i = LLVMGetNextInstruction(i);
            continue;
        }
        if (!LLVMIsABranchInst(i) || LLVMIsConditional(i))
            return i;
        i = LLVMGetFirstInstruction(LLVMGetSuccessor(i, 0));
        blocks++;
    }
    return NULL;
}

/* Is control still in every loop that the positions of the chain are in, when it comes to what is
 * certain next? If not, the instruction was moved out of one. */
static bool stays_in_loops(const struct crash_final *f, const struct chain *chain, const struct chain *next)
{
    for (unsigned i = 0; i < chain->depth; i++) {
        const struct position *p = position_at(f->positions, chain->places[i].number), *q = NULL;
        const struct crash_function *of = crash_table_find(f->table, p->key);
        if (!of || of->state != SLOTS_TRACKED)
            continue;
        for (unsigned k = 0; k < next->depth; k++)
            if (next->places[k].instance == chain->places[i].instance)
                q = position_at(f->positions, next->places[k].number);
        uint32_t region = of->regions.innermost[p->block];
        if (region && (region == GRAPH_NONE || !q || q->key != p->key ||
                       crash_node_of(&of->regions, region, q->block) == GRAPH_NONE))
            return false;
    }
    return true;
}

/* Does the instruction use a load of its block? The code generator may make one instruction of both.
 * Sets whether all such loads stand where this one does, and no slot changes between them. */
static bool uses_load(const struct crash_final *f, LLVMValueRef instruction, const struct chain *chain,
                      bool *together)
{
    bool any = false;
    struct chain there;
    for (int i = 0; i < LLVMGetNumOperands(instruction); i++) {
        LLVMValueRef load = LLVMGetOperand(instruction, (unsigned)i);
        if (!LLVMIsALoadInst(load) || LLVMGetInstructionParent(load) != LLVMGetInstructionParent(instruction))
            continue;
        any = true;
        *together &= crash_is_of_source(load) && read_chain(f, load, &there) && share_block(f, chain, &there);
        for (LLVMValueRef at = load; *together && at && at != instruction; at = LLVMGetNextInstruction(at))
            *together = !is_marker(at);
    }
    return any;
}

/*
 * An instruction that may fault belongs to the block that its position names, wherever it was moved:
 * but how often it has been there is only certain if it is still in all loops around that block, and
 * was not made by a pass (a load that is read ahead for the next round has the location of the one in
 * this round). The analysis of check.c then says whether slots are those of the block.
 */
static bool read_fault(struct crash_final *f, LLVMValueRef instruction, struct crash_site *site)
{
    struct chain chain, next;
    bool faults = crash_may_fault(instruction), ends = LLVMIsATerminatorInst(instruction) != NULL,
         uses = false, together = true;
    bool calls =
        LLVMIsACallInst(instruction) || LLVMIsAInvokeInst(instruction) || LLVMIsACallBrInst(instruction);
    if (LLVMIsAPHINode(instruction) || (calls && !faults) || !read_chain(f, instruction, &chain))
        return false;
    uses = uses_load(f, instruction, &chain, &together);
    if ((!faults && !ends && !uses) || !together || (faults && !crash_is_of_source(instruction)))
        return false;
    LLVMValueRef certain = ends ? instruction : next_certain(instruction);
    add_stop(f, instruction, &chain, false, site);
    site->placed = certain && read_chain(f, certain, &next) && stays_in_loops(f, &chain, &next);
    site->between = true;
    return true;
}

/* ---- The function ---- */

static void read_blocks(struct crash_final *f)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f->function); b; b = LLVMGetNextBasicBlock(b)) {
        ARRAY_PUSH(&f->blocks, (struct crash_block){.block = b});
        *hash_map_put(&f->index_of_block, (uint64_t)(uintptr_t)b, NULL) = f->blocks.count;
    }
    for (size_t i = 0; i < f->blocks.count; i++) {
        struct crash_block *b = &f->blocks.items[i];
        LLVMValueRef last = LLVMGetBasicBlockTerminator(b->block);
        b->successors = (uint32_t)f->successors.count;
        b->successor_count = last ? LLVMGetNumSuccessors(last) : 0;
        for (uint32_t k = 0; k < b->successor_count; k++) {
            LLVMBasicBlockRef to = LLVMGetSuccessor(last, k);
            ARRAY_PUSH(&f->successors,
                       (uint32_t)*hash_map_get(&f->index_of_block, (uint64_t)(uintptr_t)to) - 1);
        }
    }
}

/* Subjects are those that have markers: they are numbered before wishes name them. */
static void read_subjects(struct crash_final *f)
{
    struct crash_site site;
    for (size_t i = 0; i < f->blocks.count; i++)
        for (LLVMValueRef at = LLVMGetFirstInstruction(f->blocks.items[i].block); at;
             at = LLVMGetNextInstruction(at))
            read_marker(f, at, &site);
    f->strays.count = f->wishes.count = 0;
}

bool crash_final_init(struct crash_final *f, const struct crash_table *table,
                      const struct position_table *positions, LLVMValueRef function, unsigned stops)
{
    *f = (struct crash_final){.function = function, .table = table, .positions = positions};
    read_blocks(f);
    read_subjects(f);
    for (size_t i = 0; i < f->blocks.count; i++) {
        struct crash_block *b = &f->blocks.items[i];
        b->first = (uint32_t)f->sites.count;
        for (LLVMValueRef at = LLVMGetFirstInstruction(b->block); at; at = LLVMGetNextInstruction(at)) {
            struct crash_site site;
            if (read_marker(f, at, &site) || read_call(f, at, stops & CRASH_JUMPS, &site) ||
                (stops & CRASH_FAULTS && read_fault(f, at, &site)))
                ARRAY_PUSH(&f->sites, site);
        }
        b->end = (uint32_t)f->sites.count;
    }
    return f->sites.count || f->strays.count;
}

void crash_final_release(struct crash_final *f)
{
    ARRAY_RELEASE(&f->blocks);
    ARRAY_RELEASE(&f->successors);
    ARRAY_RELEASE(&f->sites);
    ARRAY_RELEASE(&f->wishes);
    ARRAY_RELEASE(&f->subjects);
    ARRAY_RELEASE(&f->strays);
    hash_map_release(&f->index_of_block);
    hash_map_release(&f->subject_of);
}
