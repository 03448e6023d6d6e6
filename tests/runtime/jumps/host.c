/* host WAY: loads ./lib.so so that it finds the C library's functions before ours (deep, list), or not
 * (plain). */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include "truth.h"

static void back(void (*jump)(void))
{
    T;
    jump();
    T;
}

int main(int argc, char **argv)
{
    int sum = 0;
    const char *way = argv[argc - 1];
    for (int i = 0; i < 10; i++) {
        T;
        void *library = strcmp(way, "list") == 0   ? dlmopen(LM_ID_NEWLM, "./lib.so", RTLD_NOW)
                        : strcmp(way, "deep") == 0 ? dlopen("./lib.so", RTLD_NOW | RTLD_DEEPBIND)
                        : strcmp(way, "lazy") == 0 ? dlopen("./lib.so", RTLD_LAZY | RTLD_DEEPBIND)
                                                   : dlopen("./lib.so", RTLD_NOW);
        if (library == NULL) {
            puts(dlerror());
            return 1;
        }
        int (*jumps)(int, void (*)(void (*)(void))) =
            (int (*)(int, void (*)(void (*)(void))))dlsym(library, "jumps");
        sum += jumps(i, back);
        dlclose(library);
    }
    printf("%d\n", sum);
    return 0;
}
