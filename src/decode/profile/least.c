/*
 * Counters that are above zero are facts, each about one place (decode/model/standing.h): the edge
 * was taken, or the block began, at least so often. Increments may be late, never early. The
 * exceptions are counters that were moved out of loops (decode/model/moved.h), which prove nothing,
 * and those of paths, which an interrupted frame may have counted some instructions before the last
 * blocks. From facts follow others:
 *  1. A block began as often as it was left by edges, but for activations that were resumed inside.
 *  2. An edge that is the only one into its target was taken as often as that began.
 *  3. What dominates a block that began has begun and was left, and the function was entered:
 *     unless an activation was resumed in the middle of it.
 *  4. A function that only counted functions can call (decode/model/call_cycles.h), and that has
 *     one call, was called as often as it was entered. If it has several calls in one function, its
 *     entries prove that this function was entered.
 *
 * Nothing is concluded forwards, since activations may stand anywhere, and nothing is subtracted,
 * since the counters of a live process were not read at one moment.
 *
 * Counts that are there only if a frame stood where it may not have stood are no facts.
 *
 * The bounds of each file are kept as differences to what was solved of the same file. Solving is
 * linear, so differences add up, and files that are exact add nothing.
 */
#include "decode/profile/least.h"
#include "decode/model/call_cycles.h"
#include "decode/profile/derived.h"
#include "decode/model/error_bounds.h"
#include "decode/model/moved.h"
#include "decode/model/paths.h"
#include "graph/analysis.h"

/* What is certain of one function in one file. */
struct facts {
    const struct least_file *file;
    const struct decode_function *f;
    struct adjacency adjacency;
    int64_t *edge;     /* by edge: taken */
    int64_t *began;    /* by vertex; that of EXIT: entries */
    int64_t *left;     /* by vertex: left by an edge, so that all of the block was passed */
    uint64_t *resumed; /* by vertex; that of EXIT: in any */
    bool flows;        /* rules 1, 2 and 4 hold */
    bool blind;        /* activations may have been resumed unseen, in any call */
    bool entered;      /* rule 3 holds for the function, but for what is known of its blocks */
    bool resumes;      /* some activation was resumed: rule 3 does not hold */
};

static void at_least(int64_t *least, int64_t count)
{
    if (count > *least)
        *least = count;
}

/* Rule 1, for one block. For EXIT: an activation that ended, also by a jump that was not the last
 * one, has begun once. */
static void left_at_least(struct facts *k, uint32_t v, int64_t count)
{
    if (k->blind && (v == graph_exit(&k->f->map.graph) || k->f->map.blocks[v].call_count))
        return;
    if (count > 0 && (uint64_t)count > k->resumed[v])
        at_least(&k->began[v], (int64_t)((uint64_t)count - k->resumed[v]));
}

static uint32_t in_degree(const struct facts *k, uint32_t v)
{
    return k->adjacency.in_start[v + 1] - k->adjacency.in_start[v];
}

static uint32_t out_degree(const struct facts *k, uint32_t v)
{
    return k->adjacency.out_start[v + 1] - k->adjacency.out_start[v];
}

/* Does the edge's counter stand where the edge is taken, and not at the start of the block before
 * it? */
static bool counted_when_taken(const struct facts *k, const struct edge *e)
{
    if (e->kind == EDGE_ENTRY)
        return true;
    return e->kind == EDGE_FLOW && (out_degree(k, e->from) > 1 ||
                                    (in_degree(k, e->to) == 1 && !k->f->map.blocks[e->to].only_returns));
}

static void take_probe(struct facts *k, const struct probe *probe, int64_t count)
{
    const struct graph *g = &k->f->map.graph;
    if (probe->kind == PROBE_VERTEX) {
        if (probe->id != graph_exit(g))
            at_least(&k->began[probe->id], count);
        else if (k->flows) /* activations that ended have begun */
            left_at_least(k, probe->id, count);
        return;
    }
    const struct edge *e = &g->edges[probe->id];
    if (e->kind != EDGE_ENTRY)
        left_at_least(k, e->from, count);
    if (counted_when_taken(k, e))
        at_least(&k->edge[probe->id], count);
}

