/* Handlers that count on the counters the interrupted code uses, nested ones too. All signals are raised, so every run is the same. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

static volatile int seen[3];

static int shared(int n)
{
    int r = 0;
    for (int i = 0; i < n; i++)
        r += i % 3 ? 2 : 1;
    return r;
}

static void handler(int signal)
{
    if (signal == SIGUSR1) {
        seen[0] += shared(5);
        if (seen[0] % 4 == 0)
            raise(SIGUSR2);
    } else {
        seen[1] += shared(3);
    }
    seen[2]++;
}

int main(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGUSR2, &action, NULL);
    int sum = 0;
    for (int i = 0; i < 200; i++) {
        sum += shared(i % 7);
        if (i % 5 == 0)
            raise(SIGUSR1);
        if (i % 9 == 0)
            raise(SIGUSR2);
    }
    printf("%d %d %d %d\n", sum, seen[0], seen[1], seen[2]);
    return 0;
}
