/* _exit: no atexit functions, no destructors, nothing is written at the end. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void never(void) { printf("never\n"); }
static int work(int n)
{
    int r = 0;
    for (int i = 0; i < n; i++)
        r += i & 3 ? 1 : 2;
    if (r > 100) {
        fflush(stdout);
        _exit(r & 127);
    }
    return r;
}

int main(void)
{
    atexit(never);
    for (int i = 0;; i += 7)
        printf("%d\n", work(i));
}
