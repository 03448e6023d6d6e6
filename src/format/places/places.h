/* clang-format off */
/*
 * Places: which source position a machine address of the program stands for. The decoder needs them
 * to tell in which block a frame stood that never returned.
 *
 * Words
 *   row        one entry of the table of places, for one machine instruction: its offset in the
 *              code, its kind, and its position or what it counts
 *   position   (block, calls begun, lines begun) of a function, and where that function was inlined
 *   outer      of a position: the position of the call into which it was inlined. A position
 *              without outer is of the machine function itself; following `outer` leads from the
 *              innermost activation outwards.
 *   loop       here: a loop whose counts were moved out of it
 *   stretch    code without branches and calls in which something is counted more than once: rounds
 *              of a loop that were unrolled. Their counts are added up after all of it, and one
 *              position stands for every round; the number of counts that come before an
 *              instruction says in which round it is. Instructions that do the work of several
 *              rounds at once are in a stretch without counts.
 *   final      of a function: it has a record of its final graph in the map (format/map/final.h).
 *              Some of its stretches are edges of that graph, and its positions stand at points of it
 *   shared     of a count: it is one of those that an edge of the final graph stands for
 *   difference a zigzag varint: the number less the last number of the same kind in the function,
 *              at first 0
 *   maybe      0 for none, otherwise 1 more than the difference
 *
 * Two sections that are not loaded hold them. What does not depend on addresses is packed, unit by
 * unit, in `.cotree.positions`. Distances in the code, which only the assembler knows, stand in
 * `.cotree.places`; its pieces are linked to the sections of the code, so that they are dropped
 * with it. Linkers concatenate both; zero bytes between records are padding. Addresses are those of
 * the linked file. Integers are little endian, varints as in format/map/map.h.
 *
 * Invariants
 *  1. Readers accept any bytes: sizes are untrusted.
 *  2. Where machine code runs from one row into the next, so does control. From an address, going
 *     through rows and jumps leads to the next CALL, SETTLED or BRANCH; its counts are in memory
 *     once the INCREMENT rows on the way have happened.
 *  3. The outer position of a position is an earlier one.
 *
 * A record of `.cotree.places`, one for each section of code
 *   u32 PLACES_MAGIC
 *   u32 length of all that follows
 *   u64 address of the first function's code
 *   u32 offset of the unit's record in `.cotree.positions`
 *   u32 its tag: the lower half of the hash there
 *   varint number of the first function in the unit
 *   varint number of functions
 *   for each of these functions, which are in the same order in the unit and in the code:
 *       varint distance from the end of the function before to its beginning (of the first: 0)
 *       for each row varint distance from the row before (of the first: from the beginning of the
 *           function)
 *       varint distance from the last row to the end of the function
 *   u64 check: the address, plus each number (the tag, then all varints, in order: number 0, 1, ...)
 *       times its place_check_weight. A hash is not possible here: only the assembler and the linker
 *       know what the record holds; but an assembler can multiply and add, and a linker can add.
 *       Where the linker dropped the code, both the address field and the check lack the address.
 *
 * A record of `.cotree.positions`, one for each object file and one for each comdat group in it
 * (which is dropped with the group)
 *   u32 POSITIONS_MAGIC
 *   u32 length of all that follows
 *   u64 hash of all that follows
 *   u32 length of the payload
 *   the payload, packed (format/packed.h): varint number of functions, for each column (enum
 *       place_column) varint length, the columns
 *
 * Columns consist of varints, but for the keys. Names in capitals below say in which column a
 * number stands.
 *   KEYS   u64 each: the keys of all map records that are mentioned
 *   HEADS  for each function: number of functions it is made of, the index in KEYS of each (all
 *          indices of functions below are indices of this list)
 *          0, or 1 more than the index in KEYS of the key of its final record
 *          number of loops whose counts were moved out, then for each (loop i + 1):
 *              number of counters that stand still, or are wrong, while the loop runs; then for each
 *              of them function, number of the counter in the function's array (header words not
 *              included), and what one passage through the loop counts at most; 0: not known, but
 *              then no more than what the counter holds
 *          number of stretches, number of positions, number of rows
 *   of each stretch (stretch i + 1) LENGTHS; then for each count, in the order in which they were
 *   meant,
 *       COUNT_KEYS function, COUNT_COUNTERS difference of the counter, COUNT_BY by how much, times 2,
 *       and 1 more if it is shared
 *   of each stretch of a final function EDGES: maybe 1 more than its edge
 *   of each position (position i + 1)
 *       OUTER     its outer position: 0: the same as that of the position before, 1: none,
 *                 otherwise 2 more than how many positions are between them
 *       KEY       0: function of the last position with this outer one, otherwise 1 more than the
 *                 function
 *       BLOCK     of its graph: difference to that of the last position with this outer one and
 *                 function, or to 0
 *       CALL      calls of the block (struct map_block) begun before or at this position:
 *                 difference to that of this last position if it is in the same block, or to 0
 *       LINES     entries of the block's lines begun before or at this position: likewise
 *       LOOP      0, or the loop it stands in, which has the counters of all loops around it as
 *                 well
 *       STRETCH   maybe the stretch it stands in; then PASSED: how many of its counts come before
 *                 it
 *       POINTS    only in final functions: difference of 1 more than the point before the counts
 *                 of its stretch; 0: not known
 *   of each row, by rising offset
 *       KINDS     enum place_kind
 *       VALUES    not of increments and events: the position: 0: not known, 1: 1 more than the
 *                 highest so far, 2: the same as the last known, otherwise 3 more than the
 *                 difference to the last known
 *       ADD_STRETCH  of increments and shared counts: maybe the stretch that it counts for.
 *                 Increment i of a stretch is expected to be of the function and the counter of
 *                 its count i (modulo its length); an increment of no stretch, or of an empty one,
 *                 is expected to be of the function of the last known position or increment, at
 *                 first 0, and of the counter of the last increment
 *       ADD_KEYS  of increments: 0: the function that is expected, otherwise 1 more than the
 *                 function
 *       ADD_COUNTERS  of increments: difference to the counter that is expected
 *       ADD_BY    of increments: by how much; 0: the program computes it (a count moved out of a
 *                 loop)
 *       EVENTS    of events: the byte that is written, or the two, the first one low; 0: the
 *                 program computes it (one store for several edges); PLACE_ENTERS: the record that
 *                 the function was entered
 *       TARGETS   of jumps: difference of the row where it goes on to this row; the number of rows:
 *                 there is none
 *
 * Kinds of rows
 *       PLACE_CALL       offset: the return address. All counts of code that ran before it are in
 *                        memory.
 *       PLACE_LIBCALL    offset: the return address. A call that the code generator made of
 *                        something else (memcpy): counts may be pending after it.
 *       PLACE_SETTLED    like PLACE_LIBCALL, but all counts of code that ran before it are in
 *                        memory.
 *       PLACE_ENDED_CALL like PLACE_CALL; the ends of all its activations (PLACEMENT_BALANCE) were
 *       counted before
 *                        it, in the hope that it would be a tail call.
 *       PLACE_BRANCH     offset: of a branch with a choice, a return, a tail call or a trap.
 *                        Straight code ends there.
 *       PLACE_ACCESS     offset: of another instruction, the last of several at the same position
 *                        and without a count or a jump between them. Its position is not known
 *                        where it was lost (merged, or made elsewhere), or where control is not
 *                        there: divisions are moved over other code. If others may then see what
 *                        the instruction does, the row is there twice, one after the other; but not
 *                        for a load, which is only seen to fault.
 *       PLACE_INCREMENT  offset: after an instruction that counts. Its counter is PLACE_PATHS where
 *                        it is the last of several that count paths of the function in one block of
 *                        code; by how much is then what all of them count.
 *       PLACE_SHARED     offset: after an instruction that counts an edge of the final graph: all
 *                        shared counts of its stretch
 *       PLACE_GOTO       offset: of a jump without a choice
 *       PLACE_STEP       offset: after an instruction that stores to a slot of crash histories
 *                        (format/slots/slots.h), or where several ways meet. It has no position; only
 *                        programs with tables of slots have such rows.
 *       PLACE_EVENT      offset: after an instruction that writes an event of a trace
 *                        (format/trace/layout.h). It has no position, since it belongs to an edge.
 *
 * Records of `.cotree.places` that begin with PLACES_MAGIC_WHOLE hold one function each, and all of
 * it. Compilers do not write them; tests do, which know all addresses:
 *   u32 PLACES_MAGIC_WHOLE
 *   u32 length of all that follows
 *   u64 address of the code
 *   u32 size of the code
 *   varint number of functions, then for each: u64 key
 *   varint number of loops, each: varint number of counters, each: varint function, varint counter,
 *       varint most
 *   varint number of stretches, each: varint length, for each count varint function, varint counter,
 *       varint by how much
 *   varint number of positions, each: varint outer (0: none), function, block, call, lines, loop,
 *       stretch; if that is not 0 varint passed
 *   rows to the end: u32 offset from the address of the code | varint kind + 8 * value (of
 *       increments the function), then for increments varint counter, varint by how much, varint
 *       stretch; for jumps u32 offset of where it goes on
 *   u64 hash of all between the length and it
 */
