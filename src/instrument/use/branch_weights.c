/*
 * Counts -> LLVM's own metadata: branch_weights on terminators, the number of entries on functions,
 * the summary of the whole profile on the module, and what follows from it: functions that are
 * entered often are inlined sooner, those that hardly ran are laid out of the way. clang makes the
 * same of its own profiles. All of it is advice: no count depends on it.
 *
 * Units with counters get no summary, so LLVM does not treat functions as hot or cold there:
 * inlining by it makes lua faster still (by 6 %) but bzip2 slower (by 8 %, with counters in the
 * inlined loops) than branch weights alone, which were better than none wherever they were measured
 * (docs/benchmarks.md).
 *
 * Branches that are one edge of the graph (cases of a switch that lead to one block) get equal
 * parts. Where nothing was counted no weight is set: LLVM guesses there. Blocks that exist for
 * lifetime markers alone are no blocks of the graph (cleanup.c), but LLVM has them until long after
 * it inlines: their switches get the counts of the edges through them. Without that LLVM took
 * sqlite3's main loop for one that ends after a few rounds.
 */
#include "instrument/use/branch_weights.h"
#include "base/memory.h"
#include "instrument/llvm/shim.h"

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

/* Sets the weights of one IR block's branches, from how often control went to each successor. */
static void set_weights(LLVMValueRef terminator, const struct hash_map *counts)
{
    unsigned successors = LLVMGetNumSuccessors(terminator);
    uint64_t *weights = ZALLOC(uint64_t, successors), most = 0;
    struct hash_map sharing = {0}; /* successor -> branches that lead there */
    for (unsigned i = 0; i < successors; i++)
        ++*hash_map_put(&sharing, (uint64_t)(uintptr_t)LLVMGetSuccessor(terminator, i), NULL);
    for (unsigned i = 0; i < successors; i++) {
        uint64_t to = (uint64_t)(uintptr_t)LLVMGetSuccessor(terminator, i);
        const uint64_t *count = hash_map_get(counts, to);
        if (count)
            weights[i] = *count / *hash_map_get(&sharing, to);
        if (weights[i] > most)
            most = weights[i];
    }
    uint64_t scale = most / UINT32_MAX + 1;
    for (unsigned i = 0; i < successors; i++)
        weights[i] /= scale;
    if (most)
        shim_set_branch_weights(terminator, weights, successors);
    hash_map_release(&sharing);
    free(weights);
}

/* Counts of the switches in blocks that are no blocks of the graph. */
struct passing {
    const struct function_graph *f;
    struct hash_map *switches; /* per IR block: successor -> count */
    uint64_t count;            /* of the branch that is followed */
};

static void add_passing(void *context, uint32_t pass, uint32_t next)
{
    struct passing *p = context;
    *hash_map_put(&p->switches[pass], (uint64_t)(uintptr_t)p->f->ir.items[next].block, NULL) += p->count;
}

static void follow_branch(struct passing *p, LLVMBasicBlockRef from, LLVMBasicBlockRef to, uint64_t count)
{
    p->count = count;
    if (count)
        ir_visit_passes(&p->f->ir, ir_block_number(&p->f->ir, from), ir_block_number(&p->f->ir, to),
                        add_passing, p);
}

/* The branches out of a block of the graph, and those inside it if it is several IR blocks. */
static void set_block(const struct function_graph *f, const struct adjacency *a, uint32_t block,
                      const struct profile_function *counts, struct passing *passing)
{
    for (uint32_t i = f->head[block]; f->next[i] != IR_NONE && counts->block_counts[block] > 0;
         i = f->next[i]) {
        LLVMValueRef terminator = LLVMGetBasicBlockTerminator(f->ir.items[i].block);
        if (LLVMGetNumSuccessors(terminator) == 1)
            follow_branch(passing, f->ir.items[i].block, LLVMGetSuccessor(terminator, 0),
                          (uint64_t)counts->block_counts[block]);
    }
    struct hash_map successors = {0};
    for (uint32_t k = a->out_start[block]; k < a->out_start[block + 1]; k++) {
        uint32_t start = f->branch_start[a->out[k]], end = f->branch_start[a->out[k] + 1];
        for (uint32_t i = start; i < end; i++) {
            uint64_t count = (uint64_t)(used_profile_edge_count(counts, a->out[k]) / (end - start));
            *hash_map_put(&successors, (uint64_t)(uintptr_t)f->branches[i].to, NULL) = count;
            follow_branch(passing, f->branches[i].from, f->branches[i].to, count);
        }
    }
    LLVMValueRef terminator = LLVMGetBasicBlockTerminator(function_graph_tail(f, block));
    if (terminator && LLVMGetNumSuccessors(terminator) > 1)
        set_weights(terminator, &successors);
    hash_map_release(&successors);
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
    struct passing passing = {.f = f, .switches = ZALLOC(struct hash_map, f->ir.count)};
    adjacency_init(&a, g);
    for (uint32_t b = 0; b < graph_exit(g); b++)
        set_block(f, &a, b, counts, &passing);
    for (uint32_t i = 0; i < f->ir.count; i++) {
        if (passing.switches[i].count)
            set_weights(LLVMGetBasicBlockTerminator(f->ir.items[i].block), &passing.switches[i]);
        hash_map_release(&passing.switches[i]);
    }
    free(passing.switches);
    adjacency_release(&a);
}
