/*
 * Which functions are traced, what their calls are, and where witnesses stand.
 *
 * Calls come first, since where events may be written decides where witnesses must stand; and
 * whether a known callee writes events depends on its own calls. So silent functions are found for
 * the whole unit before anything is planned: those that have no branch and no cycle, and call only
 * silent functions.
 *
 * A function's id is the hash of its record and of those of its callees and theirs, some steps
 * deep. So copies of an inline function that several units have are one function if they are the
 * same, and different functions if they are not.
 */
#include "base/memory.h"
#include "format/trace/layout.h"
#include "instrument/graph/describe.h"
#include "instrument/graph/returns_twice.h"
#include "instrument/llvm/shim.h"
#include "instrument/trace/names.h"
#include "instrument/trace/trace.h"

#include <stdio.h>
#include <string.h>

/* The cost of a witness between a call and the return: more than that of all others together. */
#define AFTER_TAIL_CALL 1e15
enum { ID_ROUNDS = 16 };

static bool has_attribute(LLVMValueRef call, const char *name)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMValueRef callee = LLVMGetCalledValue(call);
    return LLVMGetCallSiteEnumAttribute(call, LLVMAttributeFunctionIndex, kind) ||
           (LLVMIsAFunction(callee) && LLVMGetEnumAttributeAtIndex(callee, LLVMAttributeFunctionIndex, kind));
}

/* Would every call of this name lead to this definition? */
static bool is_certain(LLVMValueRef function)
{
    switch (LLVMGetLinkage(function)) {
    case LLVMInternalLinkage:
    case LLVMPrivateLinkage:
    case LLVMLinkOnceODRLinkage: /* all definitions are alike */
    case LLVMWeakODRLinkage:
    case LLVMAvailableExternallyLinkage:
        return true;
    case LLVMExternalLinkage:
        return shim_stays_in_module(function);
    default:
        return false;
    }
}

static struct unit_function *known_callee(const struct hash_map *by_function, LLVMValueRef call)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);
    if (!LLVMIsAFunction(callee) || !is_certain(callee) ||
        LLVMGetCalledFunctionType(call) != LLVMGlobalGetValueType(callee))
        return NULL;
    const uint64_t *found = hash_map_get(by_function, (uint64_t)(uintptr_t)callee);
    return found ? (struct unit_function *)(uintptr_t)*found : NULL;
}

static uint32_t kind_of(LLVMValueRef call)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);
    if (call_returns_twice(call))
        return MAP_TRACE_TWICE;
    if (LLVMIsAFunction(callee) && LLVMIsDeclaration(callee) && !has_attribute(call, "noreturn") &&
        trace_name_is_plain(describe_linkage_name(callee)))
        return MAP_TRACE_PLAIN;
    return MAP_TRACE_UNKNOWN;
}

/* Is it known after every call that may return twice whether it has returned again, by its
 * result? */
static bool tells_second_returns(const struct function_graph *f)
{
    for (uint32_t ir = 0; ir < f->ir.count; ir++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(f->ir.items[ir].block); i;
             i = LLVMGetNextInstruction(i))
            if (call_is_numbered(i) && call_returns_twice(i) &&
                (!LLVMIsACallInst(i) || LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMIntegerTypeKind))
                return false;
    return true;
}

/* Is the call followed by nothing but the return: a store of its result where the return reads it,
 * a branch to the block of all returns? */
static bool is_in_tail(const struct function_graph *f, uint32_t block, LLVMValueRef call)
{
    if (!LLVMIsACallInst(call))
        return false;
    if (LLVMGetTailCallKind(call) == LLVMTailCallKindMustTail)
        return true;
    if (LLVMGetTailCallKind(call) == LLVMTailCallKindNoTail ||
        LLVMGetInstructionParent(call) != function_graph_tail(f, block))
        return false;
    LLVMValueRef last = LLVMGetBasicBlockTerminator(LLVMGetInstructionParent(call));
    for (LLVMValueRef i = LLVMGetNextInstruction(call); i != last; i = LLVMGetNextInstruction(i)) {
        bool result =
            LLVMIsAStoreInst(i) && LLVMGetOperand(i, 0) == call && LLVMIsAAllocaInst(LLVMGetOperand(i, 1));
        if (!result && !LLVMIsALoadInst(i) && !ir_is_lifetime_marker(i))
            return false;
    }
    if (LLVMIsAReturnInst(last))
        return true;
    uint32_t e = trace_first_edge(&f->graph, block);
    const struct edge *edge = e < f->graph.edge_count ? &f->graph.edges[e] : NULL;
    return edge && edge->from == block && edge->kind == EDGE_FLOW && LLVMGetNumSuccessors(last) == 1 &&
           f->only_returns[edge->to];
}

