/* A thread ends by a system call of its own. */
#include <pthread.h>
#include "truth.h"

__attribute__((noinline)) static void leave(void)
{
    T;
    __asm__ volatile("syscall" ::"a"(60), "D"(0) : "rcx", "r11", "memory");
}

static void *run(void *argument)
{
    T;
    leave();
    T;
    return NULL;
}

int main(void)
{
    pthread_t thread;
    T;
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
    T;
    return 0;
}
