/*
 * A function's entries are derived where
 *  1. it is internal to the unit, and the unit does nothing with it but call it
 *     (MAP_FUNCTION_ADDRESS_TAKEN covers tables, constructors, aliases, personalities, llvm.used);
 *     and no inline assembly has a word that is its name; and
 *  2. each of its calls that control can reach stands in a counted function that is defined in this
 *     unit alone, in a block of its graph. (Functions that several units define keep keys that do
 *     not depend on what else is in the unit.) And
 *  3. no other function of the unit has the tag of its name, which tells its calls from others; and
 *  4. following calls backwards from it ends: on each cycle of calls one function counts its
 *     entries itself; and
 *  5. what may leave its frames unfinished (hazards and virtual edges) is counted there, not
 *     derived: whether it ran must not depend on counts of callers, which are wrong if it did
 *     (decode/profile/judge.c).
 */
#include "instrument/count/derived.h"
#include "base/memory.h"
#include "instrument/graph/describe.h"

#include <ctype.h>
#include <string.h>

struct chooser {
    LLVMModuleRef module;
    struct unit_functions *functions;
    struct hash_map by_value; /* LLVMValueRef -> number + 1 */
    struct hash_map words;    /* tags of the words of inline assembly */
    bool **in_graph;          /* function -> per IR block, once it is needed */
};

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$';
}

static void add_words(struct chooser *c, const char *text, size_t length)
{
    char word[256];
    size_t size = 0;
    for (size_t i = 0; i <= length; i++) {
        if (i < length && is_word(text[i])) {
            if (size < sizeof word - 1)
                word[size++] = text[i];
            continue;
        }
        word[size] = 0;
        if (size)
            hash_map_put(&c->words, map_name_tag(word), NULL);
        size = 0;
    }
}

static void read_assembly(struct chooser *c)
{
    size_t length;
    const char *text = LLVMGetModuleInlineAsm(c->module, &length);
    struct hash_map seen = {0};
    add_words(c, text, length);
    for (LLVMValueRef f = LLVMGetFirstFunction(c->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
                bool calls = LLVMIsACallInst(i) || LLVMIsAInvokeInst(i) || LLVMIsACallBrInst(i), added;
                LLVMValueRef callee = calls ? LLVMGetCalledValue(i) : NULL;
                if (!callee || !LLVMIsAInlineAsm(callee))
                    continue;
                hash_map_put(&seen, (uint64_t)(uintptr_t)callee, &added);
                if (!added)
                    continue;
                char *printed = LLVMPrintValueToString(callee);
                add_words(c, printed, strlen(printed));
                LLVMDisposeMessage(printed);
            }
    hash_map_release(&seen);
}

/* Tags that two functions of the unit have. */
static void find_shared_tags(const struct chooser *c, struct hash_map *shared)
{
    struct hash_map seen = {0};
    for (LLVMValueRef f = LLVMGetFirstFunction(c->module); f; f = LLVMGetNextFunction(f)) {
        bool added;
        uint32_t tag = map_name_tag(describe_linkage_name(f));
        hash_map_put(&seen, tag, &added);
        if (!added)
            hash_map_put(shared, tag, NULL);
    }
    hash_map_release(&seen);
}

/* Is the call in a block of the caller's graph, or in a block that control never reaches? */
static bool is_counted_call(struct chooser *c, size_t number, LLVMValueRef call)
{
    const struct function_graph *f = &c->functions->items[number]->f;
    if (!c->in_graph[number]) {
        bool *in = c->in_graph[number] = ZALLOC(bool, f->ir.count);
        for (uint32_t v = 0; v < graph_exit(&f->graph); v++)
            for (uint32_t at = f->head[v]; at != IR_NONE; at = f->next[at])
                in[at] = true;
    }
    uint32_t block = ir_block_number(&f->ir, LLVMGetInstructionParent(call));
    return c->in_graph[number][block] || f->ir.items[block].pass == PASS_NONE;
}

static bool are_calls_known(struct chooser *c, LLVMValueRef function)
{
    for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef call = LLVMGetUser(use);
        if (LLVMIsABlockAddress(call))
            continue;
        LLVMValueRef caller = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
        const uint64_t *number = hash_map_get(&c->by_value, (uint64_t)(uintptr_t)caller);
        const struct unit_function *from = number ? c->functions->items[*number - 1] : NULL;
        if (!from || !from->counted || from->map.flags & (MAP_FUNCTION_COMDAT | MAP_FUNCTION_OPTIONAL) ||
            !is_counted_call(c, *number - 1, call))
            return false;
    }
    return true;
}

