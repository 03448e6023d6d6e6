/*
 * Runs a program and writes down what a parent sees: launch OUTPUT PROGRAM [SIGNAL asleep|busy]
 *
 * OUTPUT gets what the program writes to stdout and stderr, in order, then one line: "status N", "signal N"
 * or "signal N core", or "hangs" if it did not end within LAUNCH_SECONDS (600) and was killed. The program's
 * name (argv[0]) is "program" whatever its file is called. With SIGNAL (a number) it gets that signal as soon
 * as it has written the line "ready" and sleeps in a system call, or has computed for a while. Signals and
 * limits are what a shell would give it: all default, nothing blocked, no core file.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static _Noreturn void die(const char *what)
{
    perror(what);
    exit(125);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void nap(long microseconds)
{
    struct timespec t = {0, microseconds * 1000};
    nanosleep(&t, NULL);
}

/* Does the process's first thread sleep in a system call? */
static int sleeps(pid_t child)
{
    char name[64], line[512], *state;
    snprintf(name, sizeof name, "/proc/%d/stat", (int)child);
    int fd = open(name, O_RDONLY);
    ssize_t n = fd < 0 ? -1 : read(fd, line, sizeof line - 1);
    if (fd >= 0)
        close(fd);
    if (n <= 0)
        return 1; /* it is gone: whoever waits for it to sleep need not go on */
    line[n] = 0;
    state = strrchr(line, ')');
    return state && state[1] == ' ' && (state[2] == 'S' || state[2] == 'Z');
}

/* Its processor time in ticks; a large number when it is gone. */
static long worked(pid_t child)
{
    char name[64], line[512], *at;
    long user = 0, system = 0;
    snprintf(name, sizeof name, "/proc/%d/stat", (int)child);
    int fd = open(name, O_RDONLY);
    ssize_t n = fd < 0 ? -1 : read(fd, line, sizeof line - 1);
    if (fd >= 0)
        close(fd);
    line[n > 0 ? n : 0] = 0;
    at = n > 0 ? strrchr(line, ')') : NULL;
    if (!at || sscanf(at + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld %ld", &user, &system) != 2)
        return 1000000;
    return user + system;
}

static void send_when(pid_t child, int number, const char *when)
{
    if (strcmp(when, "asleep") == 0)
        for (int seen = 0; seen < 5; nap(500))
            seen = sleeps(child) ? seen + 1 : 0;
    else
        for (long end = worked(child) + 2; worked(child) < end;)
            nap(500);
    kill(child, number);
}

int main(int argc, char **argv)
{
    if (argc != 3 && argc != 5)
        return fprintf(stderr, "usage: launch OUTPUT PROGRAM [SIGNAL asleep|busy]\n"), 125;
    const char *limit = getenv("LAUNCH_SECONDS");
    double seconds = limit ? atof(limit) : 600;
    int out = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666), pipes[2];
    if (out < 0 || pipe2(pipes, O_CLOEXEC) != 0)
        die(argv[1]);
    pid_t child = fork();
    if (child < 0)
        die("fork");
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        setpgid(0, 0);
        dup2(open("/dev/null", O_RDONLY), 0);
        dup2(pipes[1], 1);
        dup2(pipes[1], 2);
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        execv(argv[2], (char *[]){"program", NULL});
        die(argv[2]);
    }
    close(pipes[1]);
    double end = now() + seconds;
    char text[65536];
    size_t length = 0;
    int sent = argc == 3, hangs = 0;
    for (;;) {
        struct pollfd p = {pipes[0], POLLIN, 0};
        int left = (int)((end - now()) * 1000);
        if (left <= 0 || poll(&p, 1, left) == 0) {
            hangs = 1;
            break;
        }
        ssize_t n = read(pipes[0], text + length, sizeof text - 1 - length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        length += (size_t)n;
        text[length] = 0;
        if (!sent && strstr(text, "ready\n")) {
            sent = 1;
            send_when(child, atoi(argv[3]), argv[4]);
        }
    }
    int status;
    pid_t gone = 0;
    while (!hangs &&
           (gone = waitpid(child, &status, WNOHANG)) == 0) { /* it closed its outputs, and goes on */
        hangs = now() > end;
        nap(500);
    }
    if (write(out, text, length) != (ssize_t)length)
        die(argv[1]);
    if (hangs) {
        kill(-child, SIGKILL);
        waitpid(child, &status, 0);
        dprintf(out, "hangs\n");
    } else if (gone != child) {
        die("wait");
    } else if (WIFSIGNALED(status)) {
        dprintf(out, "signal %d%s\n", WTERMSIG(status), WCOREDUMP(status) ? " core" : "");
    } else {
        dprintf(out, "status %d\n", WEXITSTATUS(status));
    }
    return 0;
}
