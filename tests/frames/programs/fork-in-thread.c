/*
 * A thread forks while main and another thread are blocked: the child has one thread, whose frames
 * return; the others' are the parent's alone.
 *
 * group: processes
 * output: 17
 * status: 0
 */
#include "frames.h"
#include <pthread.h>
#include <sys/wait.h>

static volatile int ids[2], total;
NOINLINE static int split(int n)
{
    int status;
    pid_t child = fork();
    if (child == 0)
        return n + 10; /* count: 1 */
    waitpid(child, &status, 0);
    return WEXITSTATUS(status) + 1000; /* count: 1 */
}
static inline int nested(int n)
{
    for (int i = 0; i < n; i++)
        total += i;       /* count: 4 */
    int r = split(total); /* count: 1 */
    return r + 1;         /* count: 2 */
}
static void *body(void *p)
{
    wait_until_asleep(&ids[0]);
    wait_until_asleep(&ids[1]);
    int r = nested(4); /* count: 1 */
    if (r < 1000)
        _exit(r); /* count: 1 */
    total = r - 1001;
    return p; /* count: 1 */
}
static void *blocked(void *p)
{
    ids[1] = thread_id();
    pause();  /* count: 1 */
    return p; /* count: 0 */
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, blocked, NULL);
    pthread_create(&t, NULL, body, NULL);
    ids[0] = thread_id();
    pthread_join(t, NULL);
    printf("%d\n", total); /* count: 1 */
    return 0;              /* count: 1 */
}
