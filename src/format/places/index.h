/*
 * The one reader of places (format/places/places.h): finds, by binary search, the position that an
 * address of a program's code stands for.
 *
 *     struct place_index index = {0};
 *     bool whole = place_index_add_positions(&index, positions, positions_length, &error) &&
 *                  place_index_add(&index, places, places_length, &error);
 *     place_index_sort(&index);
 *     const struct place_code *code = place_index_find(&index, address);
 *     if (code)
 *         row = place_first_row(code, (uint32_t)(address - code->address));
 *     place_index_release(&index);
 *
 * Invariants of what it hands out, whatever the bytes were
 *  1. The `outer` of a position is an earlier position or 0, so chains end.
 *  2. Indices of keys and positions are in range.
 *  3. The offsets of rows rise.
 *  4. Records do not overlap. Of two that do, the later one is left out, since nothing tells which
 *     is right.
 */
#ifndef COTREE_FORMAT_PLACES_INDEX_H
#define COTREE_FORMAT_PLACES_INDEX_H

#include "base/error.h"
#include "base/memory.h"
#include "format/places/places.h"

#include <stdbool.h>
#include <stdint.h>

#define PLACE_NONE 0u /* no position */
#define PLACE_NO_UNIT UINT64_MAX

struct place_position {
    uint32_t outer; /* position of the call it was inlined into, or PLACE_NONE */
    uint32_t key;   /* index into place_code.keys */
    uint32_t block, call, lines;
    uint32_t loop;            /* the loop it stands in, or 0 */
    uint32_t stretch, passed; /* the stretch it stands in, or 0; how many of its counts come before it */
    /* Of a final function: where in its graph, before the counts of its stretch: 1 more than the
     * vertex; 0: not known. */
    uint32_t point;
};

/* One count of a stretch. */
struct place_count {
    uint32_t key, counter;
    uint64_t by;
    bool shared; /* the edge of the stretch stands for it */
};

/* A counter that was moved out of a loop. */
struct place_moved {
    uint32_t key; /* index into place_code.keys */
    uint32_t counter;
    uint64_t most; /* 0: not known */
};

/* The counters that were moved out of a loop: place_code.moved[first .. first + count). */
struct place_loop {
    uint32_t first, count;
};

struct place_row {
    uint32_t offset;
    enum place_kind kind;
    uint32_t value;   /* position, or for PLACE_INCREMENT index of the key */
    uint32_t counter; /* PLACE_INCREMENT */
    uint64_t by;      /* PLACE_INCREMENT; 0: not known */
    bool ended;       /* PLACE_CALL: it was written as PLACE_ENDED_CALL */
    uint32_t stretch; /* PLACE_INCREMENT, PLACE_SHARED: the stretch that it counts for, 0: not known */
    uint32_t target;  /* PLACE_GOTO: an offset */
    uint32_t event;   /* PLACE_EVENT: the bytes, 0: not known */
};

/* The code of one machine function. */
struct place_code {
    uint64_t address;
    uint32_t size;
    uint32_t tag, number; /* of its unit's record of positions, and its number there */
    uint64_t unit;        /* the offset of that record; PLACE_NO_UNIT: it has none */
    uint32_t key_count, loop_count, moved_count, stretch_count, position_count, row_count;
    uint64_t *keys;
    uint64_t final;           /* the key of its final record (format/map/final.h), or 0 */
    struct place_loop *loops; /* loop i is loops[i - 1] */
    struct place_moved *moved;
    uint32_t *stretches; /* stretch i is counts[stretches[i - 1] .. stretches[i]) */
    struct place_count *counts;
    uint32_t *edges; /* of a final function: edge of stretch i is edges[i - 1] - 1; 0: none. Else NULL */
    struct place_position *positions; /* position i is positions[i - 1] */
    struct place_row *rows; /* by offset; rows with the same offset in the order in which they were written */
};

/* What a record of `.cotree.positions` says, until it is known where the code is. */
struct place_unit {
    uint64_t offset; /* of its record in the section */
    uint32_t tag;    /* records of places find it by this */
    struct place_code *codes;
    size_t count;
};

struct place_index {
    struct place_code *items; /* by address */
    size_t count, capacity;
    struct ARRAY_OF(struct place_unit) units; /* by offset; none once the index is sorted */
};

void place_code_release(struct place_code *code);
/* Adds the records of a whole section `.cotree.positions`, like place_index_add, and before it. */
bool place_index_add_positions(struct place_index *index, const void *data, size_t length,
                               struct error *error);

/*
 * Adds the records of a whole section. Damaged records are skipped as far as their length can be
 * trusted, and described in error; the result is false if any was damaged. Call place_index_sort
 * when all sections are in.
 */
bool place_index_add(struct place_index *index, const void *data, size_t length, struct error *error);
void place_index_sort(struct place_index *index);
void place_index_release(struct place_index *index);

/* The code that has the address in it, from its first byte on and before its end. NULL: none. */
const struct place_code *place_index_find(const struct place_index *index, uint64_t address);
/* The first row at or after the offset; row_count when there is none. */
uint32_t place_first_row(const struct place_code *code, uint32_t offset);

#endif
