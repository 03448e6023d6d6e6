/*
 * Where the code of paths stands:
 *
 *  1. The sum is set where the function begins and after every cut edge; an edge with an increment
 *     adds it; an edge that ends a path counts at array[sum + increment].
 *  2. The code of an edge stands where its target starts if that has no other edge in, where its
 *     source ends if that has no other edge out, else on the branch, which is split.
 *  3. A path that ends with the activation is counted before the return, or, since a tail call must
 *     stay one, before a call that is followed by nothing but the return. Blocks that do nothing
 *     but return are left as they are: their code stands on the edges into them. A dead end counts
 *     before the call that does not return. An edge back into a loop that would need a block of its
 *     own is counted before the branch, and taken back on the other edge out, which is taken less
 *     often: nothing can happen in between.
 *  4. Where no code can stand on an edge (into landing pads, out of an indirect goto) all edges
 *     into its target end paths, and the target counts: a phi knows by which edge control came.
 *  5. Blocks that call setjmp or its like only start paths, so that the sum there is a constant; it
 *     is set anew after the call, which may return again when the variable holds another path's
 *     sum.
 */
#include "instrument/path/markers.h"
#include "instrument/llvm/versions.h"
#include "base/memory.h"
#include "instrument/graph/cleanup.h"
#include "instrument/graph/returns_twice.h"
#include "plan/path_code.h"
#include "plan/path_plan.h"

#include <string.h>

struct placing {
    struct marker_maker *m;
    struct function_graph *f;
    const struct map_function *map;
    struct path_graph paths;
    struct path_numbering numbers;
    struct path_code code;
    LLVMValueRef array, sum; /* sum: the variable */
    uint64_t first;
    bool *by_phi;    /* block -> it counts the paths that end with the edges into it */
    uint32_t *ahead; /* block -> the edge out of it that is counted before its branch, or GRAPH_NONE */
};

static bool *find_by_phi(const struct function_graph *f)
{
    bool *by_phi = ZALLOC(bool, f->graph.vertex_count);
    for (uint32_t e = 0; e < f->graph.edge_count; e++)
        if (f->graph.edges[e].kind == EDGE_FLOW && f->site[e] == EDGE_NOWHERE)
            by_phi[f->graph.edges[e].to] = true;
    return by_phi;
}

/* Do all branches of the edge, whose target counts by a phi, lead to the target's first IR
 * block? */
static bool arrives_directly(const struct function_graph *f, uint32_t e)
{
    for (uint32_t i = f->branch_start[e]; i < f->branch_start[e + 1]; i++)
        if (f->branches[i].to != function_graph_head(f, f->graph.edges[e].to))
            return false;
    return true;
}

/* The last call of a block; unless `surely`, only if it may become a tail call: nothing but moves
 * of its result and lifetime markers may follow. */
static LLVMValueRef last_call(const struct function_graph *f, uint32_t block, bool surely)
{
    LLVMValueRef last = NULL;
    for (uint32_t ir = f->head[block]; ir != IR_NONE; ir = f->next[ir])
        for (LLVMValueRef i = LLVMGetFirstInstruction(f->ir.items[ir].block); i;
             i = LLVMGetNextInstruction(i)) {
            if (call_is_numbered(i))
                last = i;
            else if (!surely && !LLVMIsATerminatorInst(i) && !LLVMIsAUnaryInstruction(i) &&
                     !LLVMIsAStoreInst(i) && !ir_is_lifetime_marker(i) && !LLVMIsADbgInfoIntrinsic(i))
                last = NULL;
        }
    return last;
}

/* Code that is not optimised makes jumps of `musttail` calls only. */
static bool may_become_jump(const struct function_graph *f, LLVMValueRef call)
{
    unsigned optnone = LLVMGetEnumAttributeKindForName("optnone", strlen("optnone"));
    return !LLVMGetEnumAttributeAtIndex(f->function, LLVMAttributeFunctionIndex, optnone) ||
           (LLVMIsACallInst(call) && LLVMGetTailCallKind(call) == LLVMTailCallKindMustTail);
}

