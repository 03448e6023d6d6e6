/*
 * Writer and reader of `.cotree.positions` (format/places/places.h): all about the code of functions but its
 * address, its size and the offsets of its rows, which are 0 here; where a jump goes on is the number of a
 * row here, not yet an offset.
 *
 * What the reader promises, whatever the bytes were: every position's `outer` is an earlier position or 0, so
 * chains end; indices are in range; targets are rows, or the number of rows.
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
/* Reads what stands behind the record's magic and length; false if it is damaged. */
bool place_unit_read(struct place_unit *unit, const uint8_t *data, size_t length);
void place_unit_release(struct place_unit *unit);

/* For both: what an increment of a stretch (or of none, 0) most likely counts. seen: for each stretch the
 * number of its increments so far, one more now. */
void place_unit_expect(const struct place_code *code, uint32_t stretch, uint32_t *seen, uint32_t *key,
                       uint32_t *counter);

#endif
