/*
 * Twins: counters that always count the same numbers at the same places of a final function.
 *
 * Counts that were moved out of loops add numbers that the program computes. Where several functions
 * were inlined into one loop, each has such counts, and all of them add the number of iterations. One
 * counter is enough for all of these; it counts where the first of them would.
 *
 *     struct twin_list all = {0};
 *     twins_find(&all, function, annotation);
 *     const struct twins *its = twins_of(&all, marker, &first);
 *     twins_release(&all);
 */
#ifndef COTREE_INSTRUMENT_FINAL_TWINS_H
#define COTREE_INSTRUMENT_FINAL_TWINS_H

#include "base/hash.h"
#include "base/memory.h"

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stdint.h>

/* A counter of the map. */
struct twin {
    unsigned long long key;
    unsigned counter;
};

struct twins {
    struct ARRAY_OF(struct twin) counters; /* two or more */
    LLVMValueRef address; /* of the counter that stands for them; filled in by who makes it */
};

struct twin_list {
    struct ARRAY_OF(struct twins) groups;
    struct hash_map group_of; /* counter, hashed -> index + 1 */
};

/* May the marker be a count of twins? */
bool marker_is_moved(LLVMValueRef marker);

void twins_find(struct twin_list *all, LLVMValueRef function, LLVMValueRef annotation);
/* The twins that the counter of the marker is one of; NULL: it counts for itself. first: it is the one
 * in whose place all of them are counted. */
const struct twins *twins_of(const struct twin_list *all, LLVMValueRef marker, bool *first);
void twins_release(struct twin_list *all);

#endif
