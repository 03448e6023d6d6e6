/* setjmp and its kin, vfork, and leaving through them. */
#define _GNU_SOURCE
#include "reporter.h"
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static jmp_buf top;
static sigjmp_buf stack[8];

static void deep(int n)
{
    if (n == 0)
        longjmp(top, 5);
    if (n % 2)
        deep(n - 1);
    else
        deep(n - 1);
}
static int thrower(int n)
{
    longjmp(top, n + 1);
}

static int nested(int n)
{
    volatile int tries = 0;
    int value = sigsetjmp(stack[n], 1);
    if (value && ++tries > 2)
        return tries + value;
    if (n == 0)
        siglongjmp(stack[tries % 3 + 1], tries + 7);
    return nested(n - 1) + n;
}

static int compare(const void *a, const void *b)
{
    static int calls;
    int x = *(const int *)a, y = *(const int *)b;
    if (++calls == 20)
        longjmp(top, 99);
    return x < y ? -1 : x > y;
}

static int child(void)
{
    int status = 0;
    pid_t pid = vfork();
    if (pid == 0) {
        for (volatile int i = 0; i < 3; i++)
            ;
        _exit(3);
    }
    if (pid > 0)
        waitpid(pid, &status, 0);
    return WEXITSTATUS(status);
}

int main(void)
{
    int first = setjmp(top);
    if (first == 0)
        deep(6);
    int second = setjmp(top);
    if (second < 3)
        call_back(thrower, second);
    int list[30];
    for (int i = 0; i < 30; i++)
        list[i] = i * 11 % 31;
    int third = setjmp(top);
    if (!third)
        qsort(list, 30, sizeof *list, compare);
    printf("%d %d %d\n", first, second, third);
    printf("%d\n", nested(5));
    printf("%d %d\n", child(), child());
    return 0;
}
