/*
 * small_stacks ENDING EXTRA [THREAD]: a handler on a guarded alternate stack, which has EXTRA bytes more
 * than the kernel's smallest, ends or goes on as ENDING says. In the main thread, or in one of its own.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { GUARD = 1 << 16, ROUNDS = 20 };
static const char *ending;
static size_t extra;
static sigjmp_buf before;
static volatile int handled;

__attribute__((noinline)) static void leave(void)
{
    static char *const words[] = {"true", NULL};
    handled++;
    if (!strcmp(ending, "jump"))
        siglongjmp(before, 1);
    if (!strcmp(ending, "_exit"))
        _exit(3);
    if (!strcmp(ending, "quick_exit"))
        quick_exit(4);
    if (!strcmp(ending, "exec"))
        execv("/bin/true", words);
    if (!strcmp(ending, "no-exec"))
        execv("/nowhere", words);
    if (!strcmp(ending, "vfork") && vfork() == 0)
        _exit(1);
}

static void handle(int number)
{
    (void)number;
    leave();
}

static void *run(void *unused)
{
    size_t size = (size_t)sysconf(_SC_MINSIGSTKSZ) + extra;
    char *memory = mmap(NULL, 2 * GUARD, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    stack_t stack = {.ss_sp = memory + GUARD, .ss_size = size};
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
    (void)unused;
    mprotect(memory, GUARD, PROT_NONE);
    sigaltstack(&stack, NULL);
    sigaction(SIGUSR1, &action, NULL);
    for (volatile int i = 0; i < ROUNDS; i++)
        if (!sigsetjmp(before, 1))
            raise(SIGUSR1);
    printf("%d\n", handled);
    return NULL;
}

int main(int count, char **words)
{
    pthread_t thread;
    ending = words[1];
    extra = strtoul(words[2], NULL, 10);
    if (count > 3 && pthread_create(&thread, NULL, run, NULL) == 0)
        pthread_join(thread, NULL);
    else
        run(NULL);
    return 0;
}
