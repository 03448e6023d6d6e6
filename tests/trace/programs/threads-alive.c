/* Threads that still run when the process ends, in one of four ways. Every line that begins with T counts
 * itself (-DTRUTH). */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sched.h>
#ifdef TRUTH
static _Atomic long *truth;
#define T (__atomic_fetch_add(&((long *)truth)[__LINE__], 1, __ATOMIC_SEQ_CST))
#else
#define T ((void)0)
#endif
#define N __attribute__((noinline))
static volatile unsigned sink;
static _Atomic int begun;
typedef unsigned fn(unsigned);
N static unsigned leaf(unsigned x)
{
    T;
    if (x & 1) {
        T;
        sink += x;
        return x * 3;
    }
    T;
    return x + 1;
}
N static unsigned quiet(unsigned x)
{
    T;
    return x ^ 0x55;
}
N static unsigned rec(unsigned d, unsigned x)
{
    T;
    if (!d) {
        T;
        return leaf(x);
    }
    unsigned r = rec(d - 1, x + d);
    T;
    return r + quiet(x);
}
N static unsigned outer(unsigned x)
{
    T;
    switch (x % 7) {
    case 0:
        T;
        return (unsigned)getpid();
    case 1:
        T;
        sched_yield();
        break;
    case 2:
        T;
        x = rec(x % 4, x);
        break;
    case 3:
        T;
        for (unsigned i = 0; i < x % 5; i++) {
            T;
            x += quiet(i);
        }
        break;
    default:
        T;
        x = leaf(x);
    }
    T;
    return x;
}
static fn *volatile table[] = {leaf, quiet, outer};
static void *work(void *p)
{
    unsigned x = (unsigned)(long)p;
    begun++;
    T;
    for (;;) {
        T;
        x = x * 1664525u + 1013904223u;
        x += outer(x >> 8);
        T;
        x += table[(x >> 16) % 3](x >> 20);
        T;
        if ((x >> 5) % 1000 == 0) {
            T;
            usleep(1);
        }
    }
    return p;
}
int main(int c, char **v)
{
#ifdef TRUTH
    int f = open(getenv("TRUTH_FILE"), O_RDWR | O_CREAT | O_TRUNC, 0600);
    ftruncate(f, 8192);
    truth = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, f, 0);
#endif
    T;
    pthread_t t;
    int n = c > 2 ? atoi(v[2]) : 3;
    for (long i = 0; i < n; i++) {
        T;
        pthread_create(&t, 0, work, (void *)(i * 77 + 5));
    }
    T;
    while (begun < n)
        usleep(100);
    usleep(3000 + atoi(v[1]) % 4000);
    T;
    switch (atoi(v[1]) % 4) {
    case 0:
        T;
        exit(0);
    case 1:
        T;
        _exit(0);
    case 2:
        T;
        quick_exit(0);
    default:
        T;
        return 0;
    }
}