/* Marks the blocks in which a path that ends with the activation is counted before a call, which
 * may become a tail call. */
static void mark_early_ends(const struct function_graph *f, struct map_function *map)
{
    for (uint32_t e = 0; e < f->graph.edge_count; e++) {
        const struct edge *edge = &f->graph.edges[e];
        if (edge->kind == EDGE_ENTRY || edge->kind == EDGE_VIRTUAL)
            continue;
        LLVMValueRef last = LLVMGetBasicBlockTerminator(function_graph_tail(f, edge->from));
        bool ends = edge->kind == EDGE_EXIT ? !f->only_returns[edge->from]
                                            : f->only_returns[edge->to] && f->site[e] == EDGE_AT_SOURCE &&
                                                  LLVMGetNumSuccessors(last) == 1;
        LLVMValueRef call = ends ? last_call(f, edge->from, false) : NULL;
        if (call && may_become_jump(f, call))
            map->blocks[edge->from].hazards |= MAP_PATH_ENDS_EARLY;
    }
}

bool *path_cuts_needed(const struct function_graph *f, struct map_function *map, struct error *error)
{
    bool *cut = ZALLOC(bool, (size_t)f->graph.edge_count + 1), *by_phi = find_by_phi(f), ok = true;
    for (uint32_t e = 0; e < f->graph.edge_count; e++) {
        const struct edge *edge = &f->graph.edges[e];
        if (edge->kind != EDGE_FLOW)
            continue;
        cut[e] = by_phi[edge->to] || map->blocks[edge->to].hazards & MAP_HAZARD_SETJMP;
        ok &= !by_phi[edge->to] || arrives_directly(f, e);
    }
    for (uint32_t b = 0; b < graph_exit(&f->graph); b++) {
        LLVMValueRef last = LLVMGetBasicBlockTerminator(function_graph_tail(f, b));
        ok &= !(map->blocks[b].hazards & MAP_HAZARD_SETJMP && LLVMIsAInvokeInst(last) &&
                call_returns_twice(last));
    }
    free(by_phi);
    if (ok) {
        mark_early_ends(f, map);
        return cut;
    }
    free(cut);
    error_set(error, "its paths cannot be counted");
    return NULL;
}

static LLVMValueRef number(const struct placing *p, uint64_t value)
{
    return LLVMConstInt(p->m->i64, value, false);
}

static void stand_before(const struct placing *p, LLVMValueRef instruction)
{
    LLVMPositionBuilderBefore(p->m->builder, instruction);
    LLVMSetCurrentDebugLocation2(p->m->builder, NULL);
}

static void set_sum(const struct placing *p, uint64_t value)
{
    LLVMBuildStore(p->m->builder, number(p, value), p->sum);
}

/* array[first + sum + more] += by, which is 1 or -1. Sums out of range count at the last
 * counter. */
static void count(const struct placing *p, LLVMValueRef more, int by)
{
    struct marker_maker *m = p->m;
    LLVMValueRef sum = LLVMBuildLoad2(m->builder, m->i64, p->sum, "");
    LLVMValueRef index = LLVMBuildAdd(m->builder, sum, more, "");
    if (p->code.checked) {
        LLVMValueRef last = number(p, p->code.counters - 1);
        LLVMValueRef below = LLVMBuildICmp(m->builder, LLVMIntULT, index, last, "");
        index = LLVMBuildSelect(m->builder, below, index, last, "");
    }
    index = LLVMBuildAdd(m->builder, index, number(p, p->first), "");
    LLVMValueRef counter = LLVMBuildGEP2(m->builder, m->i64, p->array, &index, 1, "");
    marker_of_path(m, p->array, counter, by);
}

static bool ends_path(const struct placing *p, uint32_t arc)
{
    return p->paths.arcs.edges[arc].to == graph_exit(&p->paths.arcs);
}