/* Takes the counts of paths that ended: each left its blocks by one edge. */
static void take_paths(struct facts *k, const int64_t *counters)
{
    const struct graph *g = &k->f->map.graph;
    const struct plan *plan = map_path_plan(&k->f->map);
    int64_t ahead = error_times(k->file->interrupted, k->f->code.most_paths > 1 ? k->f->code.most_paths : 1);
    if (plan->choice || !k->flows) /* counters may stand for several, or a path began before the counts did */
        return;
    int64_t *believed = ZALLOC(int64_t, (size_t)plan->path_count + 1);
    uint32_t first = (uint32_t)(counters - k->f->file.counters);
    for (uint32_t id = 0; id < plan->path_count; id++) {
        bool moved = k->f->code.moved && k->f->code.moved->most[first + id];
        k->entered |= counters[id] > 0 && !moved;
        if (!moved && ahead != MAX_ERROR_UNKNOWN && counters[id] > ahead)
            believed[id] = counters[id] - ahead;
    }
    struct solved implied;
    paths_imply(&implied, &k->f->map, believed);
    int64_t *left = ZALLOC(int64_t, g->vertex_count);
    for (uint32_t e = 0; e < g->edge_count; e++) {
        int64_t *sum = &left[g->edges[e].from];
        *sum = (int64_t)((uint64_t)*sum + (uint64_t)implied.edge_counts[e]);
        if (g->edges[e].kind == EDGE_FLOW)
            at_least(&k->edge[e], implied.edge_counts[e]);
    }
    for (uint32_t v = 0; v < graph_exit(g); v++)
        left_at_least(k, v, left[v]);
    free(left);
    solved_release(&implied);
    free(believed);
}

/* How much of the counter is certain. */
static int64_t certain_count(const struct decode_function *f, uint32_t counter)
{
    int64_t count;
    int64_t supposed = f->file.supposed ? f->file.supposed[counter] : 0;
    return __builtin_sub_overflow(f->file.counters[counter], supposed, &count) ? 0 : count;
}

static void take_counters(struct facts *k)
{
    const struct map_function *map = &k->f->map;
    uint32_t exit = graph_exit(&map->graph), counter = 0;
    for (uint32_t p = 0; p < map->plan_count; p++) {
        const struct plan *plan = &map->plans[p];
        if (placement_counts_paths(plan->placement)) {
            take_paths(k, k->f->file.counters + counter);
            counter += plan_counters(plan);
            continue;
        }
        for (uint32_t i = 0; i < plan->probe_count; i++, counter++) {
            int64_t count = certain_count(k->f, counter);
            if (count <= 0 || (k->f->code.moved && k->f->code.moved->most[counter]))
                continue;
            if (plan->placement != PLACEMENT_BALANCE)
                take_probe(k, &plan->probes[i], count);
            else if (map->flags & MAP_FUNCTION_MAIN && !i)
                at_least(&k->began[exit], count);
            else if (map->flags & MAP_FUNCTION_MAIN && k->flows)
                left_at_least(k, exit, count); /* what ended was entered */
            else
                k->entered = true;
        }
    }
}

/* Rule 4. */
static void take_calls(struct facts *k)
{
    for (const struct decode_function *callee = k->f->calls.only_callees; callee;
         callee = callee->calls.next_only_callee) {
        uint64_t least = (uint64_t)callee->file.least_entries, resumed = k->resumed[callee->calls.only_block];
        if (callee->calls.uses > 1)
            k->entered |= least > 0;
        else if (least > resumed)
            at_least(&k->began[callee->calls.only_block], (int64_t)(least - resumed));
    }
}

