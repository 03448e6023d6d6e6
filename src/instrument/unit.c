/*
 * The first of the three passes: graphs, plans, markers and the map of a unit, before any pass has
 * changed it. Nothing here depends on addresses or order of hashing: the same input gives the same
 * bytes.
 */
#include "base/memory.h"
#include "format/counters.h"
#include "format/map/map.h"
#include "instrument/count/derived.h"
#include "instrument/count/markers.h"
#include "instrument/crash/tunable.h"
#include "instrument/graph/describe.h"
#include "instrument/graph/function_graph.h"
#include "instrument/graph/guess.h"
#include "instrument/graph/records.h"
#include "instrument/graph/returns_twice.h"
#include "instrument/graph/select.h"
#include "instrument/llvm/shim.h"
#include "instrument/marker/attributes.h"
#include "instrument/marker/marker.h"
#include "instrument/path/choice.h"
#include "instrument/parts/parts.h"
#include "instrument/path/markers.h"
#include "instrument/place/map_section.h"
#include "instrument/place/positions.h"
#include "instrument/trace/trace.h"
#include "instrument/unit_context.h"
#include "instrument/use/branch_weights.h"
#include "instrument/use/call_targets.h"
#include "instrument/use/use_profile.h"
#include "plan/path_plan.h"
#include "plan/path_rest.h"
#include "plan/region.h"

#include <stdio.h>
#include <llvm-c/DebugInfo.h>
#include <string.h>

struct unit {
    LLVMModuleRef module;
    struct unit_context *context;
    const struct instrument_options *options;
    struct selection selection;
    struct used_profile profile;
    struct path_choices choices;
    struct marker_maker maker;
    struct trace_maker tracer;          /* with options.trace */
    struct parts parts;                 /* with options.parts */
    struct unit_functions functions;    /* those that are in the map */
    struct call_sites calls_by_pointer; /* of a unit without counters */
    struct buffer payload;
    uint32_t counted;
};

static void add_plan(struct map_function *map, struct plan plan)
{
    RESIZE(map->plans, (size_t)map->plan_count + 1);
    map->plans[map->plan_count++] = plan;
}

static void leave_uncounted(struct unit *u, struct map_function *map, const char *why)
{
    for (uint32_t i = 0; i < map->plan_count; i++)
        plan_release(&map->plans[i]);
    map->plan_count = 0;
    map->flags |= MAP_FUNCTION_UNCOUNTED;
    map->why_uncounted = memory_string(why);
    if (u->options->verbose)
        fprintf(stderr, "cotree: function '%s' is not counted: %s\n", map->name, why);
}

/* Ends are not counted where a call must be a tail call, since no marker can stand after it, or
 * where positions cannot tell whether a call became one. */
static bool can_count_ends(const struct function_graph *f)
{
    for (uint32_t i = 0; i < f->ir.count; i++) {
        LLVMValueRef last = LLVMGetBasicBlockTerminator(f->ir.items[i].block);
        LLVMValueRef call = last ? LLVMGetPreviousInstruction(last) : NULL;
        while (call && !call_is_numbered(call)) /* a cast may follow it */
            call = LLVMGetPreviousInstruction(call);
        if (call && LLVMIsACallInst(call) && LLVMGetTailCallKind(call) == LLVMTailCallKindMustTail)
            return false;
    }
    return shim_can_mark(f->function);
}

/* Does the block call the kernel by an instruction of its own? */
static bool calls_kernel(const struct function_graph *f, uint32_t block)
{
    for (uint32_t i = f->head[block]; i != IR_NONE; i = f->next[i])
        for (LLVMValueRef at = LLVMGetFirstInstruction(f->ir.items[i].block); at;
             at = LLVMGetNextInstruction(at))
            if (call_is_of_kernel(at))
                return true;
    return false;
}

/*
 * The region of the function in which activations are counted: around all calls, those of the
 * kernel too, but for the last one of a dead end. False when there are none: an activation that
 * cannot call is never beneath another, and no thread ends in it.
 */
