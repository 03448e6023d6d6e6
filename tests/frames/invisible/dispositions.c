/* What a program is told about its signal handlers and alternate stacks: in constructors, in main, in
 * threads, in handlers, after changes. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void one(int n)
{
    (void)n;
}
static void two(int n, siginfo_t *i, void *c)
{
    (void)n, (void)i, (void)c;
}
static const char *handler_name(const struct sigaction *a)
{
    if (a->sa_flags & SA_SIGINFO)
        return a->sa_sigaction == two ? "two" : "other siginfo";
    return a->sa_handler == SIG_DFL   ? "default"
           : a->sa_handler == SIG_IGN ? "ignore"
           : a->sa_handler == one     ? "one"
                                      : "other";
}
static const char *name_of(void (*h)(int))
{
    return h == SIG_DFL   ? "default"
           : h == SIG_IGN ? "ignore"
           : h == one     ? "one"
           : h == SIG_ERR ? "error"
                          : "other";
}
static void show(const char *where, int from, int to)
{
    for (int s = from; s <= to; s++) {
        struct sigaction a;
        memset(&a, 0x55, sizeof a);
        errno = 0;
        int r = sigaction(s, NULL, &a);
        printf("%s %d: %d %d", where, s, r, errno);
        if (r == 0) {
            printf(" %s flags %x mask", handler_name(&a), (unsigned)a.sa_flags & ~0x4000000u);
            for (int m = 1; m < 65; m++)
                if (sigismember(&a.sa_mask, m) == 1)
                    printf(" %d", m);
        }
        printf("\n");
    }
}
static void show_stack(const char *where)
{
    stack_t s;
    memset(&s, 0x55, sizeof s);
    int r = sigaltstack(NULL, &s);
    printf("%s stack: %d flags %d size %zu set %d\n", where, r, s.ss_flags,
           s.ss_flags & SS_DISABLE ? (size_t)0 : s.ss_size, s.ss_flags & SS_DISABLE ? 0 : s.ss_sp != NULL);
}
static void show_mask(const char *where)
{
    sigset_t m;
    pthread_sigmask(SIG_BLOCK, NULL, &m);
    printf("%s mask", where);
    for (int s = 1; s < 65; s++)
        if (sigismember(&m, s) == 1)
            printf(" %d", s);
    sigpending(&m);
    printf(" pending");
    for (int s = 1; s < 65; s++)
        if (sigismember(&m, s) == 1)
            printf(" %d", s);
    printf("\n");
}
static void inside(int n)
{
    printf("inside %d\n", n);
    show_stack("inside");
    show_mask("inside");
    show("inside", n, n);
    stack_t s = {.ss_sp = (void *)&s, .ss_size = 8192};
    errno = 0;
    int r = sigaltstack(&s, NULL);
    printf("changing the stack inside: %d %d\n", r, r ? errno : 0);
}
__attribute__((constructor)) static void early(void)
{
    show("constructor", 1, 15);
    show_stack("constructor");
}
static void *body(void *p)
{
    show("thread", 9, 13);
    show_stack("thread");
    show_mask("thread");
    static char room[32768];
    stack_t s = {.ss_sp = room, .ss_size = sizeof room}, off = {.ss_flags = SS_DISABLE}, old;
    printf("thread sets: %d\n", sigaltstack(&s, NULL));
    show_stack("thread");
    raise(SIGUSR2);
    printf("thread off: %d", sigaltstack(&off, &old));
    printf(" old size %zu same %d\n", old.ss_size, old.ss_sp == room);
    show_stack("thread");
    sigset_t all, some;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &some);
    show_mask("thread full");
    raise(SIGALRM);
    raise(SIGTERM);
    show_mask("thread pending");
    int got;
    sigemptyset(&some);
    sigaddset(&some, SIGALRM);
    sigwait(&some, &got);
    printf("got %d\n", got);
    sigemptyset(&some);
    sigaddset(&some, SIGTERM);
    struct timespec soon = {0, 1000000};
    siginfo_t info;
    got = sigtimedwait(&some, &info, &soon);
    printf("got %d code %d mine %d\n", got, info.si_code, info.si_pid == getpid());
    errno = 0;
    got = sigtimedwait(&all, &info, &soon);
    printf("got %d %d\n", got, errno);
    return p;
}
static void at_exit(void)
{
    show("at exit", 1, 64);
    show_stack("at exit");
    show_mask("at exit");
}

int main(void)
{
    atexit(at_exit);
    show("main", -1, 66);
    show_stack("main");
    show_mask("main");
    struct sigaction a = {.sa_sigaction = two, .sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER}, b, old;
    sigemptyset(&a.sa_mask);
    sigaddset(&a.sa_mask, SIGINT);
    sigaddset(&a.sa_mask, SIGHUP);
    for (int s = 1; s < 32; s++) {
        errno = 0;
        int r = sigaction(s, &a, &old);
        printf("set %d: %d %d was %s", s, r, r ? errno : 0, r ? "-" : handler_name(&old));
        errno = 0;
        void (*before)(int) = signal(s, one);
        printf(", signal: %s %d", before == (void (*)(int))two ? "two" : name_of(before),
               before == SIG_ERR ? errno : 0);
        before = signal(s, s % 2 ? SIG_IGN : SIG_DFL);
        printf(", signal: %s\n", name_of(before));
    }
    show("changed", 1, 31);
    for (int s = 1; s < 32; s++)
        signal(s, SIG_DFL);
    printf("bsd %s", name_of(ssignal(SIGTERM, one)));
    show(" bsd", SIGTERM, SIGTERM);
    printf("sysv %s", name_of(sysv_signal(SIGTERM, one)));
    show(" sysv", SIGTERM, SIGTERM);
    printf("interrupt %d\n", siginterrupt(SIGTERM, 1));
    show("interrupt", SIGTERM, SIGTERM);
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
    printf("hold %s %s\n", name_of(sigset(SIGUSR1, one)), sigset(SIGUSR1, SIG_HOLD) == one ? "one" : "other");
    show_mask("hold");
    sigrelse(SIGUSR1);
    sigignore(SIGUSR1);
    show("ignored", SIGUSR1, SIGUSR1);
    signal(SIGTERM, SIG_DFL);
    signal(SIGUSR1, SIG_DFL);

    struct sigaction c = {.sa_handler = inside, .sa_flags = SA_ONSTACK | SA_RESETHAND};
    sigaction(SIGUSR2, &c, NULL);
    show("set", SIGUSR2, SIGUSR2);
    static char room[16384];
    stack_t s = {.ss_sp = room, .ss_size = sizeof room}, small = {.ss_sp = room, .ss_size = 100},
            odd = {.ss_sp = room, .ss_size = 8192, .ss_flags = 77};
    int r = sigaltstack(&small, NULL);
    printf("too small: %d %d\n", r, errno);
    r = sigaltstack(&odd, NULL);
    printf("odd flags: %d %d\n", r, errno);
    printf("set: %d\n", sigaltstack(&s, NULL));
    show_stack("set");
    raise(SIGUSR2);
    show("was reset", SIGUSR2, SIGUSR2);
    sigaction(SIGUSR2, &c, &b);
    printf("old %s flags %x\n", handler_name(&b), (unsigned)b.sa_flags & ~0x4000000u);
    pthread_t t;
    pthread_create(&t, NULL, body, NULL);
    pthread_join(t, NULL);
    show_stack("end");
    printf("bad: %d", sigaction(SIGKILL, &a, NULL));
    printf(" %d\n", errno);
    printf("bad: %d", sigaction(SIGSTOP, &a, NULL));
    printf(" %d\n", errno);
    errno = 0;
    printf("asked: %d", sigaction(SIGKILL, NULL, &b));
    printf(" %d %s\n", errno, handler_name(&b));
    printf("bad: %d", sigaction(100, &a, NULL));
    printf(" %d\n", errno);
    printf("bad: %d", signal(0, one) == SIG_ERR);
    printf(" %d\n", errno);
    return 0;
}
