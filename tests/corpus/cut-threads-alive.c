/* main returns while eight threads still wait inside functions. */
#include <pthread.h>
#include <stdio.h>
#include <semaphore.h>

static sem_t ready, never;
static int work(int n)
{
    int r = 0;
    for (int i = 0; i < n; i++)
        r += i % 5 == 2;
    return r;
}
static void *body(void *p)
{
    volatile int r = work((int)(long)p * 10);
    sem_post(&ready);
    sem_wait(&never);
    return (void *)(long)r;
}

int main(void)
{
    sem_init(&ready, 0, 0);
    sem_init(&never, 0, 0);
    for (long i = 0; i < 8; i++) {
        pthread_t t;
        pthread_create(&t, NULL, body, (void *)i);
    }
    for (int i = 0; i < 8; i++)
        sem_wait(&ready);
    printf("%d\n", work(100));
    return 0;
}
