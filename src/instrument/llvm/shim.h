/* The border between the plugin's C and its C++: what the passes call, and what LLVM-C lacks. */
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
/* Called before the first function is printed (printer.cpp): in a linker, markers are still to be
 * lowered. */
void lower_at_link_time(LLVMModuleRef module, bool optimised, struct unit_context *context);

/*
 * A block that control passes through exactly when it goes from one block to the other: `to` itself
 * if there is no other way into it, or a new block on all branches between the two. NULL when LLVM
 * cannot split them.
 */
LLVMBasicBlockRef shim_split_edge(LLVMBasicBlockRef from, LLVMBasicBlockRef to);

/* The block, which goes on to one other, returns instead: the result, or nothing (NULL). */
void shim_return(LLVMBasicBlockRef block, LLVMValueRef result);

/* Is it the location of code that no line of the source asked for? gcov leaves it out, too. */
bool shim_location_is_implicit(LLVMMetadataRef location);
/* Has the subprogram no line of its own in the source, as global initialisers have none? */
bool shim_subprogram_is_artificial(LLVMMetadataRef subprogram);
/* The name as the source has it, without parameters; points into LLVM's memory. */
const char *shim_subprogram_name(LLVMMetadataRef subprogram, size_t *length);

/* For compilations whose locations exist for cotree alone: no remark will be printed about them,
 * and no debugger will ask for variables, so the compiler need not find out. */
void shim_locations_are_ours(LLVMModuleRef module);
/* Removes loop ids that hold nothing but locations from the terminators of the function. */
void shim_drop_location_loops(LLVMValueRef function);
/*
 * if (condition) a new block, unlikely to run, before the instruction; the result is the new
 * block's terminator. The instruction becomes the first of its block.
 */
LLVMValueRef shim_insert_unlikely(LLVMValueRef condition, LLVMValueRef before);
/* A location of line 0 in the function, for calls of ours; NULL when the function has no
 * locations. */
LLVMMetadataRef shim_function_location(LLVMValueRef function);
/* Has the function locations that can carry positions (positions.h)? */
bool shim_can_mark(LLVMValueRef function);
/* Puts the number of a position into the instruction's location; the function has locations. If the
 * instruction has none, it gets one, unless that would show in the user's debug information. The
 * chain of calls that it was inlined into stays. */
void shim_mark(const struct position_table *t, LLVMValueRef instruction, unsigned number);
/* Gives an increment, which has no location, one with a number. The printer takes it away again. */
void shim_mark_increment(const struct position_table *t, LLVMValueRef instruction, unsigned number);
/* The key of the function and the index of the counter at a constant address; false if it is no
 * counter. */
bool shim_counter(LLVMValueRef counter, unsigned long long *key, unsigned *number);
/* The number of the instruction's position; 0 when it has none. */
unsigned shim_position(const struct position_table *t, LLVMValueRef instruction);
/* One activation at an instruction: its position, and the location of the call that it replaced when
 * it was inlined; NULL: it was not. */
struct shim_place {
    unsigned number;
    LLVMMetadataRef instance;
};
/* The activations at the instruction, innermost first, without those of functions that are not
 * counted; how many there are. 0: the instruction has no location, or the innermost one is of such a
 * function, or they are more than `most` (at most = 1 only the innermost is wanted). */
unsigned shim_chain(const struct position_table *t, LLVMValueRef instruction, struct shim_place *places,
                    unsigned most);
/* Is it a call that may be moved over branches, since it writes nothing but what its arguments point
 * to? */
bool shim_may_move(LLVMValueRef call);
/* May the instruction write memory, not return, or throw? */
bool shim_has_effect(LLVMValueRef instruction);
/* The number for branches that the source does not have, and that meet again at once. */
#define POSITION_PASSED 0xffffffffu
/* The number for instructions of functions that are not counted: where they are inlined, the
 * position is that of the call. */
#define POSITION_UNCOUNTED 0xfffffffeu
/* The number for instructions whose position is not known any more. */
#define POSITION_LOST 0xfffffffdu
/* Was the instruction inlined, by its location? */
bool shim_is_inlined(LLVMValueRef instruction);
/* Notes on inline assembly which counter (a constant address) it adds to, for the printer. */
void shim_tag_increment(LLVMValueRef assembly, LLVMValueRef counter, unsigned long long by);
/* The same for a counter that is told by its key and number. May be called for several counters. */
void shim_tag_counter(LLVMValueRef assembly, unsigned long long key, unsigned counter, unsigned long long by);
/* Notes on inline assembly that it counts a path of the function with this array. */
void shim_tag_path(LLVMValueRef assembly, LLVMValueRef array, unsigned long long by);
/* Makes LLVM's printer of machine code call printer.cpp: once for a module that was marked. A
 * function without code in the object does it; in a module for a linker it has one byte of code,
 * since linkers drop it else. */
