/* main returns while threads are in loops that have no way out. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

static sem_t ready;
static void *body(void *p)
{
    int n = (int)(long)p;
    for (int i = 0; i < n; i++)
        n += i % 3 == 1;
    sem_post(&ready);
    for (;;)
        pause();
    return p;
}

int main(void)
{
    sem_init(&ready, 0, 0);
    for (long i = 0; i < 4; i++) {
        pthread_t t;
        pthread_create(&t, NULL, body, (void *)i);
    }
    for (int i = 0; i < 4; i++)
        sem_wait(&ready);
    usleep(50000); /* all are in their loops by now; whether they are is not what the counts before it depend on */
    printf("%d\n", 4);
    return 0;
}