/*
 * Does the function go on in another by a jump that must stay one? The language may say so
 * (musttail). Functions that are called through pointers may call each other so, which is how
 * automata are written: without jumps they would run out of stack. The caller of such a function
 * does not see when the function that it jumped to returns, so calls of such functions are unknown
 * calls.
 */
static bool is_jump(const struct unit_function *f, uint32_t block, LLVMValueRef call)
{
    if (!is_in_tail(&f->f, block, call) ||
        !LLVMIsAReturnInst(LLVMGetBasicBlockTerminator(LLVMGetInstructionParent(call))))
        return false;
    return LLVMGetTailCallKind(call) == LLVMTailCallKindMustTail ||
           (f->map.flags & MAP_FUNCTION_ADDRESS_TAKEN && !LLVMIsAFunction(LLVMGetCalledValue(call)));
}

static bool may_jump(const struct unit_function *to)
{
    const struct function_graph *f = &to->f;
    for (uint32_t b = 0; b + 1 < f->graph.vertex_count; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(function_graph_tail(f, b)); i;
             i = LLVMGetNextInstruction(i))
            if (call_is_numbered(i) && is_jump(to, b, i))
                return true;
    return false;
}

static uint32_t number_callee(struct map_trace *t, struct hash_map *seen, const void *callee, uint64_t id,
                              bool named)
{
    uint64_t *number = hash_map_put(seen, (uint64_t)(uintptr_t)callee, NULL);
    if (!*number) {
        t->callees[t->callee_count] = id;
        t->named[t->callee_count] = named;
        *number = ++t->callee_count;
    }
    return MAP_TRACE_KNOWN + (uint32_t)*number - 1;
}

static void find_calls(struct unit_function *to, const struct hash_map *by_function, bool by_name)
{
    const struct function_graph *f = &to->f;
    uint32_t blocks = f->graph.vertex_count - 1, count = 0;
    struct map_trace *t = to->map.trace;
    t->first = ZALLOC(uint32_t, (size_t)blocks + 1);
    t->resumes = ZALLOC(bool, blocks);
    for (uint32_t b = 0; b < blocks; b++)
        t->first[b + 1] = count += to->map.blocks[b].call_count;
    t->calls = ALLOC(uint32_t, count);
    t->callees = ALLOC(uint64_t, count);
    t->named = ZALLOC(bool, count);
    t->linked = ZALLOC(uint64_t, count);
    to->trace->sites = ZALLOC(struct trace_site, count);
    struct hash_map seen = {0};
    count = 0;
    for (uint32_t b = 0; b < blocks; b++) {
        t->resumes[b] = LLVMIsAResumeInst(LLVMGetBasicBlockTerminator(function_graph_tail(f, b))) != NULL;
        for (uint32_t ir = f->head[b]; ir != IR_NONE; ir = f->next[ir])
            for (LLVMValueRef i = LLVMGetFirstInstruction(f->ir.items[ir].block); i;
                 i = LLVMGetNextInstruction(i)) {
                if (!call_is_numbered(i))
                    continue;
                struct unit_function *callee = known_callee(by_function, i);
                to->trace->sites[count] =
                    (struct trace_site){.call = i, .callee = callee, .in_tail = is_in_tail(f, b, i)};
                uint32_t kind = callee ? MAP_TRACE_KNOWN : kind_of(i);
                if (callee) { /* its address stands for its id, until it has one */
                    kind = number_callee(t, &seen, callee, (uint64_t)(uintptr_t)callee, false);
                } else if (kind == MAP_TRACE_UNKNOWN && by_name && trace_may_call_by_name(i)) {
                    LLVMValueRef named = to->trace->sites[count].named = LLVMGetCalledValue(i);
                    kind = number_callee(t, &seen, named, map_trace_name(describe_linkage_name(named)), true);
                }
                t->calls[count++] = kind;
            }
    }
    hash_map_release(&seen);
}

