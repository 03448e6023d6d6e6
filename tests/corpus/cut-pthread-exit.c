/* Threads that end in the middle: pthread_exit three calls deep, cancellation, cleanup handlers. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int cleaned;
static void clean(void *p) { cleaned += *(int *)p; }
__attribute__((noinline)) static int deep(int n)
{
    if (n == 0)
        pthread_exit((void *)5L);
    n = deep(n - 1);
    __asm__ volatile("" : "+r"(n)); /* not a loop: each activation has a frame */
    return n + 1;
}
static void *leaves(void *p)
{
    int value = 10;
    pthread_cleanup_push(clean, &value);
    value += deep((int)(long)p);
    pthread_cleanup_pop(0);
    return NULL;
}
static void *waits(void *p)
{
    int value = 100;
    pthread_cleanup_push(clean, &value);
    for (;;)
        pause();
    pthread_cleanup_pop(1);
    return p;
}

int main(void)
{
    pthread_t a, b;
    void *r, *canceled;
    pthread_create(&a, NULL, leaves, (void *)3L);
    pthread_join(a, &r);
    pthread_create(&b, NULL, waits, NULL);
    pthread_cancel(b);
    pthread_join(b, &canceled);
    printf("%ld %d %d\n", (long)r, canceled == PTHREAD_CANCELED, cleaned >= 10);
    return 0;
}
