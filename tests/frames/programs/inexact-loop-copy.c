/*
 * A fault in the one copy that clang makes of a loop of copies: it stands for all rounds, although each of
 * them was a copy of the source, and the profile says so.
 *
 * group: signals
 * output: go
 * signal: 11
 * without: O0
 * bound: 42
 */
#include "frames.h"

static volatile int rounds = 20;
static char from[8000], to[8000], *volatile nowhere;
static inline void copy(char *restrict where, const char *restrict what, size_t size)
{
    memcpy(where, what, size); /* count: 21 */
}
NOINLINE static void all(char *restrict where, const char *restrict what, int n)
{
    for (int i = 0; i < n; i++)
        copy(where + 256 * i, what + 256 * i, 256); /* count: 21 */
}

int main(void)
{
    printf("go\n");
    fflush(stdout);
    from[rounds] = 1;
    all(to, from, rounds);      /* count: 1 */
    all(nowhere, from, rounds); /* count: 1 */
    return 0;                   /* count: 0 */
}