/* Is there only one way through the function, one that ends? */
static bool has_one_way(const struct map_function *map)
{
    struct graph g;
    uint32_t *edge_of, at = GRAPH_ROOT, steps = 0;
    map_trace_graph(map, &g, &edge_of);
    uint32_t *next = ALLOC(uint32_t, g.vertex_count);
    for (uint32_t v = 0; v < g.vertex_count; v++)
        next[v] = GRAPH_NONE;
    bool one = true;
    for (uint32_t e = 0; e < g.edge_count; e++) {
        if (g.edges[e].kind == EDGE_ENTRY)
            continue;
        one &= next[g.edges[e].from] == GRAPH_NONE || next[g.edges[e].from] == g.edges[e].to;
        next[g.edges[e].from] = g.edges[e].to;
    }
    while (one && at != graph_exit(&g) && at != GRAPH_NONE && steps++ < g.vertex_count)
        at = next[at];
    one &= at == graph_exit(&g);
    free(next);
    free(edge_of);
    graph_release(&g);
    return one;
}

static bool may_become_silent(const struct map_function *map)
{
    for (uint32_t b = 0; b + 1 < map->graph.vertex_count; b++)
        if (map->trace->resumes[b] || map->blocks[b].hazards & MAP_HAZARD_LANDING_PAD)
            return false;
    for (uint32_t i = 0; i < map->trace->first[map->graph.vertex_count - 1]; i++)
        if (map->trace->calls[i] >= MAP_TRACE_KNOWN
                ? map->trace->named[map->trace->calls[i] - MAP_TRACE_KNOWN]
                : map->trace->calls[i] != MAP_TRACE_PLAIN)
            return false;
    return has_one_way(map);
}

static bool calls_only_silent(const struct unit_function *f)
{
    for (uint32_t i = 0; i < f->map.trace->first[f->map.graph.vertex_count - 1]; i++)
        if (f->trace->sites[i].callee && !f->trace->sites[i].callee->map.trace->silent)
            return false;
    return true;
}

static void find_silent(struct unit_functions *functions)
{
    bool *may = ZALLOC(bool, functions->count), changed = true;
    for (size_t i = 0; i < functions->count; i++)
        may[i] = functions->items[i]->trace && may_become_silent(&functions->items[i]->map) &&
                 !(functions->items[i]->map.flags &
                   MAP_FUNCTION_ONE_BODY); /* the linker may choose another body */
    while (changed) {
        changed = false;
        for (size_t i = 0; i < functions->count; i++)
            if (may[i] && calls_only_silent(functions->items[i])) {
                functions->items[i]->map.trace->silent = changed = true;
                may[i] = false;
            }
    }
    free(may);
}

static bool *find_may_emit(const struct unit_function *f)
{
    const struct map_trace *t = f->map.trace;
    bool *may_emit = ZALLOC(bool, f->map.graph.vertex_count);
    for (uint32_t b = 0; b + 1 < f->map.graph.vertex_count; b++) {
        may_emit[b] = t->resumes[b];
        for (uint32_t i = t->first[b]; i < t->first[b + 1]; i++)
            may_emit[b] |= t->calls[i] == MAP_TRACE_UNKNOWN || t->calls[i] == MAP_TRACE_JUMP ||
                           f->trace->sites[i].named ||
                           (f->trace->sites[i].callee && !f->trace->sites[i].callee->map.trace->silent);
    }
    return may_emit;
}

/* The last call of the block, if nothing but the return may follow, else NULL. */
static const struct trace_site *tail_call_of(const struct unit_function *f, uint32_t block)
{
    const struct map_trace *t = f->map.trace;
    const struct trace_site *last =
        t->first[block] == t->first[block + 1] ? NULL : &f->trace->sites[t->first[block + 1] - 1];
    return last && last->in_tail ? last : NULL;
}

