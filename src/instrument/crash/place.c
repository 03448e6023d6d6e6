#include "instrument/crash/place.h"
#include "instrument/crash/coverage.h"
#include "instrument/crash/rings.h"
#include "instrument/graph/guess.h"
#include "instrument/graph/returns_twice.h"
#include "instrument/graph/select.h"
#include "instrument/llvm/shim.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

/* The first operand of markers: a function that does not exist. */
#define CRASH_MARKER_SYMBOL "cotree.crash"

/* Functions up to this size are tracked whatever it costs; in larger ones (interpreters, decoders) the
 * marks of a merge may cost so much of what an activation executes. */
enum { BLOCKS_SMALL = 150 };
#define COST_SHARE 1e-4
/* The same where loads and stores alone ask, in functions of any size (-fcotree-crash=faults). */
#define FAULT_COST_SHARE 5e-4

/* About so many machine instructions come of an instruction of the IR as clang makes it, and so many
 * of entering and leaving a function. */
#define INSTRUCTIONS_EACH 0.45
#define INSTRUCTIONS_MORE 4

static bool has_attribute(LLVMValueRef function, const char *name)
{
    return LLVMGetEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                                       LLVMGetEnumAttributeKindForName(name, strlen(name))) != NULL;
}

static bool is_sanitized(LLVMValueRef function)
{
    static const char *const names[] = {"sanitize_address", "sanitize_hwaddress", "sanitize_memory",
                                        "sanitize_thread", "safestack"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (has_attribute(function, names[i]))
            return true;
    return false;
}

/* A second return would add to slots again; and the child of vfork uses the frames of its parent. */
static bool returns_twice(const struct function_graph *f)
{
    for (uint32_t i = 0; i < f->ir.count; i++)
        for (LLVMValueRef at = LLVMGetFirstInstruction(f->ir.items[i].block); at;
             at = LLVMGetNextInstruction(at))
            if (LLVMIsACallInst(at) || LLVMIsAInvokeInst(at))
                if (call_returns_twice(at) || call_is_builtin_jump(at))
                    return true;
    return false;
}

enum slots_state crash_state_of(const struct unit_function *function)
{
    const struct function_graph *f = &function->f;
    if (function->map.why_uncounted)
        return SLOTS_LEFT_OUT;
    if (function->trace)
        return SLOTS_TRACED;
    if (is_sanitized(f->function))
        return SLOTS_SANITIZED;
    if (!shim_can_mark(f->function))
        return SLOTS_NOWHERE;
    return returns_twice(f) ? SLOTS_RETURNS_TWICE : SLOTS_TRACKED;
}

/* ---- Numbering ---- */

/* Can a marker stand on the edge, after all that its source does and before all that its target
 * does? */
static bool can_mark(const struct function_graph *f, uint32_t edge)
{
    LLVMValueRef last = LLVMGetBasicBlockTerminator(function_graph_tail(f, f->graph.edges[edge].from));
    bool plain = LLVMIsABranchInst(last) || LLVMIsASwitchInst(last);
    switch (f->site[edge]) {
    case EDGE_AT_TARGET:
        return true;
    case EDGE_AT_SOURCE:
        return plain;
    case EDGE_ON_BRANCH:
        return plain || LLVMIsAInvokeInst(last);
    case EDGE_NOWHERE:
        break;
    }
    return false;
}

static bool has_any(const struct function_graph *f, uint32_t block, bool (*is_one)(LLVMValueRef))
{
    for (uint32_t ir = f->head[block]; ir != IR_NONE; ir = f->next[ir])
        for (LLVMValueRef i = LLVMGetFirstInstruction(f->ir.items[ir].block); i;
             i = LLVMGetNextInstruction(i))
            if (is_one(i))
                return true;
    return false;
}

/* How many instructions one activation executes, by guess. */
static double length_of(const struct function_graph *f, const double *weights)
{
    double *runs = ZALLOC(double, f->graph.vertex_count), sum = INSTRUCTIONS_MORE;
    for (uint32_t e = 0; e < f->graph.edge_count; e++)
        runs[f->graph.edges[e].to] += weights[e];
    for (uint32_t b = 0; b < graph_exit(&f->graph); b++)
        for (uint32_t ir = f->head[b]; ir != IR_NONE; ir = f->next[ir])
            for (LLVMValueRef i = LLVMGetFirstInstruction(f->ir.items[ir].block); i;
                 i = LLVMGetNextInstruction(i))
                if (!LLVMIsAPHINode(i) && !LLVMIsAAllocaInst(i) && !LLVMIsADbgInfoIntrinsic(i))
                    sum += INSTRUCTIONS_EACH * runs[b];
    free(runs);
    return sum;
}

/* Weights of edges, as parts of one activation. */
static double *weights_of(const struct function_graph *f)
{
    double *weights = ALLOC(double, f->graph.edge_count), entries = 0;
    guess_weights(f, weights);
    for (uint32_t e = 0; e < f->graph.edge_count; e++)
        if (f->graph.edges[e].kind == EDGE_ENTRY)
            entries = weights[e];
    for (uint32_t e = 0; e < f->graph.edge_count && entries > 0; e++)
        weights[e] /= entries;
    return weights;
}

/* Sets rings, per region: the loops that have one. */
static void number(struct crash_function *to, const struct unit_function *from, const double *weights,
                   const struct instrument_options *options, bool **rings)
{
    const struct function_graph *f = &from->f;
    uint32_t blocks = graph_exit(&f->graph);
    graph_init(&to->graph, blocks);
    for (uint32_t e = 0; e < f->graph.edge_count; e++)
        graph_add_edge(&to->graph, f->graph.edges[e].from, f->graph.edges[e].to, f->graph.edges[e].kind);
    bool *observed = ZALLOC(bool, f->graph.vertex_count), *unmarkable = ZALLOC(bool, f->graph.edge_count);
    bool *faults = ZALLOC(bool, f->graph.vertex_count);
    bool all_ways = function_is_named(f->function, &options->crash_paths),
         ask_faults = function_is_named(f->function, &options->crash_faults);
    double *costs = ALLOC(double, f->graph.edge_count), length = length_of(f, weights);
    for (uint32_t b = 0; b < blocks; b++) {
        observed[b] = from->map.blocks[b].call_count || has_any(f, b, copies_much);
        faults[b] = ask_faults && has_any(f, b, crash_may_fault);
    }
    for (uint32_t e = 0; e < f->graph.edge_count; e++) {
        unmarkable[e] = f->graph.edges[e].kind == EDGE_FLOW && !can_mark(f, e);
        costs[e] = f->site[e] == EDGE_ON_BRANCH ? 2 * weights[e] : weights[e]; /* it brings a jump */
    }
    crash_regions_init(&to->regions, &to->graph);
    *rings = ZALLOC(bool, to->regions.count);
    to->ring = crash_ring_wanted(f->function, options);
    if (to->ring)
        crash_rings_choose(&to->regions, observed, unmarkable, *rings);
    const struct crash_needs needs = {.observed = observed,
                                      .rounds = *rings,
                                      .unmarkable = unmarkable,
                                      .costs = costs,
                                      .cost_most =
                                          all_ways || blocks <= BLOCKS_SMALL ? 1e300 : COST_SHARE * length,
                                      .faults = faults,
                                      .fault_cost_most = all_ways ? 1e300 : FAULT_COST_SHARE * length};
    to->for_faults = ask_faults;
    crash_number(&to->numbering, &to->regions, &needs);
    crash_function_finish(to);
    free(observed);
    free(faults);
    free(unmarkable);
    free(costs);
}

/* ---- Markers ---- */

enum { OPERAND_SYMBOL, OPERAND_KEY, OPERAND_NOTHING, OPERAND_EDGE, OPERAND_LAST, OPERANDS };

static LLVMValueRef symbol_of(struct marker_maker *m)
{
    LLVMValueRef symbol = LLVMGetNamedFunction(m->module, CRASH_MARKER_SYMBOL);
    if (!symbol)
        symbol = LLVMAddFunction(m->module, CRASH_MARKER_SYMBOL,
                                 LLVMFunctionType(LLVMVoidTypeInContext(m->context), NULL, 0, false));
    return symbol;
}

struct marking {
    struct crash_placer *p;
    struct function_graph *f;
    uint64_t key;
    uint32_t position; /* of the function: a marker whose location has it not was changed by a pass */
};

static void mark_before(const struct marking *k, LLVMValueRef instruction, uint32_t edge, bool ring)
{
    struct marker_maker *m = k->p->maker;
    LLVMValueRef null = LLVMConstNull(m->pointer);
    LLVMValueRef arguments[OPERANDS] = {symbol_of(m),
                                        LLVMConstIntToPtr(LLVMConstInt(m->i64, k->key, false), m->pointer),
                                        null, LLVMConstInt(m->i32, 2 * (uint64_t)edge + ring, false), null};
    LLVMPositionBuilderBefore(m->builder, instruction);
    LLVMSetCurrentDebugLocation2(m->builder, shim_function_location(k->f->function));
    LLVMValueRef call = LLVMBuildCall2(m->builder, LLVMGlobalGetValueType(m->annotation), m->annotation,
                                       arguments, OPERANDS, "");
    LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex, m->no_merge);
    LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex, m->no_unwind);
    shim_mark(k->p->positions, call, k->position);
}

