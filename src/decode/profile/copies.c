#include "decode/profile/copies.h"
#include "format/data/data.h"

#include <unistd.h>

#define ORIGINAL UINT64_MAX

struct name {
    /* The hash of what names the run. */
    uint64_t hash;
    bool is_copy;
    uint32_t number; /* the number of the copy */
};

/* False when it is no run file; such inputs are refused later, with the reason. */
static bool name_of(int fd, struct name *name)
{
    struct data_header h;
    if (!data_header_read(fd, &h) || h.kind != DATA_KIND_RUN)
        return false;
    const uint64_t words[] = {h.pid, h.start_time, h.pid_namespace, h.image, h.started_at, h.resets};
    name->hash = hash_bytes(words, sizeof words);
    name->is_copy = h.flags & DATA_FLAG_DUMPED;
    name->number = h.dumps;
    return true;
}

static bool name_at(const struct input_list *list, size_t place, struct name *name)
{
    uint32_t kind;
    uint64_t size;
    int fd = data_open(list->items[place].path, &kind, &size, NULL);
    if (fd < 0)
        return false;
    bool is_run = name_of(fd, name);
    close(fd);
    return is_run;
}

/* Is the input a later copy than the other? Two with one number are the same copy: the name
 * decides. */
static bool is_later(const struct input_list *list, size_t place, uint32_t number, size_t other)
{
    struct name name;
    if (!name_at(list, other, &name)) /* it was removed meanwhile */
        return true;
    if (name.number != number)
        return number > name.number;
    return strcmp(list->items[place].path, list->items[other].path) < 0;
}

void copies_find(struct copies *c, const struct input_list *list)
{
    *c = (struct copies){0};
    for (size_t i = 0; list->count > 1 && i < list->count; i++) {
        struct name name;
        if (!name_at(list, i, &name))
            continue;
        uint64_t *latest = hash_map_put(&c->latest, name.hash, NULL);
        if (!name.is_copy)
            *latest = ORIGINAL;
        else if (*latest == 0 || (*latest != ORIGINAL && is_later(list, i, name.number, (size_t)*latest - 1)))
            *latest = i + 1;
    }
}

void copies_release(struct copies *c)
{
    hash_map_release(&c->latest);
}

bool copies_superseded(const struct copies *c, size_t place, int fd)
{
    struct name name;
    if (!c->latest.count || !name_of(fd, &name) || !name.is_copy)
        return false;
    const uint64_t *latest = hash_map_get(&c->latest, name.hash);
    return latest && *latest != place + 1;
}
