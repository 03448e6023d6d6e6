/* Prints the link flags of a variant of the runtime, one a line. */
#include <stdio.h>
#include <string.h>
#include "runtime/link_flags.h"

int main(int argc, char **argv)
{
    const char *variant = argc > 1 ? argv[1] : "";
    const char *const *flags = strcmp(variant, "exec") == 0     ? runtime_exec_link_flags
                               : strcmp(variant, "static") == 0 ? runtime_static_link_flags
                                                                : runtime_shared_link_flags;
    for (; *flags != NULL; flags++)
        puts(*flags);
    return 0;
}
