// Functions of a library that exceptions begin in, pass, and end in. PREFIX names them; -DPLAIN: without
// counters.
#include <stdio.h>
#ifdef PLAIN
#define COUNT(name, i)
#else
#include "handmade.h"
COUNTERS(library_counters, 0x6002, 1)
#endif
#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
#define NAME(name) JOIN(PREFIX, name)
#define FRAME extern "C" __attribute__((noinline, used))
#define STAY __asm__ volatile("")

FRAME int NAME(_throw)(int n)
{
    COUNT(library_counters, 0);
    if (n > 0)
        throw n;
    return n;
}
FRAME int NAME(_pass)(int (*function)(int), int n)
{
    int r = function(n);
    STAY;
    return r;
}
FRAME int NAME(_catch)(int (*function)(int), int n)
{
    try {
        return function(n);
    } catch (int i) {
        printf("caught %d in the library\n", i);
        return i;
    }
}
FRAME int NAME(_never)(int (*function)(int), int n) noexcept
{
    int r = function(n);
    STAY;
    return r;
}
