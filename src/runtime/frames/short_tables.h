/*
 * Frame tables of one row, for the unwinder of C++ (short_tables.c).
 */
#ifndef COTREE_RUNTIME_FRAMES_SHORT_TABLES_H
#define COTREE_RUNTIME_FRAMES_SHORT_TABLES_H

#include <stdbool.h>
#include <stdint.h>

/* struct dl_find_object, as far as it is needed; older headers do not have it. */
struct cotree_found_object {
    uint64_t flags, start, end, link_map;
    const void *frames; /* .eh_frame_hdr */
};

#define COTREE_SHORT_TABLE_BITS 10
extern struct cotree_short_table {
    uint64_t pc; /* what it is for; 0: nothing yet */
    uint64_t state;
    uint64_t start, end, link_map;
    struct { /* an .eh_frame_hdr: see the Linux Standard Base */
        uint8_t version, frames_encoding, count_encoding, table_encoding;
        int32_t frames;
        uint32_t count;
        int32_t function, fde; /* the row */
    } header;
} cotree_short_tables[1 << COTREE_SHORT_TABLE_BITS];

static inline struct cotree_short_table *cotree_short_table_of(uint64_t pc)
{
    return &cotree_short_tables[pc * UINT64_C(0x9e3779b97f4a7c15) >> (64 - COTREE_SHORT_TABLE_BITS)];
}

/* The answer to the question about the object around PC, with a table of one row. False: there is
 * none. */
static inline bool cotree_short_table(uint64_t pc, struct cotree_found_object *answer)
{
    const struct cotree_short_table *table = cotree_short_table_of(pc);
    if (__atomic_load_n(&table->pc, __ATOMIC_ACQUIRE) != pc)
        return false;
    answer->flags = 0;
    answer->start = table->start;
    answer->end = table->end;
    answer->link_map = table->link_map;
    answer->frames = &table->header;
    return true;
}

/* Makes such a table, if possible, from the answer that the loader gave. */
void cotree_short_table_learn(uint64_t pc, const struct cotree_found_object *answer);

#endif