static bool find_region(struct function_graph *f, const struct map_function *map, const double *weights)
{
    const struct graph *g = &f->graph;
    bool *wanted = ZALLOC(bool, g->vertex_count), *joined = ALLOC(bool, g->edge_count), any = false;
    double *costs = ALLOC(double, g->edge_count);
    for (uint32_t b = 0; b < graph_exit(g); b++)
        wanted[b] = map->blocks[b].call_count > 0 || calls_kernel(f, b);
    for (uint32_t e = 0; e < g->edge_count; e++) {
        const struct edge *edge = &g->edges[e];
        bool dead_end = edge->kind == EDGE_VIRTUAL && f->site[e] == EDGE_AT_SOURCE;
        if (dead_end && map->blocks[edge->from].call_count <= 1)
            wanted[edge->from] = false;
        /* Control never passes the virtual edge of an endless loop. */
        costs[e] = edge->kind == EDGE_VIRTUAL && !dead_end ? 0 : weights[e];
        joined[e] = edge->kind == EDGE_EXIT ? f->only_returns[edge->from]
                                            : edge->kind != EDGE_VIRTUAL && f->no_probe[e];
    }
    for (uint32_t b = 0; b < graph_exit(g); b++)
        any |= wanted[b];
    if (any) {
        f->region = ALLOC(bool, g->vertex_count);
        plan_region(g, costs, joined, wanted, f->region);
    }
    free(wanted);
    free(joined);
    free(costs);
    return any;
}

/* A function whose paths cannot be counted is counted without them. */
static bool make_path_plan(struct unit *u, const struct function_graph *f, struct map_function *map,
                           enum placement placement, const double *weights, struct error *error)
{
    struct error why;
    struct plan plan;
    bool *cut = path_cuts_needed(f, map, &why);
    if (!cut) {
        if (u->options->verbose)
            fprintf(stderr, "cotree: function '%s': %s\n", map->name, why.text);
        return true;
    }
    bool ok = path_plan_make(&plan, &f->graph, placement, weights, cut, error);
    if (ok)
        add_plan(map, plan);
    free(cut);
    return ok;
}

/*
 * The counters that edge counts need beside path counts: few. A plan of edges instead, if durable,
 * where only some paths are counted, and where frames may begin in other ways than by calls
 * (setjmp). A landing pad is no such place: a path ends on the way there, and is counted by the
 * block that it leads to.
 */
static bool make_rest_plan(const struct unit *u, const struct function_graph *f, struct map_function *map,
                           uint32_t at, const double *weights, struct error *error)
{
    const struct plan *paths = map_path_plan(map);
    uint32_t hazards = 0;
    bool *calls = ZALLOC(bool, f->graph.vertex_count);
    for (uint32_t b = 0; b < graph_exit(&f->graph); b++) {
        hazards |= map->blocks[b].hazards;
        calls[b] = map->blocks[b].call_count > 0;
    }
    struct plan plan;
    bool ok = paths && !u->options->paths.count && !u->options->durable && !(hazards & MAP_HAZARD_SETJMP) &&
              path_rest_make(&plan, &f->graph, paths, calls, weights, f->no_probe, NULL);
    free(calls);
    if (!ok && !plan_make(&plan, &f->graph, PLACEMENT_EDGES, weights, f->no_probe, error))
        return false;
    add_plan(map, plan);
    for (uint32_t i = map->plan_count - 1; i > at; i--) {
        struct plan swap = map->plans[i];
        map->plans[i] = map->plans[i - 1];
        map->plans[i - 1] = swap;
    }
    return true;
}

