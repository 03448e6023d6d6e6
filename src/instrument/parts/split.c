/*
 * Two bodies for each function that counts, and the thunks. If several units may define a function,
 * the linker may keep the thunk of one unit and the calls of another: its bodies have names with the
 * function's key in them, which stands for its content, and comdats of their own.
 */
#include "format/counters.h"
#include "instrument/graph/describe.h"
#include "instrument/llvm/shim.h"
#include "instrument/marker/attributes.h"
#include "instrument/parts/parts.h"
#include "plan/parts/switch_points.h"

#include <inttypes.h>
#include <llvm-c/Comdat.h>
#include <stdio.h>
#include <string.h>

static bool has_flag(LLVMModuleRef module, const char *name)
{
    return LLVMGetModuleFlag(module, name, strlen(name)) != NULL;
}

bool parts_init(struct parts *p, LLVMModuleRef module, struct error *error)
{
    *p = (struct parts){.module = module};
    if (has_flag(module, "PIC Level") && !has_flag(module, "PIE Level"))
        return error_set(error, "code for shared libraries (-fPIC) cannot be collected in parts");
    return true;
}

void parts_release(struct parts *p)
{
    ARRAY_RELEASE(&p->functions);
}

const char *parts_why_not(LLVMValueRef function)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        if (shim_block_has_address(b))
            return "it takes addresses of labels, so it cannot be collected in parts";
    if (LLVMIsFunctionVarArg(LLVMGlobalGetValueType(function)) && shim_takes_memory(function))
        return "its arguments cannot be handed on, so it cannot be collected in parts";
    return NULL;
}

static bool is_anywhere(LLVMLinkage linkage)
{
    return linkage == LLVMLinkOnceODRLinkage || linkage == LLVMWeakODRLinkage;
}

/* Would every call of this name lead to this definition? */
static bool is_certain(LLVMValueRef function)
{
    LLVMLinkage linkage = LLVMGetLinkage(function);
    return linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage || is_anywhere(linkage) ||
           linkage == LLVMAvailableExternallyLinkage ||
           (linkage == LLVMExternalLinkage && shim_stays_in_module(function));
}

/* ---- bodies ---- */

static void set_place(LLVMModuleRef module, LLVMValueRef body, const char *name, bool anywhere)
{
    if (!anywhere)
        return;
    LLVMSetVisibility(body, LLVMHiddenVisibility);
    LLVMSetComdat(body, LLVMGetOrInsertComdat(module, name));
}

/* The runtime finds frames by their call frame information: programs that are compiled without get
 * it. */
static void describe_frame(LLVMValueRef function)
{
    enum { ASYNCHRONOUS = 2 };
    static const char name[] = "uwtable";
    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(LLVMGetTypeContext(LLVMTypeOf(function)),
                                                    LLVMGetEnumAttributeKindForName(name, strlen(name)),
                                                    ASYNCHRONOUS));
}

static struct parts_function make_bodies(struct parts *p, struct unit_function *f)
{
    LLVMValueRef thunk = f->f.function;
    bool anywhere = is_anywhere(LLVMGetLinkage(thunk));
    LLVMLinkage linkage = anywhere ? LLVMLinkOnceODRLinkage : LLVMInternalLinkage;
    struct buffer counting = {0}, silent = {0}, key = {0};
    if (anywhere)
        buffer_addf(&key, ".%016" PRIx64, f->map.key);
    buffer_addf(&counting, "%s.counting%s", f->map.name, buffer_text(&key));
    buffer_addf(&silent, "%s.silent%s", f->map.name, buffer_text(&key));
    struct parts_function made = {.thunk = thunk};
    made.silent = shim_copy_body(thunk, buffer_text(&silent), linkage);
    made.counting = shim_take_body(thunk, buffer_text(&counting), linkage);
    set_place(p->module, made.silent, buffer_text(&silent), anywhere);
    set_place(p->module, made.counting, buffer_text(&counting), anywhere);
    f->f.function = made.counting;
    describe_frame(made.silent);
    describe_frame(thunk);
    buffer_release(&counting);
    buffer_release(&silent);
    buffer_release(&key);
    return made;
}

