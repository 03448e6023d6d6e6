/*
 * Stack overflows are caught on an alternate stack, and the program jumps away, three times; once more
 * in a thread.
 *
 * group: signals
 * output: 4
 * status: 0
 */
#include "frames.h"
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/resource.h>

static _Thread_local sigjmp_buf home;
static volatile int caught;
static char stacks[2][65536];
static void handler(int number)
{
    caught++;                 /* count: 4 */
    siglongjmp(home, number); /* count: 4 */
}
NOINLINE static int any_down(int n)
{
    volatile char room[300];
    room[n % 300] = 1;
    int r = n % 5 ? any_down(n + 1) : any_down(n + 2) * 2;
    return r + room[n % 7];
}
NOINLINE static void overflow(char *stack)
{
    stack_t s = {.ss_sp = stack, .ss_size = 65536};
    sigaltstack(&s, NULL);
    if (sigsetjmp(home, 1) == 0)
        caught += any_down(1); /* count: 4 */
    caught += 0;               /* count: 4 */
}
static void *body(void *p)
{
    overflow(stacks[1]); /* count: 1 */
    return p;            /* count: 1 */
}

int main(void)
{
    struct rlimit limit;
    getrlimit(RLIMIT_STACK, &limit);
    limit.rlim_cur = 512 * 1024;
    setrlimit(RLIMIT_STACK, &limit);
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
    sigaction(SIGSEGV, &action, NULL);
    for (int i = 0; i < 3; i++)
        overflow(stacks[0]); /* count: 3 */
    pthread_t t;
    pthread_create(&t, NULL, body, NULL);
    pthread_join(t, NULL);
    printf("%d\n", caught); /* count: 1 */
    return 0;
}