static void mark_edge(const struct marking *k, uint32_t edge, bool ring)
{
    struct function_graph *f = k->f;
    const struct edge *e = &f->graph.edges[edge];
    if (f->site[edge] == EDGE_AT_TARGET) {
        mark_before(k, marker_start_of(function_graph_head(f, e->to)), edge, ring);
    } else if (f->site[edge] == EDGE_AT_SOURCE) {
        mark_before(k, LLVMGetBasicBlockTerminator(function_graph_tail(f, e->from)), edge, ring);
    } else {
        for (uint32_t i = f->branch_start[edge]; i < f->branch_start[edge + 1]; i++) {
            struct ir_branch *branch = &f->branches[i];
            LLVMValueRef last = LLVMGetBasicBlockTerminator(branch->from);
            if (LLVMGetNumSuccessors(last) == 1) /* the other edge is virtual: an endless loop */
                mark_before(k, last, edge, ring);
            else
                mark_before(k, marker_start_of(marker_block_on(branch)), edge, ring);
        }
    }
}

/* Before a block ends, its slot may be set for the likeliest edge out of it that needs a block of its
 * own, if the slot is not defined in the block: where control takes another edge, it is set there, or
 * stays undefined. */
static uint32_t hoisted_edge(const struct crash_function *c, const struct function_graph *f, uint32_t block,
                             const struct adjacency *a, const double *weights)
{
    uint32_t best = GRAPH_NONE;
    double all = 0;
    for (uint32_t i = a->out_start[block]; i < a->out_start[block + 1]; i++) {
        uint32_t e = a->out[i];
        all += weights[e];
        if (c->numbering.marks[e].op == CRASH_SET && f->site[e] == EDGE_ON_BRANCH &&
            c->regions.from[e] == block && c->numbering.classes[block] == 1 &&
            (best == GRAPH_NONE || weights[e] > weights[best]))
            best = e;
    }
    return best != GRAPH_NONE && weights[best] >= all / 2 ? best : GRAPH_NONE;
}