static void take_frames(struct facts *k)
{
    for (size_t i = 0; i < k->f->file.frames.count; i++) {
        const struct profile_frame *frame = &k->f->file.frames.items[i];
        if (frame->resumes < 0) /* taken back; it was counted in another file */
            k->flows = false;
        k->resumed[frame->block] += (uint64_t)frame->resumes;
        k->resumed[graph_exit(&k->f->map.graph)] += (uint64_t)frame->resumes;
        k->resumes |= frame->resumes != 0;
    }
}

/* Rules 1 and 2, for one block. Its successors were looked at before, as far as they come first in
 * the order. */
static void conclude_block(struct facts *k, uint32_t v)
{
    const struct graph *g = &k->f->map.graph;
    uint64_t left = 0;
    for (uint32_t i = k->adjacency.out_start[v]; i < k->adjacency.out_start[v + 1]; i++)
        if (g->edges[k->adjacency.out[i]].kind == EDGE_FLOW)
            left += (uint64_t)k->edge[k->adjacency.out[i]];
    if (left > INT64_MAX)
        return;               /* this cannot be true */
    if (left > k->resumed[v]) /* a resumed activation has not passed what stands before its call */
        at_least(&k->left[v], (int64_t)(left - k->resumed[v]));
    left_at_least(k, v, (int64_t)left);
    uint64_t arrived = 0;
    for (uint32_t i = k->adjacency.in_start[v]; i < k->adjacency.in_start[v + 1]; i++)
        arrived += (uint64_t)k->edge[k->adjacency.in[i]];
    if (arrived <= INT64_MAX)
        at_least(&k->began[v], (int64_t)arrived);
    if (in_degree(k, v) == 1)
        at_least(&k->edge[k->adjacency.in[k->adjacency.in_start[v]]], k->began[v]);
}

static void conclude(struct facts *k)
{
    /* Facts travel backwards, against the order of blocks; few travel round loops. */
    enum { ROUNDS = 4 };
    const struct graph *g = &k->f->map.graph;
    uint32_t exit = graph_exit(g);
    struct depth_first d;
    depth_first_init(&d, g, &k->adjacency);
    uint32_t *dominator = ALLOC(uint32_t, g->vertex_count);
    graph_dominators(g, dominator);
    for (int round = 0; round < ROUNDS; round++) {
        for (uint32_t i = d.reached; i-- > 0;)
            if (d.reverse_postorder[i] != exit)
                conclude_block(k, d.reverse_postorder[i]);
        /* Backwards: dominators come before what they dominate. */
        for (uint32_t i = d.reached; i-- > 0 && !k->resumes;) {
            uint32_t v = d.reverse_postorder[i];
            if (v != exit && k->began[v] > 0 && dominator[v] != GRAPH_NONE) {
                at_least(&k->began[dominator[v]], 1);
                at_least(&k->left[dominator[v]], 1);
            }
            k->entered |= v != exit && k->began[v] > 0;
        }
        uint32_t entry = k->adjacency.out[k->adjacency.out_start[exit]];
        at_least(&k->edge[entry], k->began[exit]);
        at_least(&k->edge[entry], k->entered && !k->resumes);
        at_least(&k->began[exit], k->edge[entry]);
    }
    free(dominator);
    depth_first_release(&d);
}

/* A block that makes no call is passed at once, but for frames that were stopped right there. */
static void pass_blocks(struct facts *k)
{
    for (uint32_t v = 0; k->file->interrupted != MAX_ERROR_UNKNOWN && v < graph_exit(&k->f->map.graph); v++)
        if (!k->f->map.blocks[v].call_count && k->began[v] > k->file->interrupted)
            at_least(&k->left[v], k->began[v] - k->file->interrupted);
}