/* Builds the code of an edge, where the builder stands. */
static void do_edge(const struct placing *p, uint32_t e)
{
    uint32_t arc = p->paths.edge_arc[e], to = p->f->graph.edges[e].to;
    uint32_t ahead = p->ahead[p->f->graph.edges[e].from];
    uint64_t add = p->code.add[arc];
    if (ahead != GRAPH_NONE && ahead != e)
        count(p, number(p, p->code.add[p->paths.edge_arc[ahead]]), -1);
    if (ends_path(p, arc)) {
        if (ahead != e && p->code.counts[arc])
            count(p, number(p, add), 1);
        if (to != graph_exit(&p->f->graph))
            set_sum(p, p->code.add[p->paths.start_arc[to]]);
    } else if (p->code.sets[arc]) {
        set_sum(p, add);
    } else if (add) {
        LLVMValueRef sum = LLVMBuildLoad2(p->m->builder, p->m->i64, p->sum, "");
        LLVMBuildStore(p->m->builder, LLVMBuildAdd(p->m->builder, sum, number(p, add), ""), p->sum);
    }
}

static uint32_t exit_edge_of(const struct graph *g, uint32_t block)
{
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (g->edges[e].from == block && g->edges[e].kind == EDGE_EXIT)
            return e;
    return GRAPH_NONE;
}

static void do_edge_before(const struct placing *p, uint32_t e, LLVMValueRef instruction)
{
    uint32_t to = p->f->graph.edges[e].to;
    stand_before(p, instruction);
    do_edge(p, e);
    if (to != graph_exit(&p->f->graph) && p->f->only_returns[to])
        do_edge(p, exit_edge_of(&p->f->graph, to));
}

/* The instruction before which the path of an activation ends, in its last block. */
static LLVMValueRef end_of(const struct placing *p, uint32_t block, bool dead_end)
{
    LLVMValueRef terminator = LLVMGetBasicBlockTerminator(function_graph_tail(p->f, block));
    bool early = p->map->blocks[block].hazards & MAP_PATH_ENDS_EARLY;
    LLVMValueRef call = dead_end || early ? last_call(p->f, block, true) : NULL;
    if (!call && dead_end) { /* a trap, or assembly */
        call = LLVMGetPreviousInstruction(terminator);
        call = call && LLVMIsACallInst(call) ? call : NULL;
    }
    return call ? call : terminator;
}

/* Has the edge one branch only, at the end of its source? */
static bool is_simple(const struct function_graph *f, uint32_t e)
{
    return f->branch_start[e] + 1 == f->branch_start[e + 1] &&
           f->branches[f->branch_start[e]].from == function_graph_tail(f, f->graph.edges[e].from);
}

/* Chooses the edges that are counted before their branch: they end a path, need a block of their
 * own, and are taken more often than the other edge. */
static void find_ahead(struct placing *p)
{
    const struct function_graph *f = p->f;
    const struct graph *g = &f->graph;
    uint32_t *one = ALLOC(uint32_t, g->vertex_count), *other = ALLOC(uint32_t, g->vertex_count);
    for (uint32_t v = 0; v < g->vertex_count; v++)
        p->ahead[v] = one[v] = other[v] = GRAPH_NONE;
    for (uint32_t e = 0; e < g->edge_count; e++) {
        uint32_t from = g->edges[e].from;
        (one[from] == GRAPH_NONE ? one : other)[from] = e;
    }
    for (uint32_t b = 0; b < graph_exit(g); b++) {
        LLVMValueRef last = LLVMGetBasicBlockTerminator(function_graph_tail(f, b));
        if (!LLVMIsABranchInst(last) || LLVMGetNumSuccessors(last) != 2 || other[b] == GRAPH_NONE)
            continue;
        uint32_t e = f->weights[one[b]] > f->weights[other[b]] ? one[b] : other[b],
                 less = e == one[b] ? other[b] : one[b];
        if (g->edges[e].kind == EDGE_FLOW && g->edges[less].kind == EDGE_FLOW && is_simple(f, e) &&
            is_simple(f, less) && ends_path(p, p->paths.edge_arc[e]) &&
            p->code.counts[p->paths.edge_arc[e]] && f->site[e] == EDGE_ON_BRANCH &&
            !p->by_phi[g->edges[e].to] && !p->by_phi[g->edges[less].to])
            p->ahead[b] = e;
    }
    free(one);
    free(other);
}

