/*
 * Instructions that carry the location of a statement they are no part of. Clang gives each instruction the
 * location it is at, and some are emitted when that is still another statement's, or already the next one's:
 * a line counted by them would count what others did.
 */
#ifndef COTREE_INSTRUMENT_GRAPH_STRAYS_H
#define COTREE_INSTRUMENT_GRAPH_STRAYS_H

#include "instrument/graph/function_graph.h"

/* Finds them all: instruction -> the instruction whose location it should have, or 0 if it has none. */
void strays_find(struct hash_map *strays, const struct function_graph *f);

/* The switch for which the block asks whether the value is in a range of cases; NULL for other blocks. */
LLVMValueRef strays_switch_of_range(LLVMBasicBlockRef block);

#endif
