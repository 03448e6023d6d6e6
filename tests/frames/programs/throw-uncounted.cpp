/*
 * Exceptions that pass functions which are not counted and were inlined: strings of the library, whose memory is
 * asked for here, and functions that the user leaves out.
 *
 * group: throws
 * output: 6 3 12
 * status: 0
 */
#include "frames.h"

#include <cstdlib>
#include <new>
#include <string>

static volatile int caught, refused, total, budget = 1000;
void *operator new(size_t size)
{
    if (size > 40 && --budget < 0) {
        refused++;              /* count: 3 */
        throw std::bad_alloc(); /* count: 3 */
    }
    return malloc(size);
}
UNCOUNTED void operator delete(void *p) noexcept
{
    free(p);
}
UNCOUNTED void operator delete(void *p, size_t) noexcept
{
    free(p);
}
NOINLINE static void leaf(int n)
{
    total++; /* count: 6 */
    if (n & 1)
        throw n; /* count: 3 */
}
UNCOUNTED INLINE static void twice(int n)
{
    for (int i = 0; i < 2; i++)
        leaf(n + i);
    total++;
}
NOINLINE static void grow(int n)
{
    std::string text(20, 'x');
    budget = n & 1 ? 0 : 1000; /* count: 6 */
    if (n > 2)
        total++;                          /* count: 3 */
    text += text + text;                  /* count: 6 */
    total += text.size() == 60 ? 1 : 100; /* count: 3 */
}
NOINLINE static void pass(int n)
{
    twice(n);   /* count: 3 */
    total += 9; /* count: 0 */
}

int main(void)
{
    for (int i = 0; i < 6; i++) {
        try {
            grow(i); /* count: 6 */
        } catch (std::bad_alloc &) {
            caught++; /* count: 3 */
        }
        budget = 1000; /* count: 6 */
    }
    for (int i = 0; i < 6; i += 2) {
        try {
            pass(i); /* count: 3 */
        } catch (int) {
            caught++; /* count: 3 */
        }
    }
    printf("%d %d %d\n", caught, refused, total); /* count: 1 */
    return 0;
}
