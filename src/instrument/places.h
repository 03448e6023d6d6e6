/*
 * Records of `.cotree.places` (format/places.h), built row by row while LLVM prints the machine code of a
 * function. Offsets are not known yet: a record is bytes with holes, and a hole names a label (by number)
 * that the printer has put into the code.
 */
#ifndef COTREE_INSTRUMENT_PLACES_H
#define COTREE_INSTRUMENT_PLACES_H

#include "format/places.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* LLVM prints it when the plugin is not there: "unsupported GC: ...". */
#define PRINTER_COLLECTOR "cotree: link with `cotree cc -flto`"

struct places_hole {
    size_t at;      /* in the bytes */
    uint32_t label; /* u32: its distance from label 0, where the code begins */
};

struct places_record {
    uint8_t *bytes;
    size_t length;
    size_t address_at; /* of the u64 that is the address of label 0 */
    struct places_hole *holes;
    size_t hole_count;
};

/* A machine function, rows in rising order. `numbers` are positions (positions.h), innermost first. */
struct places_function;
struct places_function *places_begin(void);
void places_row(struct places_function *f, enum place_kind kind, uint32_t label, const uint32_t *numbers,
                size_t depth);
/* number: of the increment's own position, if that is all it carries, or 0. */
void places_increment(struct places_function *f, uint32_t label, uint64_t key, uint64_t counter, uint64_t by,
                      uint32_t number);
/* Is this the number of a location that only increments have? */
bool places_is_of_counts(uint32_t number);
void places_goto(struct places_function *f, uint32_t label, const uint32_t *numbers, size_t depth,
                 uint32_t target);
/* Is it known to the last link? */
bool places_known(const uint32_t *numbers, size_t depth);
/* Are they the same place, to the line? */
bool places_same(const uint32_t *a, size_t a_depth, const uint32_t *b, size_t b_depth);
/* Is it a position behind all counts of its stretch? */
bool places_stretch_passed(uint32_t number);
/* The kind of row for a call at this position. */
enum place_kind places_call_kind(const uint32_t *numbers, size_t depth);
/* Would two rows say the same, to the block? */
bool places_agree(const uint32_t *a, size_t a_depth, const uint32_t *b, size_t b_depth);
/* The record, whose code ends at the label; false when the function has no rows. Releases f. */
bool places_end(struct places_function *f, uint32_t end, struct places_record *record);
void places_release(struct places_record *record);

#ifdef __cplusplus
}
#endif

#endif