static void facts_init(struct facts *k, const struct least_file *file, const struct decode_function *f)
{
    const struct graph *g = &f->map.graph;
    *k = (struct facts){.file = file, .f = f, .flows = file->whole};
    bool returns = false;
    for (uint32_t b = 0; b < graph_exit(g); b++)
        returns |= f->map.blocks[b].hazards & (MAP_HAZARD_SETJMP | MAP_HAZARD_FORK);
    k->flows &= !returns || file->returns;
    k->blind = !k->flows && (returns || file->forked);
    adjacency_init(&k->adjacency, g);
    k->edge = ZALLOC(int64_t, (size_t)g->edge_count + 1);
    k->began = ZALLOC(int64_t, g->vertex_count);
    k->left = ZALLOC(int64_t, g->vertex_count);
    k->resumed = ZALLOC(uint64_t, g->vertex_count);
    take_frames(k);
    take_counters(k);
    if (k->flows) {
        take_calls(k);
        conclude(k);
    } else { /* each edge into a block tells of it by itself */
        for (uint32_t e = 0; e < g->edge_count; e++)
            at_least(&k->began[g->edges[e].kind == EDGE_ENTRY ? graph_exit(g) : g->edges[e].to], k->edge[e]);
    }
    pass_blocks(k);
}

static void facts_release(struct facts *k)
{
    adjacency_release(&k->adjacency);
    free(k->edge);
    free(k->began);
    free(k->left);
    free(k->resumed);
}

static int64_t *slack_of(struct decode_function *f)
{
    if (!f->file.certain.slack)
        f->file.certain.slack = ZALLOC(int64_t, 2 * (size_t)f->map.graph.vertex_count);
    return f->file.certain.slack;
}

static void add_slack(int64_t *slack, int64_t solved, int64_t least)
{
    *slack = (int64_t)((uint64_t)*slack + (uint64_t)solved - (uint64_t)least);
}

static bool counted_nothing(const struct decode_function *f)
{
    for (uint32_t i = 0; f->file.counters && i < f->counter_count; i++)
        if (f->file.counters[i])
            return false;
    return !f->file.entries && !f->file.frames.count;
}

static struct solved solve(const struct least_file *file, struct decode_function *f)
{
    int64_t *gains = ALLOC(int64_t, f->map.graph.vertex_count);
    profile_frames_gains(&f->file.frames, &f->map.graph, gains);
    struct solved s = solver_solve(&f->solver, file->room, &f->map, f->set, f->file.counters, f->file.entries,
                                   &f->file.frames, gains);
    free(gains);
    return s;
}

/* Finds what is certain of the entries of a function; true when that is more than it was. */
static bool find_entries(const struct least_file *file, struct decode_function *f)
{
    int64_t before = f->file.least_entries;
    if (!file->all && !f->file.error) {
        f->file.least_entries = solve(file, f).entries;
    } else {
        struct facts k;
        facts_init(&k, file, f);
        f->file.least_entries = k.began[graph_exit(&f->map.graph)];
        facts_release(&k);
    }
    return f->file.least_entries > before;
}

static void add_function(const struct least_file *file, struct decode_function *f)
{
    uint32_t exit = graph_exit(&f->map.graph);
    int64_t *slack = slack_of(f);
    struct solved s = solve(file, f);
    struct facts k;
    facts_init(&k, file, f);
    for (uint32_t v = 0; v < exit; v++) {
        add_slack(&slack[v], s.block_counts[v], k.began[v]);
        add_slack(&slack[exit + 1 + v], s.block_counts[v], k.left[v]);
    }
    add_slack(&slack[exit], s.entries, k.began[exit]);
    facts_release(&k);
}

/* ---- Callers ---- */

struct named {
    struct hash_map index; /* tag -> the function with that name that was listed last */
};

