/*
 * Frame counts: how often frames were left or resumed, counted in the file by kind (DATA_FRAME_...)
 * and address. Safe everywhere: no lock, no memory, no system call unless a page must be added.
 */
#ifndef COTREE_RUNTIME_FILE_FRAME_COUNTS_H
#define COTREE_RUNTIME_FILE_FRAME_COUNTS_H

#include <stdbool.h>
#include <stdint.h>
#include "format/data/layout.h"
#include "runtime/runtime.h"

/* Counts one frame of KIND at PC, if that is code that counts. */
void cotree_frame_count(uint32_t kind, uint64_t pc);
/* Where frames of KIND at PC are counted; NULL: nowhere. *STAYS: the answer holds until frames are
 * forgotten. */
uint64_t *cotree_frame_counter(uint32_t kind, uint64_t pc, bool *stays);
/* Changes when frames are forgotten (cotree_frames_forget). */
extern uint32_t cotree_frames_generation;
/* Is that code that counts? */
bool cotree_code_counts(uint64_t address);

/* Notes in the file that frames were left which cannot be counted. */
void cotree_frames_lost(void);
/* Notes in the file that frames are left which are not counted, from the start of the process
 * on. */
void cotree_only_noted(void);
/* Frames are lost if an object leads past the runtime to a function that leaves frames
 * (loader/loaded.h). */
void cotree_frames_check_objects(void);

/* The code of a module counts from now on; or it has ended, and is perhaps unloaded. Lock held. */
void cotree_code_add(struct cotree_module *module);
void cotree_code_ends(const struct cotree_module *module);
/* The file, the list of code or that of unwinders has changed: nothing that was looked up is true
 * any more. */
void cotree_frames_forget(void);
/* Sets all frame counts of the file to zero. */
void cotree_frame_counts_clear(void);

/* The cache of lookups, by kind and address. An entry may be NULL: there is nothing to count. A
 * reader looks at the key before and after it reads the entry; if the key has changed, the cache
 * does not help. */
#define COTREE_FRAME_COUNT_CACHE_BITS 9
extern struct cotree_frame_count_cache {
    uint64_t key;
    struct data_frame_count *entry;
} cotree_frame_count_cache[1 << COTREE_FRAME_COUNT_CACHE_BITS];

static inline uint64_t cotree_frame_count_key(uint32_t kind, uint64_t pc)
{
    return pc | (uint64_t)kind << 56;
}

static inline unsigned cotree_frame_count_index(uint64_t key)
{
    return (unsigned)(key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - COTREE_FRAME_COUNT_CACHE_BITS));
}

/* Looks in the file for what the cache does not have. */
struct data_frame_count *cotree_frame_count_find(uint32_t kind, uint64_t pc);

/* Where frames of KIND at PC are counted; NULL: that is not code that counts, or there is no
 * room. */
__attribute__((always_inline)) static inline struct data_frame_count *cotree_frame_count_at(uint32_t kind,
                                                                                            uint64_t pc)
{
    uint64_t key = cotree_frame_count_key(kind, pc);
    const struct cotree_frame_count_cache *cached = &cotree_frame_count_cache[cotree_frame_count_index(key)];
    if (__builtin_expect(__atomic_load_n(&cached->key, __ATOMIC_ACQUIRE) == key, 1)) {
        struct data_frame_count *entry = __atomic_load_n(&cached->entry, __ATOMIC_ACQUIRE);
        if (__builtin_expect(__atomic_load_n(&cached->key, __ATOMIC_RELAXED) == key, 1))
            return entry;
    }
    return cotree_frame_count_find(kind, pc);
}

#endif
