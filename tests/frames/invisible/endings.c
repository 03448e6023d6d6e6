/* How a parent sees its children end: every fatal signal, by raise and from outside; exit statuses; core
 * bits; waitid. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static int *volatile nowhere;
static volatile int zero;
static void *sleeps(void *p)
{
    pause();
    return p;
}
static void returns(int n)
{
    (void)n;
}
__attribute__((noinline)) static int down(volatile int n)
{
    volatile char room[4096];
    room[n % 4096] = 1;
    return down(n + 1) + room[n % 4096];
}
static void child(int how)
{
    sigset_t all;
    sigfillset(&all);
    switch (how) {
    case 200:
        exit(42);
    case 201:
        _exit(300);
    case 202:
        abort();
    case 203: /* blocked and ignored: abort ends the process all the same */
        sigprocmask(SIG_SETMASK, &all, NULL);
        signal(SIGABRT, SIG_IGN);
        abort();
    case 204:
        signal(SIGABRT, returns);
        abort();
    case 205:
        *nowhere = 1;
        break;
    case 206:
        zero = 1 / zero;
        break;
    case 207:
        __builtin_trap();
    case 208: { /* a pipe nobody reads */
        int ends[2];
        if (pipe(ends) == 0)
            close(ends[0]);
        write(ends[1], "x", 1);
        break;
    }
    case 209: { /* limits */
        struct rlimit limit = {4096, 4096};
        char name[] = "limit.XXXXXX";
        int fd = mkstemp(name);
        unlink(name);
        setrlimit(RLIMIT_FSIZE, &limit);
        for (int i = 0; i < 5; i++)
            write(fd, name - 100, 4096);
        break;
    }
    case 210: { /* a thread dies of it */
        pthread_t t;
        pthread_create(&t, NULL, sleeps, NULL);
        *nowhere = 1;
        break;
    }
    case 211: /* the stack overflows */
    {
        struct rlimit limit = {256 * 1024, 256 * 1024};
        setrlimit(RLIMIT_STACK, &limit);
        down(0);
        break;
    }
    case 212: { /* the stack overflows, and the handler has none */
        struct rlimit limit = {256 * 1024, 256 * 1024};
        setrlimit(RLIMIT_STACK, &limit);
        signal(SIGSEGV, returns);
        down(0);
        break;
    }
    case 213: /* a blocked fault is fatal whatever the handler */
        signal(SIGSEGV, returns);
        sigprocmask(SIG_SETMASK, &all, NULL);
        *nowhere = 1;
        break;
    case 214: /* ignored, too */
        signal(SIGSEGV, SIG_IGN);
        *nowhere = 1;
        break;
    case 215:
        signal(SIGTERM, SIG_IGN);
        raise(SIGTERM);
        signal(SIGTERM, SIG_DFL);
        sigprocmask(SIG_SETMASK, &all, NULL);
        raise(SIGTERM);
        sigemptyset(&all);
        sigprocmask(SIG_SETMASK, &all, NULL);
        break;
    case 216: { /* SA_RESETHAND, then once more */
        struct sigaction a = {.sa_handler = returns, .sa_flags = SA_RESETHAND};
        sigaction(SIGUSR1, &a, NULL);
        raise(SIGUSR1);
        raise(SIGUSR1);
        break;
    }
    case 217: { /* pending when unblocked by sigsuspend */
        sigprocmask(SIG_SETMASK, &all, NULL);
        raise(SIGHUP);
        sigemptyset(&all);
        sigsuspend(&all);
        break;
    }
    case 218:
        setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 5000}}, NULL);
        for (;;)
            pause();
    case 219:
        quick_exit(9);
    case 220: {
        pthread_t t;
        pthread_create(&t, NULL, sleeps, NULL);
        pthread_detach(pthread_self());
        kill(getpid(), SIGTERM);
        for (;;)
            pause();
    }
    case 221: /* an error inside a system call of the kernel's own: bad stack pointer */
        __asm__ volatile("mov $0, %rsp\npush %rax");
        break;
    default:
        raise(how);
    }
    _exit(77);
}
static void report(const char *what, int how, pid_t pid)
{
    siginfo_t info = {0};
    int status = 0;
    while (waitid(P_PID, (id_t)pid, &info, WEXITED | WSTOPPED | WNOWAIT) != 0 && errno == EINTR)
        ;
    if (info.si_code == CLD_STOPPED) {
        waitpid(pid, &status, WUNTRACED);
        printf("%s %d: stopped by %d\n", what, how, WSTOPSIG(status));
        kill(pid, SIGKILL);
    }
    waitpid(pid, &status, 0);
    printf("%s %d: exited %d %d, signalled %d %d, core %d, code %d status %d\n", what, how, WIFEXITED(status),
           WIFEXITED(status) ? WEXITSTATUS(status) : 0, WIFSIGNALED(status),
           WIFSIGNALED(status) ? WTERMSIG(status) : 0, WIFSIGNALED(status) && WCOREDUMP(status), info.si_code,
           info.si_status);
    unlink("core");
}

int main(int argc, char **argv)
{
    if (argc == 2)
        child(atoi(argv[1]));
    struct rlimit cores = {argc == 3 ? RLIM_INFINITY : 0, RLIM_INFINITY};
    setrlimit(RLIMIT_CORE, &cores);
    for (int how = 1; how < 222; how++) {
        if (how >= 32 && how < 200)
            continue;
        char number[16];
        sprintf(number, "%d", how);
        fflush(stdout);
        pid_t pid = fork();
        if (pid == 0)
            child(how);
        report("forked", how, pid);
        if (how % 3 && how < 200)
            continue;
        pid = fork();
        if (pid == 0) {
            execl("/proc/self/exe", argv[0], number, (char *)NULL);
            _exit(78);
        }
        report("executed", how, pid);
    }
    for (int s = 1; s < 32; s++) { /* from outside */
        int ends[2];
        char c;
        if (pipe(ends) != 0)
            return 1;
        pid_t pid = fork();
        if (pid == 0) {
            write(ends[1], "r", 1);
            for (;;)
                if (s % 2)
                    pause();
        }
        read(ends[0], &c, 1);
        close(ends[0]);
        close(ends[1]);
        if (s == SIGCHLD || s == SIGCONT || s == SIGURG || s == SIGWINCH) {
            kill(pid, s);
            usleep(2000);
            printf("still there: %d\n", waitpid(pid, NULL, WNOHANG) == 0);
            kill(pid, SIGKILL);
        }
        kill(pid, s);
        report("outside", s, pid);
    }
    return 0;
}
