/* Eight threads on the same functions, joined before the end; then many short ones. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long total;

static long work(long n)
{
    long r = 0;
    for (long i = 0; i < n; i++) {
        if (i % 3 == 0)
            r += i;
        else if (i % 5 == 0)
            r ^= i;
    }
    return r;
}

static void *body(void *argument)
{
    long n = (long)argument, r = 0;
    for (int i = 0; i < 200; i++)
        r += work(n * 10);
    pthread_mutex_lock(&lock);
    total += r;
    pthread_mutex_unlock(&lock);
    return (void *)r;
}

static void *brief(void *argument)
{
    return (long)argument % 2 ? argument : NULL;
}

int main(void)
{
    pthread_t threads[8];
    for (long i = 0; i < 8; i++)
        pthread_create(&threads[i], NULL, body, (void *)(i + 1));
    long sum = work(1000), other = 0;
    for (int i = 0; i < 8; i++) {
        void *r;
        pthread_join(threads[i], &r);
        sum += (long)r;
    }
    for (long i = 0; i < 100; i++) {
        pthread_t t;
        void *r;
        pthread_create(&t, NULL, brief, (void *)i);
        pthread_join(t, &r);
        other += (long)r;
    }
    printf("%ld %ld %ld\n", sum, total, other);
    return 0;
}
