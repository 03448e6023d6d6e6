/* A directory for files that a test makes, inside the current one. It is gone when the test ends: who
 * runs a test by hand finds nothing left. */
#ifndef COTREE_TESTS_SCRATCH_DIRECTORY_H
#define COTREE_TESTS_SCRATCH_DIRECTORY_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char scratch_directory[] = "cotree-unit.XXXXXX";
static pid_t scratch_owner;

static inline int scratch_remove_one(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status, (void)type, (void)walk;
    return remove(path);
}

/* A child that ends leaves the directory to its parent. */
static inline void scratch_directory_remove(void)
{
    if (getpid() == scratch_owner && chdir("..") == 0)
        nftw(scratch_directory, scratch_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Makes the directory, and goes there. */
static inline void scratch_directory_enter(void)
{
    scratch_owner = getpid();
    if (!mkdtemp(scratch_directory) || chdir(scratch_directory) != 0 ||
        atexit(scratch_directory_remove) != 0) {
        perror(scratch_directory);
        exit(1);
    }
}

#endif
