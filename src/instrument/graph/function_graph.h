/*
 * IR -> graph: a function as clang emitted it, as a complete flow graph (graph/graph.h), with what
 * is needed to put probes on it and to describe it in the map.
 */
#ifndef COTREE_INSTRUMENT_GRAPH_FUNCTION_GRAPH_H
#define COTREE_INSTRUMENT_GRAPH_FUNCTION_GRAPH_H

#include "graph/graph.h"
#include "instrument/graph/cleanup.h"

#include <llvm-c/Core.h>

/* A branch of the IR that is an edge of the graph, or a part of one. */
struct ir_branch {
    LLVMBasicBlockRef from, to;
    LLVMBasicBlockRef split; /* the block that was put on it, once there is one */
};

/* How a probe can be put on an edge. */
enum probe_site {
    EDGE_AT_TARGET, /* at the start of the edge's target, which has no other edge in */
    EDGE_AT_SOURCE, /* at the start of the edge's source, which has no other edge out */
    EDGE_ON_BRANCH, /* on its branches */
    EDGE_NOWHERE,
};

struct function_graph {
    LLVMValueRef function;
    struct ir_blocks ir;
    struct graph graph;
    uint32_t *head, *tail;  /* block -> IR blocks it begins and ends with */
    uint32_t *next;         /* IR block -> IR block that continues the same block, or IR_NONE */
    uint32_t *branch_start; /* edge -> first place in branches; edge_count + 1 entries */
    struct ir_branch *branches;
    enum probe_site *site; /* per edge */
    bool *no_probe;        /* per edge: its site is EDGE_NOWHERE */
    bool *region;          /* per block: activations in it are counted as unfinished; NULL: nowhere */
    double *weights;       /* per edge, once plans were made, or NULL; belongs to struct unit_function */
    bool *only_returns;    /* per block: it does nothing but return, and is counted on the edges into it */
};

void function_graph_init(struct function_graph *f, LLVMValueRef function);
void function_graph_release(struct function_graph *f);

/*
 * Does the map number this call (struct map_call)? It numbers call, invoke and callbr, but neither
 * inline assembly nor intrinsics, except those that jump as calls do (`__builtin_setjmp`). Numbers
 * run from 1 through a block's IR blocks, head to tail by `next`.
 */
bool call_is_numbered(LLVMValueRef instruction);
/* Is it inline assembly that may have an instruction that calls the kernel? The kernel may end the
 * thread there. */
bool call_is_of_kernel(LLVMValueRef instruction);

static inline LLVMBasicBlockRef function_graph_head(const struct function_graph *f, uint32_t block)
{
    return f->ir.items[f->head[block]].block;
}

static inline LLVMBasicBlockRef function_graph_tail(const struct function_graph *f, uint32_t block)
{
    return f->ir.items[f->tail[block]].block;
}

#endif
