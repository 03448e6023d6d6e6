/*
 * Which functions of a program can be turned off (-fcotree-crash=tunable), and which are.
 *
 * The section `.cotree.tune` is not loaded. It has a record for each function that has a plain body, too;
 * linkers concatenate them, zero bytes between them are padding. Integers are little endian.
 *
 *   u32 TUNABLE_MAGIC
 *   u32 length of all that follows: 40
 *   u64 key of the function's map record
 *   u64 address of the function
 *   u64 address of its plain body
 *   u32 bytes of code at the first address, at least
 *   u32 1: it is off
 *   u8 * 5: if it is off, its first bytes, which a jump to the plain body overwrites; else 0
 *   u8 * 3: if it is off, the lower bytes of a hash of all from the key to these bytes; else 0
 *
 * The section SCHEME_SECTION is loaded. Its first u64 says how the program was tuned: 0 if all functions are
 * on, else a hash of the addresses of those that are off.
 *
 * Invariant: readers accept any bytes. Saved bytes have the right hash; addresses are as the file has them.
 */
#ifndef COTREE_FORMAT_SLOTS_TUNABLE_H
#define COTREE_FORMAT_SLOTS_TUNABLE_H

#include "base/error.h"
#include "base/memory.h"

#include <stdint.h>

#define TUNABLE_MAGIC 0x31555443u /* "CTU1" */
#define TUNABLE_SECTION ".cotree.tune"
#define SCHEME_SECTION "cotree_scheme"

enum { TUNABLE_BYTES = 40, TUNABLE_SAVED = 5 };

struct tunable {
    uint64_t key, entry, plain;
    uint32_t size;
    bool off;
    uint8_t saved[TUNABLE_SAVED];
    uint64_t offset; /* of its record in the section, after magic and length */
};

struct tunables ARRAY_OF(struct tunable);

/* Adds all records of a section. False if one is damaged. */
bool tunables_read(struct tunables *to, const void *data, size_t length, struct error *error);
/* Writes a record, after magic and length. */
void tunable_write(const struct tunable *t, uint8_t bytes[TUNABLE_BYTES]);
/* What the first word of the scheme has to be. */
uint64_t tunables_scheme(const struct tunables *t);

#endif
