/*
 * Finds instructions that carry the location of a statement they do not belong to. Clang gives each
 * instruction the location that it is at, and emits some when that is still another statement's, or
 * already the next one's: such an instruction would make a line count what another line did.
 */
#ifndef COTREE_INSTRUMENT_GRAPH_STRAYS_H
#define COTREE_INSTRUMENT_GRAPH_STRAYS_H

#include "instrument/graph/function_graph.h"

/* instruction -> the instruction whose location it should have; 0: it should have none. */
void strays_find(struct hash_map *strays, const struct function_graph *f);

/* The switch for which the block compares the value with a range of cases; NULL for other
 * blocks. */
LLVMValueRef strays_switch_of_range(LLVMBasicBlockRef block);

#endif
