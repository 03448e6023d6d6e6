/*
 * The border between the plugin's C and its one C++ file: what clang calls, and what LLVM-C lacks.
 */
#ifndef COTREE_INSTRUMENT_LLVM_SHIM_H
#define COTREE_INSTRUMENT_LLVM_SHIM_H

#include "instrument/llvm/versions.h"

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct position_table;
struct unit_context;

/* The first and the last pass (llvm/passes.cpp). They return whether the module was changed. */
bool instrument_module(LLVMModuleRef module, struct unit_context *context);
bool lower_module(LLVMModuleRef module, bool optimised, struct unit_context *context);
/* Called before the first function is printed (printer.cpp): in a linker, markers are still to be lowered. */
void lower_at_link_time(LLVMModuleRef module, bool optimised, struct unit_context *context);

/*
 * A block that control passes through exactly when it goes from one block to the other: `to` itself if there
 * is no other way into it, or a new block on all branches between the two. NULL when LLVM cannot split them.
 */
LLVMBasicBlockRef shim_split_edge(LLVMBasicBlockRef from, LLVMBasicBlockRef to);

/* The block, which goes on to one other, returns instead: the result, or nothing (NULL). */
void shim_return(LLVMBasicBlockRef block, LLVMValueRef result);

/* The location is of code that no line of the source asked for, as gcov leaves out. */
bool shim_location_is_implicit(LLVMMetadataRef location);
/* The subprogram has no line of its own in the source: global initialisers and the like. */
bool shim_subprogram_is_artificial(LLVMMetadataRef subprogram);
/* The name as the source has it, without parameters; points into LLVM's memory. */
const char *shim_subprogram_name(LLVMMetadataRef subprogram, size_t *length);

/* For compilations whose locations are there for us alone: nobody will print remarks about them, or ask where
 * variables live, so the compiler need not find out. */
void shim_locations_are_ours(LLVMModuleRef module);
/* Removes loop ids that hold nothing but locations from the terminators of the function. */
void shim_drop_location_loops(LLVMValueRef function);
/*
 * if (condition) a new block, unlikely to run, before the instruction; the result is the new block's
 * terminator. The instruction becomes the first of its block.
 */
LLVMValueRef shim_insert_unlikely(LLVMValueRef condition, LLVMValueRef before);
/* A location of line 0 in the function, for code of ours that calls; NULL when the function has no locations.
 */
LLVMMetadataRef shim_function_location(LLVMValueRef function);
/* Has the function locations that can carry positions (positions.h)? */
bool shim_can_mark(LLVMValueRef function);
/* Puts the number of a position into the instruction's location, which is made if there is none and nobody
 * will see it; the function has locations. What the instruction was inlined into stays. */
void shim_mark(const struct position_table *t, LLVMValueRef instruction, unsigned number);
/* Gives an increment, which has no location, one with a number that the printer takes away again. */
void shim_mark_increment(const struct position_table *t, LLVMValueRef instruction, unsigned number);
/* The function's key and the counter's index, from the address that is incremented: a constant. */
bool shim_counter(LLVMValueRef counter, unsigned long long *key, unsigned *number);
/* The number of its position, 0 when it has none. */
unsigned shim_position(const struct position_table *t, LLVMValueRef instruction);
/* Does it write memory, may it not come back, or go elsewhere? */
bool shim_has_effect(LLVMValueRef instruction);
/* The number for branches that the source does not have, and that meet again at once: control passes them. */
#define POSITION_PASSED 0xffffffffu
/* For instructions of functions that are not counted: where they are inlined, control stands in the call. */
#define POSITION_UNCOUNTED 0xfffffffeu
/* For instructions that nobody knows the place of any more. */
#define POSITION_LOST 0xfffffffdu
/* Is the instruction's location one of a call that was inlined? */
bool shim_is_inlined(LLVMValueRef instruction);
/* Notes on inline assembly which counter (a constant address) it adds to: the printer sees it there. */
void shim_tag_increment(LLVMValueRef assembly, LLVMValueRef counter, unsigned long long by);
/* Notes that it counts a path of the function with this array. */
void shim_tag_path(LLVMValueRef assembly, LLVMValueRef array, unsigned long long by);
/* Asks LLVM's printer of machine code to call us (printer.cpp): once for a module that was marked. If the
 * module is for a linker, what asks is a function of its own, of one byte: linkers drop what is there to be
 * seen only. */
