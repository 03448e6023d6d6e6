/*
 * Ends a program by SIGTERM at a chosen instruction: interrupt_at ADDRESS PROGRAM
 * ADDRESS is what objdump prints for the position-independent PROGRAM. Ends with 1 if control did not
 * come there.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

/* Where the first mapping of the child begins: that of its program. */
static unsigned long base_of(pid_t child)
{
    char path[32];
    unsigned long base = 0;
    snprintf(path, sizeof path, "/proc/%d/maps", child);
    FILE *maps = fopen(path, "r");
    if (!maps || fscanf(maps, "%lx", &base) != 1)
        exit(2);
    fclose(maps);
    return base;
}

int main(int argc, char **argv)
{
    struct user_regs_struct registers;
    int status;
    if (argc != 3)
        return 2;
    pid_t child = fork();
    if (child == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        execl(argv[2], argv[2], (char *)NULL);
        _exit(127);
    }
    waitpid(child, &status, 0); /* exec */
    unsigned long at = base_of(child) + strtoul(argv[1], NULL, 16);
    long word = ptrace(PTRACE_PEEKTEXT, child, at, NULL);
    ptrace(PTRACE_POKETEXT, child, at, (word & ~0xffL) | 0xcc);
    ptrace(PTRACE_CONT, child, NULL, NULL);
    waitpid(child, &status, 0);
    if (!WIFSTOPPED(status))
        return 1;
    ptrace(PTRACE_POKETEXT, child, at, word);
    ptrace(PTRACE_GETREGS, child, NULL, &registers);
    if (registers.rip != at + 1)
        return 2;
    registers.rip = at;
    ptrace(PTRACE_SETREGS, child, NULL, &registers);
    ptrace(PTRACE_DETACH, child, NULL, (void *)(long)SIGTERM);
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM ? 0 : 2;
}
