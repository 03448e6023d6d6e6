/* A loop with no way out in its graph; a signal ends the program from outside it. */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static volatile int turns;
static void handler(int number)
{
    (void)number;
    if (turns > 500) {
        printf("%d\n", turns);
        fflush(stdout);
        _exit(turns % 100);
    }
}
static void forever(void)
{
    for (;;) {
        turns++;
        if (turns % 100 == 1)
            raise(SIGUSR1);
    }
}

int main(void)
{
    signal(SIGUSR1, handler);
    forever();
    return 1;
}
