/*
 * What the passes over one unit share: the options of the command line, parsed once, the positions
 * that the first pass numbers, later passes refine, and the printer of machine code reads, and what is
 * known of crash histories.
 *
 * LLVM calls the passes and the printer at different times and hands on nothing of ours between
 * them, so a context is found by the LLVMContext of its unit. clang has one LLVMContext for the
 * unit that it compiles. A linker (-flto) has one for each module that it compiles, several at once
 * in threads of their own; there the printer makes the context, or in lld, which loads passes, the
 * pass that unpacks positions.
 *
 * Invariants:
 *  1. An LLVMContext has at most one context at a time. It begins with the first pass, or with the
 *     printer, and ends with the printer: a linker makes its next LLVMContext at the same address.
 *  2. Only the thread that compiles the unit uses its context. The list of contexts is locked.
 */
#ifndef COTREE_INSTRUMENT_UNIT_CONTEXT_H
#define COTREE_INSTRUMENT_UNIT_CONTEXT_H

#include "instrument/crash/table.h"
#include "instrument/options.h"
#include "instrument/place/positions.h"

#include <llvm-c/Types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The options of a run of clang. */
struct unit_options {
    const char *text; /* as the command line has them */
    bool valid;       /* else the error says why not, and `parsed` is empty */
    struct instrument_options parsed;
    struct error error;
};

/* text: it must stay. */
void unit_options_init(struct unit_options *o, const char *text);
void unit_options_release(struct unit_options *o);
/* May counts leave loops, and be made where paths are known? A user who wants tight bounds after
 * SIGKILL does not want counts that were made ahead; bitcode has no table of places to tell of
 * them. */
bool unit_options_move_counts(const struct unit_options *o);
/* Are paths counted? */
bool unit_options_count_paths(const struct unit_options *o);
/* Does the profile say where calls through pointers lead, so that clang makes direct calls of
 * them? */
bool unit_options_promote_calls(const struct unit_options *o);

struct unit_context {
    const struct unit_options *options; /* NULL in a linker */
    struct position_table positions;
    struct buffer carried; /* the record of the unit's IR (format/carry/units.h), or nothing */
    struct crash_table crash;
};

/* The context of the unit, which is made if there is none. */
struct unit_context *unit_context_of(LLVMContextRef llvm);
void unit_context_end(LLVMContextRef llvm);

#ifdef __cplusplus
}
#endif

#endif
