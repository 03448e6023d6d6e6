/*
 * Confines the compiler and the linker that weaving runs: they read the system, LLVM and what weaving
 * made, and write to directories of their own alone; they have no network, reach no other process, change
 * nothing that files are beside their content, and get no devices but /dev/null. It is the second wall.
 * Words that ask for more are refused before (carrying_program_missing), but assembly may name files,
 * libraries may need others, and compilers and linkers have bugs.
 *
 * It is Landlock, which Linux has from 5.13 on, where it is not switched off, and a filter of system
 * calls. Without Landlock files are as open as they are to the user.
 */
#ifndef COTREE_WEAVE_CONFINE_H
#define COTREE_WEAVE_CONFINE_H

#include "base/words.h"

#include <stdbool.h>

/* A confinement to these files and directories, and what is below them; those that are not there are
 * left out. -1 if the kernel has no Landlock. To be closed. */
int confine_make(const struct words *readable, const struct words *writable);
/* Confines this process, for good; to no files if there is no Landlock (-1). False, with errno. */
bool confine_enter(int confinement);

#endif
