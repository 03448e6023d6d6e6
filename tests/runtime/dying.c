/*
 * Dies, as its argument says, in t_leaf, below t_middle and main. With PLAIN it is the program without
 * counters to compare with.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef PLAIN
#define COUNTERS(name, key, n)
#define COUNT(name, i)
#else
#include "handmade.h"
#endif

COUNTERS(counters, 0xd001, 2)
static volatile int sink;
static int pipe_ends[2];

static void report(int number)
{
    char text[] = "handler   \n";
    text[8] = (char)('0' + number / 10);
    text[9] = (char)('0' + number % 10);
    (void)!write(1, text, sizeof text - 1);
}

static void report_and_raise(int number)
{
    report(number);
    raise(number);
}

static void report_and_return_to_default(int number)
{
    report(number);
    signal(number, SIG_DFL);
    raise(number);
}

__attribute__((noinline)) int t_overflow(volatile char *above)
{
    volatile char here[512];
    here[0] = above != NULL ? above[0] : 0;
    COUNT(counters, 1);
    return t_overflow(here) + here[0];
}

static void *t_thread(void *how)
{
    if (strcmp(how, "thread-overflow-handled") ==
        0) /* by a handler that wants an alternate stack, and has none: it cannot run */
        sigaction(SIGSEGV, &(struct sigaction){.sa_handler = report, .sa_flags = SA_ONSTACK}, NULL);
    if (strncmp(how, "thread-overflow", 15) == 0)
        sink = t_overflow(NULL);
    if (strcmp(how, "thread-null") == 0)
        *(volatile int *)8 = 1;
    if (strcmp(how, "thread-abort") == 0)
        abort();
    if (strcmp(how, "thread-raise") == 0)
        raise(SIGUSR1);
    if (strcmp(how, "thread-trap") == 0)
        __asm__ volatile("int3");
    sink++;
    return NULL;
}

__attribute__((noinline)) static void in_thread(char *how)
{
    pthread_t thread;
    pthread_create(&thread, NULL, t_thread, how);
    pthread_join(thread, NULL);
}

/* Its own mask lets nothing through: the signal comes inside the call, and must not wait until after it. */
__attribute__((noinline)) static void suspended(void)
{
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    sigprocmask(SIG_BLOCK, &all, NULL);
    kill(getpid(), SIGTERM);
    sigsuspend(&none);
    puts("sigsuspend returned");
    fflush(stdout);
}

__attribute__((noinline)) static void vfork_child(void)
{
    pid_t child = vfork();
    int status = 0;
    if (child == 0) {
        kill(getpid(), SIGTERM);
        _exit(1);
    }
    waitpid(child, &status, 0);
    printf("child: %d, ours: %d\n", status, signal(SIGTERM, SIG_DFL) == SIG_DFL);
    fflush(stdout);
}

__attribute__((noinline)) static void raw_fork_child(void)
{
    long child = SYS_fork; /* by an instruction of its own */
    __asm__ volatile("syscall" : "+a"(child) : : "rcx", "r11", "memory");
    int status = 0;
    if (child == 0) {
        kill((pid_t)syscall(SYS_getpid), SIGTERM);
        _exit(1);
    }
    waitpid((pid_t)child, &status, 0);
    printf("child: %d\n", status);
    fflush(stdout);
}

__attribute__((noinline)) void t_leaf(char *how)
{
    COUNT(counters, 0);
    static int zero;
    if (how[0] >= '0' && how[0] <= '9')
        kill(getpid(), atoi(how));
    else if (strncmp(how, "raise-", 6) == 0)
        raise(atoi(how + 6));
    else if (strncmp(how, "thread-", 7) == 0)
        in_thread(how);
    else if (strcmp(how, "null") == 0)
        *(volatile int *)8 = 1;
    else if (strcmp(how, "divide") == 0)
        __asm__ volatile("xorl %%edx, %%edx; movl $1, %%eax; divl %0" : : "r"(zero) : "eax", "edx");
    else if (strcmp(how, "illegal") == 0)
        __asm__ volatile("ud2");
    else if (strcmp(how, "privileged") == 0)
        __asm__ volatile("hlt");
    else if (strcmp(how, "trap") == 0)
        __asm__ volatile("int3");
    else if (strcmp(how, "bus") == 0)
        ((volatile char *)mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(tmpfile()), 0))[0] = 1;
    else if (strcmp(how, "overflow") == 0)
        sink = t_overflow(NULL);
    else if (strcmp(how, "abort") == 0)
        abort();
    else if (strcmp(how, "assert") == 0)
        assert(zero);
    else if (strcmp(how, "pipe") == 0)
        (void)!write(pipe_ends[1], "x", 1);
    else if (strcmp(how, "alarm") == 0)
        setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 10000}}, NULL), pause();
    else if (strcmp(how, "cpu") == 0)
        for (setitimer(ITIMER_PROF, &(struct itimerval){{0, 0}, {0, 10000}}, NULL);;)
            sink++;
    else if (strcmp(how, "size") == 0)
        (void)!write(fileno(tmpfile()), "xx", 2);
    else if (strcmp(how, "pause") == 0)
        puts("ready"), fflush(stdout), pause();
    else if (strcmp(how, "read") == 0)
        puts("ready"), fflush(stdout), (void)!read(pipe_ends[0], &how, 1);
    else if (strcmp(how, "loop") == 0)
        for (puts("ready"), fflush(stdout);;)
            sink++;
    else if (strcmp(how, "suspend") == 0)
        suspended();
    else if (strcmp(how, "vfork") == 0)
        vfork_child();
    else if (strcmp(how, "rawfork") == 0)
        raw_fork_child();
    else if (strcmp(how, "oneshot") == 0) /* a crash handler that lets the crash happen again */
        sigaction(SIGSEGV, &(struct sigaction){.sa_handler = report, .sa_flags = SA_RESETHAND}, NULL),
            *(volatile int *)8 = 1;
    else if (strcmp(how, "oneshot-raise") == 0)
        sigaction(
            SIGABRT,
            &(struct sigaction){.sa_handler = report_and_raise, .sa_flags = (int)(SA_RESETHAND | SA_NODEFER)},
            NULL),
            abort();
    else if (strcmp(how, "own-default") == 0)
        signal(SIGBUS, report_and_return_to_default), raise(SIGBUS);
    else if (strcmp(how, "abort-handled") == 0)
        signal(SIGABRT, report), abort();
    else if (strcmp(how, "abort-ignored") == 0)
        signal(SIGABRT, SIG_IGN), abort();
    else if (strcmp(how, "replaced") == 0) {
        signal(SIGTERM, report), raise(SIGTERM), signal(SIGTERM, SIG_IGN), raise(SIGTERM);
        signal(SIGTERM, SIG_DFL), raise(SIGTERM);
    } else if (strcmp(how, "blocked") == 0) { /* the kernel does not ask handlers then */
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, SIGSEGV);
        sigprocmask(SIG_BLOCK, &set, NULL);
        *(volatile int *)8 = 1;
    }
    sink++;
}

__attribute__((noinline)) void t_middle(char *how)
{
    t_leaf(how);
    sink++;
}

int main(int argc, char **argv)
{
    char *how = argc > 1 ? argv[1] : "none";
    if (pipe(pipe_ends) != 0)
        return 9;
    if (strcmp(how, "pipe") == 0)
        close(pipe_ends[0]);
    if (strcmp(how, "size") == 0)
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){0, 0});
    t_middle(how);
    sink++;
    return 0;
}
