/*
 * The first pass: numbers the ways through a function, and puts markers where its marks stand.
 *
 * A marker of a slot is a call of the intrinsic that all markers are (marker/marker.h). Its operands
 * say which function it is of and on which edge of its graph it stands, and whether it is of the slot that
 * the edge's mark changes or of the ring of the loop that the edge leads to (rings.h); its location says
 * which activation, once the function was inlined.
 */
#ifndef COTREE_INSTRUMENT_CRASH_PLACE_H
#define COTREE_INSTRUMENT_CRASH_PLACE_H

#include "instrument/crash/table.h"
#include "instrument/graph/unit_function.h"
#include "instrument/marker/marker.h"
#include "instrument/place/positions.h"

struct crash_placer {
    struct crash_table *table;
    struct position_table *positions;
    struct marker_maker *maker;
    const struct instrument_options *options;
};

/* Why the function cannot be tracked; SLOTS_TRACKED: it can. */
enum slots_state crash_state_of(const struct unit_function *function);
/* Tracks the function, whose key is known and whose instructions have positions; or says why not. */
void crash_place(struct crash_placer *p, struct unit_function *function, enum slots_state state);

struct crash_marker {
    uint64_t key; /* of its function */
    uint32_t edge;
    bool ring;    /* it is of a ring */
    bool changed; /* by a pass: the rest is not known */
};
/* Is the instruction a marker of a slot or ring? */
bool crash_marker_read(LLVMValueRef instruction, struct crash_marker *marker);
/* May the instruction fault? */
bool crash_may_fault(LLVMValueRef instruction);
/* Is the instruction, which may fault, one of the source, and not one that a pass has made? */
bool crash_is_of_source(LLVMValueRef instruction);
/* There are no markers of slots in the module any more. */
void crash_marker_end(LLVMModuleRef module);

#endif
