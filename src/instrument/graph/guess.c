/*
 * clang computes the condition of a loop as a value: in `while (a && b)` both edges out of `a` lead
 * to the block that decides; the edge on which `a` is false brings a constant. By the graph alone
 * both edges are equally likely, and the likelier one may get the counter. But the constant says
 * where the decision leads: out of the loop. So weights are guessed on a graph in which such edges
 * lead there at once, and then added to the decision's own edges.
 */
#include "instrument/graph/guess.h"
#include "base/memory.h"
#include "graph/weights.h"

/* The phi by which the block decides where to go, or NULL. negated: it decides by the opposite. */
static LLVMValueRef deciding_phi(LLVMBasicBlockRef block, bool *negated)
{
    LLVMValueRef last = LLVMGetBasicBlockTerminator(block);
    if (!last || LLVMGetInstructionOpcode(last) != LLVMBr || !LLVMIsConditional(last))
        return NULL;
    LLVMValueRef condition = LLVMGetCondition(last);
    *negated = false;
    if (LLVMIsAInstruction(condition) && LLVMGetInstructionOpcode(condition) == LLVMXor &&
        LLVMIsAConstantInt(LLVMGetOperand(condition, 1))) {
        *negated = LLVMConstIntGetZExtValue(LLVMGetOperand(condition, 1));
        condition = LLVMGetOperand(condition, 0);
    }
    return LLVMIsAPHINode(condition) && LLVMGetInstructionParent(condition) == block ? condition : NULL;
}

/* The edge that control surely takes after the given one, or GRAPH_NONE. */
static uint32_t surely_next(const struct function_graph *f, const struct adjacency *a, uint32_t edge)
{
    const struct edge *e = &f->graph.edges[edge];
    if (e->kind != EDGE_FLOW || e->to == graph_exit(&f->graph) || f->head[e->to] != f->tail[e->to] ||
        f->branch_start[edge + 1] - f->branch_start[edge] != 1)
        return GRAPH_NONE;
    LLVMBasicBlockRef from = f->branches[f->branch_start[edge]].from, block = function_graph_head(f, e->to);
    bool negated;
    LLVMValueRef phi = deciding_phi(block, &negated), value = NULL;
    for (unsigned i = 0; phi && i < LLVMCountIncoming(phi); i++)
        if (LLVMGetIncomingBlock(phi, i) == from)
            value = LLVMGetIncomingValue(phi, i);
    if (!value || !LLVMIsAConstantInt(value))
        return GRAPH_NONE;
    bool holds = (LLVMConstIntGetZExtValue(value) != 0) != negated;
    LLVMBasicBlockRef target = LLVMGetSuccessor(LLVMGetBasicBlockTerminator(block), holds ? 0 : 1);
    for (uint32_t i = a->out_start[e->to]; i < a->out_start[e->to + 1]; i++)
        for (uint32_t k = f->branch_start[a->out[i]]; k < f->branch_start[a->out[i] + 1]; k++)
            if (f->branches[k].from == block && f->branches[k].to == target)
                return a->out[i];
    return GRAPH_NONE;
}

void guess_weights(const struct function_graph *f, double *weights)
{
    struct graph guessed = f->graph;
    uint32_t edges = f->graph.edge_count, *next = ALLOC(uint32_t, edges);
    struct adjacency a;
    adjacency_init(&a, &f->graph);
    uint32_t *others =
        ZALLOC(uint32_t, f->graph.vertex_count); /* edges into a block that do not decide for it */
    for (uint32_t e = 0; e < edges; e++) {
        next[e] = surely_next(f, &a, e);
        others[f->graph.edges[e].to] += next[e] == GRAPH_NONE;
    }
    guessed.edges = ALLOC(struct edge, edges);
    for (uint32_t e = 0; e < edges; e++) {
        guessed.edges[e] = f->graph.edges[e];
        if (next[e] != GRAPH_NONE && !others[f->graph.edges[e].to])
            next[e] = GRAPH_NONE; /* else no edge would lead to the block */
        if (next[e] != GRAPH_NONE)
            guessed.edges[e].to = f->graph.edges[next[e]].to;
    }
    weights_guess(&guessed, &weight_defaults, weights);
    for (uint32_t e = 0; e < edges; e++)
        if (next[e] != GRAPH_NONE)
            weights[next[e]] += weights[e];
    adjacency_release(&a);
    free(guessed.edges);
    free(others);
    free(next);
}

/* Does the block hold nothing but a branch onwards (`continue`, an empty `else`)? The optimiser
 * removes such a block unless a counter stands in it. A block that branches back closes a loop, and
 * a counter there costs nothing more. */
static bool only_goes_on(const struct function_graph *f, uint32_t block, const uint32_t *leads_to)
{
    for (uint32_t ir = f->head[block]; ir != IR_NONE; ir = f->next[ir])
        for (LLVMValueRef i = LLVMGetFirstInstruction(f->ir.items[ir].block); i;
             i = LLVMGetNextInstruction(i)) {
            bool goes_on = LLVMGetInstructionOpcode(i) == LLVMBr && !LLVMIsConditional(i);
            if (!goes_on && !ir_is_lifetime_marker(i) && !ir_is_slot_store(&f->ir, i) &&
                !LLVMIsADbgInfoIntrinsic(i)) /* not every level of optimisation has these */
                return false;
        }
    return leads_to[block] > block;
}

/* Would a counter on the edge need a block of its own? */
static bool needs_block(const struct function_graph *f, uint32_t edge, const uint32_t *leads_to)
{
    const struct edge *e = &f->graph.edges[edge];
    if (e->kind != EDGE_FLOW)
        return false;
    if (f->site[edge] == EDGE_AT_TARGET)
        return only_goes_on(f, e->to, leads_to);
    return f->site[edge] == EDGE_ON_BRANCH ||
           (f->site[edge] == EDGE_AT_SOURCE && only_goes_on(f, e->from, leads_to));
}

void guess_costs(const struct function_graph *f, double *weights)
{
    uint32_t *leads_to = ZALLOC(uint32_t, f->graph.vertex_count); /* right for blocks with one edge out */
    for (uint32_t e = 0; e < f->graph.edge_count; e++)
        leads_to[f->graph.edges[e].from] = f->graph.edges[e].to;
    for (uint32_t e = 0; e < f->graph.edge_count; e++)
        if (needs_block(f, e, leads_to))
            weights[e] *= 2;
    free(leads_to);
}