/* Rule 4: a function that is called on a way of calls that leads through it counts its entries
 * itself. */
static void count_entries(struct unit_functions *functions, size_t index, void *context)
{
    (void)context;
    functions->items[index]->derived = false;
}

/* Rule 5: are all edges counted by which frames may be left unfinished? */
static bool counts_its_hazards(const struct unit_function *f, const struct plan *plan)
{
    const struct graph *g = &f->map.graph;
    bool *counted = ZALLOC(bool, g->edge_count), ok = true;
    for (uint32_t i = 0; i < plan->probe_count; i++)
        counted[plan->probes[i].id] = true;
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (g->edges[e].kind == EDGE_VIRTUAL ||
            (g->edges[e].kind != EDGE_ENTRY && f->map.blocks[g->edges[e].from].hazards & MAP_HAZARDS))
            ok &= counted[e];
    free(counted);
    return ok;
}

/* Plans the edge profile of a function whose entries are known; false where that is impossible, or
 * would cost more than the plan before. */
static bool plan_given(const struct unit_function *f, const struct plan *before, struct plan *plan)
{
    const struct graph *g = &f->map.graph;
    double *weights = ALLOC(double, g->edge_count);
    for (uint32_t e = 0; e < g->edge_count; e++)
        weights[e] = g->edges[e].kind != EDGE_ENTRY && f->map.blocks[g->edges[e].from].hazards & MAP_HAZARDS
                         ? 0
                         : f->weights[e];
    bool ok = plan_make_given(plan, g, weights, f->f.no_probe, NULL);
    free(weights);
    if (ok && counts_its_hazards(f, plan) &&
        plan_cost(plan, g, f->weights) <= plan_cost(before, g, f->weights))
        return true;
    if (ok)
        plan_release(plan);
    return false;
}

/* Can the edge profiles of the function do without a counter for entries? */
static bool can_plan(const struct unit_function *f)
{
    bool any = false;
    for (uint32_t i = 0; i < f->map.plan_count; i++) {
        struct plan plan;
        if (f->map.plans[i].placement != PLACEMENT_EDGES)
            continue;
        if (!plan_given(f, &f->map.plans[i], &plan))
            return false;
        plan_release(&plan);
        any = true;
    }
    return any;
}

static void plan_anew(struct unit_function *f)
{
    f->map.flags |= MAP_FUNCTION_DERIVED;
    for (uint32_t i = 0; i < f->map.plan_count; i++) {
        struct plan plan;
        if (f->map.plans[i].placement != PLACEMENT_EDGES || !plan_given(f, &f->map.plans[i], &plan))
            continue;
        plan_release(&f->map.plans[i]);
        f->map.plans[i] = plan;
    }
}

static void chooser_init(struct chooser *c, LLVMModuleRef module, struct unit_functions *functions)
{
    *c = (struct chooser){
        .module = module, .functions = functions, .in_graph = ZALLOC(bool *, functions->count)};
    for (size_t i = 0; i < functions->count; i++)
        *hash_map_put(&c->by_value, (uint64_t)(uintptr_t)functions->items[i]->f.function, NULL) = i + 1;
}

static void chooser_release(struct chooser *c)
{
    for (size_t i = 0; i < c->functions->count; i++)
        free(c->in_graph[i]);
    free(c->in_graph);
    hash_map_release(&c->by_value);
    hash_map_release(&c->words);
}

void derived_choose(LLVMModuleRef module, struct unit_functions *functions)
{
    struct chooser c;
    struct hash_map shared = {0};
    chooser_init(&c, module, functions);
    read_assembly(&c);
    find_shared_tags(&c, &shared);
    for (size_t i = 0; i < functions->count; i++) {
        const struct unit_function *f = functions->items[i];
        uint32_t tag = map_name_tag(f->map.name);
        if (f->counted && f->map.flags & MAP_FUNCTION_LOCAL && !(f->map.flags & MAP_FUNCTION_ADDRESS_TAKEN) &&
            !hash_map_get(&shared, tag) && !hash_map_get(&c.words, tag) &&
            are_calls_known(&c, f->f.function) && can_plan(f))
            unit_functions_set_derived(functions, i);
    }
    unit_functions_walk(functions, NULL, count_entries, NULL);
    for (size_t i = 0; i < functions->count; i++)
        if (functions->items[i]->derived)
            plan_anew(functions->items[i]);
    hash_map_release(&shared);
    chooser_release(&c);
}
