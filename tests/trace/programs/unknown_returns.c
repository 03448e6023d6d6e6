/* Functions that return twice, which clang is not to know (-fno-builtin): what is kept over their calls is volatile. */
#define _GNU_SOURCE
#include "truth.h"
#include <setjmp.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static jmp_buf b;
static sigjmp_buf s;

__attribute__((noinline)) static int f(int i)
{
    T;
    if (i % 7 == 3)
        longjmp(b, 1);
    T;
    return i;
}

__attribute__((noinline)) static int g(int i)
{
    T;
    if (i % 5 == 3)
        siglongjmp(s, 1);
    T;
    return i;
}

__attribute__((noinline)) static int child(int i)
{
    T;
    volatile pid_t pid = vfork();
    T;
    if (pid == 0) {
        T;
        _exit(i);
    }
    T;
    int status = 0;
    waitpid(pid, &status, 0);
    return WEXITSTATUS(status);
}

int main(void)
{
    volatile int r = 0, i;
    for (i = 0; i < 50; i++) {
        T;
        if (setjmp(b) == 0) {
            T; r += f(i);
        } else {
            T;
            r ^= 1000;
        }
        T;
        if (sigsetjmp(s, 1) == 0) {
            T; r += g(i);
        } else {
            T;
            r ^= 300;
        }
        T;
    }
    for (i = 0; i < 5; i++)
        r += child(i);
    printf("%d\n", r);
    return 0;
}
