/* Traced by hand (traced.h): what it is told to do, as letters. */
#include "traced.h"
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void work(long n, int byte)
{
    for (long i = 0; i < n; i++)
        EVENT((uint8_t)byte);
}

__attribute__((noinline)) static void callee(long n, int byte)
{
    ENTERS(2000);
    work(n, byte);
}

static void *thread(void *argument)
{
    ENTERS(3000);
    long i = (long)argument;
    work(1000 + i, 10 + (int)(i % 100));
    return NULL;
}

static jmp_buf place;
static sigjmp_buf sigplace;
static volatile int handled;

static void handler(int number)
{
    ENTERS(4000);
    work(3, 100 + number);
    if (number == SIGUSR2 && handled++ < 2)
        UNKNOWN(raise(SIGUSR1));
}

static void jumps(int number)
{
    ENTERS(4001);
    work(2, 100 + number);
    siglongjmp(sigplace, 1);
}

static void faults(int number)
{
    ENTERS(4002);
    work(1, 100 + number);
    if (number == SIGSEGV)
        siglongjmp(sigplace, 2);
}

static void dies_in_handler(int number)
{
    ENTERS(4003);
    work(2, 100 + number);
    if (handled == 0)
        UNKNOWN(abort());
    UNKNOWN(_exit(4));
}

__attribute__((noinline)) static void thrower(int n)
{
    ENTERS(5000);
    EVENT(7);
    if (n == 0)
        longjmp(place, 1);
    UNKNOWN(thrower(n - 1));
}

static void set(int number, void (*function)(int), int flags)
{
    struct sigaction action = {.sa_handler = function, .sa_flags = flags}, before;
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
    sigaction(number, NULL, &before);
    if (before.sa_handler != function || (before.sa_flags & ~0x04000000) != flags)
        printf("sigaction shows something else\n");
}

int main(int count, char **arguments)
{
    ENTERS(1000);
    uint8_t *entry = HERE();
    long n = count > 2 ? atol(arguments[2]) : 1;
    sigset_t all;
    EVENT(1);
    errno = 4711;
    for (const char *what = arguments[1]; *what != '\0'; what++)
        switch (*what) {
        case 'w': /* events only */
            work(n, 2);
            break;
        case 'c': /* n calls */
            for (long i = 0; i < n; i++)
                UNKNOWN(callee(3, 3));
            break;
        case 'B': /* the same, with all signals blocked */
            sigfillset(&all);
            sigprocmask(SIG_BLOCK, &all, NULL);
            for (long i = 0; i < n; i++)
                UNKNOWN(callee(1000, 4));
            break;
        case 'b': /* a thunk each 1000 events */
            for (long i = 0; i < n; i++)
                UNKNOWN(callee(1000, 4));
            break;
        case 't': { /* n threads at once */
            pthread_t threads[n];
            for (long i = 0; i < n; i++)
                UNKNOWN(pthread_create(&threads[i], NULL, thread, (void *)i));
            for (long i = 0; i < n; i++)
                UNKNOWN(pthread_join(threads[i], NULL));
            break;
        }
        case 's': /* n threads, one after the other */
            for (long i = 0; i < n; i++) {
                pthread_t one;
                UNKNOWN(pthread_create(&one, NULL, thread, (void *)i));
                UNKNOWN(pthread_join(one, NULL));
            }
            break;
        case 'f': /* n children */
            for (long i = 0; i < n; i++) {
                pid_t child;
                UNKNOWN(child = fork());
                if (child != 0 && i > 40)
                    work(10, 5); /* while the child begins */
                if (child == 0) {
                    EVENT((uint8_t)(50 + i));
                    callee(20 + i, 6);
                    UNKNOWN(exit(0));
                }
            }
            while (wait(NULL) > 0)
                ;
            break;
        case 'k':
            kill(getpid(), SIGKILL);
            break;
        case 'a':
            UNKNOWN(abort());
            break;
        case '_':
            UNKNOWN(_exit(3));
            break;
        case 'x':
            UNKNOWN(execl("/nonexistent", "none", (char *)NULL));
            EVENT(8);
            UNKNOWN(execl("/bin/sleep", "sleep", n == 9 ? "600" : "0.2", (char *)NULL));
            break;
        case 'j':
            if (setjmp(place) == 0)
                UNKNOWN(thrower(3));
            else
                LANDS(1000, 5, 1, entry);
            EVENT(9);
            break;
        case 'h': /* handlers, nested, one-shot */
            set(SIGUSR1, handler, SA_NODEFER);
            set(SIGUSR2, handler, 0);
            UNKNOWN(raise(SIGUSR1));
            EVENT(20);
            UNKNOWN(raise(SIGUSR2));
            EVENT(21);
            set(SIGUSR1, handler, SA_RESETHAND);
            UNKNOWN(raise(SIGUSR1));
            struct sigaction now;
            sigaction(SIGUSR1, NULL, &now);
            if (now.sa_handler != SIG_DFL)
                printf("SA_RESETHAND did not\n");
            break;
        case 'l': /* a handler that jumps, to a place that lands and to one that does not */
            set(SIGUSR1, jumps, 0);
            if (sigsetjmp(sigplace, 1) == 0)
                UNKNOWN(raise(SIGUSR1));
            else
                LANDS(1000, 6, 1, entry);
            EVENT(22);
            break;
        case 'v': { /* a fault of its own, handled */
            set(SIGSEGV, faults, 0);
            if (sigsetjmp(sigplace, 1) == 0)
                *(volatile int *)8 = 1;
            else
                LANDS(1000, 7, 1, entry);
            EVENT(23);
            break;
        }
        case 'D': /* a handler that ends the program, by a signal or not */
        case 'E':
            handled = *what == 'E';
            set(SIGUSR1, dies_in_handler, 0);
            UNKNOWN(raise(SIGUSR1));
            break;
        case 'L': /* all memory */
            printf("mlockall: %d\n", mlockall(n == 1 ? MCL_CURRENT : MCL_CURRENT | MCL_FUTURE));
            work(100000, 2);
            break;
        case 'V': /* and not */
            *(volatile int *)8 = 1;
            break;
        default:
            return 2;
        }
    if (errno != 4711 && strpbrk(arguments[1], "wcb") != NULL && strlen(arguments[1]) == 1)
        printf("errno is %d\n", errno);
    printf("done\n");
    return 0;
}
