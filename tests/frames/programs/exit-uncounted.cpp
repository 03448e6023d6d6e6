/*
 * The program ends, and jumps are made, below functions that are not counted and were inlined.
 *
 * group: exits
 * output: 3 6
 * status: 3
 */
#include "frames.h"

#include <cstdlib>
#include <setjmp.h>
#include <string>

static jmp_buf back;
static volatile int jumps, total, ends, armed;
void *operator new(size_t size)
{
    if (size > 40 && armed) {
        if (ends) {
            printf("%d %d\n", jumps, total); /* count: 1 */
            fflush(stdout);
            exit(3); /* count: 1 */
        }
        longjmp(back, 1); /* count: 3 */
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
NOINLINE static void grow(int n)
{
    if (n & 1)
        total++;                              /* count: 3 */
    std::string text(n & 1 ? 60 : 5, 'x');   
    total += (int)text.size() == 5 ? 1 : 100; /* count: 2 */
    if (n & 2)
        text.reserve(90); /* count: 1 */
    total++;              /* count: 1 */
}
static inline void outer(int n)
{
    std::string *none = nullptr;
    total += none ? 1 : 0;
    grow(n);    /* count: 5 */
    total += 0; /* count: 1 */
}

int main(void)
{
    for (volatile int i = 0; i < 4; i++)
        if (!setjmp(back)) {
            armed = 1; /* count: 4 */
            outer(i);  /* count: 4 */
        } else {
            jumps++; /* count: 3 */
        }
    ends = 1;
    outer(1);     /* count: 1 */
    total += 100; /* count: 0 */
    return 0;
}
