/*
 * crowd MICROSECONDS HOW: four threads throw, jump, make threads and change actions of signals, until main
 * dies after that time: 0 abort, 1 a fault, 2 SIGTERM.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))
static volatile unsigned sink;

NOINLINE static void throws(unsigned n)
{
    if (n % 3 != 0)
        throws(n - 1);
    else if (n % 2 != 0)
        throw (int)n;
    else
        throw std::string("x");
    sink = sink + 1;
}
NOINLINE static void catches(unsigned n)
{
    try {
        throws(n % 7 + 1);
    } catch (int i) {
        sink = sink + (unsigned)i;
    } catch (std::string &s) {
        sink = sink + (unsigned)s.size();
    }
}
NOINLINE static void jumps_to(jmp_buf target, unsigned n)
{
    if (n != 0)
        jumps_to(target, n - 1);
    else
        longjmp(target, 1);
    sink = sink + 1;
}
NOINLINE static void jumps(unsigned n)
{
    jmp_buf here;
    if (setjmp(here) == 0)
        jumps_to(here, n % 5);
    else
        sink = sink + 1;
}
static void *little(void *p)
{
    sink = sink + (unsigned)(long)p;
    if ((long)p % 4 != 0)
        pthread_exit(p);
    return p;
}
NOINLINE static void makes(unsigned n)
{
    pthread_t t;
    if (pthread_create(&t, NULL, little, (void *)(long)n) == 0)
        pthread_join(t, NULL);
}
NOINLINE static void acts(unsigned n)
{
    signal(SIGUSR2, n % 2 != 0 ? SIG_DFL : SIG_IGN);
}
static void *works(void *p)
{
    for (unsigned n = (unsigned)(long)p;; n++)
        switch (n % 4) {
        case 0:
            catches(n);
            break;
        case 1:
            jumps(n);
            break;
        case 2:
            if (n % 64 == 2)
                makes(n);
            break;
        default:
            if (n % 16 == 3)
                acts(n);
        }
    return p;
}
NOINLINE static void dies(int how)
{
    if (how == 0)
        abort();
    if (how == 1)
        *(volatile int *)8 = 1;
    raise(SIGTERM);
    sink = sink + 1;
}

int main(int argc, char **argv)
{
    pthread_t t;
    if (argc != 3)
        return 2;
    for (long i = 0; i < 4; i++)
        pthread_create(&t, NULL, works, (void *)i);
    usleep((useconds_t)atoi(argv[1]));
    dies(atoi(argv[2]));
    return 0;
}