static bool do_branches(const struct placing *p, uint32_t e, struct error *error)
{
    for (uint32_t i = p->f->branch_start[e]; i < p->f->branch_start[e + 1]; i++) {
        struct ir_branch *branch = &p->f->branches[i];
        LLVMValueRef last = LLVMGetBasicBlockTerminator(branch->from);
        if (LLVMGetNumSuccessors(last) == 1) {
            do_edge_before(p, e, last);
            continue;
        }
        if (!marker_block_on(branch))
            return error_set(error, "edge %u cannot be split", e);
        do_edge_before(p, e, marker_start_of(branch->split));
    }
    return true;
}

/* A flow edge into a block that does not count by a phi. */
static bool place_edge(const struct placing *p, uint32_t e, struct error *error)
{
    const struct edge *edge = &p->f->graph.edges[e];
    LLVMValueRef last = LLVMGetBasicBlockTerminator(function_graph_tail(p->f, edge->from));
    if (p->f->site[e] == EDGE_AT_TARGET) {
        do_edge_before(p, e, marker_start_of(function_graph_head(p->f, edge->to)));
    } else if (p->f->site[e] == EDGE_AT_SOURCE && LLVMGetNumSuccessors(last) == 1) {
        bool early = p->map->blocks[edge->from].hazards & MAP_PATH_ENDS_EARLY;
        LLVMValueRef call = early ? last_call(p->f, edge->from, true) : NULL;
        do_edge_before(p, e, call ? call : last);
    } else {
        return do_branches(p, e, error);
    }
    return true;
}

/* The block that a branch comes from now. */
static LLVMBasicBlockRef source_of(const struct ir_branch *branch)
{
    return branch->split && branch->split != branch->to ? branch->split : branch->from;
}

/* What the edge adds by which `from` leads to the block. An IR block that leads there by no edge is
 * never reached: 0. */
static uint64_t end_from(const struct placing *p, LLVMBasicBlockRef from, uint32_t block)
{
    for (uint32_t e = 0; e < p->f->graph.edge_count; e++)
        for (uint32_t i = p->f->branch_start[e];
             p->f->graph.edges[e].to == block && i < p->f->branch_start[e + 1]; i++)
            if (source_of(&p->f->branches[i]) == from) {
                uint32_t arc = p->paths.edge_arc[e];
                return p->code.checked && !p->code.counts[arc] ? PATH_CODE_NEVER : p->code.add[arc];
            }
    return 0;
}

static void place_phi(const struct placing *p, uint32_t block)
{
    LLVMBasicBlockRef head = function_graph_head(p->f, block);
    stand_before(p, LLVMGetFirstInstruction(head));
    LLVMValueRef phi = LLVMBuildPhi(p->m->builder, p->m->i64, "");
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(p->f->function); b; b = LLVMGetNextBasicBlock(b)) {
        LLVMValueRef last = LLVMGetBasicBlockTerminator(b);
        unsigned successors = last ? LLVMGetNumSuccessors(last) : 0;
        for (unsigned i = 0; i < successors; i++)
            if (LLVMGetSuccessor(last, i) == head) {
                LLVMValueRef value = number(p, end_from(p, b, block));
                LLVMAddIncoming(phi, &value, &b, 1);
            }
    }
    stand_before(p, marker_start_of(head));
    bool any = false;
    for (uint32_t e = 0; e < p->f->graph.edge_count; e++)
        any |= p->f->graph.edges[e].to == block && p->paths.edge_arc[e] != GRAPH_NONE &&
               p->code.counts[p->paths.edge_arc[e]];
    if (any)
        count(p, phi, 1);
    set_sum(p, p->code.add[p->paths.start_arc[block]]);
}

