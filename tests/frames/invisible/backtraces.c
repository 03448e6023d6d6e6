/* backtrace(3): in nested calls, handlers, threads, functions run at exit, destructors, callbacks. Linked
 * with -rdynamic; names only. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((noinline)) void show(const char *where)
{
    void *frames[64];
    int n = backtrace(frames, 64);
    printf("%s: %d:", where, n);
    for (int i = 0; i < n; i++) {
        Dl_info info;
        int known = dladdr((char *)frames[i] - 1, &info);
        const char *file = known && info.dli_fname ? strrchr(info.dli_fname, '/') : NULL;
        int own = file && strncmp(file, "/lib", 4) != 0;
        printf(" %s", own ? (info.dli_sname ? info.dli_sname : "?") : file ? file + 1 : "?");
    }
    printf("\n");
    fflush(stdout);
}
__attribute__((noinline)) void deep(int n)
{
    if (n)
        deep(n - 1);
    else
        show("deep");
    __asm__ volatile("");
}
void handler(int n)
{
    show(n == SIGUSR1 ? "raised" : "fault");
    __asm__ volatile("");
}
static sigjmp_buf home;
void jumper(int n)
{
    show("jumper");
    siglongjmp(home, n);
}
int compare(const void *a, const void *b)
{
    static int once;
    if (!once++)
        show("callback");
    return *(const int *)a - *(const int *)b;
}
void *body(void *p)
{
    show("thread");
    raise(SIGUSR1);
    __asm__ volatile("");
    return p;
}
void destroy(void *p)
{
    (void)p;
    show("key");
    __asm__ volatile("");
}
void last(void)
{
    show("at exit");
    __asm__ volatile("");
}
__attribute__((constructor)) void first(void)
{
    show("constructor");
    __asm__ volatile("");
}
__attribute__((destructor)) void end(void)
{
    show("destructor");
    __asm__ volatile("");
}
__attribute__((noinline)) void fault(void)
{
    *(volatile int *)8 = 1;
    __asm__ volatile("");
}
__attribute__((noinline)) void leave(int n)
{
    if (n)
        leave(n - 1);
    else
        exit(3);
    __asm__ volatile("");
}

int main(void)
{
    atexit(last);
    deep(3);
    signal(SIGUSR1, handler);
    raise(SIGUSR1);
    int numbers[] = {3, 2, 1};
    qsort(numbers, 3, sizeof(int), compare);
    signal(SIGSEGV, jumper);
    if (sigsetjmp(home, 1) == 0)
        fault();
    pthread_t t;
    pthread_create(&t, NULL, body, NULL);
    pthread_join(t, NULL);
    show("main");
    leave(2);
    return 0;
}
