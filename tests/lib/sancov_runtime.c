/*
 * Counts for SanitizerCoverage's guards: 64 bits a guard, in a file, so that they outlive _exit, abort and
 * kill, and are the sum over threads and forked children. Part of the oracle: it shares no code with cotree.
 *
 * $ORACLE_COUNTS is the file of counts. $ORACLE_COUNTS.pcs lists, a line a guard, the address of its function
 * if it is the function's first guard, and 0 otherwise.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

extern uint32_t __start___sancov_guards[] __attribute__((visibility("hidden")));
extern uint32_t __stop___sancov_guards[] __attribute__((visibility("hidden")));
extern const uintptr_t __start___sancov_pcs[][2] __attribute__((visibility("hidden")));

static uint64_t *counts;

/* Before every constructor; getenv does not work yet, so the environment is taken from the arguments. */
static void open_counts(int argc, char **argv, char **envp)
{
    (void)argc, (void)argv;
    const char *name = NULL, prefix[] = "ORACLE_COUNTS=";
    for (; *envp; envp++)
        if (__builtin_strncmp(*envp, prefix, sizeof prefix - 1) == 0)
            name = *envp + sizeof prefix - 1;
    if (!name)
        _exit(120);
    size_t n = (size_t)(__stop___sancov_guards - __start___sancov_guards);
    int fd = open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0 || ftruncate(fd, (off_t)(n * 8)) != 0)
        _exit(121);
    counts = mmap(NULL, n * 8, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (counts == MAP_FAILED)
        _exit(122);
    close(fd);
    char pcs[4096];
    snprintf(pcs, sizeof pcs, "%s.pcs", name);
    fd = open(pcs, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    for (size_t i = 0; i < n; i++)
        if (dprintf(fd, "%016lx\n", __start___sancov_pcs[i][1] & 1 ? __start___sancov_pcs[i][0] : 0) < 0)
            _exit(123);
    close(fd);
    errno = 0;
}
__attribute__((section(".preinit_array"), used)) static void (*preinit)(int, char **, char **) = open_counts;

void __sanitizer_cov_trace_pc_guard(const uint32_t *guard)
{
    __atomic_fetch_add(&counts[guard - __start___sancov_guards], 1, __ATOMIC_RELAXED);
}
void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop)
{
    (void)start, (void)stop;
}
void __sanitizer_cov_pcs_init(const uintptr_t *start, const uintptr_t *stop)
{
    (void)start, (void)stop;
}