/* All plans the options ask for; false when one of them cannot be made. */
static bool make_plans(struct unit *u, struct unit_function *to, const struct profile_function *counts,
                       struct error *error)
{
    struct function_graph *f = &to->f;
    struct map_function *map = &to->map;
    double *weights = to->weights = ALLOC(double, f->graph.edge_count);
    guess_weights(f, weights);
    if (counts)
        used_profile_weights(counts, weights);
    guess_costs(f, weights);
    /* A landing pad is counted right there, not derived: the counts around it may be wrong because
     * of the very exception that landed. It costs nothing in runs without exceptions. */
    for (uint32_t e = 0; e < f->graph.edge_count; e++)
        if (f->graph.edges[e].kind != EDGE_ENTRY &&
            map->blocks[f->graph.edges[e].from].hazards & MAP_HAZARD_LANDING_PAD)
            weights[e] = 0;
    bool ok = true;
    uint32_t rest_at = UINT32_MAX;
    for (size_t i = 0; ok && i < u->options->set_count; i++) {
        struct plan plan;
        if (u->options->sets[i] == PLACEMENT_REST) {
            rest_at = map->plan_count;
            continue;
        }
        if (placement_counts_paths(u->options->sets[i])) {
            ok = make_path_plan(u, f, map, u->options->sets[i], weights, error);
            continue;
        }
        ok = plan_make(&plan, &f->graph, u->options->sets[i], weights, f->no_probe, error);
        if (ok)
            add_plan(map, plan);
    }
    if (ok && rest_at != UINT32_MAX)
        ok = make_rest_plan(u, f, map, rest_at, weights, error);
    if (ok && u->options->set_count &&
        (map->flags & MAP_FUNCTION_MAIN ||
         (u->options->durable && can_count_ends(f) && find_region(f, map, weights)))) {
        struct plan plan;
        ok = plan_make(&plan, &f->graph, PLACEMENT_BALANCE, weights, f->no_probe, error);
        if (ok)
            add_plan(map, plan);
    }
    return ok;
}

/* May the linker choose one traced body of the function for all units, as it chooses one
 * definition? Not where a call may be inlined: replay could not tell which of two bodies ran. Nor
 * with addresses: code that records them can only call code that does. */
static bool has_one_body(LLVMValueRef function, const struct instrument_options *options)
{
    unsigned no_inline = LLVMGetEnumAttributeKindForName("noinline", strlen("noinline"));
    LLVMLinkage linkage = LLVMGetLinkage(function);
    return !options->lto && !options->bitcode && !options->trace_addresses &&
           (linkage == LLVMLinkOnceODRLinkage || linkage == LLVMWeakODRLinkage) &&
           LLVMGetEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, no_inline);
}

/* A function without locations (`nodebug`) in which exceptions land stays one of its own: copies
 * would not know that they were inlined, nor where. */
static void keep_copies_apart(LLVMValueRef function)
{
    static const char always[] = "alwaysinline", never[] = "noinline", units[] = "llvm.dbg.cu";
    if (!LLVMHasPersonalityFn(function) || LLVMGetSubprogram(function) ||
        !LLVMGetNamedMetadata(LLVMGetGlobalParent(function), units, strlen(units)) ||
        LLVMGetEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                                    LLVMGetEnumAttributeKindForName(always, strlen(always))))
        return;
    unsigned kind = LLVMGetEnumAttributeKindForName(never, strlen(never));
    LLVMAddAttributeAtIndex(
        function, LLVMAttributeFunctionIndex,
        LLVMCreateEnumAttribute(LLVMGetModuleContext(LLVMGetGlobalParent(function)), kind, 0));
}

static void add_function(struct unit *u, LLVMValueRef function, const char *why_uncounted, bool early)
{
    struct unit_function *to = ZALLOC(struct unit_function, 1);
    struct error no_plan = {0};
    ARRAY_PUSH(&u->functions, to);
    function_graph_init(&to->f, function);
    describe_function(&to->map, &to->f, u->options, &to->lines_begun);
    const struct profile_function *counts = why_uncounted ? NULL : used_profile_find(&u->profile, &to->map);
    if (counts)
        branch_weights_set(&to->f, counts);
    if (u->options->no_counters) {
        if (counts)
            call_targets_collect(&u->calls_by_pointer, &to->f, counts);
        return;
    }
    keep_copies_apart(function);
    if (!why_uncounted && u->options->parts)
        why_uncounted = parts_why_not(function);
    if (why_uncounted) {
        leave_uncounted(u, &to->map, why_uncounted);
        if (early)
            describe_early_calls(&to->map, &to->f);
    } else if (!make_plans(u, to, counts, &no_plan))
        leave_uncounted(u, &to->map, no_plan.text);
    to->counted = to->map.plan_count > 0;
    if (to->counted && u->options->parts)
        to->map.flags |= MAP_FUNCTION_IN_PARTS;
    to->traceable = u->options->trace && !why_uncounted;
    if (to->traceable && has_one_body(function, u->options))
        to->map.flags |= MAP_FUNCTION_ONE_BODY;
}

