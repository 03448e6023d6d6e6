/* Recursions that are stopped on their way down and back, where the same place is passed once for each activation. */
#include "truth.h"
#include <string.h>
static volatile unsigned sink;
static const char *volatile text = "abc";
__attribute__((noinline)) static void leaf(int x)
{
    T;
    sink += x;
}
static int back(int n)
{
    T;
    int v = n ? back(n - 1) : 7;
    T;
    sink += n;
    T;
    return v + 1;
}
static void behind(int n)
{
    T;
    if (!n)
        return;
    behind(n - 1);
    T;
    sink += n;
}
static int odd(int n);
static int even(int n)
{
    T;
    return 3 + odd(n - 1);
}
static int odd(int n)
{
    int v = n > 0 ? even(n) : 0;
    T;
    leaf(n);
    T;
    return v + 1;
}
static void last(int n)
{
    T;
    sink += n;
    if (n)
        last(n - 1);
}
__attribute__((noinline)) static void twice(int n)
{
    T;
    if (n) {
        twice(n - 1);
        T;
        twice(n - 1);
    }
    T;
    sink += n;
}
static unsigned sum(unsigned n)
{
    T;
    unsigned v = n ? n + sum(n - 1) : 0;
    return v;
}
static unsigned measure(int n)
{
    unsigned v = n ? measure(n - 1) : 0;
    T;
    v += strlen(text);
    T;
    return v;
}
void work(void)
{
    sink = back(3);
    behind(3);
    sink += odd(3);
    T;
    last(3);
    twice(2);
    sink += sum(3);
    T;
    sink += measure(2);
    T;
}
void warm(void)
{
    leaf(1);
}
