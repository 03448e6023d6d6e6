/*
 * Objects for linkers that compile (-flto): markers stay markers in the bitcode, so that the optimiser in the
 * linker sees code that is hardly other than plain, and become increments when its code generator begins
 * (printer.cpp), in linkers that know nothing of passes from outside, too. `cotree cc` makes the linker load
 * the plugin; in one that has not done so the code generator finds no collector of that name
 * (shim_watch_printer), and stops: markers are never dropped silently.
 *
 * Positions (positions.h) are numbers that mean something in one process only. In bitcode each location that
 * has one names a file that is none: its directory is the table of the function's positions (carried.cpp),
 * and the discriminator is the number of the row. Locations take it along into whatever module they are
 * linked or inlined into.
 */
#ifndef COTREE_INSTRUMENT_PLACE_LINK_TIME_H
#define COTREE_INSTRUMENT_PLACE_LINK_TIME_H

#include <llvm-c/Core.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct position_table;

/* At the end of a compilation to bitcode: whether the module was changed. */
bool link_time_prepare(LLVMModuleRef module, const struct position_table *t);
/* Puts the tables of positions into the module's locations. */
void carried_pack(LLVMModuleRef module, const struct position_table *t);
/* Gives locations that carry positions numbers of this process, if there are any. */
void carried_unpack(LLVMModuleRef module, struct position_table *t);

#ifdef __cplusplus
}
#endif

#endif