static void list_names(struct named *named, const struct least_file *file)
{
    for (size_t m = 0; m < file->module_count; m++)
        for (size_t i = 0; i < file->modules[m]->functions.count; i++) {
            struct decode_function *f = file->modules[m]->functions.items[i];
            uint64_t *last = hash_map_put(&named->index, map_name_tag(f->map.name), NULL);
            f->calls.same_name = (struct decode_function *)(uintptr_t)*last;
            *last = (uintptr_t)f;
            f->calls.uses = 0;
            f->calls.only_caller = f->calls.only_callees = f->calls.next_only_callee = NULL;
        }
}

static void note_call(const struct named *named, struct decode_function *caller, uint32_t block, uint32_t tag)
{
    const uint64_t *last = hash_map_get(&named->index, tag);
    for (struct decode_function *f = last ? (struct decode_function *)(uintptr_t)*last : NULL; f;
         f = f->calls.same_name) {
        f->calls.only_caller = !f->calls.uses || f->calls.only_caller == caller ? caller : NULL;
        f->calls.only_block = block;
        f->calls.uses++;
    }
}

/* Finds the functions that have one caller. True when they are known: these modules are all that
 * count. */
static bool find_callers(const struct least_file *file)
{
    uint64_t these = hash_bytes(file->modules, file->module_count * sizeof *file->modules);
    if (!file->module_count || !call_cycles_find(file->modules, file->module_count, file->debug_paths))
        return false;
    if (file->modules[0]->callers_of == these)
        return true;
    struct named named = {0};
    list_names(&named, file);
    for (size_t m = 0; m < file->module_count; m++)
        for (size_t i = 0; i < file->modules[m]->functions.count; i++) {
            struct decode_function *f = file->modules[m]->functions.items[i];
            for (uint32_t b = 0; b < graph_exit(&f->map.graph); b++)
                for (uint32_t c = 0; c < f->map.blocks[b].call_count; c++)
                    if (f->map.blocks[b].calls[c].callee != MAP_CALLEE_UNKNOWN)
                        note_call(&named, f, b, f->map.callees[f->map.blocks[b].calls[c].callee]);
        }
    for (size_t m = 0; m < file->module_count; m++) {
        for (size_t i = 0; i < file->modules[m]->functions.count; i++) {
            struct decode_function *f = file->modules[m]->functions.items[i];
            /* The C library calls main; a function that only calls itself was entered by a call that
             * is not known. */
            if (f->map.flags & MAP_FUNCTION_MAIN || f->calls.only_caller == f ||
                call_cycles_from_outside(file->modules[m], f))
                f->calls.only_caller = NULL;
            if (!f->calls.only_caller)
                continue;
            f->calls.next_only_callee = f->calls.only_caller->calls.only_callees;
            f->calls.only_caller->calls.only_callees = f;
        }
        file->modules[m]->callers_of = these;
    }
    hash_map_release(&named.index);
    return true;
}

/* ---- Files ---- */

struct worklist ARRAY_OF(struct decode_function *);

static bool is_known(const struct decode_function *f)
{
    return f->set != SET_NONE && !f->derived.entries_unknown && f->file.counters;
}

/* Hands on facts from callees to callers until nothing is new. */
static void find_all_entries(const struct least_file *file, const struct worklist *functions, bool callers)
{
    /* So often each function is looked at, at most; what is found by then is true. */
    enum { TIMES = 16 };
    struct worklist next = {0};
    for (size_t i = 0; i < functions->count; i++) {
        functions->items[i]->file.looked_at = 0;
        ARRAY_PUSH(&next, functions->items[i]);
    }
    for (size_t i = 0; i < next.count; i++) {
        struct decode_function *f = next.items[i], *caller = callers ? f->calls.only_caller : NULL;
        if (find_entries(file, f) && caller && is_known(caller) && caller->file.looked_at++ < TIMES)
            ARRAY_PUSH(&next, caller);
    }
    ARRAY_RELEASE(&next);
}