static void weigh(const struct unit_function *f, const struct graph *g, const uint32_t *edge_of,
                  double *weights, bool *no_probe)
{
    bool *after = ZALLOC(bool, g->vertex_count);
    for (uint32_t b = 0; b < graph_exit(g); b++)
        after[b] = tail_call_of(f, b) != NULL;
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (after[g->edges[e].from] && g->edges[e].to != graph_exit(g) && f->f.only_returns[g->edges[e].to])
            after[g->edges[e].to] = true;
    for (uint32_t e = 0; e < g->edge_count; e++) {
        const struct trace_site *tail =
            g->edges[e].kind == EDGE_ENTRY ? NULL : tail_call_of(f, g->edges[e].from);
        weights[e] = f->weights[edge_of[e]] +
                     (g->edges[e].kind != EDGE_ENTRY && after[g->edges[e].from] ? AFTER_TAIL_CALL : 0);
        no_probe[e] = f->f.no_probe[edge_of[e]] ||
                      (tail && LLVMGetTailCallKind(tail->call) == LLVMTailCallKindMustTail);
    }
    free(after);
}

/* Unknown calls in tail position become jumps if no witness comes after them, and nothing may jump
 * back into the activation. */
static void choose_jumps(struct unit_function *f)
{
    const struct graph *g = &f->map.graph;
    struct map_trace *t = f->map.trace;
    bool *clean = ALLOC(bool, g->vertex_count), returns_twice = false;
    for (uint32_t i = 0; i < t->first[graph_exit(g)]; i++)
        returns_twice |= t->calls[i] == MAP_TRACE_TWICE;
    for (uint32_t v = 0; v < g->vertex_count; v++)
        clean[v] = !returns_twice;
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (map_trace_writes(t, e))
            clean[g->edges[e].from] = false;
    for (uint32_t e = 0; e < g->edge_count; e++) /* from a call to the block that returns */
        if (g->edges[e].kind == EDGE_FLOW && f->f.only_returns[g->edges[e].to] && !clean[g->edges[e].to])
            clean[g->edges[e].from] = false;
    for (uint32_t b = 0; b < graph_exit(g); b++)
        if (tail_call_of(f, b) && clean[b] && is_jump(f, b, tail_call_of(f, b)->call) &&
            t->calls[t->first[b + 1] - 1] == MAP_TRACE_UNKNOWN)
            t->calls[t->first[b + 1] - 1] = MAP_TRACE_JUMP;
    free(clean);
}

/* If a witness cannot stand on its edge, do all edges into the target have that witness? */
static bool shared_ones_fit(const struct graph *g, const struct witness_plan *plan, const bool *no_probe)
{
    uint32_t *wanted = ZALLOC(uint32_t, g->vertex_count);
    bool fit = true;
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (no_probe[e] && plan->value[e])
            wanted[g->edges[e].to] = plan->value[e];
    for (uint32_t e = 0; e < g->edge_count; e++)
        fit &= !wanted[g->edges[e].to] || plan->value[e] == wanted[g->edges[e].to];
    free(wanted);
    return fit;
}

/*
 * Plans numbers of paths instead of witnesses. No part of a stretch may come after a call that may
 * return twice, or one in tail position: these end stretches like calls that write events.
 */
static bool plan_paths(struct unit_function *f, const struct graph *g, const uint32_t *edge_of,
                       const bool *may_emit, const double *weights, const bool *no_probe)
{
    struct map_trace *t = f->map.trace;
    struct error why;
    uint32_t *marks = ZALLOC(uint32_t, (size_t)g->edge_count + 1);
    bool *ends = ZALLOC(bool, g->vertex_count);
    for (uint32_t b = 0; b < graph_exit(g); b++) {
        ends[b] |= may_emit[b];
        for (uint32_t i = t->first[b]; i < t->first[b + 1]; i++)
            ends[b] |= t->calls[i] == MAP_TRACE_TWICE;
    }
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (g->edges[e].kind == EDGE_FLOW && f->f.only_returns[g->edges[e].to] &&
            tail_call_of(f, g->edges[e].from))
            ends[g->edges[e].to] = true;
    bool ok = witness_paths_mark(marks, g, ends, weights, no_probe, &why);
    t->value_count = 0;
    for (uint32_t e = 0; ok && e < g->edge_count; e++) {
        t->values[edge_of[e]] = marks[e];
        t->value_count = marks[e] > t->value_count ? marks[e] : t->value_count;
    }
    free(marks);
    free(ends);
    return ok;
}

