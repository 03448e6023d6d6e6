/*
 * Objects for linkers that compile (-flto). Markers stay markers in the bitcode, so that the
 * optimiser in the linker sees code that is nearly the plain program's. They become increments when
 * the linker's code generator begins (printer.cpp); this works in linkers that cannot load passes,
 * too. lld can, and with -flto=thin counts leave loops there. `cotree cc` makes the linker load the
 * plugin. In a linker without it the code generator finds no collector of our name
 * (shim_watch_printer), and stops: markers are never dropped silently.
 *
 * Positions (positions.h) are numbers that mean something in one process only. In bitcode each
 * location that has one names a file that does not exist: its directory is the table of the
 * function's positions and of the loops they are in (carried.cpp), and the discriminator is the
 * number of the table's row. Locations take the table along into any module that they are linked or
 * inlined into.
 */
#ifndef COTREE_INSTRUMENT_PLACE_LINK_TIME_H
#define COTREE_INSTRUMENT_PLACE_LINK_TIME_H

#include <llvm-c/Core.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct position_table;
struct crash_table;

/* The end of a compilation to bitcode. Returns whether the module was changed. */
bool link_time_prepare(LLVMModuleRef module, const struct position_table *t, const struct crash_table *crash);
/* Puts tables of positions into the module's locations, and what is known of functions whose crash
 * histories are asked for. */
void carried_pack(LLVMModuleRef module, const struct position_table *t, const struct crash_table *crash);
/* Gives locations that carry such tables numbers of this process. */
void carried_unpack(LLVMModuleRef module, struct position_table *t, struct crash_table *crash);

#ifdef __cplusplus
}
#endif

#endif
