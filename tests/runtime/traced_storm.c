/* Traced by hand: events and thunks while a timer interrupts. Prints how many events it wrote itself, and its
 * handlers. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include "traced.h"

static volatile long handled;

static void handler(int number)
{
    (void)number;
    ENTERS(2000);
    for (int i = 0; i < 5; i++)
        EVENT(7);
    handled += 5;
}

/* As compiled code may: the place is in a register for a while. */
__attribute__((noinline)) static void body(void)
{
    uint8_t *place = cotree_trace_thread.events;
    for (int i = 0; i < 8; i++)
        *(volatile uint8_t *)place++ = 3;
    cotree_trace_thread.events = place;
}

__attribute__((noinline)) static void callee(void)
{
    ENTERS(3000);
    EVENT(4);
    EVENT(5);
    body();
}

int main(int count, char **arguments)
{
    ENTERS(1000);
    long rounds = count > 1 ? atol(arguments[1]) : 1;
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    struct itimerval timer = {{0, 50}, {0, 50}}, none = {{0, 0}, {0, 0}};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
    for (long i = 0; i < rounds; i++)
        UNKNOWN(callee());
    setitimer(ITIMER_REAL, &none, NULL);
    printf("%ld %ld\n", 10 * rounds, handled);
    return 0;
}
