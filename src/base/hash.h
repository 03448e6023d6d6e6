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
/* A pointer to the value of the key, which is 0 when the key is new. *added says whether it is;
 * added may be NULL. The pointer is valid until the next put. */
uint64_t *hash_map_put(struct hash_map *map, uint64_t key, bool *added);
/* A pointer to the value of the key, or NULL. */
uint64_t *hash_map_get(const struct hash_map *map, uint64_t key);

#endif
