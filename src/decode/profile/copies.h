/*
 * Copies that cotree_dump made. A copy holds the beginning of a run whose file, or a later copy,
 * may be among the inputs, too. Added up, what they have in common would count twice; so of one run
 * (and between two calls of cotree_reset) only the latest is used.
 */
#ifndef COTREE_DECODE_PROFILE_COPIES_H
#define COTREE_DECODE_PROFILE_COPIES_H

#include "base/hash.h"
#include "decode/profile/inputs.h"

struct copies {
    /* The name of a run -> 1 + the place of its latest copy in the list, or ORIGINAL. */
    struct hash_map latest;
};

/* Looks at all inputs once. The latest copy does not depend on their order. */
void copies_find(struct copies *c, const struct input_list *list);
void copies_release(struct copies *c);
/* Is the input at this place of the list, open as fd, a copy that another one makes superfluous? */
bool copies_superseded(const struct copies *c, size_t place, int fd);

#endif
