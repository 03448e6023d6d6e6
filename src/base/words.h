/* A list of words, as command lines are made of. */
#ifndef COTREE_BASE_WORDS_H
#define COTREE_BASE_WORDS_H

#include <stddef.h>

struct words {
    char **items;
    size_t count, capacity;
};

void words_add(struct words *w, const char *word); /* copies */
void words_add_all(struct words *w, const struct words *others);
void words_release(struct words *w);

#endif
