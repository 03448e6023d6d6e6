/* A thread ends by pthread_exit or cancellation, in a function that was called by code without frame information:
 * "tables", a function of another object; "stack", one that calls on another stack. The unwinder stops there. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "truth.h"

int call_through(void (*function)(void));
void call_on(void (*function)(void), void *top);
__asm__(".text\n.type call_on, @function\ncall_on:\n"
        "push %rbp\nmov %rsp, %rbp\nmov %rsi, %rsp\ncall *%rdi\nmov %rbp, %rsp\npop %rbp\nret\n"
        ".size call_on, . - call_on\n");
static const char *way, *end;
static char stack[65536] __attribute__((aligned(16)));

__attribute__((noinline)) static void inner(void)
{
    T;
    if (strcmp(end, "exit") == 0) {
        T;
        pthread_exit(NULL);
    }
    T;
    if (strcmp(end, "cancel") == 0) {
        T;
        pthread_cancel(pthread_self());
        pthread_testcancel();
    }
    T;
}

__attribute__((noinline)) static void outer(void)
{
    T;
    if (strcmp(way, "tables") == 0)
        call_through(inner);
    else
        call_on(inner, stack + sizeof stack);
    T;
}

static void clean_up(void *unused)
{
    T;
}

static void *run(void *argument)
{
    T;
    if (argument != NULL) {
        pthread_cleanup_push(clean_up, NULL);
        T;
        outer();
        T;
        pthread_cleanup_pop(0);
        T;
    } else {
        outer();
        T;
    }
    return NULL;
}

int main(int count, char **arguments)
{
    way = arguments[1];
    end = arguments[2];
    for (long i = 0; i < 6; i++) {
        pthread_t thread;
        T;
        pthread_create(&thread, NULL, run, i % 3 == 0 ? &thread : NULL);
        pthread_join(thread, NULL);
        T;
    }
    if (count > 3) { /* the first thread, too */
        T;
        outer();
        T;
    }
    T;
    return 0;
}
