/*
 * Coverage bytes (-fcotree-crash=functions, calls, blocks): a byte of the program is set when control
 * comes to a block, by a single store, before all that the block does. A core in which it is not set
 * proves that no activation came there.
 *
 * The bytes of a function are one variable in the section COVERAGE_SECTION, which is loaded: u64 key of
 * the function, u32 number of bytes, u32 0; u16 block of each byte, rising; then the bytes.
 */
#ifndef COTREE_INSTRUMENT_CRASH_COVERAGE_H
#define COTREE_INSTRUMENT_CRASH_COVERAGE_H

#include "instrument/crash/place.h"

/* Puts the stores into a function that is tracked. weights: of its edges, as parts of one activation;
 * length: what an activation executes. */
void crash_cover(const struct crash_placer *p, const struct unit_function *function, const double *weights,
                 double length);
/* Is the instruction such a store? */
bool crash_is_cover(LLVMValueRef instruction);

#endif
