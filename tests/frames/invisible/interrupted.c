/* Which system calls end early when which signals come, and errno everywhere. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int ends[2];
static volatile int handled;
static sigjmp_buf home;
static void handler(int n)
{
    (void)n;
    handled++;
    errno = 999;
    if (handled % 2 == 0)
        write(ends[1], "x", 1);
}
static void jumps(int n)
{
    errno = 55;
    siglongjmp(home, n);
}
static void soon(void)
{
    struct itimerval t = {{0, 0}, {0, 3000}};
    setitimer(ITIMER_REAL, &t, NULL);
}
static void *waits(void *p)
{
    sigset_t *set = p;
    int got = 0;
    sigwait(set, &got);
    return (void *)(long)got;
}

int main(void)
{
    char c;
    if (pipe(ends) != 0)
        return 1;
    struct sigaction a = {.sa_handler = handler};
    sigaction(SIGALRM, &a, NULL);
    soon();
    errno = 0;
    ssize_t n = read(ends[0], &c, 1);
    printf("read: %zd %d handled %d\n", n, errno, handled);
    a.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &a, NULL);
    soon();
    errno = 17;
    n = read(ends[0], &c, 1);
    printf("read again: %zd %d handled %d\n", n, errno, handled);
    soon();
    struct timespec t = {0, 500000000}, left = {0, 0};
    int r = nanosleep(&t, &left);
    printf("sleep: %d %d left %d\n", r, errno, left.tv_nsec > 0);
    soon();
    r = pause();
    printf("pause: %d %d\n", r, errno);
    while (read(ends[0], &c, 1) == 1 && handled % 2)
        handled++;
    signal(SIGALRM, SIG_IGN);
    soon();
    t.tv_nsec = 10000000;
    errno = 0;
    r = nanosleep(&t, &left);
    printf("ignored: %d %d\n", r, errno);
    for (int i = 0; i < 2; i++) { /* a child that dies: SIGCHLD, by default, interrupts nothing */
        pid_t pid = fork();
        if (pid == 0)
            _exit(i);
        t.tv_nsec = 8000000;
        r = nanosleep(&t, &left);
        printf("child: %d %d\n", r, r ? errno : 0);
        waitpid(pid, NULL, 0);
    }
    raise(SIGWINCH);
    raise(SIGURG);
    raise(SIGCONT);
    signal(SIGALRM, jumps);
    if (sigsetjmp(home, 1) == 0) {
        soon();
        for (;;)
            pause();
    }
    printf("jumped: errno %d\n", errno);
    errno = 21;
    jmp_buf plain;
    if (setjmp(plain) == 0) {
        errno = 22;
        longjmp(plain, 1);
    }
    printf("longjmp: errno %d\n", errno);
    errno = 23;
    pid_t pid = fork();
    if (pid == 0)
        _exit(errno);
    int status, kept = errno;
    waitpid(pid, &status, 0);
    printf("fork: errno %d %d\n", kept, WEXITSTATUS(status));
    errno = 24;
    execl("/nowhere/at/all", "x", (char *)NULL);
    printf("exec: errno %d\n", errno);
    errno = 25;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_t thread;
    void *got;
    pthread_create(&thread, NULL, waits, &set);
    kill(getpid(), SIGTERM);
    pthread_join(thread, &got);
    printf("sigwait: %ld errno %d\n", (long)got, errno);
    int fd = signalfd(-1, &set, 0);
    raise(SIGINT);
    struct signalfd_siginfo info;
    n = read(fd, &info, sizeof info);
    printf("signalfd: %d %d code %d\n", n == sizeof info, (int)info.ssi_signo, info.ssi_code);
    struct timeval tv = {0, 1000};
    signal(SIGALRM, handler);
    struct itimerval quick = {{0, 0}, {0, 300}};
    tv.tv_usec = 500000;
    setitimer(ITIMER_REAL, &quick, NULL);
    errno = 0;
    r = select(0, NULL, NULL, NULL, &tv);
    printf("select: %d %d\n", r, errno);
    uid_t me = getuid();
    printf("setuid with threads: %d\n", setresuid(me, me, me));
    return 0;
}
