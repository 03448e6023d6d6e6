/*
 * Invariants:
 *  1. A marker of a slot becomes one store, or one addition to memory, at its place: volatile, so that no
 *     pass moves it over a call, merges it or drops it. So is what one of a ring becomes.
 *  2. A stop claims nothing that check.c did not grant. A call whose place is not certain claims
 *     nothing at all; of another instruction, no slot is told then.
 *  3. What is stored has no location: the user's debug information stays what it was.
 */
#include "instrument/crash/lower.h"
#include "instrument/crash/check.h"
#include "instrument/crash/live.h"
#include "instrument/crash/rings.h"
#include "instrument/crash/tunable.h"
#include "instrument/llvm/shim.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

bool crash_drop_dead(LLVMValueRef function, const struct crash_table *table,
                     const struct position_table *positions)
{
    struct crash_final f;
    bool dropped = false;
    unsigned stops = CRASH_CALLS | (table->for_faults ? CRASH_FAULTS : 0);
    if (crash_final_init(&f, table, positions, function, stops) && f.subjects.count) {
        struct crash_live live;
        crash_live_find(&live, &f, true);
        for (size_t i = 0; i < f.sites.count; i++)
            if (live.dead[i]) {
                LLVMInstructionEraseFromParent(f.sites.items[i].instruction);
                dropped = true;
            }
        crash_live_release(&live);
    }
    crash_final_release(&f);
    return dropped;
}

struct lowering {
    struct crash_table *table;
    struct position_table *positions;
    const struct crash_final *f;
    const struct crash_live *live;
    LLVMContextRef context;
    LLVMBuilderRef builder;
    LLVMValueRef *variables; /* per slot */
};

static LLVMTypeRef type_of(const struct lowering *l, uint32_t slot)
{
    return l->live->bytes[slot] == 1 ? LLVMInt8TypeInContext(l->context) : LLVMInt32TypeInContext(l->context);
}

/* A ring is a word and its numbers, without padding at its end. */
static LLVMTypeRef variable_type(const struct lowering *l, uint32_t slot)
{
    uint64_t numbers = (uint64_t)l->live->ring[slot] * l->live->bytes[slot];
    return numbers ? LLVMArrayType2(LLVMInt8TypeInContext(l->context), sizeof(uint64_t) + numbers)
                   : type_of(l, slot);
}

/* A variable of the function, which tells the printer its number. */
static LLVMValueRef make_variable(struct lowering *l, uint32_t slot)
{
    LLVMValueRef first = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(l->f->function));
    LLVMPositionBuilderBefore(l->builder, first);
    LLVMSetCurrentDebugLocation2(l->builder, NULL);
    LLVMValueRef variable = LLVMBuildAlloca(l->builder, variable_type(l, slot), "");
    LLVMTypeRef i32 = LLVMInt32TypeInContext(l->context);
    if (l->live->ring[slot])
        LLVMSetAlignment(variable, sizeof(uint64_t));
    LLVMMetadataRef numbers[] = {LLVMValueAsMetadata(LLVMConstInt(i32, slot, false)),
                                 LLVMValueAsMetadata(LLVMConstInt(i32, l->live->ring[slot], false))};
    unsigned kind =
        LLVMGetMDKindIDInContext(l->context, CRASH_SLOT_METADATA, (unsigned)strlen(CRASH_SLOT_METADATA));
    LLVMSetMetadata(variable, kind,
                    LLVMMetadataAsValue(l->context, LLVMMDNodeInContext2(l->context, numbers, 2)));
    return variable;
}

static void lower_ring(struct lowering *l, const struct crash_site *site)
{
    const struct crash_wish *wish = site->wishes ? &l->f->wishes.items[site->first_wish] : NULL;
    uint32_t slot = wish && wish->granted ? l->live->slot[wish->subject] : SLOTS_NONE;
    bool known = slot != SLOTS_NONE;
    crash_ring_lower(l->builder, &l->f->subjects.items[site->subject], site,
                     l->variables[l->live->slot[site->subject]], known ? l->variables[slot] : NULL,
                     known ? l->live->bytes[slot] : 0);
}

static void lower_marker(struct lowering *l, const struct crash_site *site)
{
    LLVMPositionBuilderBefore(l->builder, site->instruction);
    LLVMSetCurrentDebugLocation2(l->builder, NULL);
    if (crash_site_is_ring(l->f, site)) {
        lower_ring(l, site);
        return;
    }
    struct crash_mark mark = crash_site_mark(l->f, site);
    uint32_t slot = l->live->slot[site->subject];
    LLVMTypeRef type = type_of(l, slot);
    LLVMValueRef value = LLVMConstInt(type, mark.value, false);
    if (mark.op == CRASH_ADD)
        value = LLVMBuildAdd(l->builder, LLVMBuildLoad2(l->builder, type, l->variables[slot], ""), value, "");
    LLVMSetVolatile(LLVMBuildStore(l->builder, value, l->variables[slot]), true);
}

