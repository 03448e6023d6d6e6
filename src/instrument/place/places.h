/*
 * The table of places of one function's machine code (format/places/places.h), built row by row
 * while LLVM prints it. The addresses of rows are not known yet: the printer puts labels there, one
 * a row.
 */
#ifndef COTREE_INSTRUMENT_PLACE_PLACES_H
#define COTREE_INSTRUMENT_PLACE_PLACES_H

#include "format/places/places.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The name of our collector. LLVM prints it when the plugin is missing: "unsupported GC: ...". */
#define PRINTER_COLLECTOR "cotree: link with `cotree cc -flto`"

/* A machine function, rows in rising order. `numbers` are positions (positions.h), innermost
 * first. */
struct places_function;
struct position_table;
/* final: the key of its final record (format/map/final.h), or 0. */
struct places_function *places_begin(const struct position_table *table, uint64_t final);
void places_row(struct places_function *f, enum place_kind kind, const uint32_t *numbers, size_t depth);
uint32_t places_row_count(const struct places_function *f);
/* The keys of the functions that it is made of. */
const uint64_t *places_keys(const struct places_function *f, size_t *count);
/* Where the jump of this row goes on: at a row, or the number of rows for nowhere. */
void places_target(struct places_function *f, uint32_t row, uint32_t target);
/* number: of the increment's own position (position_of_counts), or 0. */
void places_increment(struct places_function *f, uint64_t key, uint64_t counter, uint64_t by,
                      uint32_t number);
/* The counter of the final function is counted. number: as above; two final functions that are the same
 * have one counter, and a stretch each. */
void places_shared(struct places_function *f, uint32_t counter, uint32_t number);
/* event: the bytes that are written; 0: they are no constant. */
void places_event(struct places_function *f, uint32_t event);
/* Is it a number that only increments have (position_of_counts)? */
bool places_is_of_counts(const struct position_table *t, uint32_t number);
/* Is every position of the chain known? */
bool places_known(const struct position_table *t, const uint32_t *numbers, size_t depth);
/* Are both chains the same place, to the line? */
bool places_same(const struct position_table *t, const uint32_t *a, size_t a_depth, const uint32_t *b,
                 size_t b_depth);
/* Which of two places in one stretch or block comes first: below 0, a; above 0, b; 0: neither, or
 * it is not known. */
int places_order(const struct position_table *t, const uint32_t *a, size_t a_depth, const uint32_t *b,
                 size_t b_depth);
/* Does place a come after place b? Either may be inside of a call that was inlined. Above 0: yes;
 * below 0: no; 0: they have no block in common. */
int places_comes_after(const struct position_table *t, const uint32_t *a, size_t a_depth, const uint32_t *b,
                       size_t b_depth);
/* Is it known how many counts of a stretch come before the place? */
bool places_in_stretch(const struct position_table *t, const uint32_t *numbers, size_t depth);
/* Is it a position after all counts of its stretch? */
bool places_stretch_passed(const struct position_table *t, uint32_t number);
/* The kind of row for a call at this position. */
enum place_kind places_call_kind(const struct position_table *t, const uint32_t *numbers, size_t depth);
/* Would rows of both chains say the same, to the line and round? */
bool places_agree(const struct position_table *t, const uint32_t *a, size_t a_depth, const uint32_t *b,
                  size_t b_depth);
/* The record of positions of a unit with these functions; free it. */
uint8_t *places_unit(struct places_function *const *functions, size_t count, size_t *length);
/* The unit record of the final functions with these keys; free it. It goes into this section. */
#define PLACES_FINALS_SECTION ".cotree.map"
uint8_t *places_finals(const struct position_table *t, const uint64_t *keys, size_t count, size_t *length);
/* The tag by which records of places name that record. */
uint32_t places_unit_tag(const uint8_t *record);
void places_release(struct places_function *f);

#ifdef __cplusplus
}
#endif

#endif