/* Plans traces. The map says which functions are neither traced nor counted. */
static void plan_traces(struct unit *u)
{
    trace_plan(u->module, &u->functions, u->options);
    for (size_t i = 0; i < u->functions.count; i++) {
        struct unit_function *f = u->functions.items[i];
        if (!f->trace && !f->counted && !f->map.why_uncounted && !u->options->crash)
            leave_uncounted(u, &f->map, "it cannot be traced");
    }
    trace_maker_init(&u->tracer, u->module, u->options);
}

/* Markers of path counters come last: they see the blocks that the others have split. */
static bool place_markers(struct unit *u, struct unit_function *to, struct error *error)
{
    const struct map_function *map = &to->map;
    LLVMValueRef array = marker_make_array(&u->maker, map);
    for (int paths = 0; paths < 2; paths++) {
        uint64_t first = COUNTERS_HEADER_WORDS;
        for (uint32_t i = 0; i < map->plan_count; first += plan_counters(&map->plans[i]), i++) {
            const struct plan *plan = &map->plans[i];
            if (placement_counts_paths(plan->placement) != paths)
                continue;
            if (!(paths ? path_markers_place : markers_place)(&u->maker, &to->f, map, plan, array, first,
                                                              error))
                return error_prefix(error, "function '%s'", map->name);
        }
    }
    return true;
}

/* Can the way through the function be told? Bitcode for other tools loses what the table of slots needs. */
static enum slots_state crash_state(const struct unit *u, const struct unit_function *f)
{
    bool is_lost = u->options->bitcode || (u->options->lto && u->options->durable);
    return is_lost ? SLOTS_FOR_LINKER : crash_state_of(f);
}

static bool place_function(struct unit *u, struct unit_function *to, struct error *error)
{
    if (!to->counted && !to->trace && !(u->options->crash && !to->map.why_uncounted))
        return true;
    u->counted++;
    to->f.weights = to->weights;
    enum slots_state state = u->options->crash ? crash_state(u, to) : SLOTS_TRACKED;
    struct crash_placer placer = {&u->context->crash, &u->context->positions, &u->maker, u->options};
    if (u->options->crash && state == SLOTS_TRACKED)
        crash_tunable_copy(&placer, to);
    positions_mark(&u->context->positions, &to->f, &to->map, &to->lines_begun, &u->maker);
    if (u->options->crash)
        crash_place(&placer, to, state);
    if ((to->trace && !trace_place(&u->tracer, to, error)) || (to->counted && !place_markers(u, to, error)))
        return false;
    if (to->trace)
        trace_place_second_returns(&u->tracer, to);
    return true;
}

/* What stands in a silent body is not counted. */
static void split_parts(struct unit *u)
{
    parts_split(&u->parts, &u->functions, u->options->verbose);
    for (size_t i = 0; i < u->parts.functions.count; i++)
        positions_mark_uncounted(&u->context->positions, u->parts.functions.items[i].silent);
}

