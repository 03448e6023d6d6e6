/*
 * Records are untrusted: a callee may be missing, not derived, or call its caller. Functions on
 * such a cycle are never relied on (derived.entries_unknown); the compiler makes none.
 */
#include "decode/profile/derived.h"
#include "decode/profile/decoder.h"
#include "decode/model/error_bounds.h"

static void add_sites(struct decode_module *m, struct decode_function *f)
{
    const struct map_function *map = &f->map;
    struct decode_function **callee_of;
    f->derived.site_count = 0;
    if (!map->derived_count || f->set == SET_NONE)
        return;
    callee_of = ZALLOC(struct decode_function *, map->callee_count);
    for (uint32_t i = 0; i < map->derived_count; i++) {
        struct decode_function *callee = decode_module_find(m, map->derived[i].key);
        if (callee && callee->map.flags & MAP_FUNCTION_DERIVED)
            callee_of[map->derived[i].callee] = callee;
    }
    for (int fill = 0; fill < 2; fill++) { /* counts the calls, then lists them */
        f->derived.site_count = 0;
        for (uint32_t b = 0; b < graph_exit(&map->graph); b++)
            for (uint32_t i = 0; i < map->blocks[b].call_count; i++) {
                uint32_t callee = map->blocks[b].calls[i].callee;
                if (callee == MAP_CALLEE_UNKNOWN || !callee_of[callee])
                    continue;
                if (fill)
                    f->derived.sites[f->derived.site_count] =
                        (struct derived_site){.callee = callee_of[callee], .block = b, .call = i + 1};
                f->derived.site_count++;
            }
        if (!fill)
            RESIZE(f->derived.sites, (size_t)f->derived.site_count + 1);
    }
    free(callee_of);
}

void derived_link(struct decode_module *m)
{
    size_t count = m->functions.count, known = 0;
    if (m->linked == count)
        return;
    m->linked = count;
    RESIZE(m->order, count + 1);
    for (size_t i = 0; i < count; i++)
        m->functions.items[i]->derived.callers = 0;
    for (size_t i = 0; i < count; i++) {
        struct decode_function *f = m->functions.items[i];
        add_sites(m, f);
        for (uint32_t k = 0; k < f->derived.site_count; k++)
            f->derived.sites[k].callee->derived.callers++;
    }
    for (size_t i = 0; i < count; i++)
        if (!m->functions.items[i]->derived.callers)
            m->order[known++] = m->functions.items[i];
    for (size_t i = 0; i < known; i++)
        for (uint32_t k = 0; k < m->order[i]->derived.site_count; k++)
            if (!--m->order[i]->derived.sites[k].callee->derived.callers)
                m->order[known++] = m->order[i]->derived.sites[k].callee;
    for (size_t i = 0; i < count; i++) {
        struct decode_function *f = m->functions.items[i];
        f->derived.entries_unknown = f->derived.callers > 0;
        if (f->derived.entries_unknown)
            m->order[known++] = f;
    }
}

uint64_t derived_calls_made(uint32_t block, uint32_t call, const int64_t *block_counts,
                            const struct profile_frames *frames)
{
    uint64_t count = (uint64_t)block_counts[block];
    for (size_t i = 0; i < frames->count; i++)
        if (frames->items[i].block == block && frames->items[i].call < call)
            count += (uint64_t)frames->items[i].resumes - (uint64_t)frames->items[i].cuts;
    return count;
}

void derived_hand_on(const struct decode_function *f, const int64_t *block_counts,
                     const struct profile_frames *frames, enum derived_sum sum)
{
    for (uint32_t i = 0; i < f->derived.site_count; i++) {
        struct decode_function *callee = f->derived.sites[i].callee;
        int64_t *entries = sum == DERIVED_FILE ? &callee->file.entries : &callee->total.entries;
        *entries = (int64_t)((uint64_t)*entries + derived_calls_made(f->derived.sites[i].block,
                                                                     f->derived.sites[i].call, block_counts,
                                                                     frames));
    }
}

int64_t derived_error(int64_t error)
{
    return error_plus(error, error);
}
