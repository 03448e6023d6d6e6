/* Ends, or does not end, in the way its argument names. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static jmp_buf target;

__attribute__((noinline)) void deep(int n, const char *how)
{
    if (n > 0) {
        deep(n - 1, how);
        return;
    }
    if (!strcmp(how, "exit"))
        exit(0);
    if (!strcmp(how, "_exit"))
        _exit(0);
    if (!strcmp(how, "abort"))
        abort();
    if (!strcmp(how, "kill"))
        raise(SIGKILL);
    if (!strcmp(how, "longjmp"))
        longjmp(target, 1);
    if (!strcmp(how, "exec"))
        execl("/bin/true", "true", (char *)0);
}

static void *sleeps(void *p)
{
    static volatile int on = 1;
    while (on)
        pause();
    return p;
}

static void *works(void *p)
{
    volatile int sum = 0;
    for (int i = 0; i < 1000; i++)
        sum += i;
    return p;
}

static void *leaves(void *p)
{
    deep(3, "return");
    pthread_exit(p);
}

static void thread(void *(*body)(void *), int wait_for_it, int cancel)
{
    pthread_t t;
    pthread_create(&t, 0, body, 0);
    if (!wait_for_it || cancel)
        usleep(20000);
    if (cancel)
        pthread_cancel(t);
    if (wait_for_it)
        pthread_join(t, 0);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "return";
    if (!strcmp(how, "exit-in-main"))
        exit(0);
    if (!strcmp(how, "thread"))
        thread(works, 1, 0);
    if (!strcmp(how, "thread-alive"))
        thread(sleeps, 0, 0);
    if (!strcmp(how, "thread-cancelled"))
        thread(sleeps, 1, 1);
    if (!strcmp(how, "pthread_exit"))
        thread(leaves, 1, 0);
    if (!strcmp(how, "fork") && fork() == 0)
        return 0;
    while (wait(0) > 0)
        ;
    if ((!strcmp(how, "longjmp") || !strcmp(how, "setjmp")) && setjmp(target))
        return 0;
    if (!strcmp(how, "waits")) {
        puts("ready");
        fflush(stdout);
        getchar();
    }
    deep(3, how);
    return 0;
}
