/*
 * Functions whose run is collected in parts (plan/parts/slices.h). Each that counts gets two bodies,
 * a counting and a silent one, and its public name is left to a thunk, which asks the thread's state
 * which of them runs:
 *
 *     if (x < 0)
 *         counting(the same arguments), as a tail call
 *     else
 *         silent(the same arguments), as a tail call
 *
 * Known calls lead from counting bodies to counting bodies and from silent ones to silent ones, so
 * they cost nothing and are inlined. The entry of a function that runs long enough is a switch
 * point: all calls of it lead to its thunk, which counts them:
 *
 *     if (x < 0 ? ++x >= 0 : --x < 0)
 *         cotree_part_switch(a number for the function);   changes x
 *
 * Invariants
 *  1. An activation counts, or does not, by the body that it runs in: calls that return or throw,
 *     and jumps, need no code.
 *  2. Both bodies pass the same switch points: the silent one is a copy that was made before
 *     anything was put into the other.
 */
#ifndef COTREE_INSTRUMENT_PARTS_PARTS_H
#define COTREE_INSTRUMENT_PARTS_PARTS_H

#include "base/error.h"
#include "base/memory.h"
#include "instrument/graph/unit_function.h"

/* A function with two bodies; the counting one is f.function of its struct unit_function. */
struct parts_function {
    LLVMValueRef thunk, counting, silent;
    bool switches;
};

struct parts {
    LLVMModuleRef module;
    struct parts_functions ARRAY_OF(struct parts_function) functions;
};

/* False, with the reason: nothing in this unit can be collected in parts. */
bool parts_init(struct parts *p, LLVMModuleRef module, struct error *error);
void parts_release(struct parts *p);
/* Why the function cannot have two bodies, or NULL. */
const char *parts_why_not(LLVMValueRef function);
/* Gives the functions that count two bodies, leads known calls to them, and chooses switch points.
 * Before anything is placed. */
void parts_split(struct parts *p, struct unit_functions *functions, bool verbose);
/* The thunks, when all bodies are done. */
void parts_make_thunks(struct parts *p);

#endif
