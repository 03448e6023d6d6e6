#include "decode/profile/unite_ways.h"

#include "base/memory.h"
#include "decode/paths/cut_paths.h"

#include <stdlib.h>

struct said {
    const struct profile_way *way;
    bool ours;
};

/* Compares two ways; the same way is equal whatever lines of its last block had begun. */
static int by_way(const struct profile_way *a, const struct profile_way *b)
{
    for (uint32_t i = 0; i < a->block_count && i < b->block_count; i++)
        if (a->blocks[i] != b->blocks[i])
            return a->blocks[i] < b->blocks[i] ? -1 : 1;
    if (a->block_count != b->block_count)
        return a->block_count < b->block_count ? -1 : 1;
    return (int)a->from_entry - (int)b->from_entry;
}

static int by_way_and_side(const void *left, const void *right)
{
    const struct said *a = left, *b = right;
    int order = by_way(a->way, b->way);
    return order ? order : (int)b->ours - (int)a->ours;
}

static uint32_t last_of(const struct profile_way *way)
{
    return way->blocks[way->block_count - 1];
}

/* The numbers come from files, and may be any. */
static void add(int64_t *count, int64_t more)
{
    *count = (int64_t)((uint64_t)*count + (uint64_t)more);
}

/* Counts how many executions were left in each block. */
static void count_left(const struct profile_ways *ways, int64_t *left)
{
    for (size_t i = 0; i < ways->count; i++)
        add(&left[last_of(&ways->items[i])], ways->items[i].count);
}

static size_t take_known(struct said *said, const struct profile_ways *ways, bool ours)
{
    size_t count = 0;
    for (size_t i = 0; i < ways->count; i++)
        if (!ways->items[i].unknown)
            said[count++] = (struct said){&ways->items[i], ours};
    return count;
}

/* Unites two lists of the same executions; false, with `ours` as it was, when they are not of the
 * same. */
static bool unite(struct profile_ways *ours, const struct profile_ways *theirs, size_t vertices)
{
    struct profile_ways united = {0};
    int64_t *left = ZALLOC(int64_t, vertices), *others = ZALLOC(int64_t, vertices);
    struct said *said = ALLOC(struct said, ours->count + theirs->count + 1);
    count_left(ours, left);
    count_left(theirs, others);
    bool good = !memcmp(left, others, vertices * sizeof *left);
    size_t count = take_known(said, ours, true);
    count += take_known(said + count, theirs, false);
    if (count)
        qsort(said, count, sizeof *said, by_way_and_side);
    for (size_t i = 0, end; good && i < count; i = end) {
        int64_t sums[2] = {0};
        for (end = i; end < count && !by_way(said[end].way, said[i].way); end++)
            add(&sums[said[end].ours], said[end].way->count);
        bool take_ours = sums[true] >= sums[false];
        for (size_t k = i; k < end; k++)
            if (said[k].ours == take_ours)
                profile_ways_add(&united, said[k].way);
        add(&left[last_of(said[i].way)], (int64_t)-(uint64_t)sums[take_ours]);
    }
    for (uint32_t v = 0; good && v < vertices; v++) {
        good = left[v] >= 0;
        if (left[v] > 0)
            profile_ways_add(&united, &(struct profile_way){
                                          .blocks = &v, .block_count = 1, .unknown = true, .count = left[v]});
    }
    profile_ways_release(good ? ours : &united);
    if (good)
        *ours = united;
    free(left);
    free(others);
    free(said);
    return good;
}

/* Counts that were taken back (decode/paths/early_ends.h) are no longer what frames make of
 * them. */
static bool has_early_ends(const struct profile_function *f)
{
    for (size_t i = 0; i < f->frames.count; i++)
        if (f->frames.items[i].cuts && paths_ended_early(&f->map, &f->frames.items[i]))
            return true;
    return false;
}

static bool has_unknown(const struct profile_ways *ways)
{
    for (size_t i = 0; i < ways->count; i++)
        if (ways->items[i].unknown)
            return true;
    return false;
}

void unite_ways(struct profile_function *to, const struct profile_ways *from)
{
    size_t vertices = to->map.graph.vertex_count;
    struct paths paths;
    if (unite(&to->ways, from, vertices) && has_unknown(&to->ways) && to->path_counts &&
        !has_early_ends(to) && !map_path_plan(&to->map)->choice && paths_init(&paths, &to->map)) {
        struct profile_ways found = {0};
        cut_paths_find(&found, &paths, to);
        unite(&to->ways, &found, vertices);
        profile_ways_release(&found);
        paths_release(&paths);
    }
    profile_ways_sort(&to->ways);
}
