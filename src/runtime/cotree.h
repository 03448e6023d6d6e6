/*
 * cotree.h - for programs that want a say in their own profile. Nothing here is needed for
 * profiling.
 *
 * A program that includes this also builds and runs without cotree: the calls then do nothing and
 * return ENOSYS.
 */
#ifndef COTREE_H
#define COTREE_H

#include <errno.h>

#ifdef __cplusplus
extern "C" {
#endif

int cotree_runtime_dump(const char *path) __attribute__((weak, visibility("hidden")));
int cotree_runtime_reset(void) __attribute__((weak, visibility("hidden")));

/*
 * Writes a copy of the counts so far to PATH, replacing it in one step. The copy is marked: its
 * program was still running. Returns 0 or an error number: ENOENT when this process writes no
 * profile, ENOSYS when it is not built with cotree.
 */
static inline int cotree_dump(const char *path)
{
    return cotree_runtime_dump ? cotree_runtime_dump(path) : ENOSYS;
}

/*
 * Sets all counters of this process to zero: counts start here. The profile is marked. What other
 * threads count meanwhile may or may not be kept. Returns 0 or an error number: ENOTSUP in a file
 * that is shared with other processes, ENOENT and ENOSYS as above.
 */
static inline int cotree_reset(void)
{
    return cotree_runtime_reset ? cotree_runtime_reset() : ENOSYS;
}

#ifdef __cplusplus
}
#endif

#endif
