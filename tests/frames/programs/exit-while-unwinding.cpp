/*
 * exit in a destructor, while an exception is on its way: some frames were left already, some not yet, some
 * are the destructor's own.
 *
 * group: throws
 * output: 3 2
 * status: 26
 */
#include "frames.h"
#include <stdlib.h>

static volatile int passed, cleaned, total;
NOINLINE static void leaf(int n)
{
    passed++; /* count: 1 */
    throw n;  /* count: 1 */
}
NOINLINE static void plain(int n)
{
    passed++;  /* count: 1 */
    leaf(n);   /* count: 1 */
    total = 1; /* count: 0 */
}
NOINLINE static void ends(int n)
{
    cleaned++; /* count: 2 */
    if (n > 1) {
        printf("%d %d\n", passed, cleaned);
        exit(26); /* count: 1 */
    }
    total += 0; /* count: 1 */
}
struct guard {
    int n;
    ~guard()
    {
        ends(n);    /* count: 2 */
        total += 0; /* count: 1 */
    }
};
NOINLINE static void middle(int n)
{
    guard first{1};
    passed++;  /* count: 1 */
    plain(n);  /* count: 1 */
    total = 1; /* count: 0 */
}
NOINLINE static void between(int n)
{
    middle(n); /* count: 1 */
    total = 1; /* count: 0 */
}
NOINLINE static void outer(int n)
{
    guard second{2};
    between(n); /* count: 1 */
    total = 1;  /* count: 0 */
}

int main(void)
{
    try {
        outer(5);  /* count: 1 */
        total = 1; /* count: 0 */
    } catch (int) {
        total = 2; /* count: 0 */
    }
    return 0; /* count: 0 */
}