/* clang-format on */
#ifndef COTREE_FORMAT_PLACES_PLACES_H
#define COTREE_FORMAT_PLACES_PLACES_H

#include <stdint.h>

#define PLACES_MAGIC 0x36505443u       /* "CTP6" */
#define PLACES_MAGIC_WHOLE 0x36575443u /* "CTW6" */
#define PLACES_SECTION ".cotree.places"
#define POSITIONS_MAGIC 0x36515443u /* "CTQ6" */
#define POSITIONS_SECTION ".cotree.positions"

#define PLACE_ENTERS 0x10000u
#define PLACE_PATHS 0xfffffffeu

enum place_column {
    COLUMN_KEYS,
    COLUMN_HEADS,
    COLUMN_LENGTHS,
    COLUMN_COUNT_KEYS,
    COLUMN_COUNT_COUNTERS,
    COLUMN_COUNT_BY,
    COLUMN_EDGES,
    COLUMN_OUTER,
    COLUMN_KEY,
    COLUMN_BLOCK,
    COLUMN_CALL,
    COLUMN_LINES,
    COLUMN_LOOP,
    COLUMN_STRETCH,
    COLUMN_PASSED,
    COLUMN_POINTS,
    COLUMN_KINDS,
    COLUMN_VALUES,
    COLUMN_ADD_STRETCH,
    COLUMN_ADD_KEYS,
    COLUMN_ADD_COUNTERS,
    COLUMN_ADD_BY,
    COLUMN_TARGETS,
    COLUMN_EVENTS,
    PLACE_COLUMNS,
};

enum place_kind {
    PLACE_CALL = 0,
    PLACE_BRANCH = 1,
    PLACE_ACCESS = 2,
    PLACE_INCREMENT = 3,
    PLACE_GOTO = 4,
    PLACE_LIBCALL = 5,
    PLACE_ENDED_CALL = 6,
    PLACE_SETTLED = 7,
    PLACE_EVENT = 8,
    PLACE_SHARED = 9,
    PLACE_STEP = 10,
    PLACE_KINDS,
};

/* The weight is odd, so that no change of one number goes unnoticed, and small, so that sums of
 * products fit in 64 bits. */
static inline uint64_t place_check_weight(uint64_t number)
{
    uint64_t x = (number + 1) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return (x ^ x >> 31) >> 34 | 1;
}

#endif
