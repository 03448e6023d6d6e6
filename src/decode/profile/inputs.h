/* The files that the names given by a user stand for: directories are searched, at any depth, for
 * *.cotree. */
#ifndef COTREE_DECODE_PROFILE_INPUTS_H
#define COTREE_DECODE_PROFILE_INPUTS_H

#include "base/memory.h"

#include <stdbool.h>

struct input {
    char *path;
    bool named; /* by the user; otherwise it was found in a directory */
};
struct input_list ARRAY_OF(struct input);

/* Calls problem for directories that cannot be read. */
void inputs_find(struct input_list *list, const char *const *names, size_t count,
                 void (*problem)(void *context, const char *path, const char *reason), void *context);
void inputs_release(struct input_list *list);

#endif
