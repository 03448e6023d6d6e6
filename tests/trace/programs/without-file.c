/* Makes a child that cannot make a file, and says how it ended. How it is kept from that:
 *   c  chroot          u  another user     n  no descriptors     f N  files of at most N bytes
 * How it is made: F fork, C clone, V vfork (which shares its parent's file), T a thread of the parent's, too.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) static int work(int n)
{
    volatile int s = 0;
    for (int i = 0; i < n; i++)
        s += i;
    return s;
}

static int child(void *argument)
{
    (void)argument;
    work(20);
    _exit(7);
}

static void *thread(void *argument)
{
    work(20);
    return argument;
}

static void prevent(int how, const char *number)
{
    struct rlimit none = {0, 0}, size = {(rlim_t)atol(number), (rlim_t)atol(number)};
    if ((how == 'c' && (chroot("/proc/sys") || chdir("/"))) ||
        (how == 'u' && (setgid(65534) || setuid(65534))) || (how == 'n' && setrlimit(RLIMIT_NOFILE, &none)) ||
        (how == 'f' && setrlimit(RLIMIT_FSIZE, &size)))
        exit(9);
}

int main(int argc, char **argv)
{
    static char stack[65536] __attribute__((aligned(16)));
    int kind = argv[2][0], status = 0;
    pthread_t id;
    prevent(argv[1][0], argc > 3 ? argv[3] : "0");
    pid_t pid = kind == 'C'   ? clone(child, stack + sizeof stack, SIGCHLD, NULL)
                : kind == 'V' ? vfork()
                              : fork();
    if (pid == 0)
        child(NULL);
    if (waitpid(pid, &status, 0) != pid)
        return 8;
    if (kind == 'T' && (pthread_create(&id, NULL, thread, NULL) || pthread_join(id, NULL)))
        return 8;
    printf("child %x\n", (unsigned)status);
    return 0;
}