static void place_markers(const struct marking *k, const struct crash_function *c, const bool *rings,
                          const double *weights)
{
    struct adjacency a;
    adjacency_init(&a, &c->graph);
    for (uint32_t b = 0; b < graph_exit(&c->graph); b++) {
        uint32_t hoisted = hoisted_edge(c, k->f, b, &a, weights);
        for (uint32_t i = a.out_start[b]; i < a.out_start[b + 1]; i++) {
            uint32_t e = a.out[i];
            if (e == hoisted)
                mark_before(k, LLVMGetBasicBlockTerminator(function_graph_tail(k->f, b)), e, false);
            else if (crash_mark_has_code(c->numbering.marks[e]))
                mark_edge(k, e, false);
            if (crash_begins_round(&c->regions, e) && rings[c->regions.innermost[c->graph.edges[e].to]])
                mark_edge(k, e, true);
        }
    }
    adjacency_release(&a);
}

/*
 * Passes that read memory ahead make loads with the location of another one, but without its metadata.
 * This kind of metadata means nothing on accesses, is of no kind that passes copy to new ones, and
 * stays where one access takes the place of an equal one.
 */
static unsigned source_kind(LLVMContextRef context)
{
    static const char name[] = "llvm.preserve.access.index";
    return LLVMGetMDKindIDInContext(context, name, (unsigned)strlen(name));
}

