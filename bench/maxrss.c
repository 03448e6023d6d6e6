/*
 * maxrss FILE PROGRAM ARG...: runs PROGRAM and appends a line to FILE: its largest resident set in KiB, the
 * seconds of the processor that it took, and seconds by the clock. The status is PROGRAM's. bench/run and
 * bench/trace.sh put it before every process of a program's work; GNU time would do the same but is not part
 * of every Debian.
 */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: maxrss FILE PROGRAM ARG...\n");
        return 64;
    }
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
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
    clock_gettime(CLOCK_MONOTONIC, &end);
    double processor = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                       1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    double clock = (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
    FILE *file = fopen(argv[1], "a");
    if (!file || fprintf(file, "%ld\t%.6f\t%.6f\n", usage.ru_maxrss, processor, clock) < 0 ||
        fclose(file) != 0) {
        perror(argv[1]);
        return 1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
