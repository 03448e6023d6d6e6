/*
 * Functions of a crash table as bytes, which travel in bitcode with the positions of the function
 * (place/link_time.h), so that a linker that compiles knows what markers of slots mean.
 *
 *   varint enum slots_state; if it is tracked
 *   varint numbers of the rings of its loops
 *   varint number of blocks
 *   varint number of edges; for each: varints from, to, enum edge_kind, enum crash_op, value of the mark
 *
 * Invariant: bytes that are damaged make no function.
 */
#ifndef COTREE_INSTRUMENT_CRASH_CARRIED_H
#define COTREE_INSTRUMENT_CRASH_CARRIED_H

#include "instrument/crash/table.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The bytes of the function with this key, none if the table does not have it; free them. */
uint8_t *crash_carry(const struct crash_table *t, uint64_t key, size_t *length);
/* Adds a function that was carried, unless the table has it. */
void crash_take(struct crash_table *t, uint64_t key, const uint8_t *bytes, size_t length);

#ifdef __cplusplus
}
#endif

#endif