/* Is the site a marker that becomes a store to a slot? */
static bool is_stored(const struct lowering *l, size_t site)
{
    const struct crash_site *e = &l->f->sites.items[site];
    return !e->is_stop && !l->live->dead[site] && !crash_site_is_ring(l->f, e);
}

/* What the marker becomes. */
static struct crash_store store_of(const struct lowering *l, size_t site)
{
    const struct crash_site *e = &l->f->sites.items[site];
    struct crash_mark mark = crash_site_mark(l->f, e);
    uint32_t slot = l->live->slot[e->subject];
    return (struct crash_store){
        .slot = slot, .op = mark.op, .value = l->live->bytes[slot] == 1 ? mark.value & 0xff : mark.value};
}

/* The position of a stop names its claims. before, after: the stores around it in its block. */
static void claim(struct lowering *l, const struct crash_site *site, struct crash_store before,
                  struct crash_store after)
{
    if (!site->placed && !site->between)
        return;
    struct crash_claims claims = {.between = site->between};
    if (site->between) {
        claims.before = before;
        claims.after = after;
    }
    for (uint32_t i = site->first_wish; i < site->first_wish + site->wishes; i++) {
        const struct crash_wish *wish = &l->f->wishes.items[i];
        ARRAY_PUSH(&claims.set,
                   ((struct slots_claim){.depth = wish->depth,
                                         .region = wish->region,
                                         .rounds = wish->ring,
                                         .slot = wish->granted ? l->live->slot[wish->subject] : SLOTS_NONE}));
    }
    uint32_t number = shim_position(l->positions, site->instruction);
    shim_mark(l->positions, site->instruction,
              position_with_claims(l->positions, number, crash_table_add_claims(l->table, claims)));
}

static void claim_in(struct lowering *l, const struct crash_block *b)
{
    const struct crash_store none = {.slot = SLOTS_NONE};
    struct crash_store before = none, after = none;
    uint32_t next = b->first; /* `after` is the first store from here on */
    for (uint32_t i = b->first; i < b->end; i++) {
        if (next <= i) {
            for (next = i; next < b->end && (next == i || !is_stored(l, next));)
                next++;
            after = next < b->end ? store_of(l, next) : none;
        }
        if (l->f->sites.items[i].is_stop)
            claim(l, &l->f->sites.items[i], before, after);
        else if (is_stored(l, i))
            before = store_of(l, i);
    }
}

static void lower_events(struct lowering *l)
{
    l->variables = ALLOC(LLVMValueRef, (size_t)l->live->slot_count + 1);
    for (uint32_t slot = 0; slot < l->live->slot_count; slot++)
        l->variables[slot] = make_variable(l, slot);
    for (size_t i = 0; i < l->f->blocks.count; i++)
        claim_in(l, &l->f->blocks.items[i]);
    for (size_t i = 0; i < l->f->sites.count; i++) {
        const struct crash_site *site = &l->f->sites.items[i];
        if (!site->is_stop && !l->live->dead[i])
            lower_marker(l, site);
        if (!site->is_stop)
            LLVMInstructionEraseFromParent(site->instruction);
    }
    free(l->variables);
}

/* Where a marker was changed or lost, the slots of the function cannot be trusted. */
static void lower_function(struct lowering *l, LLVMValueRef function, unsigned stops)
{
    struct crash_final f;
    if (crash_final_init(&f, l->table, l->positions, function, stops)) {
        struct crash_live live;
        if (!f.strays.count)
            crash_check(&f);
        crash_live_find(&live, &f, false);
        l->f = &f;
        l->live = &live;
        lower_events(l);
        for (size_t i = 0; i < f.strays.count; i++)
            LLVMInstructionEraseFromParent(f.strays.items[i]);
        crash_live_release(&live);
    }
    crash_final_release(&f);
}

bool crash_lower(LLVMModuleRef module, struct crash_table *table, struct position_table *positions,
                 bool optimised)
{
    if (!table->functions.count)
        return false;
    crash_tunable_lead_back(module);
    LLVMContextRef context = LLVMGetModuleContext(module);
    struct lowering l = {.table = table,
                         .positions = positions,
                         .context = context,
                         .builder = LLVMCreateBuilderInContext(context)};
    unsigned optnone = LLVMGetEnumAttributeKindForName("optnone", strlen("optnone"));
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        bool jumps = optimised && !LLVMGetEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, optnone);
        if (!LLVMIsDeclaration(f))
            lower_function(&l, f, CRASH_CALLS | CRASH_FAULTS | (jumps ? CRASH_JUMPS : 0));
    }
    LLVMDisposeBuilder(l.builder);
    crash_marker_end(module);
    crash_tunable_drop(module);
    return true;
}