static bool instrument_unit(struct unit *u, struct error *error)
{
    if (u->options->parts && !u->options->no_counters) {
        if (u->options->lto || u->options->bitcode)
            return error_set(error, "bitcode (-flto, -emit-llvm) cannot be collected in parts");
        if (!parts_init(&u->parts, u->module, error))
            return false;
    }
    if (u->profile.loaded && u->options->no_counters)
        branch_weights_summarise(u->module, &u->profile);
    if (u->options->lines_only)
        shim_locations_are_ours(u->module);
    if (!u->options->no_counters)
        returns_twice_mark(u->module);
    for (LLVMValueRef f = LLVMGetFirstFunction(u->module); f; f = LLVMGetNextFunction(f)) {
        const char *why = NULL;
        if (LLVMIsDeclaration(f))
            continue;
        if (u->options->lines_only)
            shim_drop_location_loops(f);
        enum choice choice = selection_choose(&u->selection, f, &why);
        if (choice != CHOICE_LEAVE)
            add_function(u, f, why, choice == CHOICE_EARLY);
        else if (!u->options->no_counters)
            positions_mark_uncounted(&u->context->positions, f);
    }
    if (u->options->no_counters) {
        call_targets_set(u->module, &u->calls_by_pointer, &u->profile);
        return true;
    }
    if (u->choices.selectors.count && !path_choices_apply(&u->choices, &u->functions, error))
        return false;
    /* After SIGKILL errors would add up from caller to callee: a user who asks for small ones gets
     * counters. */
    if (!u->options->durable)
        derived_choose(u->module, &u->functions);
    if (u->options->trace)
        plan_traces(u);
    records_write(&u->payload, &u->functions);
    if (u->options->trace)
        trace_split(&u->tracer, &u->functions);
    if (u->options->parts)
        split_parts(u);
    bool ok = true;
    for (size_t i = 0; ok && i < u->functions.count; i++)
        ok = place_function(u, u->functions.items[i], error);
    if (u->options->trace) {
        trace_make_thunks(&u->tracer, &u->functions);
        trace_maker_release(&u->tracer);
    }
    if (ok && u->options->parts)
        parts_make_thunks(&u->parts);
    if (ok && u->options->crash)
        crash_tunable_end(u->module);
    if (ok && u->payload.length)
        map_section_add(u->module, &u->payload, !u->maker.alone);
    if (ok && u->counted && !u->maker.alone)
        attributes_widen(u->module, false);
    return ok;
}

static bool is_supported(LLVMModuleRef module, struct error *error)
{
    const char *triple = LLVMGetTarget(module);
    if (!strncmp(triple, "x86_64-", 7) && strstr(triple, "linux") && !strstr(triple, "gnux32"))
        return true;
    return error_set(error, "target '%s' is not supported: only x86-64 Linux is", triple);
}

/* The mark holds the options, which name the plugin by its hash (driver_options.c): caches of
 * linkers know modules by their content, so another plugin must make another module. */
static void set_done(LLVMModuleRef module, const char *options)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMMetadataRef text = LLVMMDStringInContext2(context, options, strlen(options));
    LLVMMetadataRef node = LLVMMDNodeInContext2(context, &text, 1);
    LLVMAddNamedMetadataOperand(module, INSTRUMENT_DONE_MARK, LLVMMetadataAsValue(context, node));
}

static bool are_valid(const struct unit_options *options, struct error *error)
{
    if (!options->valid)
        *error = options->error;
    return options->valid;
}

bool instrument_module(LLVMModuleRef module, struct unit_context *context)
{
    struct error error = {0};
    const struct unit_options *options = context->options;
    struct unit u = {.module = module, .context = context, .options = &options->parsed};
    if (LLVMGetNamedMetadata(module, INSTRUMENT_DONE_MARK, strlen(INSTRUMENT_DONE_MARK)))
        return false;
    set_done(module, options->text);
    size_t name_length;
    bool ok = is_supported(module, &error) && are_valid(options, &error) &&
              (!u.options->use || used_profile_load(&u.profile, u.options->use, &error)) &&
              path_choices_init(&u.choices, u.options, LLVMGetSourceFileName(module, &name_length), &error);
    if (ok) {
        selection_init(&u.selection, module, u.options);
        marker_maker_init(&u.maker, module);
        u.maker.for_linker = u.options->lto;
        u.maker.alone = instrument_options_crash_alone(u.options);
        ok = instrument_unit(&u, &error);
        size_t length;
        used_profile_remark(&u.profile, u.options->use, LLVMGetSourceFileName(module, &length),
                            u.options->verbose);
        marker_maker_release(&u.maker);
        selection_release(&u.selection);
        shim_drop_names(module);
    }
    if (!ok) {
        error_prefix(&error, "cotree");
        shim_error(module, error.text);
    }
    for (size_t i = 0; i < u.functions.count; i++)
        trace_release(u.functions.items[i]->trace);
    parts_release(&u.parts);
    unit_functions_release(&u.functions);
    used_profile_release(&u.profile);
    path_choices_release(&u.choices);
    buffer_release(&u.payload);
    return true;
}
