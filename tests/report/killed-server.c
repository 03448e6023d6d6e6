#include <stdio.h>
#include <unistd.h>
#include <pthread.h>
typedef void (*cb)(int);
volatile int n;
static void on_read(int x)
{
    n += x;
}
static void on_tick(int x)
{
    n -= x;
    if (x > 3)
        on_read(1);
}
cb table[2] = {on_read, on_tick};
static void loop(void)
{
    for (int i = 0;; i++) {
        table[i & 1](i & 7);
        usleep(1000);
    }
}
static void *worker(void *p)
{
    for (;;) {
        n++;
        usleep(2000);
    }
}
int main(int argc, char **argv)
{
    int port = 80;
    if (argc > 1)
        port = 8080;
    printf("listening on %d\n", port);
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    loop();
    return 0;
}
