/*
 * Counters of final functions (format/map/final.h): what is left of functions after all inlining.
 *
 * The last pass lowers a function in two rounds. The first, final_begin, looks at the stretches of
 * the function and chooses which of them carry a counter. The second is that of lower.c, which
 * walks over the same instructions in the same order and asks for each stretch what is to be done.
 *
 *     struct final f;
 *     if (final_begin(&f, &where))
 *         for each block: final_enter_block(&f, block);
 *             for each stretch with shared counts, if final_is_edge(&f):
 *                 counter = final_next(&f, number);
 *     final_end(&f);
 */
#ifndef COTREE_INSTRUMENT_FINAL_FINAL_H
#define COTREE_INSTRUMENT_FINAL_FINAL_H

#include "base/hash.h"
#include "base/memory.h"
#include "format/map/final.h"
#include "instrument/final/twins.h"

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stdint.h>

struct position_table;

/* Where a final function is made. */
struct final_place {
    LLVMModuleRef module;
    LLVMValueRef function, annotation;
    struct position_table *positions;
    /* The function's instructions have positions, and frames that are cut in it are recorded: flow
     * can be relied on. */
    bool flows;
};

struct final {
    struct final_place at;
    struct final_function map;
    /* By block: where it begins; 0: not known, otherwise 1 more than the vertex. */
    struct hash_map begins;
    /* By stretch that has shared counts: it is an edge. If not, these counts are made one by one. */
    struct ARRAY_OF(bool) stretches;
    uint32_t stretch, edge, counter; /* the next ones */
    uint32_t point;                  /* where lowering stands; like `begins` */
    LLVMValueRef array;              /* stands for the counter array until that can be made; or NULL */
    uint32_t *stretch_of;            /* by edge */
    struct twin_list twins;          /* each group is the last of the edges, in this order */
    bool in_image;                   /* the array is reached through the thread's delta (format/counters.h) */
};

/* Does a stretch end before this instruction: may counts not wait until after it? */
bool stretch_ends_before(LLVMValueRef instruction, LLVMValueRef annotation);
/* May the marker be one of those that one counter stands for? */
bool marker_is_shared(LLVMValueRef marker);

/* Chooses the counters of the function. False: none of its counts is shared; there is nothing to
 * release. */
bool final_begin(struct final *f, const struct final_place *at);
void final_enter_block(struct final *f, LLVMBasicBlockRef block);
/* Are the shared counts of the stretch that ends here, of which there are some, one edge? Takes the
 * next stretch. */
bool final_is_edge(struct final *f);
/* The address of the counter that the stretch needs, or NULL: it needs none. Takes the next edge.
 * stretch: its number (positions.h), or 0. */
LLVMValueRef final_next(struct final *f, uint32_t stretch);
/* Makes the array, and hands the record to the printer. */
void final_end(struct final *f);

#endif
