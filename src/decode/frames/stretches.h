/*
 * Stretches (format/places/places.h): code in which one position stands for several rounds of a
 * loop, whose counts are made together.
 */
#ifndef COTREE_DECODE_FRAMES_STRETCHES_H
#define COTREE_DECODE_FRAMES_STRETCHES_H

#include "decode/frames/chain.h"

/* How many counts it has. */
uint32_t stretch_length(const struct place_code *code, uint32_t stretch);

/*
 * What the increments ahead say about a count of the stretch: all of it is ahead, or nothing; or it
 * cannot be told, since an increment is ahead that may be of this stretch or of another.
 */
enum whether_ahead { AHEAD_ALL, AHEAD_NOTHING, AHEAD_UNKNOWN };
enum whether_ahead stretch_is_ahead(const struct code_ahead *ahead, uint32_t stretch,
                                    const struct place_count *count);

/*
 * Does the position of an instruction, whose activations are the chain, fit between the counts of
 * its stretch? The count that comes next in the stretch must be one that control may meet next: in
 * the innermost activation, in those around it when it ends, or in one that begins. The count before it
 * must be one of these activations', or of one that may have ended since.
 */
bool stretch_fits(const struct code_ahead *ahead, const struct chain *chain, const struct place_position *p);

#endif
