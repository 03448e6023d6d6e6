/* Ways to end, for seals.test.sh: seals HOW. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int sink;

static int count(int n)
{
    for (int i = 0; i < n; i++)
        sink += i % 3 ? 1 : 2;
    return sink;
}

static void *rest(void *unused)
{
    count(10);
    for (;;)
        pause();
    return unused;
}

static void *end(void *unused)
{
    count(10);
    return unused;
}

static void handle(int number)
{
    count(number);
}

/* Every 100 microseconds. */
static void start_timer(void)
{
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    struct itimerval often = {{0, 100}, {0, 100}};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
}

__attribute__((unused)) static ssize_t write_counted(void *cookie, const char *bytes, size_t size)
{
    (void)cookie, (void)bytes;
    count((int)size);
    return (ssize_t)size;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "return";
    pthread_t thread;
    count(100);
    if (!strcmp(how, "exit"))
        exit(0);
    if (!strcmp(how, "_exit"))
        _exit(0);
    if (!strcmp(how, "abort"))
        abort();
    if (!strcmp(how, "kill"))
        raise(SIGKILL);
    if (!strcmp(how, "exec"))
        execl("/bin/true", "true", (char *)NULL);
    if (!strcmp(how, "exec-fails"))
        execl("/no/such/program", "none", (char *)NULL);
    if (!strcmp(how, "joined"))
        for (int i = 0; i < 3; i++)
            if (pthread_create(&thread, NULL, end, NULL) || pthread_join(thread, NULL))
                return 3;
    if (!strcmp(how, "alive") && pthread_create(&thread, NULL, rest, NULL))
        return 3;
    if (!strcmp(how, "handled"))
        signal(SIGUSR1, handle);
    if (!strcmp(how, "child") && fork() == 0)
        return 0;
#ifndef PLAIN
    if (!strcmp(how, "cookie"))
        fputs("0123456789", fopencookie(NULL, "w", (cookie_io_functions_t){.write = write_counted}));
#endif
    if (!strcmp(how, "timer") || !strcmp(how, "timer-_exit") || !strcmp(how, "late"))
        start_timer();
    if (!strcmp(how, "timer-_exit")) {
        count(100000);
        _exit(0);
    }
    if (!strcmp(how, "timer-exec")) {
        start_timer();
        execl("/bin/true", "true", (char *)NULL);
    }
    if (!strcmp(how, "late")) { /* the last flush waits for a reader, and handlers count meanwhile */
        fcntl(1, F_SETFL, O_NONBLOCK);
        while (write(1, "x", 1) == 1)
            ;
        fcntl(1, F_SETFL, 0);
        putchar('x');
    }
    return count(100000) == 0;
}
