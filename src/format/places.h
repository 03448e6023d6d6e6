/* clang-format off */
/*
 * Places: which source position a machine address of the program stands for. The decoder needs it to say in
 * which block a frame stood that never returned. One record per machine function, written by the compiler's
 * last step into the non-loaded section `.cotree.places` (linked to the function's own section, so that it
 * is dropped with it); linkers concatenate them. Addresses are those of the linked file. Little endian;
 * varints as in format/map.h. Readers accept any bytes: sizes are untrusted.
 *
 *   u32 PLACES_MAGIC | u32 length of all that follows | u64 address of the code | u32 size of the code
 *   varint number of functions, then for each: u64 key (of its map record)
 *   varint number of loops whose counts were moved out, then for each (loop i + 1):
 *       varint number of counters that stand still, or lie, while the loop runs; then for each of them
 *       varint function  index of the key
 *       varint counter   number in the function's array (header words not included)
 *       varint most      what one passage through the loop counts at most; 0: not known, but then no more
 *                        than what the counter holds
 *   varint number of stretches, then for each (stretch i + 1): varint length, then for each count, in the order
 *       in which they were meant: varint function (index of its key), varint number of the counter,
 *       varint by how much
 *   varint number of positions, then for each (position i + 1):
 *       varint outer     0, or the position (an earlier one) of the call into which this one was inlined
 *       varint function  index of the key
 *       varint block     of its graph
 *       varint call      calls of the block (struct map_block) begun before or at this position
 *       varint lines     entries of the block's lines begun before or at this position
 *       varint loop      0, or the loop it stands in, which has the counters of all loops around it as well
 *       varint stretch   0, or the stretch it stands in; then varint passed: so many of its counts come before it
 *   rows to the end, by rising offset: u32 offset from the address of the code | varint kind + 8 * value
 *       PLACE_CALL       offset: return address. value: position of the call, 0: not known. All counts of
 *                        what ran before it are in memory
 *       PLACE_LIBCALL    offset: return address. value: position, 0: not known. A call that the code
 *                        generator made of something else (memcpy): counts may be pending behind it
 *       PLACE_SETTLED    like PLACE_LIBCALL, but all counts of what ran before it are in memory
 *       PLACE_ENDED_CALL like PLACE_CALL; the ends of all its activations (PLACEMENT_BALANCE) were counted
 *                        before it, in the hope that it would be a tail call
 *       PLACE_BRANCH     offset: of a branch with a choice, a return, a tail call or a trap: a stretch of code
 *                        ends there. value: position, 0: not known
 *       PLACE_ACCESS     offset: of another instruction, the last of several at the same position. value:
 *                        its position, 0: not known
 *       PLACE_INCREMENT  offset: behind an instruction that counts. value: index of the key, then
 *                        varint number of the counter in the function's array (header words not included),
 *                        varint by how much; 0: the program computes it (a count moved out of a loop);
 *                        varint stretch that it counts for, 0: not known
 *       PLACE_GOTO       offset: of a jump without a choice. value: position, 0: not known; then u32 offset of
 *                        where it goes on
 *
 * A position without `outer` is of the machine function itself; following `outer` leads from the innermost
 * inlined activation outwards. Where machine code runs from one row into the next, so does control: from an
 * address, going through rows and jumps leads to the next CALL, SETTLED or BRANCH, whose counts are in memory once the
 * INCREMENT rows on the way have happened.
 *
 * A stretch is code without branches and calls in which something is counted more than once: rounds of a loop
 * that were unrolled. Their counts are added up behind it all, and one position stands for every round; the
 * number of counts that come before an instruction says in which it is.
 */
/* clang-format on */
#ifndef COTREE_FORMAT_PLACES_H
#define COTREE_FORMAT_PLACES_H

#define PLACES_MAGIC 0x32505443u /* "CTP2" */
#define PLACES_SECTION ".cotree.places"

enum place_kind {
    PLACE_CALL = 0,
    PLACE_BRANCH = 1,
    PLACE_ACCESS = 2,
    PLACE_INCREMENT = 3,
    PLACE_GOTO = 4,
    PLACE_LIBCALL = 5,
    PLACE_ENDED_CALL = 6,
    PLACE_SETTLED = 7,
};

#endif
