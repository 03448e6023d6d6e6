/* Ways to end in the middle: the argument says which. */
#include "reporter.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char how;
static int compare(const void *a, const void *b)
{
    static int calls;
    int x = *(const int *)a, y = *(const int *)b;
    if (++calls > 30)
        switch (how) {
        case 'e':
            exit(3);
        case '_':
            _exit(4);
        case 'a':
            abort();
        case 'k':
            kill(getpid(), SIGKILL);
        case 's':
            *(volatile int *)8 = 1;
        }
    return x < y ? -1 : x > y;
}

int main(int argc, char **argv)
{
    int list[40];
    how = argc > 1 ? argv[1][0] : 'n';
    for (int i = 0; i < 40; i++)
        list[i] = i * 37 % 41;
    qsort(list, 40, sizeof *list, compare);
    for (int i = 0; i < 3; i++)
        if (list[i] != i + 1)
            puts("wrong");
    return 0;
}