/* Known calls inside a body lead to bodies of its own kind, unless the callee has a switch point. */
static void lead_calls(const struct parts *p, const struct hash_map *by_thunk, LLVMValueRef body,
                       bool counting)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(body); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            if (!call_is_numbered(i))
                continue;
            LLVMValueRef callee = LLVMGetCalledValue(i);
            const uint64_t *found = hash_map_get(by_thunk, (uint64_t)(uintptr_t)callee);
            if (!found || !is_certain(callee) ||
                LLVMGetCalledFunctionType(i) != LLVMGlobalGetValueType(callee))
                continue;
            const struct parts_function *to = &p->functions.items[*found];
            if (!to->switches)
                LLVMSetOperand(i, (unsigned)LLVMGetNumOperands(i) - 1, counting ? to->counting : to->silent);
        }
}

/* ---- Switch points ---- */

static double block_weight(const struct unit_function *f, uint32_t block)
{
    double entries = 0, weight = 0;
    const struct graph *g = &f->f.graph;
    for (uint32_t e = 0; e < g->edge_count; e++) {
        if (g->edges[e].kind == EDGE_ENTRY)
            entries += f->weights[e];
        if (g->edges[e].to == block)
            weight += f->weights[e];
    }
    return entries > 0 ? weight / entries : 1;
}

/* Instructions as clang emits them are about twice as many as those that run in the end. */
static void add_block(const struct hash_map *by_thunk, const struct unit_function *f, uint32_t block,
                      struct parts_cost *cost)
{
    double times = block_weight(f, block), instructions = 0;
    for (uint32_t ir = f->f.head[block]; ir != IR_NONE; ir = f->f.next[ir])
        for (LLVMValueRef i = LLVMGetFirstInstruction(f->f.ir.items[ir].block); i;
             i = LLVMGetNextInstruction(i)) {
            instructions += 0.5;
            if (!call_is_numbered(i))
                continue;
            const uint64_t *callee = hash_map_get(by_thunk, (uint64_t)(uintptr_t)LLVMGetCalledValue(i));
            if (callee)
                ARRAY_PUSH(&cost->calls, ((struct parts_call){(uint32_t)*callee, times}));
            else
                instructions += PARTS_UNKNOWN_COST;
        }
    cost->own += times * instructions;
}

/* by_thunk: a function's public name -> its index among `counted`. */
static void choose_switch_points(struct parts *p, const struct hash_map *by_thunk,
                                 struct unit_function *const *counted, bool verbose)
{
    uint32_t count = (uint32_t)p->functions.count;
    struct parts_cost *costs = ZALLOC(struct parts_cost, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++) {
        costs[i].never = counted[i]->map.flags & MAP_FUNCTION_MAIN;
        for (uint32_t b = 0; b < graph_exit(&counted[i]->f.graph); b++)
            add_block(by_thunk, counted[i], b, &costs[i]);
    }
    parts_choose_switch_points(costs, count);
    for (uint32_t i = 0; i < count; i++) {
        p->functions.items[i].switches = costs[i].switches;
        if (verbose && costs[i].switches)
            fprintf(stderr, "cotree: function '%s' has a switch point: about %.0f instructions a call\n",
                    counted[i]->map.name, costs[i].all);
        ARRAY_RELEASE(&costs[i].calls);
    }
    free(costs);
}

