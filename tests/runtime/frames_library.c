/* A library with counters, for frames_host.c: t_library calls back, or leaves in the way that is named. */
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "handmade.h"

COUNTERS(counters, 0x6001, 1)

__attribute__((noinline)) static void leave(const char *how)
{
    if (strcmp(how, "exit") == 0)
        exit(3);
    if (strcmp(how, "_exit") == 0)
        _exit(3);
    if (strcmp(how, "quick_exit") == 0)
        quick_exit(3);
    __asm__ volatile("" ::: "memory");
}

__attribute__((constructor)) static void t_constructor(void)
{
    COUNT(counters, 0);
    if (getenv("LEAVE") != NULL)
        leave(getenv("LEAVE"));
    __asm__ volatile("" ::: "memory");
}

__attribute__((visibility("default"))) void t_library(const char *how, void (*callback)(void))
{
    COUNT(counters, 0);
    if (callback != NULL)
        callback();
    leave(how);
    __asm__ volatile("" ::: "memory");
}
