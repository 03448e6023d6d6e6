/*
 * Stretches (format/places/places.h): code in which one position stands for several rounds of a loop, whose counts
 * are made together.
 */
#ifndef COTREE_DECODE_FRAMES_STRETCHES_H
#define COTREE_DECODE_FRAMES_STRETCHES_H

#include "decode/frames/resolve.h"

/* How many counts it has. */
uint32_t stretch_length(const struct resolver *r, uint32_t stretch);

/*
 * What increments on the way say about a count of the stretch: all of it is ahead, or nothing; otherwise it
 * cannot be told, since one is ahead that may be it or another.
 */
enum whether_ahead { AHEAD_ALL, AHEAD_NOTHING, AHEAD_UNKNOWN };
enum whether_ahead stretch_is_ahead(const struct resolver *r, uint32_t stretch,
                                    const struct place_count *count);

/*
 * Does the position of the instruction fit between the counts of its stretch? The one that comes next must be
 * one that control may meet next: in its own activation, in those around it when it ends, or in one that
 * begins.
 */
bool stretch_fits(const struct resolver *r, const struct chain *chain, const struct place_position *p);

#endif
