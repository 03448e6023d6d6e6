/*
 * Faults whose handler jumps, in a function whose variables share a place on the stack. What it does before
 * and behind the fault meets before that is told, and many ways lead on from there.
 *
 * group: signals
 * output: 12 48
 * status: 0
 */
#include "frames.h"
#include <setjmp.h>
#include <signal.h>

static sigjmp_buf place;
static volatile int caught, total, way;
static int *volatile nowhere = (int *)8;
static void handler(int number)
{
    (void)number;
    caught++;             /* count: 12 */
    siglongjmp(place, 1); /* count: 12 */
}
NOINLINE static void use(volatile char *text, int n)
{
    text[n] = 1; /* count: 72 */
}
NOINLINE static void act(int n)
{
    total++; /* count: 48 */
    if (way != 99 && n % 4 == 1) {
        *nowhere = 1; /* count: 12 */
        total += 90;  /* count: 0 */
    }
    total--; /* count: 36 */
    {
        char first[64];
        use(first, n); /* count: 36 */
    }
    {
        char second[64];
        use(second, n); /* count: 36 */
    }
#define CHOOSE(bit)                                                                                          \
    if (way & 1 << bit)                                                                                      \
        total += bit;
    CHOOSE(0)
    CHOOSE(1)
    CHOOSE(2)
    CHOOSE(3)
    CHOOSE(4)
    CHOOSE(5)
    CHOOSE(6)
    CHOOSE(7)
    CHOOSE(8)
    CHOOSE(9)
    CHOOSE(10)
    CHOOSE(11)
    CHOOSE(12)
    CHOOSE(13)
    CHOOSE(14)
    CHOOSE(15)
    total++; /* count: 36 */
}

int main(void)
{
    struct sigaction action = {.sa_handler = handler};
    sigaction(SIGSEGV, &action, NULL);
    for (volatile int i = 0; i < 48; i++)
        if (sigsetjmp(place, 1) == 0)
            act(i);                   /* count: 48 */
    printf("%d %d\n", caught, total); /* count: 1 */
    return 0;
}
