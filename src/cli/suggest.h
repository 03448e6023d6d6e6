/*
 * Names that may have been meant by a word that is none:
 *
 *     struct suggestion s = {.word = "reprot"};
 *     suggestion_try(&s, "report");        (and all other names)
 *     if (s.name) ...                      "did you mean 'report'?"
 */
#ifndef COTREE_CLI_SUGGEST_H
#define COTREE_CLI_SUGGEST_H

#include <stddef.h>

struct suggestion {
    const char *word;
    const char *name; /* the nearest so far, NULL: none is near */
    size_t distance;
};

/* Keeps the name if it is near the word, and nearer than those before. */
void suggestion_try(struct suggestion *s, const char *name);

#endif
