// Loads a library five times, the third time so that names of it lead to itself first: D: RTLD_DEEPBIND, N: dlmopen.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

static void *load(char how, int round)
{
    if (round != 2 || how == '-')
        return dlopen("./liba.so", RTLD_NOW);
    return how == 'N' ? dlmopen(LM_ID_NEWLM, "./liba.so", RTLD_NOW) : dlopen("./liba.so", RTLD_NOW | RTLD_DEEPBIND);
}

int main(int count, char **arguments)
{
    int sum = 0;
    (void)count;
    for (int i = 0; i < 5; i++) {
        void *library = load(arguments[1][0], i);
        int (*function)(int) = library ? (int (*)(int))dlsym(library, "libf") : NULL;
        if (!function)
            return 1;
        sum += function(10);
        dlclose(library);
    }
    printf("%d\n", sum);
    return 0;
}
