/*
 * Sends a signal to a program at a chosen instruction: inject PROGRAM SIGNAL N
 * The program (interrupt.c, `wait`) stops itself; then it is stepped N instructions, counted from the first
 * one of corpus_main, and goes on with the signal. Prints how it ended.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    if (argc != 4)
        return 64;
    int number = atoi(argv[2]), status;
    long steps = atol(argv[3]);
    pid_t child = fork();
    if (child == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        execl(argv[1], argv[1], "wait", (char *)NULL);
        _exit(127);
    }
    waitpid(child, &status, 0); /* exec */
    ptrace(PTRACE_CONT, child, NULL, NULL);
    while (waitpid(child, &status, 0) == child && WIFSTOPPED(status) && WSTOPSIG(status) != SIGSTOP)
        ptrace(PTRACE_CONT, child, NULL, (void *)(long)WSTOPSIG(status));
    while (WIFSTOPPED(status) && steps-- > 0) {
        ptrace(PTRACE_SINGLESTEP, child, NULL, NULL);
        waitpid(child, &status, 0);
    }
    if (WIFSTOPPED(status)) {
        if (number == SIGKILL)
            kill(child, SIGKILL);
        ptrace(PTRACE_DETACH, child, NULL, (void *)(long)number);
        waitpid(child, &status, 0);
    }
    printf("%s %d\n", WIFSIGNALED(status) ? "signal" : "status",
           WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    return 0;
}