void parts_split(struct parts *p, struct unit_functions *functions, bool verbose)
{
    struct hash_map by_thunk = {0};
    struct ARRAY_OF(struct unit_function *) counted = {0};
    for (size_t i = 0; i < functions->count; i++)
        if (functions->items[i]->counted) {
            *hash_map_put(&by_thunk, (uint64_t)(uintptr_t)functions->items[i]->f.function, NULL) =
                p->functions.count;
            ARRAY_PUSH(&counted, functions->items[i]);
            ARRAY_PUSH(&p->functions, (struct parts_function){0});
        }
    choose_switch_points(p, &by_thunk, counted.items, verbose);
    for (size_t i = 0; i < counted.count; i++) {
        bool switches = p->functions.items[i].switches;
        p->functions.items[i] = make_bodies(p, counted.items[i]);
        p->functions.items[i].switches = switches;
    }
    for (size_t i = 0; i < p->functions.count; i++) {
        lead_calls(p, &by_thunk, p->functions.items[i].counting, true);
        lead_calls(p, &by_thunk, p->functions.items[i].silent, false);
    }
    ARRAY_RELEASE(&counted);
    hash_map_release(&by_thunk);
}

/* ---- thunks ---- */

struct thunk_maker {
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMBuilderRef builder;
    LLVMTypeRef i64, switch_type;
    LLVMValueRef x, switch_function;
};

static void thunk_maker_init(struct thunk_maker *m, LLVMModuleRef module)
{
    LLVMContextRef c = LLVMGetModuleContext(module);
    *m = (struct thunk_maker){.module = module,
                              .context = c,
                              .builder = LLVMCreateBuilderInContext(c),
                              .i64 = LLVMInt64TypeInContext(c)};
    m->x = LLVMAddGlobal(module, m->i64, COUNTERS_PART_SYMBOL);
    LLVMSetThreadLocalMode(m->x, LLVMLocalExecTLSModel);
    LLVMSetVisibility(m->x, LLVMHiddenVisibility);
    m->switch_type = LLVMFunctionType(LLVMVoidTypeInContext(c), &m->i64, 1, false);
    m->switch_function = LLVMAddFunction(module, COUNTERS_SWITCH_SYMBOL, m->switch_type);
    LLVMSetVisibility(m->switch_function, LLVMHiddenVisibility);
    LLVMSetFunctionCallConv(m->switch_function, LLVMPreserveMostCallConv);
    attributes_leave_alone(m->switch_function);
    static const char *const attributes[] = {"cold", "nounwind", "willreturn"};
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        LLVMAddAttributeAtIndex(
            m->switch_function, LLVMAttributeFunctionIndex,
            LLVMCreateEnumAttribute(c, LLVMGetEnumAttributeKindForName(attributes[i], strlen(attributes[i])),
                                    0));
    /* By this the runtime knows that the program can be collected in parts. */
    LLVMValueRef mark = LLVMAddGlobal(module, LLVMInt8TypeInContext(c), COUNTERS_IN_PARTS_SYMBOL);
    LLVMSetInitializer(mark, LLVMConstInt(LLVMInt8TypeInContext(c), 1, false));
    LLVMSetGlobalConstant(mark, true);
    LLVMSetLinkage(mark, LLVMExternalLinkage); /* not weak: the runtime's is */
    LLVMSetVisibility(mark, LLVMHiddenVisibility);
    LLVMSetComdat(mark, LLVMGetOrInsertComdat(module, COUNTERS_IN_PARTS_SYMBOL));
}

static LLVMBasicBlockRef add_block_to(struct thunk_maker *m, LLVMValueRef function)
{
    return LLVMAppendBasicBlockInContext(m->context, function, "");
}

/* Where the builder stands: x changes by 1 or -1; unless the sign stays, control goes to `ends`. */
static void pass(struct thunk_maker *m, LLVMValueRef x, int by, LLVMBasicBlockRef goes_on,
                 LLVMBasicBlockRef ends)
{
    LLVMValueRef zero = LLVMConstInt(m->i64, 0, false);
    LLVMValueRef next = LLVMBuildAdd(m->builder, x, LLVMConstInt(m->i64, (uint64_t)(int64_t)by, true), "");
    LLVMBuildStore(m->builder, next, m->x);
    LLVMValueRef stays = LLVMBuildICmp(m->builder, by > 0 ? LLVMIntSLT : LLVMIntSGE, next, zero, "");
    LLVMValueRef branch = LLVMBuildCondBr(m->builder, stays, goes_on, ends);
    shim_set_branch_weights(branch, (const uint64_t[]){1 << 10, 1}, 2);
}