/* Plans witnesses in bits: a byte is written before every call but plain ones. */
static bool plan_bits(struct unit_function *f, enum witness_placement placement, const struct graph *g,
                      const uint32_t *edge_of, const bool *may_emit, const double *weights,
                      const bool *no_probe)
{
    struct map_trace *t = f->map.trace;
    struct error why;
    struct witness_plan plan;
    bool *ends = ZALLOC(bool, g->vertex_count);
    uint8_t *bits = ZALLOC(uint8_t, (size_t)g->vertex_count + 1);
    for (uint32_t b = 0; b < graph_exit(g); b++) {
        ends[b] |= may_emit[b];
        for (uint32_t i = t->first[b]; i < t->first[b + 1]; i++)
            ends[b] |= t->calls[i] != MAP_TRACE_PLAIN;
    }
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (g->edges[e].kind == EDGE_FLOW && f->f.only_returns[g->edges[e].to] &&
            tail_call_of(f, g->edges[e].from))
            ends[g->edges[e].to] = true;
    bool ok = witness_bits_make(&plan, g, placement, ends, weights, &why);
    if (ok) {
        ok = witness_bits_find(bits, g, placement, plan.value, &why) && witness_check(&plan, g, ends, &why);
        for (uint32_t e = 0; e < g->edge_count; e++)
            ok &= !(no_probe[e] && plan.value[e]);
        for (uint32_t e = 0; ok && e < g->edge_count; e++)
            t->values[edge_of[e]] = plan.value[e];
        t->value_count = plan.value_count;
        witness_release(&plan);
    }
    if (ok) {
        f->trace->bits = bits;
        f->trace->full_before = ends;
    } else {
        free(bits);
        free(ends);
    }
    return ok;
}

static bool plan_witnesses(struct unit_function *f, enum witness_placement placement, struct error *error)
{
    struct graph g;
    uint32_t *edge_of;
    map_trace_graph(&f->map, &g, &edge_of);
    double *weights = ALLOC(double, g.edge_count);
    bool *no_probe = ALLOC(bool, g.edge_count), *may_emit = find_may_emit(f);
    weigh(f, &g, edge_of, weights, no_probe);
    struct map_trace *t = f->map.trace;
    struct witness_plan plan = {0};
    t->placement = placement;
    t->values = ZALLOC(uint32_t, f->map.graph.edge_count);
    bool gathers = placement == WITNESS_PATHS || witness_has_bits(placement), gathered = false;
    if (gathers)
        gathered = placement == WITNESS_PATHS
                       ? plan_paths(f, &g, edge_of, may_emit, weights, no_probe)
                       : plan_bits(f, placement, &g, edge_of, may_emit, weights, no_probe);
    if (gathers && !gathered) /* some functions have too many successors, or no place for code */
        t->placement = placement = WITNESS_FOREST;
    bool ok = gathered || witness_make(&plan, &g, placement, may_emit, weights, no_probe, error);
    if (ok && !gathered) {
        ok = (plan.value_count <= WITNESS_VALUES_MOST || error_set(error, "it needs too many witnesses")) &&
             (shared_ones_fit(&g, &plan, no_probe) ||
              error_set(error, "a witness cannot stand on its edge")) &&
             witness_check(&plan, &g, may_emit, error);
        for (uint32_t e = 0; e < g.edge_count; e++)
            t->values[edge_of[e]] = plan.value[e];
        t->value_count = plan.value_count;
        witness_release(&plan);
    }
    free(weights);
    free(no_probe);
    free(may_emit);
    free(edge_of);
    graph_release(&g);
    return ok;
}

