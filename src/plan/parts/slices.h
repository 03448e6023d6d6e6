/*
 * Slices: which of k copies counts what of one run. It is the one definition that the runtime, the
 * code that unites parts, and tests share. It includes nothing of ours, since the runtime may not.
 *
 * Words
 *   copy          one of k processes that run the same program on the same input
 *   part          what a copy has counted; parts have the numbers 1 to k
 *   switch point  a place where a path starts and the copy that counts may change: the entries of
 *                 some functions
 *   slice         what a thread does from one switch point to a later one; slices have numbers
 *   owner         the copy that counts a slice
 *   turn          a slice of a copy's own, or those of others that lie between two of them
 *   phase         a number that makes slices of one thread different from those of another
 *
 * A thread's state is a signed word x that code in the program reads and changes. Not below 0: it
 * does not count, and x more switch points pass before the one that ends the turn. Below 0: it
 * counts, and the switch point that brings x to 0 ends the slice. All copies count switch points,
 * whether they count paths or not: so all agree on where each slice ends.
 *
 * Invariants
 *  1. Owner and length of a slice follow from its number, the phase and the number of parts alone.
 *  2. Of each k slices that begin at a multiple of k, every copy owns one. In which order is mixed:
 *     copies that alternated would each see the same part of what a program does in rhythm.
 *  3. At every moment exactly one copy has x < 0, whatever turns are cut into (PARTS_TURN_MOST).
 */
#ifndef COTREE_PLAN_PARTS_SLICES_H
#define COTREE_PLAN_PARTS_SLICES_H

#include <stdbool.h>
#include <stdint.h>

#define PARTS_MOST 4096u  /* copies of one run */
#define PARTS_LONGEST 31u /* switch points of a slice: 1 to so many */
#define PARTS_PHASE_OF_FIRST UINT64_C(0)
/* x of a program that counts all of its run, or nothing: no program passes so many switch
 * points. */
#define PARTS_ALWAYS (INT64_MIN / 2)
#define PARTS_NEVER (INT64_MAX / 2)
#ifndef PARTS_TURN_MOST
#define PARTS_TURN_MOST (INT64_C(1) << 40) /* of switch points */
#endif

struct parts_state {
    int64_t x;
    uint64_t next; /* the slice that begins when this turn ends */
    uint64_t phase;
};

static inline uint64_t parts_mix(uint64_t word)
{
    word = (word ^ word >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    word = (word ^ word >> 27) * UINT64_C(0x94d049bb133111eb);
    return word ^ word >> 31;
}

/* The owner of a slice, 0 for part 1. */
static inline uint32_t parts_owner(uint64_t phase, uint64_t slice, uint32_t parts)
{
    uint64_t mixed = parts_mix(phase + slice / parts * UINT64_C(0x9e3779b97f4a7c15));
    return (uint32_t)((slice % parts + mixed % parts) % parts);
}

static inline uint32_t parts_length(uint64_t phase, uint64_t slice)
{
    return 1 + (uint32_t)(parts_mix((slice ^ phase) * UINT64_C(0xd1342543de82ef95) + 1) % PARTS_LONGEST);
}

/* Begins the turn that starts with slice `next`. Does this copy count it? */
static inline bool parts_begin_turn(struct parts_state *s, uint32_t copy, uint32_t parts)
{
    if (parts_owner(s->phase, s->next, parts) == copy) {
        s->x = -(int64_t)parts_length(s->phase, s->next++);
        return true;
    }
    int64_t points = 0;
    do
        points += parts_length(s->phase, s->next++);
    while (points < PARTS_TURN_MOST && parts_owner(s->phase, s->next, parts) != copy);
    s->x = points - 1;
    return false;
}

/* The state of a thread that begins. */
static inline void parts_begin(struct parts_state *s, uint64_t phase, uint32_t copy, uint32_t parts)
{
    s->next = 0;
    s->phase = phase;
    (void)parts_begin_turn(s, copy, parts);
}

/*
 * What code does at a switch point. `counts`: does the activation that comes here count? The state
 * may say otherwise: a switch point in a call may have switched, and an activation counts, or does
 * not, as it did when it began. Returns whether what begins here counts. The program has code of
 * its own for the first lines; parts_begin_turn is called when a turn ends.
 */
static inline bool parts_switch(struct parts_state *s, bool counts, uint32_t copy, uint32_t parts)
{
    if (counts) {
        if (++s->x < 0)
            return true;
        if (s->x > 0) { /* silent by now */
            s->x -= 2;
            if (s->x >= 0)
                return false;
        }
    } else {
        if (--s->x >= 0)
            return false;
        if (s->x < -1) { /* counting by now */
            s->x += 2;
            if (s->x < 0)
                return true;
        }
    }
    return parts_begin_turn(s, copy, parts);
}

#endif
