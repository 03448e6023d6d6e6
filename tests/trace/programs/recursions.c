/*
 * Recursions that end somewhere on their way back, or never: recursions KIND DEPTH. A pointer that is null, a text that is none, a pipe that nobody writes to
 * stop the activation of that depth, by a fault, in the C library, or in a call that a signal or a cancellation ends.
 */
#define _GNU_SOURCE
#include "truth.h"
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
static char good, *volatile cells[8];
static const char *volatile texts[8];
static volatile int pipes[8];
static volatile unsigned sink;
static sigjmp_buf home;
static void jump(int number)
{
    T;
    siglongjmp(home, number);
}
static int back(int n)
{
    T;
    int v = n ? back(n - 1) : 7;
    T;
    *cells[n] = 1;
    T;
    return v + 1;
}
__attribute__((noinline)) static void show(int n)
{
    T;
    *cells[n] = 1;
    T;
}
static void behind(int n)
{
    T;
    if (n)
        behind(n - 1);
    T;
    show(n);
    T;
}
static int one(int n);
static int other(int n)
{
    T;
    return 3 + one(n - 1);
}
static int one(int n)
{
    T;
    int v = n > 0 ? other(n) : 0;
    T;
    *cells[n] = 1;
    T;
    return v + 1;
}
static int measure(int n)
{
    T;
    int v = n ? measure(n - 1) : 7;
    T;
    sink += strlen(texts[n]);
    T;
    return v + 1;
}
static int wait_for(int n)
{
    char c;
    T;
    int v = n ? wait_for(n - 1) : 7;
    T;
    sink += read(pipes[n], &c, 1);
    T;
    return v + 1;
}
static void *wait_in_thread(void *depth)
{
    T;
    sink = wait_for(*(int *)depth);
    T;
    return NULL;
}
__attribute__((noinline)) static void again(char *p)
{
    T;
    *p = 1;
    again(p + 64);
}
static void ping(char *p);
__attribute__((noinline)) static void pong(char *p)
{
    T;
    *p = 2;
    ping(p + 64);
}
__attribute__((noinline)) static void ping(char *p)
{
    T;
    *p = 1;
    pong(p + 64);
}
static int adds(char *p)
{
    T;
    *p = 1;
    return 1 + adds(p + 64);
}
static void in_rounds(char *p)
{
    T;
    *p = 1;
    for (int i = 0; i < 2; i++)
        p += 16;
    T;
    in_rounds(p);
}
static void forever(char *p)
{
    for (;;) {
        T;
        *p++ = 1;
    }
}
int main(int argc, char **argv)
{
    int at = argc > 2 ? atoi(argv[2]) : 0, deep = 5, ends[2];
    pthread_t thread;
    if (pipe(ends))
        return 2;
    for (int i = 0; i < 8; i++) {
        cells[i] = i == at ? NULL : &good;
        texts[i] = i == at ? NULL : "text";
        pipes[i] = i == at ? ends[0] : -1;
    }
    char *page = (char *)mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(page + 4096, 4096, PROT_NONE);
    if (strchr("BHOMA", argv[1][0]))
        signal(SIGSEGV, jump);
    signal(SIGALRM, jump);
    if (sigsetjmp(home, 1) == 0) {
        T;
        switch (argv[1][0] | ' ') {
        case 'b':
            back(deep);
            break;
        case 'h':
            behind(deep);
            break;
        case 'o':
            one(deep);
            break;
        case 'm':
            measure(deep);
            break;
        case 'w':
            ualarm(20000, 0);
            wait_for(deep);
            break;
        case 'c':
            pthread_create(&thread, NULL, wait_in_thread, &deep);
            usleep(50000);
            pthread_cancel(thread);
            pthread_join(thread, NULL);
            break;
        case 'a':
            again(page);
            break;
        case 'p':
            ping(page);
            break;
        case 's':
            sink = adds(page);
            break;
        case 'r':
            in_rounds(page);
            break;
        case 'f':
            forever(page);
            break;
        }
        T;
    }
    T;
    return 0;
}
