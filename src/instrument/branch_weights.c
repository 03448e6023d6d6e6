/*
 * Counts -> LLVM's own metadata: branch_weights on terminators, the number of entries on functions, the
 * summary of the whole profile on the module, and what follows from it: functions that are entered often are
 * inlined sooner, those that hardly ran are laid out of the way. The same that clang makes of its own
 * profiles; all of it is advice, and no count depends on it.
 *
 * Where there are counters the summary is left out, and with it what LLVM does to hot and cold functions as
 * such: inlining by it makes lua faster still (by 6 %) but bzip2 slower (by 8 %, with counters in the inlined
 * loops) than branch weights alone, which were better than none wherever they were measured
 * (docs/benchmarks.md).
 *
 * Of branches that are one edge of the graph (cases of a switch that lead to one block) each gets an equal
 * part. Where nothing was counted, nothing is said: LLVM guesses there. Blocks that exist for lifetime
 * markers alone are no blocks of the graph (cleanup.c); their switches go with the branches before them as
 * soon as LLVM threads those through.
 */
#include "instrument/branch_weights.h"
#include "base/memory.h"
#include "instrument/shim.h"

#include <string.h>

void branch_weights_summarise(LLVMModuleRef module, const struct used_profile *u)
{
    struct shim_summary *summary = shim_summary_new();
    for (size_t i = 0; i < u->profile.functions.count; i++) {
        const struct profile_function *p = &u->profile.functions.items[i];
        uint32_t blocks = p->counted ? graph_exit(&p->map.graph) : 0;
        if (!blocks)
            continue;
        uint64_t *counts = ALLOC(uint64_t, (size_t)blocks + 1);
        counts[0] = p->entries > 0 ? (uint64_t)p->entries : 0;
        for (uint32_t b = 0; b < blocks; b++)
            counts[b + 1] = p->block_counts[b] > 0 ? (uint64_t)p->block_counts[b] : 0;
        shim_summary_add(summary, counts, (size_t)blocks + 1);
        free(counts);
    }
    shim_summary_set(summary, module);
}

/* Weights of the branches of one IR block, from the counts of their edges. */
static void set_weights(LLVMValueRef terminator, const struct hash_map *edges,
                        const struct profile_function *counts)
{
    unsigned ways = LLVMGetNumSuccessors(terminator);
    uint64_t *weights = ZALLOC(uint64_t, ways), most = 0;
    struct hash_map sharing = {0}; /* edge -> ways that share it */
    for (unsigned i = 0; i < ways; i++) {
        const uint64_t *edge = hash_map_get(edges, (uint64_t)(uintptr_t)LLVMGetSuccessor(terminator, i));
        if (edge)
            ++*hash_map_put(&sharing, *edge, NULL);
    }
    for (unsigned i = 0; i < ways; i++) {
        const uint64_t *edge = hash_map_get(edges, (uint64_t)(uintptr_t)LLVMGetSuccessor(terminator, i));
        if (edge)
            weights[i] = (uint64_t)(used_profile_edge_count(counts, (uint32_t)*edge) /
                                    (double)*hash_map_get(&sharing, *edge));
        if (weights[i] > most)
            most = weights[i];
    }
    uint64_t scale = most / UINT32_MAX + 1;
    for (unsigned i = 0; i < ways; i++)
        weights[i] /= scale;
    if (most)
        shim_set_branch_weights(terminator, weights, ways);
    hash_map_release(&sharing);
    free(weights);
}

void branch_weights_set(const struct function_graph *f, const struct profile_function *counts)
{
    const struct graph *g = &f->graph;
    int64_t most = counts->entries;
    for (uint32_t b = 0; b < graph_exit(g); b++)
        if (counts->block_counts[b] > most)
            most = counts->block_counts[b];
    shim_set_entries(f->function, counts->entries > 0 ? (uint64_t)counts->entries : 0,
                     most > 0 ? (uint64_t)most : 0);

    struct adjacency a;
    adjacency_init(&a, g);
    for (uint32_t b = 0; b < graph_exit(g); b++) {
        LLVMValueRef terminator = LLVMGetBasicBlockTerminator(function_graph_tail(f, b));
        if (!terminator || LLVMGetNumSuccessors(terminator) < 2)
            continue;
        struct hash_map edges = {0}; /* successor -> edge */
        for (uint32_t k = a.out_start[b]; k < a.out_start[b + 1]; k++)
            for (uint32_t i = f->branch_start[a.out[k]]; i < f->branch_start[a.out[k] + 1]; i++)
                *hash_map_put(&edges, (uint64_t)(uintptr_t)f->branches[i].to, NULL) = a.out[k];
        set_weights(terminator, &edges, counts);
        hash_map_release(&edges);
    }
    adjacency_release(&a);
}