void shim_watch_printer(LLVMModuleRef module, bool for_linker);
/* Drops the names of local values, if nobody reads them (names.hpp); new ones get none. */
void shim_drop_names(LLVMModuleRef module);

/* Branch weights, one for each successor. */
void shim_set_branch_weights(LLVMValueRef terminator, const uint64_t *weights, unsigned count);
/* How often the function was entered, and how often its busiest block ran. */
void shim_set_entries(LLVMValueRef function, uint64_t entries, uint64_t most);
/* Is it a call through a pointer? */
bool shim_calls_pointer(LLVMValueRef instruction);
/* Notes which functions such a call leads to, and how often each; `all` counts targets that are not
 * known, too. */
void shim_set_call_targets(LLVMValueRef call, const LLVMValueRef *functions, const uint64_t *counts,
                           unsigned count, uint64_t all);
/* How a profile's counts are spread: add the counts of each function, entries first, then set it on
 * the module. */
struct shim_summary;
struct shim_summary *shim_summary_new(void);
void shim_summary_add(struct shim_summary *summary, const uint64_t *counts, size_t count);
/* Releases the summary. */
void shim_summary_set(struct shim_summary *summary, LLVMModuleRef module);

/* Do all calls of this name, which the module defines, lead to this definition? Else the dynamic
 * linker may put another before it. */
bool shim_stays_in_module(LLVMValueRef function);
/* Takes the body out of a function: the result is a new function with that body, like the first but
 * for its name and linkage. The first has no body then. */
LLVMValueRef shim_take_body(LLVMValueRef function, const char *name, LLVMLinkage linkage);
/* A copy of a function that has a body, like it but for its name and linkage. */
LLVMValueRef shim_copy_body(LLVMValueRef function, const char *name, LLVMLinkage linkage);
/* The function runs when the program starts, as long as `with` is there. */
void shim_add_constructor(LLVMValueRef function, LLVMValueRef with);
/* The function that this kind of metadata of a function names first; NULL: there is none. */
LLVMValueRef shim_function_of_metadata(LLVMValueRef function, const char *kind);
/* Does the program take the address of the block's label? */
bool shim_block_has_address(LLVMBasicBlockRef block);
/* Are some of its arguments copies in memory? Then they cannot be handed on in place, and not at
 * all if their number varies. */
bool shim_takes_memory(LLVMValueRef function);
/* Where the builder stands: a call with a number in an operand bundle. As long as no pass has
 * merged the call with others, the number is a constant (marker.h). */
LLVMValueRef shim_call_bundled(LLVMBuilderRef builder, LLVMValueRef function, const LLVMValueRef *arguments,
                               unsigned count, LLVMValueRef number);
/* At the end of the block: a call of the body with the function's own arguments, whose result the
 * function returns. It is a tail call, unless the function takes memory. */
void shim_forward(LLVMBasicBlockRef block, LLVMValueRef body);
/* Does LLVM know its name as that of a function of the C or C++ library? */
bool shim_is_of_library(LLVMValueRef function);
/* A weak function without body that can be called like the first, with the attributes of the
 * caller. */
LLVMValueRef shim_make_like(LLVMValueRef function, LLVMValueRef caller, const char *name);
/* At the end of the block: calls the function with the arguments of the block's own function, which
 * is like it. */
LLVMValueRef shim_call_like(LLVMBasicBlockRef block, LLVMValueRef function);
/* Keeps LLVM from taking the function away, changing its parameters, or replacing it by one of its
 * aliases. */
void shim_keep(LLVMValueRef function);
/* The kind of memory that events of traces are written to: by it the printer knows them. */
#define SHIM_EVENTS_TYPE "cotree events"
#define SHIM_ROUNDS_TYPE "cotree rounds"
#define SHIM_THREAD_TYPE "cotree thread"
/* An attribute of thunks. */
#define SHIM_THUNK "cotree-thunk"
/* The mark (type-based alias analysis) for loads and stores of a kind of memory that the source
 * cannot name. */
LLVMValueRef shim_memory_type(LLVMModuleRef module, const char *name);

/* How often each block of the function runs, as LLVM guesses, relative to its entry, and whether it
 * is in a loop: one each a block, in order. */
void shim_block_frequencies(LLVMValueRef function, double *frequencies, bool *in_loop);
/* Notes on the function, for the printer, that it is a final function with this key
 * (instrument/final/final.h). */
#define SHIM_FINAL "cotree-final"
void shim_set_final(LLVMValueRef function, unsigned long long key);

/* Do passes follow the last of ours that take code out of functions (-mllvm -hot-cold-split)? */
bool shim_code_is_taken_out(void);

/* Prints one error line as clang prints its own; compilation fails. */
void shim_error(LLVMModuleRef module, const char *text);

#ifdef __cplusplus
}
#endif

#endif
