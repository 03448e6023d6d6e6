/*
 * `.cotree.ir`: the units that a program was made of, as clang gave them to the optimiser.
 *
 * Words
 *   unit    one run of the compiler: its bitcode, the words of `clang -cc1` that shape code, and
 *           the compiler's name and version
 *   pack    the bitcode of the units of one record, one after another, packed together (zstd)
 *   record  some units and their pack
 *
 * The section is a list of records. An object has one, of one unit, and its seal
 * (format/carry/seal.h); `ld -r` puts those of several objects together; a linked program has one of
 * all its units, which packs better. The section is not loaded, and in objects linkers drop it
 * (SHF_EXCLUDE): `cotree cc -fcotree-carry` adds that of the program after the link, so the linker
 * makes the same bytes with it and without it.
 *
 *     "cotreeIR" | u32 version | u32 0 | u64 length of the body | u64 hash of the body | the body:
 *     number of units, and for each: string name | string compiler | flags | number of words,
 *     strings | u64 id | length of its bitcode
 *     then: length of the pack | the pack | zeros up to a multiple of eight
 *
 * Invariants
 *  1. The same units give the same bytes.
 *  2. Every length is untrusted. A pack that claims more than PACKED_MOST_TIMES its own length is
 *     refused before any memory is taken for it.
 *  3. The id is the hash of all that the unit is made of: equal ids mean equal units.
 */
#ifndef COTREE_FORMAT_CARRY_UNITS_H
#define COTREE_FORMAT_CARRY_UNITS_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/words.h"

#define CARRY_UNITS_SECTION ".cotree.ir"
#define CARRY_UNITS_MAGIC "cotreeIR"
enum { CARRY_UNITS_VERSION = 1 };

enum carry_unit_flag {
    CARRY_UNIT_LINES = 1, /* locations are there for cotree alone: lines=1 of instrument/options.h */
    CARRY_UNIT_LTO = 2,   /* the object is bitcode for a linker: lto=1 */
};

struct carry_unit {
    uint64_t id; /* set by carry_unit_identify */
    char *name, *compiler;
    uint32_t flags;
    struct words words;
    const uint8_t *bitcode; /* NULL until it is unpacked */
    size_t bitcode_length;
};

/* Units that were read, and what their bitcode lies in. */
struct carry_units {
    struct carry_unit *items;
    size_t count, capacity;
    struct carry_packs {
        struct carry_pack {
            const uint8_t *packed; /* lies in the bytes that were read */
            size_t length, unpacked_length;
            size_t first_unit, unit_count;
            uint8_t *unpacked;
        } *items;
        size_t count, capacity;
    } packs;
    struct carry_seals { /* where they lie (format/carry/seal.h) */
        const uint8_t **items;
        size_t count, capacity;
    } seals;
};

void carry_unit_identify(struct carry_unit *unit);
void carry_unit_release(struct carry_unit *unit);

/* Appends a record of these units. `small` takes more time, for programs. */
void carry_units_write(struct buffer *out, const struct carry_unit *units, size_t count, bool small);
/* Reads all records of a section and adds their units, with the bitcode still packed; the bytes
 * must stay. */
bool carry_units_read(struct carry_units *units, const uint8_t *bytes, size_t length, struct error *error);
/* The same for bytes that hold one record somewhere, as bitcode does. *found says whether there is
 * one. */
bool carry_units_find(struct carry_units *units, const uint8_t *bytes, size_t length, bool *found,
                      struct error *error);
/* Takes the units from this one on away again; they are those of whole records. */
void carry_units_drop(struct carry_units *units, size_t first);
/* Unpacks the bitcode of all units. */
bool carry_units_unpack(struct carry_units *units, struct error *error);
void carry_units_release(struct carry_units *units);

#endif
