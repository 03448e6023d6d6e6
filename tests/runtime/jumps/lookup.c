/* longjmp is found by name, in the way that is asked for. */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include "truth.h"

static jmp_buf kept;
static void (*jump)(jmp_buf, int);

__attribute__((noinline)) static void inner(int i)
{
    T;
    if (i % 3 == 0) {
        T;
        jump(kept, 1);
    }
    T;
}

__attribute__((noinline)) static void outer(int i)
{
    T;
    inner(i);
    T;
}

static void *look_up(const char *way)
{
    void *library = dlopen("libc.so.6", RTLD_NOW);
    if (strcmp(way, "handle") == 0)
        return dlsym(library, "longjmp");
    if (strcmp(way, "siglongjmp") == 0)
        return dlsym(library, "siglongjmp");
    if (strcmp(way, "version") == 0)
        return dlvsym(library, "longjmp", "GLIBC_2.2.5");
    if (strcmp(way, "next") == 0)
        return dlsym(RTLD_NEXT, "longjmp");
    if (strcmp(way, "default") == 0)
        return dlsym(RTLD_DEFAULT, "_longjmp");
    /* by a lookup that is itself looked up */
    void *(*lookup)(void *, const char *) = (void *(*)(void *, const char *))dlsym(library, "dlsym");
    return lookup(library, "longjmp");
}

int main(int argc, char **argv)
{
    volatile int i = 0, n = 0;
    jump = (void (*)(jmp_buf, int))look_up(argv[argc - 1]);
    if (jump == NULL || dlsym(RTLD_NEXT, "no_such_function") != NULL || dlerror() == NULL)
        return 1;
    for (i = 0; i < 30; i++) {
        T;
        if (setjmp(kept) == 0) {
            T;
            outer(i);
            T;
        } else {
            T;
            n++;
        }
        T;
    }
    printf("%d\n", n);
    return 0;
}
