/*
 * longjmp over frames that look like those of the jump before: the same distance, from the same place, but by
 * other calls, other functions, frames whose sizes are exchanged, or to another setjmp; each so often that it
 * is remembered. Then from and to the same frame, and out of deep recursion.
 *
 * group: jumps
 * output: 2170
 * status: 0
 */
#include "frames.h"
#include <alloca.h>
#include <setjmp.h>

static jmp_buf home;
static volatile int total;
NOINLINE static int leap(void)
{
    total++; /* count: 2160 */
    longjmp(home, 1);
}
NOINLINE static int left(int way)
{
    int result = 0;
    if (way & 2)
        result += leap(); /* count: 51 */
    else
        result += leap();  /* count: 90 */
    return result + total; /* count: 0 */
}
NOINLINE static int right(int way)
{
    int result = 0;
    if (way & 2)
        result += leap(); /* count: 51 */
    else
        result += leap();  /* count: 48 */
    return result - total; /* count: 0 */
}
NOINLINE static int calls(int way)
{
    volatile int result = 0;
    if (_setjmp(home) == 0) {
        if (way & 1)
            result = left(way); /* count: 141 */
        else
            result = right(way); /* count: 99 */
    } else {
        total += 0; /* count: 240 */
    }
    return result; /* count: 240 */
}

NOINLINE static int inner(int size)
{
    volatile char *room = (volatile char *)alloca((unsigned long)size);
    room[size - 1] = 1;
    return leap() + room[0]; /* count: 900 */
}
NOINLINE static int outer(int size, int whole)
{
    volatile char *room = (volatile char *)alloca((unsigned long)size);
    room[size - 1] = 1; /* the rest is what was there: return addresses of the jump before, too */
    if (size > 64)
        return inner(whole - size) + room[0]; /* count: 500 */
    return inner(whole - size) - room[0];     /* count: 400 */
}
NOINLINE static int sizes(int round)
{
    int size = 64 * (1 + round % 3);
    if (_setjmp(home) == 0)
        return outer(size, 256); /* count: 900 */
    return 0;                    /* count: 900 */
}

NOINLINE static int targets(int way)
{
    if (way) {
        if (_setjmp(home) == 0)
            return leap(); /* count: 510 */
        total += 0;        /* count: 510 */
    } else {
        if (_setjmp(home) == 0)
            return leap(); /* count: 490 */
        total += 0;        /* count: 490 */
    }
    return 0; /* count: 1000 */
}

NOINLINE static int itself(void)
{
    volatile int round = 0;
    _setjmp(home);
    if (round++ < 10) {
        total++; /* count: 10 */
        longjmp(home, 1);
    }
    return round; /* count: 1 */
}

NOINLINE static int deep(int level)
{
    if (level == 0)
        return leap();              /* count: 20 */
    return deep(level - 1) + total; /* count: 1100 */
}
NOINLINE static int recursion(int level)
{
    if (_setjmp(home) == 0)
        return deep(level); /* count: 20 */
    return 0;               /* count: 20 */
}

int main(void)
{
    for (volatile int i = 0; i < 240; i++)
        calls(i < 40 ? 1 : i / 3); /* count: 240 */
    for (volatile int i = 0; i < 900; i++)
        sizes(i < 300 ? 0 : i < 600 ? 1 : i); /* count: 900 */
    for (volatile int i = 0; i < 1000; i++)
        targets(i < 20 || i % 2); /* count: 1000 */
    itself();
    for (volatile int i = 0; i < 10; i++) {
        recursion(10);  /* count: 10 */
        recursion(100); /* count: 10 */
    }
    printf("%d\n", total); /* count: 1 */
    return 0;              /* count: 1 */
}