static bool is_trap(LLVMValueRef call)
{
    static const char *const names[] = {"llvm.trap", "llvm.ubsantrap", "llvm.debugtrap"};
    LLVMValueRef callee = LLVMGetCalledValue(call);
    size_t length;
    for (size_t i = 0; LLVMIsAFunction(callee) && i < sizeof names / sizeof *names; i++)
        if (!strcmp(LLVMGetValueName2(callee, &length), names[i]))
            return true;
    return false;
}

bool crash_may_fault(LLVMValueRef instruction)
{
    switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMLoad:
    case LLVMStore:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
    case LLVMSDiv:
    case LLVMUDiv:
    case LLVMSRem:
    case LLVMURem:
        return true;
    case LLVMCall:
        return is_trap(instruction) || (LLVMIsAMemIntrinsic(instruction) && !copies_much(instruction));
    default:
        return false;
    }
}

static void mark_accesses(const struct function_graph *f)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(f->function));
    LLVMValueRef mark = LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, NULL, 0));
    unsigned kind = source_kind(context);
    for (uint32_t ir = 0; ir < f->ir.count; ir++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(f->ir.items[ir].block); i;
             i = LLVMGetNextInstruction(i))
            if (crash_may_fault(i))
                LLVMSetMetadata(i, kind, mark);
}

bool crash_is_of_source(LLVMValueRef instruction)
{
    return LLVMGetMetadata(instruction, source_kind(LLVMGetTypeContext(LLVMTypeOf(instruction)))) != NULL;
}

void crash_place(struct crash_placer *p, struct unit_function *function, enum slots_state state)
{
    struct crash_function *c = crash_table_add(p->table, function->map.key, state);
    if (state != SLOTS_TRACKED)
        return;
    double *weights = weights_of(&function->f);
    bool *rings;
    number(c, function, weights, p->options, &rings);
    p->table->for_faults |= c->for_faults;
    const struct marking marking = {
        .p = p,
        .f = &function->f,
        .key = function->map.key,
        .position = position_add(p->positions, (struct position){.key = function->map.key})};
    place_markers(&marking, c, rings, weights);
    crash_cover(p, function, weights, length_of(&function->f, weights));
    mark_accesses(&function->f);
    free(rings);
    free(weights);
}

bool crash_marker_read(LLVMValueRef instruction, struct crash_marker *marker)
{
    *marker = (struct crash_marker){.changed = false};
    if (!LLVMIsACallInst(instruction) || LLVMGetNumArgOperands(instruction) != OPERANDS)
        return false;
    LLVMValueRef symbol = LLVMGetOperand(instruction, OPERAND_SYMBOL);
    size_t length;
    if (!LLVMIsAFunction(symbol) || strcmp(LLVMGetValueName2(symbol, &length), CRASH_MARKER_SYMBOL))
        return false;
    LLVMValueRef name = LLVMGetOperand(instruction, OPERAND_KEY),
                 on = LLVMGetOperand(instruction, OPERAND_EDGE);
    if (!LLVMIsAConstantExpr(name) || !LLVMIsAConstantInt(LLVMGetOperand(name, 0)) ||
        !LLVMIsAConstantInt(on)) {
        marker->changed = true;
        return false;
    }
    marker->key = LLVMConstIntGetZExtValue(LLVMGetOperand(name, 0));
    marker->edge = (uint32_t)LLVMConstIntGetZExtValue(on) / 2;
    marker->ring = LLVMConstIntGetZExtValue(on) % 2;
    return true;
}

void crash_marker_end(LLVMModuleRef module)
{
    LLVMValueRef symbol = LLVMGetNamedFunction(module, CRASH_MARKER_SYMBOL);
    if (symbol && !LLVMGetFirstUse(symbol))
        LLVMDeleteFunction(symbol);
}