static void find_ids(LLVMModuleRef module, struct unit_functions *functions)
{
    size_t length;
    uint64_t unit = hash_text(LLVMGetSourceFileName(module, &length));
    for (size_t i = 0; i < functions->count; i++) {
        struct unit_function *f = functions->items[i];
        if (f->trace) {
            uint64_t parts[2] = {map_key_without_ids(&f->map), f->map.flags & MAP_FUNCTION_LOCAL ? unit : 0};
            f->trace->made_of = f->map.trace->id = hash_bytes(parts, sizeof parts);
        }
    }
    for (int round = 0; round < ID_ROUNDS; round++) {
        for (size_t i = 0; i < functions->count; i++) {
            struct unit_function *f = functions->items[i];
            if (!f->trace)
                continue;
            uint64_t id = f->trace->made_of;
            for (uint32_t k = 0; k < f->map.trace->callee_count; k++) {
                uint64_t callee = f->map.trace->callees[k];
                if (!f->map.trace->named[k])
                    callee = ((const struct unit_function *)(uintptr_t)callee)->map.trace->id;
                uint64_t parts[2] = {id, callee};
                id = hash_bytes(parts, sizeof parts);
            }
            f->trace->next_id = id;
        }
        for (size_t i = 0; i < functions->count; i++)
            if (functions->items[i]->trace)
                functions->items[i]->map.trace->id = functions->items[i]->trace->next_id;
    }
    for (size_t i = 0; i < functions->count; i++)
        if (functions->items[i]->trace && functions->items[i]->map.trace->id < TRACE_KINDS)
            functions->items[i]->map.trace->id += TRACE_KINDS;
    for (size_t i = 0; i < functions->count; i++)
        for (uint32_t k = 0; functions->items[i]->trace && k < functions->items[i]->map.trace->callee_count;
             k++) {
            uint64_t *callee = &functions->items[i]->map.trace->callees[k];
            if (!functions->items[i]->map.trace->named[k])
                *callee = ((const struct unit_function *)(uintptr_t)*callee)->map.trace->id;
        }
}

static void drop(struct unit_function *f)
{
    trace_release(f->trace);
    f->trace = NULL;
    map_trace_release(f->map.trace);
    f->map.trace = NULL;
    f->map.flags &= ~(uint32_t)MAP_FUNCTION_TRACED;
}

/* One round: plans all functions that are still traceable. A function that cannot be planned is
 * traceable no longer, and its callers must be planned anew. True when all could be planned. */
static bool plan_all(struct unit_functions *functions, const struct instrument_options *options)
{
    struct hash_map by_function = {0};
    bool all = true, by_name = !options->lto && !options->bitcode;
    for (size_t i = 0; i < functions->count; i++)
        if (functions->items[i]->traceable && !may_jump(functions->items[i]))
            *hash_map_put(&by_function, (uint64_t)(uintptr_t)functions->items[i]->f.function, NULL) =
                (uint64_t)(uintptr_t)functions->items[i];
    for (size_t i = 0; i < functions->count; i++) {
        struct unit_function *f = functions->items[i];
        if (!f->traceable)
            continue;
        f->trace = ZALLOC(struct trace_function, 1);
        f->map.trace = ZALLOC(struct map_trace, 1);
        f->map.flags |= MAP_FUNCTION_TRACED;
        f->map.trace->has_name = by_name && !may_jump(f) && trace_may_be_called_by_name(f);
    }
    for (size_t i = 0; i < functions->count; i++)
        if (functions->items[i]->trace)
            find_calls(functions->items[i], &by_function, by_name);
    hash_map_release(&by_function);
    find_silent(functions);
    for (size_t i = 0; i < functions->count; i++) {
        struct unit_function *f = functions->items[i];
        struct error why = {0};
        if (!f->trace || plan_witnesses(f, options->witness, &why))
            continue;
        if (options->verbose)
            fprintf(stderr, "cotree: function '%s' is not traced: %s\n", f->map.name, why.text);
        f->traceable = all = false;
    }
    return all;
}

void trace_plan(LLVMModuleRef module, struct unit_functions *functions,
                const struct instrument_options *options)
{
    for (size_t i = 0; i < functions->count; i++) {
        LLVMValueRef function = functions->items[i]->f.function;
        if (LLVMIsFunctionVarArg(LLVMGlobalGetValueType(function)) && shim_takes_memory(function))
            functions->items[i]->traceable = false;
        functions->items[i]->traceable &= tells_second_returns(&functions->items[i]->f);
    }
    while (!plan_all(functions, options))
        for (size_t i = 0; i < functions->count; i++)
            drop(functions->items[i]);
    for (size_t i = 0; i < functions->count; i++)
        if (functions->items[i]->trace)
            choose_jumps(functions->items[i]);
    for (size_t i = 0; options->trace_addresses && i < functions->count; i++)
        if (functions->items[i]->trace)
            trace_find_accesses(functions->items[i]);
    find_ids(module, functions);
}

void trace_release(struct trace_function *t)
{
    if (!t)
        return;
    free(t->sites);
    ARRAY_RELEASE(&t->accesses);
    if (t->paths)
        witness_paths_release(t->paths);
    free(t->paths);
    free(t->bits);
    free(t->full_before);
    ARRAY_RELEASE(&t->fulls);
    free(t);
}
