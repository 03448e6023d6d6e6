/*
 * Kills itself at its N-th step, wherever that is: in recursion, in loops, in static functions with one or
 * several callers, behind pointers, in another thread. Each line with a T or C counts itself, that of the kill
 * included, in the file `truth`, one word a line, of which cotree knows nothing. Usage: killed N.
 */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define NOT_COUNTED __attribute__((no_profile_instrument_function, noinline))

enum { LINES = 512 };
static struct {
    long line[LINES], left;
} *truth;

NOT_COUNTED static void end_it(void)
{
    kill(getpid(), SIGKILL);
    for (;;)
        pause();
}

/* Inline, so that lines without calls stay so. */
#define T                                                                                                    \
    ((void)(__atomic_fetch_add(&truth->line[__LINE__], 1, __ATOMIC_SEQ_CST),                                  \
            __atomic_fetch_sub(&truth->left, 1, __ATOMIC_SEQ_CST) == 1 ? end_it() : (void)0))
/* The same behind a call. */
#define C step(__LINE__)

NOT_COUNTED void step(int line)
{
    __atomic_fetch_add(&truth->line[line], 1, __ATOMIC_SEQ_CST);
    if (__atomic_fetch_sub(&truth->left, 1, __ATOMIC_SEQ_CST) == 1)
        end_it();
}

volatile int sink;

static int once(int x)
{
    if (x & 1) {
        C;
        sink += x;
    }
    T;
    return x * 2;
}

static int twice(int x)
{
    C;
    for (int i = 0; i < x; i++)
        C;
    T;
    return x;
}

int deep(int n)
{
    T;
    if (n <= 0) {
        C;
        return 1;
    }
    int below = deep(n - 1);
    C;
    return below + (n % 3 ? twice(1) : 0);
}

static void by_pointer(int x)
{
    switch (x % 4) {
    case 0:
        C;
        break;
    case 1:
        T;
        break;
    default:
        sink ^= x;
    }
    C;
}
void (*volatile pointer)(int) = by_pointer;

static jmp_buf back;
static void jumps(int x)
{
    C;
    if (x)
        longjmp(back, x);
    C;
}

static void *thread(void *unused)
{
    C;
    for (volatile int i = 0; i < 4; i++) {
        if (i == 2)
            C;
        T;
    }
    return unused;
}

static void tail(int n)
{
    if (!n)
        return;
    C;
    tail(n - 1);
}

int work(int rounds)
{
    int sum = 0;
    C;
    if (rounds > 100)
        return -1;
    sum += once(rounds);
    for (int i = 0; i < rounds; i++) {
        T;
        sum += twice(i & 3);
        pointer(i);
        if (i == 3) {
            C;
            sum += deep(4);
        }
    }
    volatile int jumped = 0;
    if (!setjmp(back)) {
        C;
        jumps(1);
    }
    if (jumped++ < 2)
        jumps(0);
    pthread_t t;
    C;
    pthread_create(&t, NULL, thread, NULL);
    pthread_join(t, NULL);
    C;
    tail(3);
    int list[64];
    for (int i = 0; i < 64; i++)
        list[i] = i * sum;
    for (int i = 0; i < 64; i++)
        sink += list[i];
    C;
    return sum;
}

void never(void)
{
    C;
    if (sink == 12345)
        C;
}

NOT_COUNTED __attribute__((constructor(101))) static void start(int argc, char **argv)
{
    int fd = open("truth", O_RDWR | O_CREAT | O_TRUNC, 0666);
    if (fd < 0 || ftruncate(fd, sizeof *truth))
        abort();
    truth = mmap(NULL, sizeof *truth, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    truth->left = argc > 1 ? atol(argv[1]) : 0;
    close(fd);
}

int main(int argc, char **argv)
{
    (void)argc, (void)argv;
    T;
    int sum = work(7);
    C;
    if (sum == 1)
        never();
    printf("ended\n");
    return 0;
}
