/* Content hashes (XXH64) and a map from 64-bit keys to 64-bit values. */
#ifndef COTREE_BASE_HASH_H
#define COTREE_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

uint64_t hash_bytes(const void *data, size_t length);
uint64_t hash_text(const char *s);

/* Open addressing; any key is allowed. Zero-initialise. */
struct hash_map {
    struct hash_map_entry {
        uint64_t key, value;
        bool used;
    } *entries;
    size_t count, capacity;
};

void hash_map_release(struct hash_map *map);
/* The value's place, made with value 0 when the key is new (then *added is true; added may be
 * NULL). */
uint64_t *hash_map_put(struct hash_map *map, uint64_t key, bool *added);
/* The value's place, or NULL. */
uint64_t *hash_map_get(const struct hash_map *map, uint64_t key);

#endif
