/* A thread that is there from before the first constructor of the program to its end, asleep, two calls deep.
 * It takes no signals. */
#include "programs/frames.h"
#include <pthread.h>
#include <signal.h>

static volatile int helper_id, helper_total;
NOINLINE static void helper_sleeps(int n)
{
    for (int i = 0; i < n; i++)
        helper_total += i % 2; /* count: 4 */
    helper_id = thread_id();
    for (;;)
        pause();
}
static void *helper_body(void *p)
{
    helper_sleeps(4); /* count: 1 */
    helper_total = 0; /* count: 0 */
    return p;
}
__attribute__((constructor(101))) static void helper_start(void)
{
    sigset_t all, old;
    pthread_t t;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &old);
    pthread_create(&t, NULL, helper_body, NULL);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    wait_until_asleep(&helper_id);
}
