/*
 * The unwinder of C++ asks the loader for the table of frames of the object around each return
 * address, and searches it, twice for every frame that an exception passes. The runtime makes the
 * program's table longer: in a small program the search takes twice as long. So an unwinder that
 * asks again about an address of the program gets a table that has one row, the one that was found,
 * in place of the whole one: what the search finds is the same, and it is found at once.
 *
 * Only for objects that stay, and that are near: rows are distances of 32 bits. A table that was
 * made stays as it is, since an unwinder may be reading it; an address whose place is taken gets
 * none.
 */
#include "runtime/frames/short_tables.h"
#include "runtime/frames/call_frames.h"
#include "runtime/loader/objects.h"

#if !defined(COTREE_RUNTIME_SHARED) && !defined(COTREE_RUNTIME_STATIC)

struct cotree_short_table cotree_short_tables[1 << COTREE_SHORT_TABLE_BITS];

/* Encodings of pointers. */
enum { UNSIGNED_4 = 0x03, FROM_ITSELF_4 = 0x1b, FROM_TABLE_4 = 0x3b };

static bool set_distance(int32_t *to, uint64_t address, const void *from)
{
    int64_t distance = (int64_t)(address - (uint64_t)(uintptr_t)from);
    *to = (int32_t)distance;
    return *to == distance;
}

void cotree_short_table_learn(uint64_t pc, const struct cotree_found_object *answer)
{
    struct cotree_short_table *table = cotree_short_table_of(pc);
    struct object object;
    struct frame_table frames;
    struct frame_entry entry;
    uint64_t untaken = 0;
    int32_t distance;
    if (!set_distance(&distance, pc, table) ||
        !__atomic_compare_exchange_n(&table->state, &untaken, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return;
    if (!cotree_object_at(pc, &object) || !cotree_object_is_permanent(&object) ||
        object.frames != answer->frames || answer->flags != 0)
        return;
    frames.header = object.frames;
    if (!cotree_object_readable(&object, (uint64_t)(uintptr_t)object.frames, &frames.low, &frames.high) ||
        !cotree_frame_find(&frames, pc, &entry) || entry.index == FRAME_NO_INDEX)
        return;
    uint64_t fde = (uint64_t)(uintptr_t)entry.fde;
    table->start = answer->start;
    table->end = answer->end;
    table->link_map = answer->link_map;
    table->header.version = 1;
    table->header.frames_encoding = FROM_ITSELF_4;
    table->header.count_encoding = UNSIGNED_4;
    table->header.table_encoding = FROM_TABLE_4;
    table->header.count = 1;
    if (set_distance(&table->header.frames, fde, &table->header.frames) &&
        set_distance(&table->header.function, entry.function, &table->header) &&
        set_distance(&table->header.fde, fde, &table->header))
        __atomic_store_n(&table->pc, pc, __ATOMIC_RELEASE);
}

#endif
