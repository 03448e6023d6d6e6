/*
 * Eight threads jump at once, a thousand times each.
 *
 * group: jumps
 * output: 8000
 * status: 0
 */
#include "frames.h"
#include <pthread.h>
#include <setjmp.h>

static _Thread_local jmp_buf home;
static int total;
NOINLINE static void deep(int n)
{
    if (n == 0)
        longjmp(home, 1);                              /* count: 8000 */
    deep(n - 1);                                       /* count: 7992 */
    __atomic_fetch_add(&total, 100, __ATOMIC_RELAXED); /* count: 0 */
}
static void *body(void *p)
{
    for (volatile int i = 0; i < 1000; i++)
        if (setjmp(home) == 0)
            deep(i % 3); /* count: 8000 */
        else
            __atomic_fetch_add(&total, 1, __ATOMIC_RELAXED); /* count: 8000 */
    return p;                                                /* count: 8 */
}

int main(void)
{
    pthread_t t[8];
    for (int i = 0; i < 8; i++)
        pthread_create(&t[i], NULL, body, NULL); /* count: 8 */
    for (int i = 0; i < 8; i++)
        pthread_join(t[i], NULL); /* count: 8 */
    printf("%d\n", total);        /* count: 1 */
    return 0;
}
