/* What exec passes on: ignored signals stay ignored, handlers become default, masks and pending signals stay,
 * the alternate stack goes. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static void show(const char *where)
{
    sigset_t mask, pending;
    sigprocmask(SIG_BLOCK, NULL, &mask);
    sigpending(&pending);
    printf("%s:", where);
    for (int s = 1; s < 65; s++) {
        struct sigaction a;
        if (sigaction(s, NULL, &a) != 0)
            continue;
        const char *h = a.sa_handler == SIG_DFL ? "" : a.sa_handler == SIG_IGN ? "i" : "h";
        const char *m = sigismember(&mask, s) ? "m" : "", *p = sigismember(&pending, s) ? "p" : "";
        if (*h || *m || *p)
            printf(" %d%s%s%s", s, h, m, p);
    }
    stack_t st;
    sigaltstack(NULL, &st);
    printf(" stack %d\n", st.ss_flags);
    fflush(stdout);
}
static void handler(int n)
{
    (void)n;
}
/* The kernel's own view, of a program without any runtime: /bin/grep shows it. */
static void kernel_view(void)
{
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        execl("/bin/grep", "grep", "-E", "Sig(Ign|Blk|Cgt)", "/proc/self/status", (char *)NULL);
        _exit(1);
    }
    waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
    show(argc > 1 ? argv[1] : "start");
    if (argc > 1 && strcmp(argv[1], "again") == 0) {
        raise(SIGHUP);
        printf("still here\n");
        kernel_view();
        return 0;
    }
    if (argc > 1)
        return 0;
    kernel_view();
    signal(SIGHUP, SIG_IGN);
    signal(SIGINT, handler);
    signal(SIGSEGV, handler);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGCHLD, SIG_DFL);
    signal(SIGTERM, SIG_IGN);
    signal(SIGTERM, SIG_DFL);
    static char room[65536];
    stack_t st = {.ss_sp = room, .ss_size = sizeof room};
    sigaltstack(&st, NULL);
    sigset_t mask;
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR1);
    sigaddset(&mask, SIGALRM);
    sigaddset(&mask, SIGRTMIN + 2);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    show("set");
    kernel_view();
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        show("forked");
        execl("/nowhere/at/all", "x", (char *)NULL);
        printf("errno %d\n", errno);
        show("failed");
        raise(SIGUSR1);
        fflush(stdout);
        execl("/proc/self/exe", argv[0], "again", (char *)NULL);
        _exit(1);
    }
    waitpid(pid, NULL, 0);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t to_default;
    sigfillset(&to_default);
    sigemptyset(&mask);
    sigaddset(&mask, SIGQUIT);
    posix_spawnattr_setsigdefault(&attributes, &to_default);
    posix_spawnattr_setsigmask(&attributes, &mask);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    char *arguments[] = {argv[0], "spawned", NULL};
    posix_spawn(&pid, "/proc/self/exe", NULL, &attributes, arguments, environ);
    waitpid(pid, NULL, 0);
    posix_spawn(&pid, "/proc/self/exe", NULL, NULL, arguments, environ);
    waitpid(pid, NULL, 0);
    pid = vfork();
    if (pid == 0) {
        execl("/proc/self/exe", argv[0], "vforked", (char *)NULL);
        _exit(1);
    }
    waitpid(pid, NULL, 0);
    show("end");
    printf("status of a command: %d\n", system("exit 3"));
    show("after system");
    return 0;
}
