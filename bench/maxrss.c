/*
 * maxrss FILE PROGRAM ARG...: runs PROGRAM and appends its largest resident set, in KiB, to FILE. The status is PROGRAM's. bench/run puts it
 * before every process of a program's work; GNU time would do the same but is not part of every Debian.
 */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: maxrss FILE PROGRAM ARG...\n");
        return 64;
    }
    pid_t child = fork();
    if (child == 0) {
        execvp(argv[2], argv + 2);
        perror(argv[2]);
        _exit(127);
    }
    int status;
    struct rusage usage;
    if (child < 0 || wait4(child, &status, 0, &usage) < 0) {
        perror("maxrss");
        return 1;
    }
    FILE *file = fopen(argv[1], "a");
    if (!file || fprintf(file, "%ld\n", usage.ru_maxrss) < 0 || fclose(file) != 0) {
        perror(argv[1]);
        return 1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
