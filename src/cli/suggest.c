#include "cli/suggest.h"

#include <stdint.h>
#include <string.h>

enum {
    NEAR = 2, /* so many changes at most, and one for three letters */
    LONGEST = 40
};

static size_t smallest(size_t a, size_t b, size_t c)
{
    size_t least = a < b ? a : b;
    return least < c ? least : c;
}

/* How many letters must be added, dropped, changed, or swapped with a neighbour to make b of a. */
static size_t distance(const char *a, const char *b)
{
    size_t rows[3][LONGEST + 1], *before = rows[0], *last = rows[1], *now = rows[2];
    size_t from = strlen(a), to = strlen(b);
    if (from > LONGEST || to > LONGEST)
        return SIZE_MAX;
    for (size_t k = 0; k <= to; k++)
        last[k] = k;
    for (size_t i = 1; i <= from; i++) {
        now[0] = i;
        for (size_t k = 1; k <= to; k++) {
            now[k] = smallest(last[k] + 1, now[k - 1] + 1, last[k - 1] + (a[i - 1] != b[k - 1]));
            if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1] && before[k - 2] + 1 < now[k])
                now[k] = before[k - 2] + 1;
        }
        size_t *oldest = before;
        before = last;
        last = now;
        now = oldest;
    }
    return last[to];
}

void suggestion_try(struct suggestion *s, const char *name)
{
    size_t d = distance(s->word, name);
    if (d > NEAR || 3 * d > strlen(s->word) || (s->name && d >= s->distance))
        return;
    s->name = name;
    s->distance = d;
}
