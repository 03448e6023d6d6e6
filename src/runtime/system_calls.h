/*
 * System calls made directly: the runtime must not go through functions that a program may define
 * itself (and that would then be counted), must leave errno alone, and must work before the C
 * library is ready. Results are the kernel's: negative numbers are errors.
 */
#ifndef COTREE_RUNTIME_SYSTEM_CALLS_H
#define COTREE_RUNTIME_SYSTEM_CALLS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include "runtime/arch/arch.h"

#define COTREE_CALL(number, a, b, c, d, e, f)                                                                \
    cotree_call6(number, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

static inline int cotree_failed(long result)
{
    return result < 0 && result >= -4095;
}

static inline long cotree_open(const char *path, long flags, long mode)
{
    return COTREE_CALL(SYS_openat, -100 /* AT_FDCWD */, path, flags, mode, 0, 0);
}

static inline void cotree_close(long descriptor)
{
    (void)COTREE_CALL(SYS_close, descriptor, 0, 0, 0, 0, 0);
}

static inline long cotree_mmap(void *address, size_t length, long protection, long flags, long descriptor,
                               uint64_t offset)
{
    return COTREE_CALL(SYS_mmap, address, length, protection, flags, descriptor, offset);
}

static inline long cotree_mremap(void *old, size_t old_length, size_t length, long flags, void *address)
{
    return COTREE_CALL(SYS_mremap, old, old_length, length, flags, address, 0);
}

static inline void cotree_munmap(void *address, size_t length)
{
    (void)COTREE_CALL(SYS_munmap, address, length, 0, 0, 0, 0);
}

static inline uint32_t cotree_getpid(void)
{
    return (uint32_t)COTREE_CALL(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

static inline uint32_t cotree_gettid(void)
{
    return (uint32_t)COTREE_CALL(SYS_gettid, 0, 0, 0, 0, 0, 0);
}

/* Blocks every signal and returns the mask that was in force; cotree_signals_restore puts it
 * back. */
static inline uint64_t cotree_signals_block(void)
{
    uint64_t all = ~UINT64_C(0), old = 0;
    (void)COTREE_CALL(SYS_rt_sigprocmask, 2 /* SIG_SETMASK */, &all, &old, 8, 0, 0);
    return old;
}

static inline void cotree_signals_restore(uint64_t mask)
{
    (void)COTREE_CALL(SYS_rt_sigprocmask, 2 /* SIG_SETMASK */, &mask, 0, 8, 0, 0);
}

#endif
