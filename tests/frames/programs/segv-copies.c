/*
 * Invalid accesses inside memcpy, memmove and memset of sizes that are not known, in loops that are unrolled
 * whole: every round is a call, and the counts before it are made.
 *
 * group: signals
 * output: go
 * status: 0
 */
#include "frames.h"

#include <setjmp.h>
#include <signal.h>

static sigjmp_buf back;
static volatile int total;
static volatile size_t size = 5000;
static char from[8000], to[8000], *volatile nowhere;
static void caught(int number)
{
    (void)number;
    siglongjmp(back, 1); /* count: 3 */
}
static inline void clear(char *where, size_t i)
{
    if (i % 2)
        total++;                /* count: 1 */
    memset(where, 1, size + i); /* count: 3 */
    total += 0;                 /* count: 2 */
}
NOINLINE static void copy_all(int n)
{
    for (int i = 0; i < 6; i++) {
        if (i % n)
            total++;                                   /* count: 3 */
        memcpy(i == 5 ? nowhere : to, from, size + i); /* count: 6 */
        total += 0;                                    /* count: 5 */
    }
    total = 0; /* count: 0 */
}
NOINLINE static void move_all(int n)
{
    for (int i = 0; i < 6; i++) {
        if (i % n)
            total++;                                         /* count: 2 */
        memmove(i == 3 ? nowhere : to, to + 1000, size + i); /* count: 4 */
        total += 0;                                          /* count: 3 */
    }
    total = 0; /* count: 0 */
}
NOINLINE static void clear_all(void)
{
    for (size_t i = 0; i < 6; i++) {
        clear(i == 2 ? nowhere : to, i); /* count: 3 */
        total += 0;                      /* count: 2 */
    }
    total = 0; /* count: 0 */
}

int main(void)
{
    signal(SIGSEGV, caught);
    from[total] = 1; /* clang would clear instead of copying zeros */
    printf("go\n");
    if (!sigsetjmp(back, 1))
        copy_all(2); /* count: 1 */
    if (!sigsetjmp(back, 1))
        move_all(2); /* count: 1 */
    if (!sigsetjmp(back, 1))
        clear_all(); /* count: 1 */
    return 0;        /* count: 1 */
}
