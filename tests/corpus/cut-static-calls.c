/* Activations are cut before, in and behind calls of one block, and resumed there: calls behind the cut were not made, those before a resume are not
 * made again. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static jmp_buf home;
static int first(int x) { return 2 * x; }
static int second(int x) { return x & 1 ? x : first(x); }
static int third(int x) { return x - 1; }
static void leave(int x)
{
    if (x == 2)
        longjmp(home, 1);
}
static int three(int x)
{
    int sum = first(x);
    leave(x - 1);
    sum += second(x);
    leave(x);
    sum += third(x);
    leave(x + 1);
    return sum + third(sum);
}
static int again(int x)
{
    int sum = first(x);
    pid_t child = fork();
    sum += second(x); /* both make this call */
    if (child == 0) {
        fflush(stdout);
        _exit(third(x) & 1);
    }
    int status;
    waitpid(child, &status, 0);
    return sum + WEXITSTATUS(status);
}
static volatile int back;
static sigjmp_buf signal_home;
static void out(int number) { siglongjmp(signal_home, first(number)); }
static void stand(void)
{
    second(3);
    raise(SIGUSR1);
    third(3);
}
static void end(int x)
{
    first(x);
    if (x > 2)
        exit(second(x) & 1);
    third(x);
    end(x + 1);
    second(x);
}

int main(void)
{
    volatile int sum = 0;
    for (volatile int i = 0; i < 6; i++) {
        if (setjmp(home) == 0)
            sum += three(i);
        sum += third(i);
    }
    printf("%d\n", sum);
    fflush(stdout);
    for (int i = 0; i < 3; i++)
        sum += again(i);
    signal(SIGUSR1, out);
    for (volatile int i = 0; i < 4; i++) {
        second(i);
        if (sigsetjmp(signal_home, 1) == 0)
            stand();
        else
            back++;
        third(i);
    }
    printf("%d %d\n", sum, back);
    end(0);
    return 9;
}