static LLVMValueRef counts_now(struct thunk_maker *m)
{
    LLVMValueRef x = LLVMBuildLoad2(m->builder, m->i64, m->x, "");
    return LLVMBuildICmp(m->builder, LLVMIntSLT, x, LLVMConstInt(m->i64, 0, false), "");
}

/* Bodies stay functions of their own: of a piece of code it must be known whether it counts. */
static void forward(struct thunk_maker *m, LLVMBasicBlockRef block, LLVMValueRef body)
{
    static const char name[] = "noinline";
    shim_forward(block, body);
    LLVMAddCallSiteAttribute(
        LLVMGetFirstInstruction(block), LLVMAttributeFunctionIndex,
        LLVMCreateEnumAttribute(m->context, LLVMGetEnumAttributeKindForName(name, strlen(name)), 0));
}

static void make_thunk(struct thunk_maker *m, const struct parts_function *f)
{
    LLVMBuilderRef b = m->builder;
    LLVMBasicBlockRef first = add_block_to(m, f->thunk), counting = add_block_to(m, f->thunk),
                      silent = add_block_to(m, f->thunk);
    /* It gets a table of places, by which it is told from a plain body that a linker kept. */
    LLVMAddAttributeAtIndex(f->thunk, LLVMAttributeFunctionIndex,
                            LLVMCreateStringAttribute(m->context, SHIM_THUNK, strlen(SHIM_THUNK), "", 0));
    LLVMSetCurrentDebugLocation2(b, NULL);
    LLVMPositionBuilderAtEnd(b, first);
    if (!f->switches) {
        LLVMBuildCondBr(b, counts_now(m), counting, silent);
    } else {
        LLVMBasicBlockRef was_counting = add_block_to(m, f->thunk), was_silent = add_block_to(m, f->thunk),
                          ends = add_block_to(m, f->thunk);
        LLVMValueRef x = LLVMBuildLoad2(b, m->i64, m->x, "");
        LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntSLT, x, LLVMConstInt(m->i64, 0, false), ""), was_counting,
                        was_silent);
        LLVMPositionBuilderAtEnd(b, was_counting);
        pass(m, x, 1, counting, ends);
        LLVMPositionBuilderAtEnd(b, was_silent);
        pass(m, x, -1, silent, ends);
        LLVMPositionBuilderAtEnd(b, ends);
        const char *name = describe_linkage_name(f->thunk);
        LLVMValueRef number = LLVMConstInt(m->i64, hash_bytes(name, strlen(name)), false);
        LLVMValueRef call = LLVMBuildCall2(b, m->switch_type, m->switch_function, &number, 1, "");
        LLVMSetInstructionCallConv(call, LLVMPreserveMostCallConv);
        LLVMBuildCondBr(b, counts_now(m), counting, silent);
    }
    forward(m, counting, f->counting);
    forward(m, silent, f->silent);
}

void parts_make_thunks(struct parts *p)
{
    struct thunk_maker m;
    thunk_maker_init(&m, p->module);
    for (size_t i = 0; i < p->functions.count; i++) {
        const struct parts_function *f = &p->functions.items[i];
        LLVMLinkage linkage = LLVMGetLinkage(f->thunk);
        bool local = linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage;
        if (local && !LLVMGetFirstUse(f->thunk))
            LLVMDeleteFunction(f->thunk);
        else if (linkage == LLVMAvailableExternallyLinkage)
            LLVMSetLinkage(f->thunk, LLVMExternalLinkage);
        else
            make_thunk(&m, f);
    }
    LLVMDisposeBuilder(m.builder);
}
