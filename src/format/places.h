/*
 * Places: which source position a machine address of the program stands for. The decoder needs it to say in
 * which block a frame stood that never returned. One record per machine function, written by the compiler's
 * last step into the non-loaded section `.cotree.places` (linked to the function's own section, so that it
 * is dropped with it); linkers concatenate them. Addresses are those of the linked file. Little endian;
 * varints as in format/map.h. Readers accept any bytes: sizes are untrusted.
 *
 *   u32 PLACES_MAGIC | u32 length of all that follows | u64 address of the code | u32 size of the code
 *   varint number of functions, then for each: u64 key (of its map record)
 *   varint number of positions, then for each (position i + 1):
 *       varint outer     0, or the position (an earlier one) of the call into which this one was inlined
 *       varint function  index of the key
 *       varint block     of its graph
 *       varint call      calls of the block (struct map_block) begun before or at this position
 *   rows to the end, by rising offset: u32 offset from the address of the code | varint kind + 8 * value
 *       PLACE_CALL       offset: return address. value: position of the call; 0: not known
 *       PLACE_BRANCH     offset: of a branch, return or trap that ends a stretch of code. value: position or
 * 0 PLACE_ACCESS     offset: of another instruction. value: its position, 0: not known PLACE_INCREMENT
 * offset: behind an instruction that counts. value: index of the key | then varint number of the counter in
 * the function's array (header words not included) | varint by how much PLACE_GOTO       offset: end of a
 * stretch that goes on elsewhere. value: 0 | u32 offset of where PLACE_FALL       offset: where a block of
 * machine code begins that is reached from above, too
 *
 * A position without `outer` is of the machine function itself; following `outer` leads from the innermost
 * inlined activation outwards.
 */
#ifndef COTREE_FORMAT_PLACES_H
#define COTREE_FORMAT_PLACES_H

#define PLACES_MAGIC 0x31505443u /* "CTP1" */
#define PLACES_SECTION ".cotree.places"

enum place_kind {
    PLACE_CALL = 0,
    PLACE_BRANCH = 1,
    PLACE_ACCESS = 2,
    PLACE_INCREMENT = 3,
    PLACE_GOTO = 4,
    PLACE_FALL = 5,
};

#endif
