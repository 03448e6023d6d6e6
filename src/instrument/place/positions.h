/*
 * Positions: where in the source graph an instruction stands, in a form that survives clang's
 * optimiser.
 *
 * Each (function, block, calls made and lines begun in it so far) gets a number, and the
 * instructions there carry it as the discriminator of their debug location. The inliner keeps
 * locations and chains them, so at the very end each machine instruction still tells its block and
 * those of the activations around it. The last step (places.c, printer.cpp) reads the numbers and
 * takes them out of the locations again: debug information that the user asked for stays what it
 * was.
 *
 * The table of positions belongs to one unit (unit_context.h); numbers mean something in that unit
 * only.
 */
#ifndef COTREE_INSTRUMENT_PLACE_POSITIONS_H
#define COTREE_INSTRUMENT_PLACE_POSITIONS_H

#include "base/hash.h"
#include "base/memory.h"
#include "base/buffer.h"
#include "instrument/place/loop_table.h"

#include <llvm-c/Types.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct function_graph;
struct map_function;
struct marker_maker;

struct position {
    uint64_t key; /* 0: of code that is not counted, and only has a state */
    uint32_t block, call, lines;
    /* Of the call itself, not of what comes after it. */
    bool is_call;
    /* Of a call before which the ends of all its activations were counted (count/tail_calls.h). */
    bool ended;
    /* Of a copy of memory that the code generator may make a call of; all counts before it are
     * made. */
    bool settled;
    /* Of increments of a stretch: the stretch is all that is known. */
    bool counts;
    /* 0, or the number of a stretch, and how many of its counts come before the position. */
    uint32_t stretch, passed;
    /* Where in the graph of the final function (instrument/final/final.h), before the counts of its
     * stretch: 1 more than the vertex; 0: not known. */
    uint32_t point;
    /* The innermost loop around it whose counts were moved out (loop_table.h); 0: none. */
    uint32_t loop;
    /* Of a call: what is claimed about the slots of crash histories there (crash/table.h); 0:
     * nothing. */
    uint32_t claims;
};

/* Straight code without calls and branches in which something is counted several times: what is
 * counted, in order. */
struct stretch_count {
    uint64_t key;
    uint32_t counter;
    uint64_t by;
    bool shared; /* an edge of the final function stands for it */
};
struct stretch ARRAY_OF(struct stretch_count);

/* Where the numbers in the unit's locations come from. */
enum position_source {
    POSITIONS_NONE,     /* no location has one */
    POSITIONS_MARKED,   /* positions_mark: this process compiles the source */
    POSITIONS_UNPACKED, /* bitcode carried positions (link_time.h), which were numbered in this process */
};

struct position_table {
    struct ARRAY_OF(struct position) positions; /* number i is items[i - 1] */
    struct ARRAY_OF(struct stretch) stretches;  /* the same for stretches */
    struct loop_table loops;
    struct hash_map in_loop;  /* (number, loop) -> number there */
    struct hash_map at_point; /* (number, point) -> number there */
    struct hash_map in_state; /* (number, number of uncounted code) -> number there */
    uint32_t stretch_of_rounds;
    struct ARRAY_OF(struct buffer) finals; /* records of final functions (format/map/final.h) */
    struct hash_map final_of_key;          /* index + 1 */
    struct hash_map edge_of_stretch;       /* number -> 1 more than its edge in the final function */
    struct hash_map stretch_of_counter;    /* key of a final function, hashed with the counter -> number */
    enum position_source source;
};

void position_table_release(struct position_table *t);

/* Gives the instructions of a counted function their positions; map->key is known. lines_begun:
 * describe.h. */
void positions_mark(struct position_table *t, const struct function_graph *f, const struct map_function *map,
                    const struct hash_map *lines_begun, struct marker_maker *maker);
/* The same for a function that is not counted, and may be inlined into others that are. */
void positions_mark_uncounted(const struct position_table *t, LLVMValueRef function);

/* The position with this number; NULL when there is none. */
const struct position *position_at(const struct position_table *t, uint32_t number);
/* Adds a position; its number. */
uint32_t position_add(struct position_table *t, struct position position);

/*
 * The number of the same position in another state; 0 when there is none with this number, or where
 * `number` must be that of a call and is not. Loops, stretches and points are states of uncounted
 * code, too.
 */
/* For a call after the counts of its activations' ends. */
uint32_t position_ended(struct position_table *t, uint32_t number);
/* Inside a loop whose counts were moved out. */
uint32_t position_in_loop(struct position_table *t, uint32_t number, uint32_t loop);
/* For what was a call, and is now an instruction that counts wait for. */
uint32_t position_passed(struct position_table *t, uint32_t number);
/* Before the call, which is a jump. */
uint32_t position_before_jump(struct position_table *t, uint32_t number);
/* For a copy of memory before which all counts are made. */
uint32_t position_settled(struct position_table *t, uint32_t number);
/* Inside a stretch, after `passed` of its counts. */
uint32_t position_in_stretch(struct position_table *t, uint32_t number, uint32_t stretch, uint32_t passed);
/* At a point of the final function: 1 more than the vertex, or 0. */
uint32_t position_at_point(struct position_table *t, uint32_t number, uint32_t point);
/* Is it the number of code that is not counted, in whatever state? */
bool position_is_uncounted(const struct position_table *t, uint32_t number);
/* Of a call into which uncounted code was inlined: in the loop, the stretch and at the point of that
 * code. */
uint32_t position_in_state(struct position_table *t, uint32_t number, uint32_t uncounted);
/* Of a call about which something is claimed. */
uint32_t position_with_claims(struct position_table *t, uint32_t number, uint32_t claims);
/* The number for increments of the stretch. */
uint32_t position_of_counts(struct position_table *t, uint32_t stretch);

/* Do both stand in the same block of the same function, on the same line, in the same round, and at
 * the same point? */
bool positions_share_line(const struct position_table *t, uint32_t a, uint32_t b);

/* Makes a stretch, which takes the counts; its number. */
uint32_t stretch_add(struct position_table *t, struct stretch counts);
const struct stretch *stretch_at(const struct position_table *t, uint32_t number);
/* The stretch is an edge of its final function. */
void stretch_is_edge(struct position_table *t, uint32_t stretch, uint32_t edge);
/* 1 more than that edge; 0: there is none. */
uint32_t stretch_edge(const struct position_table *t, uint32_t stretch);
/* The stretch is what this counter of a final function counts; 0: it has no number. */
void stretch_has_counter(struct position_table *t, uint32_t stretch, uint64_t final, uint32_t counter);
uint32_t stretch_of_counter(const struct position_table *t, uint64_t final, uint32_t counter);
/* Takes the record of a final function, with its length. */
void positions_add_final(struct position_table *t, uint64_t key, struct buffer record);
/* The record with this key; NULL: it is no final function's. */
const struct buffer *positions_final(const struct position_table *t, uint64_t key);
/* The stretch of instructions that belong to several rounds of a loop at once: it has no counts. */
uint32_t stretch_of_rounds(struct position_table *t);

/*
 * Does the instruction copy or fill so much memory, or an amount that is not known, that the code
 * generator calls a function for it? Only copies that the source has are meant, not those that
 * optimisation made of several others or of a loop.
 */
bool copies_much(LLVMValueRef instruction);

#ifdef __cplusplus
}
#endif

#endif
