/*
 * Processes made in every way. Argument: KIND [N].
 *   fork N        N children, each counts and ends; the parent counts in between
 *   _Fork         one child by _Fork
 *   forkthreads   fork while other threads count; the child starts threads of its own
 *   forkkill      the child is killed after counting
 *   nested        fork ten deep
 *   forkpthread   a thread other than the first forks
 *   vfork, spawn, system, popen
 *   raw           fork by an instruction; child ends by exit
 *   raw_exit      the same, child ends by _exit
 *   exec..        execve, execv, execvp, execvpe, execl, execle, execlp, fexecve: become /bin/true
 *   execfail      execve of nothing, then a clean end
 *   self          executes itself once
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "handmade.h"

COUNTERS(counters, 0x3001,
         6) /* 0: before, 1: parent after, 2: child, 3: threads, 4: vfork child, 5: exit handler */
__thread int user_data = 5;
extern char **environ;

static void at_exit(void)
{
    COUNT(counters, 5);
}

static void *count_thread(void *arg)
{
    for (int i = 0; i < 1000; i++)
        COUNT(counters, 3);
    return arg;
}

static volatile int stop;
static void *busy_thread(void *arg)
{
    while (!stop)
        COUNT(counters, 3);
    return arg;
}

static void reap(pid_t pid, int wanted)
{
    int status;
    if (waitpid(pid, &status, 0) != pid || status != wanted) {
        fprintf(stderr, "child ended with status %d\n", status);
        _exit(1);
    }
}

static pid_t raw_fork(void)
{
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "0"(SYS_fork) : "rcx", "r11", "memory");
    return (pid_t)result;
}

static void *fork_in_thread(void *arg)
{
    pid_t pid = fork();
    if (pid == 0) {
        COUNT(counters, 2);
        exit(0);
    }
    reap(pid, 0);
    return arg;
}

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "fork";
    int n = argc > 2 ? atoi(argv[2]) : 1;
    char *arguments[] = {"true", NULL};
    pid_t pid;
    atexit(at_exit);
    for (int i = 0; i < 10; i++)
        COUNT(counters, 0);
    user_data = 6;
    if (strcmp(kind, "fork") == 0) {
        for (int i = 0; i < n; i++) {
            pid = fork();
            if (pid == 0) {
                if (user_data != 6)
                    _exit(9);
                for (int j = 0; j < 100; j++)
                    COUNT(counters, 2);
                return 0;
            }
            COUNT(counters, 1);
        }
        for (int i = 0; i < n; i++) {
            int status;
            if (wait(&status) <= 0 || status != 0)
                return 1;
        }
    } else if (strcmp(kind, "_Fork") == 0) {
        pid = _Fork();
        if (pid == 0) {
            COUNT(counters, 2);
            _exit(0);
        }
        COUNT(counters, 1);
        reap(pid, 0);
    } else if (strcmp(kind, "forkthreads") == 0) {
        pthread_t threads[4];
        for (int i = 0; i < 4; i++)
            pthread_create(&threads[i], NULL, busy_thread, NULL);
        for (int round = 0; round < n; round++) {
            pid = fork();
            if (pid == 0) { /* the stacks of the busy threads are reused here */
                pthread_t own[8];
                for (int i = 0; i < 8; i++)
                    pthread_create(&own[i], NULL, count_thread, NULL);
                for (int i = 0; i < 8; i++)
                    pthread_join(own[i], NULL);
                COUNT(counters, 2);
                return 0;
            }
            reap(pid, 0);
        }
        stop = 1;
        for (int i = 0; i < 4; i++)
            pthread_join(threads[i], NULL);
        COUNT(counters, 1);
    } else if (strcmp(kind, "forkkill") == 0) {
        pid = fork();
        if (pid == 0) {
            for (int i = 0; i < 77; i++)
                COUNT(counters, 2);
            kill(getpid(), SIGKILL);
        }
        reap(pid, SIGKILL);
        COUNT(counters, 1);
    } else if (strcmp(kind, "nested") == 0) {
        for (int depth = 0; depth < 10; depth++) {
            pid = fork();
            if (pid != 0) {
                reap(pid, 0);
                COUNT(counters, 1);
                return 0;
            }
            COUNT(counters, 2);
        }
    } else if (strcmp(kind, "forkpthread") == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, fork_in_thread, NULL);
        pthread_join(thread, NULL);
        COUNT(counters, 1);
    } else if (strcmp(kind, "vfork") == 0) {
        for (int i = 0; i < 2; i++) {
            pid = vfork();
            if (pid == 0) {
                COUNT(counters, 4);
                if (i == 0)
                    execv("/bin/true", arguments);
                _exit(0);
            }
            reap(pid, 0);
        }
        COUNT(counters, 1);
    } else if (strcmp(kind, "spawn") == 0) {
        if (posix_spawn(&pid, "/bin/true", NULL, NULL, arguments, environ) != 0)
            return 1;
        reap(pid, 0);
        COUNT(counters, 1);
    } else if (strcmp(kind, "system") == 0) {
        if (system("true") != 0)
            return 1;
        COUNT(counters, 1);
    } else if (strcmp(kind, "popen") == 0) {
        if (pclose(popen("true", "r")) != 0)
            return 1;
        COUNT(counters, 1);
    } else if (strcmp(kind, "raw") == 0 || strcmp(kind, "raw_exit") == 0) {
        pid = raw_fork();
        if (pid == 0) {
            COUNT(counters, 2);
            if (strcmp(kind, "raw") == 0)
                exit(0);
            _exit(0);
        }
        reap(pid, 0);
        COUNT(counters, 1);
    } else if (strcmp(kind, "execve") == 0) {
        execve("/bin/true", arguments, environ);
    } else if (strcmp(kind, "execv") == 0) {
        execv("/bin/true", arguments);
    } else if (strcmp(kind, "execvp") == 0) {
        execvp("true", arguments);
    } else if (strcmp(kind, "execvpe") == 0) {
        execvpe("true", arguments, environ);
    } else if (strcmp(kind, "execl") == 0) {
        execl("/bin/sh", "sh", "-c", "[ $# = 2 ]", "name", "one", "two", (char *)NULL);
    } else if (strcmp(kind, "execle") == 0) {
        char *own[] = {"ANSWER=42", NULL};
        execle("/bin/sh", "sh", "-c", "[ $ANSWER = 42 ]", (char *)NULL, own);
    } else if (strcmp(kind, "execlp") == 0) {
        execlp("sh", "sh", "-c", "exit 0", (char *)NULL);
    } else if (strcmp(kind, "fexecve") == 0) {
        fexecve(open("/bin/true", O_RDONLY), arguments, environ);
    } else if (strcmp(kind, "execfail") == 0) {
        if (execl("/no/such/program", "x", (char *)NULL) != -1)
            return 1;
        perror("execl");
        COUNT(counters, 1);
    } else if (strcmp(kind, "self") == 0) {
        execl("/proc/self/exe", argv[0], "return", (char *)NULL);
    }
    return 0;
}
