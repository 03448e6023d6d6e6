/*
 * Unit records: what the section `.cotree.map` is made of. Each unit (object file) adds records of
 * two kinds to it, one after the other: the records of its functions (format/map/map.h), and those
 * of its final functions (format/map/final.h). Linkers concatenate them; zero bytes between unit
 * records are padding.
 *
 *   unit record   u32 magic, by which the kinds are told apart | u32 length of all that follows |
 *                 u32 version | u32 length of the payload | u64 hash of what follows | the payload,
 *                 packed (format/packed.h)
 *   payload       records, each: varint length, bytes
 */
#ifndef COTREE_FORMAT_MAP_UNITS_H
#define COTREE_FORMAT_MAP_UNITS_H

#include "base/buffer.h"
#include "base/error.h"

#define MAP_MAGIC 0x314d5443u       /* "CTM1" */
#define MAP_MAGIC_FINAL 0x31465443u /* "CTF1" */

/* Appends a record to a payload. */
void unit_add_record(struct buffer *payload, const struct buffer *record);
/* Wraps a payload into a unit record. */
void unit_write(struct buffer *out, uint32_t magic, uint32_t version, const struct buffer *payload);

/* The units that a reader wants, and where their records go. */
struct unit_kind {
    uint32_t magic;
    uint32_t oldest, newest; /* versions that are read */
    uint32_t not_packed;     /* payloads of this version and older ones are not packed */
    /* Takes one record. False, with an error: it is damaged. */
    bool (*take)(void *context, const uint8_t *record, size_t length, struct error *error);
    void *context;
};
/*
 * Reads the units of one kind in a whole section; those of the other kind are skipped. Damaged
 * units are skipped as far as their length can be trusted, and described in error; the result is
 * false if any was damaged.
 */
bool units_read(const struct unit_kind *kind, const void *data, size_t length, struct error *error);

#endif
