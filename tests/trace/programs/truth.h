/* What is true: with -DTRUTH every `T;` adds one to a counter of its line, in the file that TRUTH_FILE names. Nothing of the
 * profiler is asked. */
#ifndef TRUTH_H
#define TRUTH_H
#ifdef TRUTH
#include <stdlib.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#ifdef __cplusplus
extern "C" {
#endif
static unsigned long *truth_p;
__attribute__((no_profile_instrument_function, noinline, constructor(101))) static void truth_start(void) {
    const char *n = getenv("TRUTH_FILE"); int fd = n ? open(n, O_RDWR|O_CREAT, 0666) : -1;
    if (fd >= 0) { if (ftruncate(fd, 65536)) {} truth_p = (unsigned long*)mmap(0, 65536, PROT_READ|PROT_WRITE, MAP_SHARED, fd, 0); close(fd); }
    else truth_p = (unsigned long*)mmap(0, 65536, PROT_READ|PROT_WRITE, MAP_SHARED|MAP_ANONYMOUS, -1, 0);
}
#ifdef __cplusplus
}
#endif
#define T __atomic_fetch_add(&truth_p[__LINE__], 1, __ATOMIC_RELAXED)
#else
#define T __asm__ volatile("")
#endif
#endif
