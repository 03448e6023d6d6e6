#include "base/hash.h"
#include "base/memory.h"

#include <stdlib.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t hash_bytes(const void *data, size_t length)
{
    return XXH64(data, length, 0);
}

uint64_t hash_text(const char *s)
{
    return hash_bytes(s, strlen(s));
}

void hash_map_release(struct hash_map *map)
{
    free(map->entries);
    *map = (struct hash_map){0};
}

static struct hash_map_entry *find(const struct hash_map *map, uint64_t key)
{
    /* Keys may be two numbers, one in each half: from bit 32 of the product on, both decide. */
    size_t mask = map->capacity - 1, i = (size_t)((key * 0x9e3779b97f4a7c15u) >> 32) & mask;
    while (map->entries[i].used && map->entries[i].key != key)
        i = (i + 1) & mask;
    return &map->entries[i];
}

uint64_t *hash_map_put(struct hash_map *map, uint64_t key, bool *added)
{
    if (map->count * 4 >= map->capacity * 3) {
        struct hash_map bigger = {.capacity = map->capacity ? map->capacity * 2 : 16, .count = map->count};
        bigger.entries = ZALLOC(struct hash_map_entry, bigger.capacity);
        for (size_t i = 0; i < map->capacity; i++)
            if (map->entries[i].used)
                *find(&bigger, map->entries[i].key) = map->entries[i];
        free(map->entries);
        *map = bigger;
    }
    struct hash_map_entry *entry = find(map, key);
    if (added)
        *added = !entry->used;
    if (!entry->used) {
        *entry = (struct hash_map_entry){.key = key, .used = true};
        map->count++;
    }
    return &entry->value;
}

uint64_t *hash_map_get(const struct hash_map *map, uint64_t key)
{
    if (!map->capacity)
        return NULL;
    struct hash_map_entry *entry = find(map, key);
    return entry->used ? &entry->value : NULL;
}
