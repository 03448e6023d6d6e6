/* A timer interrupts a loop wherever it happens to be; main goes on until enough ticks came. How often is not known before, so the loop that
 * waits is not counted; what is counted does not depend on time. */
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

static volatile sig_atomic_t ticks;
static volatile unsigned work_done;

static unsigned step(unsigned x)
{
    unsigned r = x;
    for (int i = 0; i < 4; i++)
        r = r & 1 ? r * 3 + 1 : r / 2;
    return r;
}

static void tick(int number)
{
    (void)number;
    work_done += step(7) + step(8);
    if (++ticks == 20)
        signal(SIGALRM, SIG_IGN);
}

__attribute__((no_profile_instrument_function)) static int enough(unsigned *turns)
{
    return ticks >= 20 && *turns >= 100000;
}
__attribute__((no_profile_instrument_function)) static void wait_for_ticks(unsigned *turns)
{
    volatile unsigned spin = 0;
    while (!enough(turns)) {
        spin++;
        if (*turns < 100000)
            ++*turns, spin += step(spin);
    }
}

int main(void)
{
    struct itimerval timer = {{0, 500}, {0, 500}}, off = {{0, 0}, {0, 0}};
    signal(SIGALRM, tick);
    unsigned turns = 0;
    setitimer(ITIMER_REAL, &timer, NULL);
    wait_for_ticks(&turns);
    setitimer(ITIMER_REAL, &off, NULL);
    printf("%u %u\n", turns, work_done);
    return 0;
}