void least_add_file(const struct least_file *file)
{
    struct worklist ran = {0};
    bool callers = find_callers(file);
    for (size_t m = 0; m < file->module_count; m++) {
        struct decode_module *module = file->modules[m];
        /* The table of places says which counters were moved; without one no counter is
         * relied on. */
        bool known = decode_module_places(module, file->debug_paths);
        derived_link(module);
        for (size_t i = module->functions.count; i-- > 0;) { /* callees first, as far as that is known */
            struct decode_function *f = module->order[i];
            f->file.least_entries = 0;
            if (!callers)
                f->calls.only_callees = NULL;
            if (f->set == SET_NONE || f->derived.entries_unknown || counted_nothing(f))
                continue;
            f->file.certain.unknown |= !known && (file->all || f->file.error);
            file_counts_allocate(f); /* it may have no counters here, but was called */
            if (known)
                ARRAY_PUSH(&ran, f);
        }
    }
    find_all_entries(file, &ran, callers);
    for (size_t i = 0; i < ran.count; i++)
        if (file->all || ran.items[i]->file.error)
            add_function(file, ran.items[i]);
    ARRAY_RELEASE(&ran);
}

bool *may_have_run(struct decode_function *f)
{
    if (!f->file.certain.may_have_run)
        f->file.certain.may_have_run = ZALLOC(bool, f->map.graph.vertex_count);
    return f->file.certain.may_have_run;
}

void least_add_merged(struct decode_function *f, const struct profile_function *from)
{
    uint32_t exit = graph_exit(&f->map.graph);
    int64_t *slack = slack_of(f);
    for (uint32_t v = 0; v < exit; v++) {
        add_slack(&slack[v], from->block_counts[v], from->least ? from->least[v].began : 0);
        add_slack(&slack[exit + 1 + v], from->block_counts[v], from->least ? from->least[v].left : 0);
        if (from->least && from->least[v].may_have_run)
            may_have_run(f)[v] = true;
    }
    add_slack(&slack[exit], from->entries, from->least ? from->least[exit].began : 0);
}

/* The better of two bounds: what was proven, and what the largest error leaves. */
static int64_t bound(int64_t solved, int64_t slack, int64_t max_error)
{
    int64_t least = (int64_t)((uint64_t)solved - (uint64_t)slack);
    if (max_error != MAX_ERROR_UNKNOWN && solved > max_error)
        at_least(&least, solved - max_error);
    return least > 0 ? least : 0;
}

void least_finish(const struct decode_function *from, struct profile_function *f)
{
    uint32_t exit = graph_exit(&f->map.graph);
    f->least = ZALLOC(struct profile_least, f->map.graph.vertex_count);
    const struct certain_counts *certain = &from->total.certain;
    for (uint32_t v = 0; certain->may_have_run && v < exit; v++)
        f->least[v].may_have_run = certain->may_have_run[v];
    /* The counts of a trace are proven, but for the error that it declares. */
    int64_t unsure = from->set == SET_NONE ? from->total.trace.error : 0;
    if (certain->unknown || unsure == MAX_ERROR_UNKNOWN)
        return;
    const int64_t *slack = certain->slack;
    uint64_t *cuts = ZALLOC(uint64_t, f->map.graph.vertex_count);
    for (size_t i = 0; i < f->frames.count; i++)
        if (f->frames.items[i].cuts > 0)
            cuts[f->frames.items[i].block] += (uint64_t)f->frames.items[i].cuts;
    for (uint32_t v = 0; v < exit; v++) {
        f->least[v].began = bound(f->block_counts[v] - unsure, slack ? slack[v] : 0, f->max_error);
        /* As many may not have begun, and as many may stand in it. */
        int64_t left =
            bound(f->block_counts[v] - unsure, slack ? slack[exit + 1 + v] : 0, error_times(f->max_error, 2));
        f->least[v].left = cuts[v] < (uint64_t)left ? left - (int64_t)cuts[v] : 0;
    }
    f->least[exit].began = bound(f->entries - unsure, slack ? slack[exit] : 0, f->max_error);
    free(cuts);
}
