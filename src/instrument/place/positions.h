/*
 * Positions: where in the source graph an instruction stands, in a form that survives clang's optimiser.
 *
 * Each (function, block, calls made and lines begun in it so far) gets a number, and the instructions there
 * carry it as the discriminator of their debug location. The inliner keeps locations and chains them, so at
 * the very end each machine instruction still tells its block and those of the activations around it. The
 * last step (places.c, printer.cpp) reads the numbers and takes them out of the locations again: debug
 * information that the user asked for stays what it was.
 */
#ifndef COTREE_INSTRUMENT_PLACE_POSITIONS_H
#define COTREE_INSTRUMENT_PLACE_POSITIONS_H

#include "base/memory.h"

#include <llvm-c/Types.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct function_graph;
struct hash_map;
struct map_function;
struct marker_maker;

struct position {
    uint64_t key;
    uint32_t block, call, lines;
    bool is_call; /* of the call itself, not of what comes behind it */
    bool ended;   /* of a call before which the ends of all its activations were counted (tail_calls.h) */
    bool settled; /* of a copy before which all counts are made, which the code generator may make a call */
    bool counts;  /* of what counts for the stretch, and nothing else is known */
    uint32_t stretch, passed; /* 0, or the number of a stretch, and how many of its counts come before it */
    uint32_t loop; /* whose counts were moved out (loop_table.h), the innermost around it; 0: none */
};

/* Code without branches and calls in which something is counted several times: what is counted, in order. */
struct stretch_count {
    uint64_t key;
    uint32_t counter;
    uint64_t by;
};
struct stretch ARRAY_OF(struct stretch_count);

/* Gives the instructions of a counted function their positions; map->key is known. lines_begun: describe.h.
 */
void positions_mark(const struct function_graph *f, const struct map_function *map,
                    const struct hash_map *lines_begun, struct marker_maker *maker);
/* The same for a function that is not counted, and may be inlined into others that are. */
void positions_mark_uncounted(LLVMValueRef function);
/* The position with this number; NULL when there is none. */
const struct position *position_at(uint32_t number);
/* The number of the same position for a call behind the counts of its activations' ends; 0 when `number` is
 * not that of a call. */
uint32_t position_ended(uint32_t number);
/* The number of the same position inside a loop whose counts were moved out; 0 when there is no such
 * position.
 */
uint32_t position_in_loop(uint32_t number, uint32_t loop);
/* The number of the same position for what was a call, and is an instruction that counts wait for; 0 when
 * `number` is not that of a call. */
uint32_t position_passed(uint32_t number);
/* The number of the same position before the call, which is a jump; 0 when `number` is not that of a call. */
uint32_t position_before_jump(uint32_t number);
/* The number of the same position for a copy of memory that all counts are made before; 0 when there is no
 * such position. */
uint32_t position_settled(uint32_t number);
/* Does the instruction copy or fill so much memory, or nobody knows how much, that the code generator calls a
 * function for it? As the source has it: what optimisation made of several others, or of a loop, is not
 * meant. */
bool copies_much(LLVMValueRef instruction);
/* Makes a stretch, which takes the counts; its number. */
uint32_t stretch_add(struct stretch counts);
const struct stretch *stretch_at(uint32_t number);
/* The stretch of what belongs to several rounds of a loop at once: it has no counts. */
uint32_t stretch_of_rounds(void);
/* The number of the same position inside a stretch; of the stretch's own increments. */
uint32_t position_in_stretch(uint32_t number, uint32_t stretch, uint32_t passed);
uint32_t position_of_counts(uint32_t stretch);
/* Do both stand in the same block of the same function, on the same line, and in the same round? */
bool positions_share_line(uint32_t a, uint32_t b);
/* A position that was made elsewhere; its number here. */
uint32_t position_add(struct position position);
uint32_t positions_count(void);
/* Are numbers in locations those of this process? */
bool positions_are_marked_here(void);
/* Or are they, since what bitcode carried (link_time.h) was given numbers of this process? */
void positions_take_over(void);
bool positions_are_numbered(void);

#ifdef __cplusplus
}
#endif

#endif
