/*
 * Invalid accesses below functions of the C++ library that are not counted and were inlined: the activations
 * around them stand in their calls.
 *
 * group: signals
 * output: option `some
 * output: then option `some
 * signal: 11
 */
#include "frames.h"

#include <iostream>
#include <setjmp.h>
#include <signal.h>

static sigjmp_buf back;
static volatile int total;
static const char *volatile nowhere = (const char *)16;
static void caught(int)
{
    signal(SIGSEGV, SIG_DFL); /* count: 1 */
    siglongjmp(back, 1);      /* count: 1 */
}
static inline void add(std::ostream &out, const char *more, int i)
{
    if (i & 1)
        total++; /* count: 3 */
    out << more; /* count: 5 */
    total += i;  /* count: 3 */
}
NOINLINE static void build(std::ostream &out, const char *last)
{
    out << "option `";     /* count: 2 */
    add(out, "some\n", 1); /* count: 2 */
    total += 0;            /* count: 2 */
    add(out, last, 0);     /* count: 2 */
    total += 0;            /* count: 0 */
}

int main()
{
    signal(SIGSEGV, caught);
    if (!sigsetjmp(back, 1))
        build(std::cout, nowhere); /* count: 1 */
    add(std::cout, "then ", 1);    /* count: 1 */
    std::cout.flush();             /* count: 1 */
    build(std::cerr, nowhere);     /* count: 1 */
}
