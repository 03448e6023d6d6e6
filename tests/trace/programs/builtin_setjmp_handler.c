/* Jumps by __builtin_longjmp out of a handler, and out of code that is not traced. */
#include "truth.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static void *there[5];
static volatile int rounds, landed;

static void leave(int number)
{
    T;
    if (number && rounds % 2) {
        T;
        __builtin_longjmp(there, 1);
    }
    T;
}

static int compare(const void *x, const void *y)
{
    T;
    if (rounds % 3 == 0) {
        T;
        __builtin_longjmp(there, 1);
    }
    T;
    return *(const int *)x - *(const int *)y;
}

__attribute__((noinline)) static void round_of(int i)
{
    int some[] = {3, 1, 2, i};
    T;
    raise(SIGUSR1);
    T;
    qsort(some, 2, sizeof *some, compare);
    T;
}

int main(void)
{
    struct sigaction action = {.sa_handler = leave, .sa_flags = SA_NODEFER};
    sigaction(SIGUSR1, &action, NULL);
    for (rounds = 0; rounds < 60; rounds++) {
        T;
        if (__builtin_setjmp(there) == 0) {
            T;
            round_of(rounds);
            T;
        } else {
            T;
            landed++;
        }
        T;
    }
    printf("%d\n", landed);
    return 0;
}
