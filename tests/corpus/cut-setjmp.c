/* setjmp returns again; longjmp drops frames, across several calls, out of a loop, out of a callback and out of a handler. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static jmp_buf home;
static sigjmp_buf signal_home;

__attribute__((noinline)) static void dig(int depth)
{
    for (int i = 0; i < depth; i++)
        if (i == 3)
            longjmp(home, depth);
    if (depth < 6)
        dig(depth + 1);
    printf("never %d\n", depth);
}
static int compare(const void *a, const void *b)
{
    if (*(const int *)a == 5)
        longjmp(home, 50);
    return *(const int *)a - *(const int *)b;
}
static void handler(int number)
{
    siglongjmp(signal_home, number);
}

int main(void)
{
    volatile int rounds = 0;
    int code = setjmp(home);
    if (code == 0)
        dig(1);
    rounds++;
    printf("%d %d\n", code, rounds);
    if (rounds < 5)
        longjmp(home, rounds + 10);
    int numbers[] = {9, 8, 5, 7, 1};
    if ((code = setjmp(home)) == 0)
        qsort(numbers, 5, sizeof(int), compare);
    printf("%d\n", code);
    signal(SIGUSR1, handler);
    for (volatile int i = 0; i < 3; i++)
        if (sigsetjmp(signal_home, 1) == 0)
            raise(SIGUSR1);
        else
            printf("back\n");
    return 3;
}
