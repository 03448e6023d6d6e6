/*
 * Frames of a library that is loaded by dlopen. Arguments: LIBRARY KIND. With -DPLAIN the program has no
 * counters.
 *
 *   exit, _exit, quick_exit   in the library
 *   callback   exit in t_back, which the library calls
 *   longjmp    a hundred times over the library's frame, from t_back to t_catch
 *   again      the library is closed and opened again, ten times, before it exits
 *   closed     it returns and is closed; another function exits
 */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#ifdef PLAIN
#define COUNT(name, number) (void)0
#else
#include "handmade.h"
COUNTERS(counters, 0x7001, 1)
#endif

static const char *kind;
static void (*library)(const char *how, void (*callback)(void));
static jmp_buf target;

__attribute__((noinline)) static void t_back(void)
{
    if (strcmp(kind, "longjmp") == 0)
        longjmp(target, 1);
    if (strcmp(kind, "callback") == 0)
        exit(3);
    __asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) static void t_catch(void)
{
    volatile int round = 0;
    setjmp(target);
    if (round++ < 100)
        library(kind, strcmp(kind, "longjmp") == 0 || strcmp(kind, "callback") == 0 ? t_back : NULL);
    __asm__ volatile("" ::: "memory");
}

int main(int argc, char **argv)
{
    COUNT(counters, 0);
    kind = argc > 2 ? argv[2] : "return";
    for (int i = 0; i < 11; i++) {
        void *handle = dlopen(argv[1], RTLD_NOW);
        library = handle != NULL ? (void (*)(const char *, void (*)(void)))dlsym(handle, "t_library") : NULL;
        if (library == NULL)
            return 9;
        if (strcmp(kind, "again") != 0 && strcmp(kind, "closed") != 0)
            break;
        if (i < 10 || strcmp(kind, "closed") == 0)
            library("return", NULL), dlclose(handle);
        else
            kind = "exit";
    }
    if (strcmp(kind, "closed") == 0)
        exit(3);
    t_catch();
    return 0;
}
