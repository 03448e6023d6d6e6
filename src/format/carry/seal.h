/*
 * The seal of a unit: what the object was that the compiler wrote. Whoever edits an object, or the
 * assembly it is made of, leaves a seal that does not hold: what is carried is not what is linked then.
 *
 * The compiler writes the record of a unit before it writes the object, and the seal after it, in
 * place: until then the seal names its unit, and holds for nothing.
 *
 *     "cotreeSL" | u64 hash of the object without these two numbers, or 0 | u64 its names, or the unit
 *
 * The names are a sum over the symbols that are defined in no other object, so those of objects that
 * `ld -r` put together add up.
 */
#ifndef COTREE_FORMAT_CARRY_SEAL_H
#define COTREE_FORMAT_CARRY_SEAL_H

#include "base/buffer.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { CARRY_SEAL_LENGTH = 24 };

void carry_seal_add(struct buffer *out, uint64_t unit);
/* Is a seal here? */
bool carry_seal_is(const uint8_t *bytes, size_t length);
/* Where the unit's seal is that was not set yet, and what it is to be; false if the object has none. */
bool carry_seal_make(const uint8_t *object, size_t length, uint64_t unit, size_t *at,
                     uint8_t seal[CARRY_SEAL_LENGTH]);
/* Do these seals, which lie in the object, hold? */
bool carry_seals_hold(const uint8_t *object, size_t length, const uint8_t *const *seals, size_t count);

#ifdef __cplusplus
}
#endif

#endif
