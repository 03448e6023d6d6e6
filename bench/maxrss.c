/*
 * maxrss FILE PROGRAM ARG...: runs PROGRAM and appends a line to FILE: its largest resident set in KiB, the
 * seconds of the processor that it took, seconds by the clock, its page faults, and the seconds of the
 * processor that the process took which minds a traced program's pages (runtime/trace/pages.c). The status is
 * PROGRAM's. bench/run and bench/trace.sh put it before every process of a program's work; GNU time would do
 * the same but is not part of every Debian.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double processor_of(const struct rusage *usage)
{
    return (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
           1e-6 * (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec);
}

static int minds_pages(int process)
{
    char path[64], name[32] = "";
    snprintf(path, sizeof path, "/proc/%d/comm", process);
    FILE *file = fopen(path, "r");
    int is = file && fgets(name, sizeof name, file) && !strcmp(name, "cotree-pages\n");
    if (file)
        fclose(file);
    return is;
}

/* That of orphans which mind pages: they end with their program. A follower may run on for long. */
static double helpers(void)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *file = fopen(path, "r");
    double sum = 0;
    int child, status;
    struct rusage usage;
    while (file && fscanf(file, "%d", &child) == 1)
        if (minds_pages(child) && wait4(child, &status, __WALL, &usage) == child)
            sum += processor_of(&usage);
    if (file)
        fclose(file);
    return sum;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: maxrss FILE PROGRAM ARG...\n");
        return 64;
    }
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
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
    double clock = (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
    FILE *file = fopen(argv[1], "a");
    if (!file ||
        fprintf(file, "%ld\t%.6f\t%.6f\t%ld\t%.6f\n", usage.ru_maxrss, processor_of(&usage), clock,
                usage.ru_minflt + usage.ru_majflt, helpers()) < 0 ||
        fclose(file) != 0) {
        perror(argv[1]);
        return 1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
