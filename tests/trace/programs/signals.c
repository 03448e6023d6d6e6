/* Handlers, some of which interrupt others, and jumps out of them. */
#include "reporter.h"
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

static volatile sig_atomic_t got;
static sigjmp_buf back;
static int bits(int n)
{
    int s = 0;
    while (n) {
        if (n & 1)
            s++;
        n >>= 1;
    }
    return s;
}
static void counts(int signal)
{
    got += bits(signal + got);
}
static void raises(int signal)
{
    if (got > 3)
        raise(SIGALRM); /* of which none comes otherwise: sequences are told apart by their signal */
    got += signal > 10 ? 2 : 1;
}
static void leaves(int signal)
{
    if (bits(signal)) {
        report_no_signal();
        siglongjmp(back, signal);
    }
}

static int work(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        if (i % 5 == 0)
            raise(i % 2 ? SIGUSR1 : SIGUSR2);
        s += bits(i);
    }
    return s;
}

int main(void)
{
    report_signal(SIGUSR1, counts);
    report_signal(SIGALRM, counts);
    report_signal(SIGUSR2, raises);
    report_signal(SIGTERM, leaves);
    int s = work(40), landed = 0;
    for (volatile int i = 0; i < 3; i++) {
        int value = sigsetjmp(back, 1);
        if (value) {
            landed += value;
            continue;
        }
        raise(SIGTERM);
        s = -1;
    }
    printf("%d %d %d\n", s, (int)got, landed);
    return 0;
}
