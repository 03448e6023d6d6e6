/* SIGKILL: nobody is asked. */
#include <signal.h>
#include <stdio.h>

static int work(int n) { return n % 3 ? n * 2 : n - 1; }

int main(void)
{
    int sum = 0;
    for (int i = 0; i < 1000; i++)
        sum += work(i);
    printf("%d\n", sum);
    fflush(stdout);
    raise(SIGKILL);
    return 0;
}
