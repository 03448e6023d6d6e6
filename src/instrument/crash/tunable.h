/*
 * Functions that `cotree tune` can turn off and on (-fcotree-crash=tunable): each has a plain body, too,
 * without markers, and a record (format/slots/tunable.h) says where both are. Turning a function off puts a
 * jump to the plain body over its first bytes; while it is on nothing is executed for that.
 *
 * Invariants
 *  1. Both bodies have the same parameters and results, as no pass may change those of a function that
 *     others may call: both are in llvm.compiler.used.
 *  2. What is inlined into a plain body is plain. A call in a plain body leads to the function itself, so
 *     that the function can be on while its caller is off.
 *  3. Positions of a plain body are those of the function: a frame of it tells where it stands.
 */
#ifndef COTREE_INSTRUMENT_CRASH_TUNABLE_H
#define COTREE_INSTRUMENT_CRASH_TUNABLE_H

#include "instrument/crash/place.h"

/* Gives the function a plain body, if that is asked for and can be. Before its instructions have
 * positions. */
void crash_tunable_copy(struct crash_placer *p, const struct unit_function *function);
/* Leads calls in plain bodies to plain bodies, so that these are inlined there; and adds the word that says
 * how the program was tuned. When all functions are done. */
void crash_tunable_end(LLVMModuleRef module);

/* Before markers are lowered: leads the calls that are left to the functions themselves. */
void crash_tunable_lead_back(LLVMModuleRef module);
/* After that: takes the plain bodies of functions away that do not store anything. */
void crash_tunable_drop(LLVMModuleRef module);

#endif
