/*
 * The table of slots: where in the frames of a program the numbers are that tell how control came to
 * a call (crash histories, plan/crash/numbering.h), and at which calls they tell it.
 *
 * Words
 *   slot    a small number in the frame of a machine function
 *   ring    u64 number of completed rounds of a loop since control entered it, then the numbers
 *           (plan/crash/rounds.h) of the last of them: round n is at n modulo their number. It takes
 *           the place of a slot
 *   mark    what one edge of a function's graph does to the slot of its region
 *   claim   a statement about a row of the table of places: there, the slot of this region of this
 *           activation is at this place, and holds what its marks say
 *   set     the claims about one row. A row that has none tells nothing; a region with several
 *           classes that is not mentioned in the set of its row is not known there
 *
 * The section `.cotree.slots` is not loaded. It has a record for each record of
 * `.cotree.positions` (format/places/places.h); linkers concatenate them, zero bytes between them
 * are padding. Integers are little endian, varints as in format/map/map.h.
 *
 *   u32 SLOTS_MAGIC
 *   u32 length of all that follows
 *   u32 offset of the unit's record in `.cotree.positions`
 *   u32 its tag
 *   u64 hash of all that follows, and of the tag before it
 *   u32 length of the payload
 *   the payload, packed (format/packed.h):
 *     varint number of functions that the code is made of; for each
 *       u64 key of its map record
 *       varint enum slots_state
 *       varint number of marks, 0 if it is not tracked; for each, by edge
 *         varint edge, less 1 more than that of the mark before
 *         varint 2 * value, and 1 more if it is added (else set)
 *     varint number of machine functions, which are those of the unit, in its order; for each
 *       varint number of slots; for each
 *         varint enum slots_base, signed varint offset from there, varint its bytes (1 or 4; of a ring: of
 *         each of its numbers), varint how many numbers a ring has (a power of two), 0: it is none
 *       varint number of sets; for each
 *         varint number of claims; for each
 *           varint depth: 0 is the activation whose code it is, 1 the one that it was inlined into
 *           varint 2 * region, and 1 more if it is about the rounds of the region that are completed
 *           varint 1 more than the slot, or ring; 0: the slot does not tell the way there
 *       varint number of rows with a set; for each, by row
 *         varint row, less 1 more than the row before
 *         varint set
 *
 * Invariant: readers accept any bytes. In what the reader hands out slots and sets are in range, those of
 * claims about rounds are rings and no others are, edges and rows rise, and bytes are 1 or 4. Edges, regions
 * and rows are as the file has them.
 */
#ifndef COTREE_FORMAT_SLOTS_SLOTS_H
#define COTREE_FORMAT_SLOTS_SLOTS_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"

#define SLOTS_MAGIC 0x32535443u /* "CTS2" */
#define SLOTS_SECTION ".cotree.slots"
/* Where coverage bytes are (instrument/crash/coverage.h). */
#define COVERAGE_SECTION "cotree_ran"
#define SLOTS_NONE UINT32_MAX
/* A ring may have so many numbers. */
#define RING_MOST 65536u

/* Is the way through the function told? Written into tables: numbers are never used again. */
enum slots_state {
    SLOTS_TRACKED = 0,
    SLOTS_RETURNS_TWICE = 1, /* it calls setjmp or its like */
    SLOTS_TRACED = 2,        /* it records its trace, which tells more */
    SLOTS_FOR_LINKER = 3,    /* another tool than clang and the linker compiles it */
    SLOTS_SANITIZED = 4,     /* a sanitizer moves its variables */
    SLOTS_NOWHERE = 5,       /* its code has no positions */
    SLOTS_LEFT_OUT = 6,      /* the map says why */
    SLOTS_STATES,
};

/* From where a slot is found. */
enum slots_base {
    SLOTS_LOST = 0, /* the compiler has no place for it */
    SLOTS_CFA = 1,  /* the stack pointer before the frame's return address was pushed */
    SLOTS_RBP = 2,
    SLOTS_RBX = 3,
    SLOTS_RSP = 4,
    SLOTS_BASES,
};

struct slots_mark {
    uint32_t edge, value;
    bool adds;
};

struct slots_function {
    uint64_t key;
    enum slots_state state;
    struct slots_marks ARRAY_OF(struct slots_mark) marks;
};

struct slots_place {
    enum slots_base base;
    int64_t offset;
    uint32_t bytes;
    uint32_t ring; /* how many numbers it has; 0: it is a slot */
};

struct slots_claim {
    uint32_t depth, region;
    uint32_t rounds; /* 1: it is about completed rounds */
    uint32_t slot;   /* or SLOTS_NONE */
};
struct slots_set ARRAY_OF(struct slots_claim);

struct slots_row {
    uint32_t row, set;
};

/* One machine function. */
struct slots_code {
    struct slots_places ARRAY_OF(struct slots_place) places; /* by slot */
    struct slots_sets ARRAY_OF(struct slots_set) sets;
    struct slots_rows ARRAY_OF(struct slots_row) rows;
};
void slots_code_release(struct slots_code *code);

struct slots_unit {
    uint32_t offset, tag; /* of the unit's record of positions */
    struct slots_functions ARRAY_OF(struct slots_function) functions;
    struct slots_codes ARRAY_OF(struct slots_code) codes;
};
void slots_unit_release(struct slots_unit *unit);

/* Appends what stands after the tag in a record: hash, length and payload. What comes before it only
 * the assembler can write. */
void slots_unit_write(struct buffer *out, const struct slots_unit *unit);

struct slots_index {
    struct slots_units ARRAY_OF(struct slots_unit) units; /* by offset */
};
/* Adds the records of a whole section, once. Damaged records are skipped as far as their length can be
 * trusted, and described in error; the result is false if any was damaged. */
bool slots_index_read(struct slots_index *index, const void *data, size_t length, struct error *error);
void slots_index_release(struct slots_index *index);
/* The unit whose record of positions is at this offset; NULL: there is none. */
const struct slots_unit *slots_index_find(const struct slots_index *index, uint64_t offset);
/* The function with this key; NULL: the unit does not have it. */
const struct slots_function *slots_unit_function(const struct slots_unit *unit, uint64_t key);
/* The claims about a row; NULL: there are none. */
const struct slots_set *slots_code_set(const struct slots_code *code, uint32_t row);

#endif
