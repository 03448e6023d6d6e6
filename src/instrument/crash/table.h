/*
 * What the passes of one unit know of its crash histories: the numbering of each function, and the
 * claims (format/slots/slots.h) that were made about calls. The first pass numbers the functions,
 * the last pass makes the claims, the printer of machine code writes both.
 */
#ifndef COTREE_INSTRUMENT_CRASH_TABLE_H
#define COTREE_INSTRUMENT_CRASH_TABLE_H

#include "base/hash.h"
#include "format/slots/slots.h"
#include "plan/crash/rounds.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Metadata on variables of a final function that are slots: their number; of a ring, and how many numbers
 * it has. */
#define CRASH_SLOT_METADATA "cotree.slot"

/* Metadata on functions that can be turned off: their plain body, and their key (tunable.h). */
#define CRASH_PLAIN_METADATA "cotree.plain"

struct crash_function {
    uint64_t key;
    enum slots_state state;
    /* If it is tracked: */
    struct graph graph;
    struct crash_regions regions;
    struct crash_numbering numbering;
    struct crash_rounds rounds;
    uint32_t *most;  /* region -> the most classes that a node of it has */
    uint32_t ring;   /* how many numbers rings of its loops have, a power of two; 0: it has none */
    bool for_faults; /* loads and stores ask, too (-fcotree-crash=faults) */
};

/* What a marker became: a store to a slot. */
struct crash_store {
    uint32_t slot;    /* SLOTS_NONE: there is none */
    enum crash_op op; /* CRASH_UNMARKED: the value is in a register */
    uint32_t value;
};

/* What is claimed about an instruction. */
struct crash_claims {
    struct slots_set set;
    /* It need not be a call, and the code generator may move it: the claims hold between these two
     * stores of its block. */
    bool between;
    struct crash_store before, after;
};

struct crash_table {
    struct ARRAY_OF(struct crash_function *) functions;
    struct hash_map by_key;                      /* index + 1 */
    struct ARRAY_OF(struct crash_claims) claims; /* number i + 1 is what positions call i + 1 */
    struct hash_map by_claims;                   /* their hash -> number */
    bool for_faults;                             /* of some function */
};

void crash_table_release(struct crash_table *t);
/* The function; NULL: its history was not asked for. */
struct crash_function *crash_table_find(const struct crash_table *t, uint64_t key);
/* Adds a function that is not tracked. */
struct crash_function *crash_table_add(struct crash_table *t, uint64_t key, enum slots_state state);
/* Graph, regions and numbering are there: what follows from them. */
void crash_function_finish(struct crash_function *f);
/* Takes the claims; the number by which positions name them. Equal ones have one number. */
uint32_t crash_table_add_claims(struct crash_table *t, struct crash_claims claims);
/* Do the claims hold of an instruction that stands between these stores in a block of machine code? */
bool crash_claims_hold(const struct crash_table *t, uint32_t number, bool is_call,
                       const struct crash_store *before, const struct crash_store *after);

/* The table of slots of one machine function, while it is printed. */
struct crash_code {
    struct slots_code slots;
    struct hash_map sets; /* names that positions have for claims -> sets of the code */
};
void crash_code_release(struct crash_code *code);
/* Where a slot is. Slots below it that have no place yet are lost. */
void crash_code_set_place(struct crash_code *code, uint32_t slot, struct slots_place place);
/* A row has the claims that a position names; 0: none. */
void crash_code_add_row(struct crash_code *code, const struct crash_table *t, uint32_t row, uint32_t name);

/* Adds a machine function to the table of its unit, which takes the code; keys: of the functions that
 * it is made of. */
void crash_unit_add(struct slots_unit *unit, const struct crash_table *t, struct crash_code *code,
                    const uint64_t *keys, size_t key_count);
/* What stands after the tag in the record of the unit, which is released; free it. */
uint8_t *crash_unit_write(struct slots_unit *unit, size_t *length);

#ifdef __cplusplus
}
#endif

#endif
