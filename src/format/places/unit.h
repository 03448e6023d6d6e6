/*
 * Writer and reader of `.cotree.positions` (format/places/places.h): everything about the code of
 * functions but its address, its size and the offsets of its rows, which are 0 here. The target of
 * a jump is the number of a row here, not yet an offset.
 *
 * Invariants of what the reader hands out, whatever the bytes were
 *  1. The `outer` of a position is an earlier position or 0, so chains end.
 *  2. Indices are in range.
 *  3. Targets are rows, or the number of rows.
 */
#ifndef COTREE_FORMAT_PLACES_UNIT_H
#define COTREE_FORMAT_PLACES_UNIT_H

#include "base/buffer.h"
#include "format/places/index.h"

/* Appends the record of a unit. */
void place_unit_write(struct buffer *out, const struct place_code *const *codes, size_t count);
/* Appends a record with this payload. */
void place_unit_seal(struct buffer *out, const struct buffer *packed, size_t unpacked);
enum { PLACE_UNIT_HASH_OFFSET = 8 }; /* in the record; its lower half is the unit's tag */
/* Reads the part of the record after magic and length; false if it is damaged. */
bool place_unit_read(struct place_unit *unit, const uint8_t *data, size_t length);
void place_unit_release(struct place_unit *unit);

/* For writer and reader: what an increment of a stretch (0: of none) most likely counts.
 * seen[stretch] is the number of its increments so far; it becomes one more. */
void place_unit_expect(const struct place_code *code, uint32_t stretch, uint32_t *seen, uint32_t *key,
                       uint32_t *counter);

#endif
