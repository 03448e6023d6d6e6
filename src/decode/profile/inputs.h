/* The files that the names given by a user stand for: directories are searched, at any depth, for
 * *.cotree. */
#ifndef COTREE_DECODE_PROFILE_INPUTS_H
#define COTREE_DECODE_PROFILE_INPUTS_H

#include "base/memory.h"

#include <stdbool.h>
#include <sys/stat.h>

struct input {
    char *path;
    bool named; /* by the user; otherwise it was found in a directory */
};
struct input_list ARRAY_OF(struct input);

/* Calls problem for directories that cannot be read. */
void inputs_find(struct input_list *list, const char *const *names, size_t count,
                 void (*problem)(void *context, const char *path, const char *reason), void *context);
void inputs_release(struct input_list *list);

struct hash_map;
/* One file counts once, however often and by whatever links it is named: is it in `seen`? It is now. */
bool input_seen_before(struct hash_map *seen, const struct stat *file);
/* Drops names of files that an earlier name leads to; returns how many are left. */
size_t inputs_once(char **names, size_t count);

#endif
