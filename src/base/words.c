#include "base/words.h"
#include "base/memory.h"

void words_add(struct words *w, const char *word)
{
    ARRAY_PUSH(w, memory_string(word));
}

void words_add_all(struct words *w, const struct words *others)
{
    for (size_t i = 0; i < others->count; i++)
        words_add(w, others->items[i]);
}

void words_release(struct words *w)
{
    for (size_t i = 0; i < w->count; i++)
        free(w->items[i]);
    ARRAY_RELEASE(w);
}
