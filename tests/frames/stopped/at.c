/*
 * Sends a signal to a program when it comes to an instruction: at SIGNAL ADDRESS TIMES PROGRAM [ARGUMENT...]
 * ADDRESS: of the linked file, hexadecimal; TIMES: when it is there for so many times. Prints how the
 * program ended; the status is 3 if it never came there so often.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

/* By how much the process has the file's addresses moved. */
static unsigned long find_bias(pid_t child, const char *program)
{
    char name[64];
    unsigned long begin = 0;
    Elf64_Ehdr header = {0};
    snprintf(name, sizeof name, "/proc/%d/maps", child);
    FILE *maps = fopen(name, "r"), *file = fopen(program, "r");
    if (!maps || !file || fscanf(maps, "%lx", &begin) != 1 || fread(&header, sizeof header, 1, file) != 1)
        exit(1);
    fclose(maps);
    fclose(file);
    return header.e_type == ET_DYN ? begin : 0;
}

/* Lets it go on until it stops for another reason than a signal, which it gets, or ends. */
static int go_on(pid_t child)
{
    int status, number = 0;
    do {
        ptrace(PTRACE_CONT, child, NULL, (void *)(long)number);
        waitpid(child, &status, 0);
        number = WIFSTOPPED(status) ? WSTOPSIG(status) : 0;
    } while (number && number != SIGTRAP);
    return status;
}

int main(int argc, char **argv)
{
    if (argc < 5)
        return 64;
    int signal_number = atoi(argv[1]), status;
    long times = atol(argv[3]);
    pid_t child = fork();
    if (child == 0) {
        personality(ADDR_NO_RANDOMIZE);
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        execv(argv[4], argv + 4);
        _exit(127);
    }
    waitpid(child, &status, 0); /* exec */
    unsigned long address = find_bias(child, argv[4]) + strtoul(argv[2], NULL, 16);
    long code = ptrace(PTRACE_PEEKTEXT, child, address, NULL);
    for (;;) {
        struct user_regs_struct registers;
        ptrace(PTRACE_POKETEXT, child, address, (code & ~0xffL) | 0xcc);
        status = go_on(child);
        if (!WIFSTOPPED(status))
            return 3;
        ptrace(PTRACE_POKETEXT, child, address, code);
        ptrace(PTRACE_GETREGS, child, NULL, &registers);
        registers.rip = address;
        ptrace(PTRACE_SETREGS, child, NULL, &registers);
        if (--times <= 0)
            break;
        ptrace(PTRACE_SINGLESTEP, child, NULL, NULL);
        waitpid(child, &status, 0);
    }
    ptrace(PTRACE_DETACH, child, NULL, (void *)(long)signal_number);
    waitpid(child, &status, 0);
    printf("%s %d\n", WIFSIGNALED(status) ? "signal" : "status",
           WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    return 0;
}