/* After calls that may return again the sum is set to what it was when the block began. */
static void place_resumes(const struct placing *p, const struct map_function *map, uint32_t entry)
{
    for (uint32_t b = 0; b < graph_exit(&p->f->graph); b++) {
        uint32_t start = b == GRAPH_ROOT ? p->paths.edge_arc[entry] : p->paths.start_arc[b];
        if (!(map->blocks[b].hazards & MAP_HAZARD_SETJMP) || start == GRAPH_NONE)
            continue;
        for (uint32_t ir = p->f->head[b]; ir != IR_NONE; ir = p->f->next[ir])
            for (LLVMValueRef i = LLVMGetFirstInstruction(p->f->ir.items[ir].block); i;
                 i = LLVMGetNextInstruction(i))
                if (LLVMIsACallInst(i) && call_is_numbered(i) && call_returns_twice(i)) {
                    stand_before(p, LLVMGetNextInstruction(i));
                    set_sum(p, p->code.add[start]);
                }
    }
}

static bool place_all(struct placing *p, const struct map_function *map, struct error *error)
{
    const struct graph *g = &p->f->graph;
    uint32_t entry = GRAPH_NONE;
    for (uint32_t e = 0; e < g->edge_count; e++)
        entry = g->edges[e].kind == EDGE_ENTRY ? e : entry;
    LLVMBasicBlockRef first = LLVMGetEntryBasicBlock(p->f->function);
    stand_before(p, LLVMGetFirstInstruction(first));
    p->sum = LLVMBuildAlloca(p->m->builder, p->m->i64, "");
    stand_before(p, marker_start_of(first));
    set_sum(p, p->code.add[p->paths.edge_arc[entry]]);
    for (uint32_t b = 0; b < graph_exit(g); b++)
        if (p->ahead[b] != GRAPH_NONE) {
            stand_before(p, LLVMGetBasicBlockTerminator(function_graph_tail(p->f, b)));
            count(p, number(p, p->code.add[p->paths.edge_arc[p->ahead[b]]]), 1);
        }
    for (uint32_t e = 0; e < g->edge_count; e++) {
        const struct edge *edge = &g->edges[e];
        if (e == entry || p->paths.edge_arc[e] == GRAPH_NONE)
            continue;
        if (edge->kind == EDGE_FLOW && !p->by_phi[edge->to]) {
            if (!place_edge(p, e, error))
                return false;
        } else if (edge->kind != EDGE_FLOW && !p->f->only_returns[edge->from]) {
            do_edge_before(p, e, end_of(p, edge->from, edge->kind == EDGE_VIRTUAL));
        }
    }
    for (uint32_t b = 0; b < graph_exit(g); b++)
        if (p->by_phi[b])
            place_phi(p, b);
    place_resumes(p, map, entry);
    return true;
}

bool path_markers_place(struct marker_maker *m, struct function_graph *f, const struct map_function *map,
                        const struct plan *plan, LLVMValueRef array, uint64_t first, struct error *error)
{
    struct placing p = {.m = m, .f = f, .map = map, .array = array, .first = first};
    if (!plan_counters(plan))
        return true;
    if (!path_plan_number(plan, &f->graph, f->weights, NULL, &p.paths, &p.numbers, error))
        return false;
    p.by_phi = find_by_phi(f);
    p.ahead = ALLOC(uint32_t, f->graph.vertex_count);
    bool ok = path_code_init(&p.code, plan, &p.paths, &p.numbers, f->weights, error);
    if (ok)
        find_ahead(&p);
    ok = ok && place_all(&p, map, error);
    path_code_release(&p.code);
    free(p.by_phi);
    free(p.ahead);
    path_numbering_release(&p.numbers);
    path_graph_release(&p.paths);
    return ok;
}
