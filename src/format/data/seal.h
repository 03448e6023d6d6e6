/*
 * Seals of run files: hashes by which a reader knows that a file is as the processes that have
 * ended left it. The runtime writes them (runtime/file/seals.c).
 *
 * Words
 *   seal          a word that is odd: 63 bits of a hash, and a 1. An even word is no seal: 0, or
 *                 the number of a process that was about to seal.
 *   slot's seal   covers the slot's block, where it is, and of which module it is
 *   header's seal covers everything else: the header, modules, frame counts and slots with their
 *                 seals; but not the header's runs_started, which changes when others come, nor its
 *                 end and traces, which change when traces are packed afterwards
 *
 * Invariants
 *  1. A file whose header and slots are sealed is as it was left, but for its traces, which have
 *     hashes of their own, and the number of runs that began, which must be that of all that ended.
 *  2. Every step of the hash is a bijection of the word that it takes in: no change of a single
 *     word goes unnoticed.
 *  3. A page of zeros changes no hash of a block, so readers may step over holes.
 */
#ifndef COTREE_FORMAT_DATA_SEAL_H
#define COTREE_FORMAT_DATA_SEAL_H

#include <stdbool.h>
#include "format/data/layout.h"

#define DATA_PAGE_WORDS (DATA_PAGE / 8)
#define DATA_SEAL_BEGIN UINT64_C(0x2545f4914f6cdd1d)

static inline bool data_is_sealed(uint64_t seal)
{
    return seal & 1;
}

static inline uint64_t data_seal_word(uint64_t hash, uint64_t word)
{
    /* Not by shifts: the compiler would multiply twice. */
    return __builtin_rotateleft64((hash ^ word) * UINT64_C(0x9e3779b97f4a7c15), 31);
}

static inline uint64_t data_seal_words(uint64_t hash, const uint64_t *words, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        hash = data_seal_word(hash, words[i]);
    return hash;
}

/* Four words at a time: the runtime, which is compiled to be small, does this at the end of every
 * process. */
static inline bool data_page_is_zero(const uint64_t *words)
{
    for (unsigned i = 0; i < DATA_PAGE_WORDS; i += 4)
        if ((words[i] | words[i + 1] | words[i + 2] | words[i + 3]) != 0)
            return false;
    return true;
}

/* A page of a block, in four lanes. A page of zeros changes nothing (invariant 3). */
static inline uint64_t data_seal_page(uint64_t hash, uint64_t number, const uint64_t *words)
{
    uint64_t lanes[4] = {1, 2, 3, 4};
    if (data_page_is_zero(words))
        return hash;
    for (unsigned i = 0; i < DATA_PAGE_WORDS; i += 4) {
        lanes[0] = data_seal_word(lanes[0], words[i]);
        lanes[1] = data_seal_word(lanes[1], words[i + 1]);
        lanes[2] = data_seal_word(lanes[2], words[i + 2]);
        lanes[3] = data_seal_word(lanes[3], words[i + 3]);
    }
    return data_seal_words(data_seal_word(hash, number), lanes, 4);
}

/* `hash` is that of the pages of the block. */
static inline uint64_t data_seal_of_slot(const struct data_slot *slot, uint64_t hash)
{
    hash = data_seal_word(data_seal_word(hash, slot->offset), slot->length);
    return data_seal_word(hash, slot->module) | 1;
}

/* The first page: header and first module. The caller has checked header_size. */
static inline uint64_t data_seal_first(uint64_t hash, const uint64_t *page, uint64_t header_size)
{
    for (uint64_t i = 0; i < header_size / 8; i++)
        if (i != __builtin_offsetof(struct data_header, end) / 8 &&
            i != __builtin_offsetof(struct data_header, runs_started) / 8 &&
            i != __builtin_offsetof(struct data_header, traces) / 8 &&
            i != __builtin_offsetof(struct data_header, seal) / 8)
            hash = data_seal_word(hash, page[i]);
    return data_seal_words(hash, page + DATA_MODULE_OFFSET / 8, sizeof(struct data_module) / 8);
}

/* Pages of a file, with their numbers in the file. */
static inline uint64_t data_seal_pages(uint64_t hash, const void *pages, uint64_t offset, uint64_t length)
{
    const uint64_t *words = (const uint64_t *)pages;
    for (uint64_t at = 0; at + DATA_PAGE <= length; at += DATA_PAGE)
        hash = data_seal_page(hash, (offset + at) / DATA_PAGE, words + at / 8);
    return hash;
}

static inline uint64_t data_seal_modules(uint64_t hash, const struct data_module_page *page)
{
    return data_seal_words(hash, (const uint64_t *)(const void *)page, DATA_PAGE_WORDS);
}

static inline uint64_t data_seal_frame_counts(uint64_t hash, const struct data_frame_count_page *page)
{
    hash = data_seal_word(hash, page->next);
    for (uint64_t i = 0; i < DATA_FRAME_COUNTS_A_PAGE; i++)
        if ((page->counts[i].kind_and_address | page->counts[i].count) != 0)
            hash = data_seal_word(data_seal_word(data_seal_word(hash, i), page->counts[i].kind_and_address),
                                  page->counts[i].count);
    return hash;
}

static inline uint64_t data_seal_table(uint64_t hash, const struct data_table *table)
{
    hash = data_seal_word(hash, table->next);
    for (uint64_t i = 0; i < sizeof table->slots / sizeof *table->slots; i++)
        if ((table->slots[i].owner | table->slots[i].offset) != 0)
            hash = data_seal_words(data_seal_word(hash, i), (const uint64_t *)(const void *)&table->slots[i],
                                   sizeof *table->slots / 8);
    return hash;
}

#endif
