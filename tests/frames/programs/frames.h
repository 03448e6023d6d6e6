/* What several programs need. Nothing here is counted: how often it runs depends on time. */
#ifndef FRAMES_H
#define FRAMES_H

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))
#define INLINE __attribute__((always_inline)) inline
#define UNCOUNTED __attribute__((no_profile_instrument_function, unused))

UNCOUNTED static int thread_id(void)
{
    return (int)syscall(SYS_gettid);
}

/* Until the thread, whose id another thread writes, sleeps in a system call. */
UNCOUNTED static void wait_until_asleep(volatile int *thread)
{
    for (int seen = 0; seen < 3;) {
        char name[64], line[512], *state = NULL;
        snprintf(name, sizeof name, "/proc/self/task/%d/stat", *thread);
        int fd = *thread ? open(name, O_RDONLY) : -1;
        if (fd >= 0) {
            ssize_t n = read(fd, line, sizeof line - 1);
            close(fd);
            line[n > 0 ? n : 0] = 0;
            state = strrchr(line, ')');
        }
        seen = state && state[1] == ' ' && state[2] == 'S' ? seen + 1 : 0;
        struct timespec t = {0, 300000};
        nanosleep(&t, NULL);
    }
}

#endif
