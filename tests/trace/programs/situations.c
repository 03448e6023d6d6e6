/* Situations that are hard for whoever records: the argument says which. Code runs before main and after it
 * in all of them. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int got;
static int collatz(int n)
{
    int steps = 0;
    for (; n != 1; steps++)
        n = n % 2 ? 3 * n + 1 : n / 2;
    return steps;
}

__attribute__((constructor(101))) static void first_of_all(void)
{
    got += collatz(6);
}
__attribute__((constructor)) static void before(void)
{
    got += collatz(5);
}
__attribute__((destructor)) static void after(void)
{
    got += collatz(7);
    printf("after %d\n", got);
    fflush(stdout);
}
static void at_exit(void)
{
    got += collatz(3);
    printf("at exit %d\n", got);
}
static void on_exit_with(int status, void *text)
{
    got += collatz(status + 4);
    printf("on exit %d %s\n", got, (char *)text);
}
static void at_quick_exit_(void)
{
    got += collatz(12);
    printf("at quick exit %d\n", got);
    fflush(stdout);
}

/* Handlers, four deep. */
static void hangs_up(int number)
{
    got += collatz(number + 2);
}
static void terminates(int number)
{
    if (got & 4)
        raise(SIGHUP);
    got += collatz(number + 1);
}
static void second(int number)
{
    got += collatz(number + 5);
    for (int i = 0; i < 2; i++)
        raise(SIGTERM);
}
static void first(int number)
{
    got += collatz(number + 3);
    raise(SIGUSR2);
    got += got % 2 ? collatz(number) : 1;
}
static void nested(void)
{
    signal(SIGUSR1, first);
    signal(SIGUSR2, second);
    signal(SIGTERM, terminates);
    signal(SIGHUP, hangs_up);
    for (int i = 0; i < 5; i++) {
        raise(SIGUSR1);
        got += collatz(i + 2);
    }
}

/* A handler that forks, and signals that come while fork calls handlers of its own. */
static void forks(int number)
{
    int status;
    got += collatz(number);
    pid_t child = fork();
    if (child == 0) {
        got += collatz(27);
        if (got & 1)
            return;
        exit(got % 100);
    }
    waitpid(child, &status, 0);
    got += WEXITSTATUS(status);
}
static void forking(void)
{
    got += collatz(9);
    raise(SIGHUP);
}
static void forks_in_handlers(void)
{
    pid_t self = getpid();
    pthread_atfork(forking, forking, forking);
    signal(SIGHUP, hangs_up);
    signal(SIGUSR1, forks);
    for (int i = 0; i < 4; i++) {
        raise(SIGUSR1);
        if (getpid() != self) {
            got += collatz(i + 3);
            exit(got % 90);
        }
    }
}

/* Processes that are not made by fork. The stack is too small for what is done in it. */
static char stack[4096] __attribute__((aligned(16)));
static int is_cloned(void *argument)
{
    int sum = 0;
    for (int i = 2; i < 20; i++)
        sum += collatz(i);
    if (argument)
        _exit(sum % 50);
    return sum % 100;
}
static void clones(void)
{
    static const int flags[] = {0, 0, CLONE_VFORK, CLONE_VM | CLONE_VFORK};
    int status;
    for (long i = 0; i < 4; i++) {
        pid_t child = clone(is_cloned, stack + sizeof stack, flags[i] | SIGCHLD, (void *)(long)(i == 1));
        waitpid(child, &status, 0);
        got += WEXITSTATUS(status) + collatz((int)i + 3);
    }
}
static void spawns(void)
{
    extern char **environ;
    char *arguments[] = {"true", NULL};
    pid_t child;
    int status, number = 0;
    for (int i = 0; i < 3; i++) {
        posix_spawnp(&child, i % 2 ? "true" : "false", NULL, NULL, arguments, environ);
        waitpid(child, &status, 0);
        got += WEXITSTATUS(status) + collatz(i + 3);
    }
    for (int i = 0; i < 3; i++) {
        child = vfork();
        if (child == 0) {
            if (i == 1)
                _exit(collatz(9));
            execl("/bin/true", "true", (char *)NULL);
            _exit(1);
        }
        waitpid(child, &status, 0);
        got += WEXITSTATUS(status) + collatz(i + 5);
    }
    got += WEXITSTATUS(system("exit 7")) + collatz(5);
    FILE *pipe = popen("echo 12", "r");
    if (fscanf(pipe, "%d", &number) != 1)
        exit(1);
    got += number + pclose(pipe) + collatz(8);
}

__attribute__((noinline)) static int descend(volatile int *to, int n)
{
    if (n == 0)
        return *to;
    int result = descend(to, n - 1);
    if (n % 7 == 0)
        result++;
    *to = result;
    return result;
}
static void *is_deep(void *argument)
{
    volatile int zero = 0;
    return (void *)(long)descend(&zero, *(int *)argument);
}
static void recurses(void)
{
    int depth = 1000000;
    void *result;
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 400 << 20);
    if (pthread_create(&thread, &attributes, is_deep, &depth))
        exit(1);
    pthread_join(thread, &result);
    got += (int)(long)result % 1000;
}

int main(int argc, char **argv)
{
    (void)argc;
    switch (argv[1][0]) {
    case 'n':
        nested();
        break;
    case 'f':
        forks_in_handlers();
        break;
    case 'c':
        clones();
        break;
    case 's':
        spawns();
        break;
    case 'd':
        recurses();
        break;
    }
    atexit(at_exit);
    on_exit(on_exit_with, "with words");
    at_quick_exit(at_quick_exit_);
    switch (argv[1][0]) {
    case 'e':
        exit(4);
    case 'q':
        quick_exit(5);
    case '_':
        _exit(6);
    }
    return 3;
}
