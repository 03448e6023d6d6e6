/* What flips.sh damages: loops, calls, threads that end, a jump, and an exit three frames deep. */
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static volatile int sink;
static jmp_buf place;

static int collatz(int n)
{
    int steps = 0;
    while (n != 1) {
        n = n % 2 ? 3 * n + 1 : n / 2;
        steps++;
    }
    return steps;
}

static void *work(void *argument)
{
    for (int i = 1; i < 40; i++)
        sink += collatz(i + *(int *)argument);
    return NULL;
}

static int deep(int n)
{
    switch (n % 5) {
    case 0:
        sink++;
        break;
    case 1:
        sink--;
        break;
    case 3:
        longjmp(place, n);
    default:
        sink += n;
    }
    return deep(n + 1) + 1;
}

static int last(int n)
{
    if (n > 2)
        exit(sink == 123456789);
    return last(n + 1) + sink;
}

#ifdef UNSEALED
/* Streams that functions of the program serve are flushed after everything else: such ends are not sealed. */
static ssize_t drop(void *cookie, const char *bytes, size_t size)
{
    (void)cookie, (void)bytes;
    return (ssize_t)size;
}
#endif

int main(void)
{
    volatile int rounds = 0;
    for (int t = 0; t < 3; t++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, work, &t) || pthread_join(thread, NULL))
            return 3;
    }
#ifdef UNSEALED
    FILE *stream = fopencookie(NULL, "w", (cookie_io_functions_t){.write = drop});
    fputs("text", stream);
    fclose(stream);
#endif
    if (setjmp(place))
        rounds++;
    if (rounds < 20)
        deep(rounds);
    return last(0);
}
