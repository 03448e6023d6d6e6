/* main returns while eight threads still wait inside functions. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static sem_t ready;
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
    pthread_mutex_lock(&lock);
    sem_post(&ready);
    pthread_cond_wait(&never, &lock);
    return (void *)(long)r;
}

int main(void)
{
    sem_init(&ready, 0, 0);
    for (long i = 0; i < 8; i++) {
        pthread_t t;
        pthread_create(&t, NULL, body, (void *)i);
    }
    for (int i = 0; i < 8; i++)
        sem_wait(&ready);
    pthread_mutex_lock(&lock); /* they waited when they let go of it */
    printf("%d\n", work(100));
    return 0;
}
