/* Path counts of two profiles, subtracted. Ids mean the same where graphs and the edges that end
 * paths do. */
#include "report/diff.h"
#include "report/path_list.h"

static bool same_paths(const struct map_function *a, const struct map_function *b)
{
    const struct plan *x = map_path_plan(a), *y = map_path_plan(b);
    if (!x || !y || x->path_count != y->path_count || x->probe_count != y->probe_count)
        return false;
    for (uint32_t i = 0; i < x->probe_count; i++)
        if (x->probes[i].id != y->probes[i].id)
            return false;
    return true;
}

static bool same_way(const struct profile_way *a, const struct profile_way *b)
{
    return a->lines == b->lines && a->from_entry == b->from_entry && a->block_count == b->block_count &&
           !memcmp(a->blocks, b->blocks, a->block_count * sizeof *a->blocks);
}

static bool is_unknown(const struct cut_paths *cut, const struct profile_way *path)
{
    for (size_t i = 0; i < cut->unknown.count; i++)
        if (cut->unknown.items[i].block == path->blocks[path->block_count - 1])
            return true;
    return false;
}

/* Adds the unfinished paths of one side that differ. Paths that both sides have are added with the
 * new side's. */
static void add_cut(struct diff *d, uint32_t index, const struct cut_paths *own,
                    const struct cut_paths *other, bool own_is_new)
{
    for (size_t i = 0; i < own->ways.count; i++) {
        const struct profile_way *path = &own->ways.items[i];
        int64_t others = 0;
        for (size_t k = 0; k < other->ways.count; k++)
            if (same_way(path, &other->ways.items[k]))
                others = other->ways.items[k].count;
        if (others == path->count || (others && !own_is_new) || is_unknown(own, path) ||
            is_unknown(other, path))
            continue;
        ARRAY_PUSH(&d->paths, ((struct diff_path){.function = index,
                                                  .blocks = path->block_count,
                                                  .cut = path,
                                                  .old_count = own_is_new ? others : path->count,
                                                  .new_count = own_is_new ? path->count : others}));
    }
}

static void add_function(struct diff *d, uint32_t index)
{
    const struct diff_function *pair = &d->functions.items[index];
    const struct profile_function *a =
        pair->old_index == DIFF_NONE ? NULL : &d->old_report->view.functions.items[pair->old_index];
    const struct profile_function *b =
        pair->new_index == DIFF_NONE ? NULL : &d->new_report->view.functions.items[pair->new_index];
    struct paths old_paths, new_paths;
    if (!(a && a->path_counts) && !(b && b->path_counts))
        return;
    if (pair->match != DIFF_SAME || !a->path_counts || !b->path_counts || !same_paths(&a->map, &b->map)) {
        d->paths_not_compared++;
        return;
    }
    d->paths_compared++;
    if (!paths_init(&old_paths, &a->map))
        return;
    if (paths_init(&new_paths, &b->map)) {
        for (uint64_t id = 0; id < old_paths.numbers.total; id++)
            if (a->path_counts[id] != b->path_counts[id] && paths_watches(&old_paths, id) &&
                paths_watches(&new_paths, id))
                ARRAY_PUSH(&d->paths, ((struct diff_path){.function = index,
                                                          .id = (uint32_t)id,
                                                          .blocks = paths_show(&old_paths, id).block_count,
                                                          .old_count = a->path_counts[id],
                                                          .new_count = b->path_counts[id]}));
        struct cut_paths cut[2];
        cut_paths_init(&cut[0], &old_paths, a);
        cut_paths_init(&cut[1], &new_paths, b);
        add_cut(d, index, &cut[0], &cut[1], false);
        add_cut(d, index, &cut[1], &cut[0], true);
        ARRAY_PUSH(&d->cuts, cut[0]);
        ARRAY_PUSH(&d->cuts, cut[1]);
        paths_release(&new_paths);
    }
    paths_release(&old_paths);
}

static uint64_t distance(const struct diff_path *p)
{
    uint64_t a = (uint64_t)p->old_count, b = (uint64_t)p->new_count;
    return (p->old_count < p->new_count ? b - a : a - b) * p->blocks;
}

static int by_distance(const void *left, const void *right)
{
    const struct diff_path *a = left, *b = right;
    if (distance(a) != distance(b))
        return distance(a) > distance(b) ? -1 : 1;
    if (a->function != b->function)
        return a->function < b->function ? -1 : 1;
    if (!a->cut != !b->cut)
        return a->cut ? 1 : -1;
    if (!a->cut)
        return a->id < b->id ? -1 : a->id > b->id;
    for (uint32_t i = 0; i < a->blocks && i < b->blocks; i++)
        if (a->cut->blocks[i] != b->cut->blocks[i])
            return a->cut->blocks[i] < b->cut->blocks[i] ? -1 : 1;
    if (a->blocks != b->blocks)
        return a->blocks < b->blocks ? -1 : 1;
    return a->cut->lines < b->cut->lines ? -1 : a->cut->lines > b->cut->lines;
}

struct path_shown diff_path_show(const struct diff_path *path, struct paths *p)
{
    return path->cut ? cut_path_show(path->cut) : paths_show(p, path->id);
}

void diff_add_paths(struct diff *d)
{
    for (uint32_t i = 0; i < d->functions.count; i++)
        add_function(d, i);
    if (d->paths.count)
        qsort(d->paths.items, d->paths.count, sizeof *d->paths.items, by_distance);
}