void shim_watch_printer(LLVMModuleRef module, bool for_linker);
/* Names of local values are dropped, and none is kept from here on, unless the user wants them. */
void shim_drop_names(LLVMModuleRef module);

/* Branch weights, one for each successor. */
void shim_set_branch_weights(LLVMValueRef terminator, const uint64_t *weights, unsigned count);
/* How often the function was entered, and how often its busiest block ran. */
void shim_set_entries(LLVMValueRef function, uint64_t entries, uint64_t most);
/* Is it a call through a pointer? */
bool shim_calls_pointer(LLVMValueRef instruction);
/* Whom such a call leads to, and how often; `all` has targets that are not known, too. */
void shim_set_call_targets(LLVMValueRef call, const LLVMValueRef *functions, const uint64_t *counts,
                           unsigned count, uint64_t all);
/* How a profile's counts are spread: the counts of each function, entries first, then given to the module. */
struct shim_summary;
struct shim_summary *shim_summary_new(void);
void shim_summary_add(struct shim_summary *summary, const uint64_t *counts, size_t count);
void shim_summary_set(struct shim_summary *summary, LLVMModuleRef module); /* and releases it */

/* Do all calls of this name, which is defined here, lead here: may nobody stand in front of it at run time?
 */
bool shim_stays_in_module(LLVMValueRef function);
/* Takes the body out of a function: the result is a new function that has it, and is in every way like the
 * first, but for its name and linkage. What is left has no body. */
LLVMValueRef shim_take_body(LLVMValueRef function, const char *name, LLVMLinkage linkage);
/* Are arguments of it copies that lie in memory? Then they cannot be handed on in place, and not at all if
 * their number varies. */
bool shim_takes_memory(LLVMValueRef function);
/* A call where the builder stands, with a number that is a constant as long as the call is one call
 * (markers.h). */
LLVMValueRef shim_call_bundled(LLVMBuilderRef builder, LLVMValueRef function, const LLVMValueRef *arguments,
                               unsigned count, LLVMValueRef number);
/* At the end of the block: whatever the function was given goes to the body, and its result is the
 * function's. The function's frame is gone by then, unless it takes memory. */
void shim_forward(LLVMBasicBlockRef block, LLVMValueRef body);
/* Is it a function of the C or C++ library, by its name, as far as LLVM knows them? */
bool shim_is_of_library(LLVMValueRef function);
/* A weak function that can be called as the other is, for callers like this one; it has no body. */
LLVMValueRef shim_make_like(LLVMValueRef function, LLVMValueRef caller, const char *name);
/* At the end of the block: calls the function with what the block's own, which is like it, was given. */
LLVMValueRef shim_call_like(LLVMBasicBlockRef block, LLVMValueRef function);
/* The function stays what it is, whoever uses it: none of its aliases takes its place. */
void shim_keep(LLVMValueRef function);
/* The kind of memory that events of traces are written to: how places know them. */
#define SHIM_EVENTS_TYPE "cotree events"
/* An attribute of functions that begin by recording that another was entered. */
#define SHIM_THUNK "cotree-thunk"
/* What loads and stores of a kind of memory that nothing in the source can name are marked with
 * (type-based alias analysis). */
LLVMValueRef shim_memory_type(LLVMModuleRef module, const char *name);

/* One error line of clang's own kind; compilation fails. */
void shim_error(LLVMModuleRef module, const char *text);

#ifdef __cplusplus
}
#endif

#endif
