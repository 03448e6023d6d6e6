/* Counts in a constructor, main, an exit handler and a destructor; with an argument N, N times; then ends as
 * the second argument says. */
#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "handmade.h"

COUNTERS(main_counters, 0x1001, 3)
COUNTERS(other_counters, 0x1002, 4)
__thread int user_data = 7, user_zero;

__attribute__((constructor)) static void first(void)
{
    COUNT(other_counters, 0);
}

__attribute__((destructor)) static void last(void)
{
    COUNT(other_counters, 1);
}

static void at_exit(void)
{
    COUNT(other_counters, 2);
}

int main(int argc, char **argv)
{
    long n = argc > 1 ? atol(argv[1]) : 1;
    const char *end = argc > 2 ? argv[2] : "return";
    if (user_data != 7 || user_zero != 0)
        return 9;
    atexit(at_exit);
    COUNT(main_counters, 0);
    for (long i = 0; i < n; i++)
        COUNT(main_counters, 1);
    if (user_data != 7 || user_zero != 0)
        return 9;
    COUNT(main_counters, 2);
    if (strcmp(end, "kill") == 0)
        kill(getpid(), SIGKILL);
    if (strcmp(end, "_exit") == 0)
        _exit(0);
    if (strcmp(end, "_Exit") == 0)
        _Exit(0);
    if (strcmp(end, "quick_exit") == 0)
        quick_exit(0);
    if (strcmp(end, "abort") == 0)
        abort();
    if (strcmp(end, "segv") == 0)
        raise(SIGSEGV);
    if (strcmp(end, "syscall") == 0)
        syscall(SYS_exit_group, 0);
    if (strcmp(end, "raw") == 0)
        __asm__ volatile("syscall" : : "a"(SYS_exit_group), "D"(0));
    if (strcmp(end, "assert") == 0)
        assert(n < 0);
    if (strcmp(end, "exit") == 0)
        exit(0);
    return 0;
}
