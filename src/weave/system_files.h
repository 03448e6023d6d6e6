/* Files that belong to the system's packages: they are there on other machines, too. */
#ifndef COTREE_WEAVE_SYSTEM_FILES_H
#define COTREE_WEAVE_SYSTEM_FILES_H

#include <stdbool.h>

/* Is the path in a directory of libraries of the system? */
bool is_of_system(const char *path);

#endif
