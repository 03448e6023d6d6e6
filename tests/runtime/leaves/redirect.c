/* A signal handler changes the context it was given: the thread goes on in the same function, behind the instruction that caused the signal ("skip"), or in
 * another one, which never returns. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include "truth.h"

static const char *way;
static jmp_buf start;

__attribute__((noinline, noreturn)) static void elsewhere(void)
{
    T;
    if (strcmp(way, "jump") == 0) {
        T;
        longjmp(start, 1);
    }
    T;
    if (strcmp(way, "thread") == 0) {
        T;
        pthread_exit(NULL);
    }
    T;
    exit(3);
}

static void handle(int number, siginfo_t *info, void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    T;
    if (strcmp(way, "skip") == 0) {
        T;
        registers[REG_RIP] += 2;
        return;
    }
    T;
    registers[REG_RSP] = ((registers[REG_RSP] - 512) & ~15L) - 8;
    *(long *)registers[REG_RSP] = 0; /* there is no caller */
    registers[REG_RIP] = (long)elsewhere;
}

__attribute__((noinline)) static void inner(void)
{
    T;
    __asm__ volatile("ud2" ::: "memory");
    T;
}

__attribute__((noinline)) static void outer(void)
{
    T;
    inner();
    T;
}

static void *run(void *argument)
{
    T;
    outer();
    T;
    return NULL;
}

int main(int count, char **arguments)
{
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_NODEFER};
    way = arguments[1];
    sigaction(SIGILL, &action, NULL);
    if (strcmp(way, "jump") == 0) {
        if (setjmp(start) == 0) {
            T;
            outer();
            T;
        }
        T;
    } else if (strcmp(way, "end") == 0) {
        T;
        outer();
        T;
    } else {
        pthread_t thread;
        T;
        pthread_create(&thread, NULL, run, NULL);
        pthread_join(thread, NULL);
        T;
    }
    return 0;
}
