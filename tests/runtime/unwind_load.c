/* Libraries come and go, and others appear where they were: walks through them are libgcc's each time.
 * Arguments: the libraries. */
#include <dlfcn.h>
#include "unwind_oracle.h"

static void visit(void)
{
    oracle_check("library");
}

static unsigned ends;

static void visit_at_end(void)
{
    oracle_check("end of a library");
    ends++;
}

/* From a function of its own: all stacks end with the frames of its caller. */
__attribute__((noinline)) static int unload(void *library)
{
    oracle_stays();
    int result = dlclose(library);
    oracle_bottom.count = 0;
    return result;
}

static unsigned walks;
static unsigned long steps;

static void walk_only(void)
{
    for (unsigned i = 0; i < walks; i++) {
        struct cotree_cursor c;
        CURSOR_HERE(&c);
        while (cotree_unwind(&c) == COTREE_STEP_OK)
            steps++;
    }
}

typedef int library_plain(void (*)(void), int);
static void *library;
static library_plain *plain;

static int nested(unsigned depth)
{
    return depth == 0 ? plain(walk_only, 1) : plain(walk_only, nested(depth - 1));
}

int main(int count, char **arguments)
{
    uintptr_t before = 0;
    unsigned same = 0, loads = 0;
    for (int round = 0; round < 3; round++)
        for (int i = 1; i < count && arguments[i][0] == '.'; i++) {
            library = dlopen(arguments[i], RTLD_NOW);
            if (library == NULL) {
                fprintf(stderr, "%s\n", dlerror());
                return 1;
            }
            plain = (library_plain *)dlsym(library, "library_plain");
            same += (uintptr_t)plain == before;
            before = (uintptr_t)plain;
            loads++;
            for (int k = 0; k < 3; k++)
                plain(visit, k);
            if (count > i + 1 &&
                arguments[i + 1][0] != '.') { /* to measure: a frame of the library, one of ours, ... */
                walks = (unsigned)atoi(arguments[i + 1]);
                nested(0);
                return 0;
            }
            ((void (*)(void (*)(void)))dlsym(library, "library_at_end"))(visit_at_end);
            if (unload(library) != 0)
                return 1;
        }
    printf("%u loads, %u at the address of the one before, %lu stacks, %lu beyond libgcc\n", loads, same,
           oracle_compared, oracle_beyond);
    return oracle_compared != 4 * loads || ends != loads;
}
