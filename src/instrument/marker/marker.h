/*
 * Markers: calls of llvm.var.annotation on the address of a counter. Such a call stays where it is
 * put, as often as control passes there, and hinders the optimiser least of all that was measured.
 * The last pass makes an increment of it (lower.c).
 *
 * Some passes make one call of several that differ in arguments only, with phis for these (`-mllvm
 * -enable-gvn-sink`): what such a marker counts would not be known. `nomerge` does not keep all
 * passes from it. So each marker has a number of its own in an operand bundle, where constants must
 * stay constants.
 */
#ifndef COTREE_INSTRUMENT_MARKER_MARKER_H
#define COTREE_INSTRUMENT_MARKER_MARKER_H

#include "format/map/map.h"
#include "instrument/graph/function_graph.h"

#include <llvm-c/Core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is the same for all markers of a module. */
struct marker_maker {
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMBuilderRef builder;
    LLVMTypeRef i64, i32, pointer;
    LLVMValueRef annotation;
    LLVMAttributeRef no_merge, no_unwind;
    uint64_t key;    /* of the function whose markers are placed */
    uint64_t placed; /* how many markers were made so far */
    bool stays;      /* markers made now stay where they are put (marker_may_move) */
    bool pic;        /* counters are reached through the thread's delta (format/counters.h) */
    bool alone;      /* nothing is counted: the program has no runtime */
    bool for_linker; /* a linker may inline bodies into other units, where their arrays must be found */
};

void marker_maker_init(struct marker_maker *m, LLVMModuleRef module);
void marker_maker_release(struct marker_maker *m);

/* A counter array (format/counters.h), internal to the unit. pic: an image, reached through the
 * thread's delta. */
LLVMValueRef counter_array_add(LLVMModuleRef module, const char *name, uint64_t key, uint32_t counters,
                               bool pic);
/* Makes the function's counter array. The markers that follow are of this function. */
LLVMValueRef marker_make_array(struct marker_maker *m, const struct map_function *map);

/* Deletes the counter arrays of the module that nothing refers to, since final functions count all that
 * they would. */
void marker_drop_arrays(LLVMModuleRef module);

/* A marker before the instruction, on a counter whose address is a constant. */
LLVMValueRef marker_before(struct marker_maker *m, LLVMValueRef instruction, LLVMValueRef counter);
/* The same for a counter of activations begun or ended: `partner` is the counter of the other
 * half. */
enum marker_half { MARKER_WHOLE, MARKER_BEGIN, MARKER_END };
LLVMValueRef marker_half_before(struct marker_maker *m, LLVMValueRef instruction, enum marker_half half,
                                LLVMValueRef counter, LLVMValueRef partner);
/* Where the builder stands: a marker on a path counter of the array, whose address the program
 * computes. It adds `by`, which is 1 or -1. */
void marker_of_path(struct marker_maker *m, LLVMValueRef array, LLVMValueRef counter, int by);

/* The first instruction of the block that is neither phi, landing pad nor variable. */
LLVMValueRef marker_start_of(LLVMBasicBlockRef block);
/* A block that control passes exactly when it takes the branch; NULL when LLVM cannot split it. */
LLVMBasicBlockRef marker_block_on(struct ir_branch *branch);

/* A marker before an instruction that sends an exception on (`resume`): copies of it that were
 * inlined call the runtime there (COUNTERS_GOES_ON_SYMBOL). */
LLVMValueRef marker_goes_on(struct marker_maker *m, LLVMValueRef resume);
bool marker_is_goes_on(LLVMValueRef instruction, LLVMValueRef annotation);

/* Calls the runtime before a jump that it cannot see (COUNTERS_UNSEEN_JUMP_SYMBOL). */
void marker_unseen_jump(struct marker_maker *m, LLVMValueRef jump);

/* The counter array a marker is for, or NULL if the instruction is no marker of ours. */
LLVMValueRef marker_array(LLVMValueRef instruction, LLVMValueRef annotation);

/* The array that a marker of a path counts in, if the address of its counter is no constant; or
 * NULL. */
LLVMValueRef marker_path_array(LLVMValueRef instruction, LLVMValueRef annotation);

/* Has a pass merged the marker with others, so that its counter is no constant any more? No pass is
 * known that does so. */
bool marker_was_merged(LLVMValueRef instruction, LLVMValueRef annotation);
/*
 * Is the counter of a merged marker always a value that the program computes? False where that
 * value may be something else than a counter, may be sometimes a thread's own counter and sometimes
 * one of an image (*images: all are of images), or where it is not known how much is to be added.
 */
bool marker_merged_counts(LLVMValueRef marker, bool *images);

/* Of a marker that counts activations begun: the counter of those ended, and the other way round;
 * NULL for all others. Only the difference of the two counters is used, so an activation that
 * begins and ends in one stretch need not be counted. */
LLVMValueRef marker_partner(LLVMValueRef marker);
/* Does it mark that an activation ends? False for markers of main, which have no partner. */
bool marker_is_end(LLVMValueRef instruction, LLVMValueRef annotation);

/* May its counts be added up elsewhere? Not those of sets that judge others (every edge, every
 * block), nor those of activations begun and ended. */
bool marker_may_move(LLVMValueRef marker);
/* How much the marker adds: a constant, or 0 if the program computes it. Then marker_times is the
 * number, as a pointer; else it is NULL. */
uint64_t marker_by(LLVMValueRef marker);
LLVMValueRef marker_times(LLVMValueRef marker);
/* Makes the marker add `times` (i64), a value or a constant. */
void marker_set_times(LLVMValueRef marker, LLVMValueRef times);
/* Larger constants are kept as values that the program computes. */
#define MARKER_BY_MOST 4096u

#define MARKER_INTRINSIC "llvm.var.annotation.p0.p0"

#ifdef __cplusplus
}
#endif

#endif
