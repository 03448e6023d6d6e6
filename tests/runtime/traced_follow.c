/* Traced by hand: writes events, sleeps, and says whether it has children, signals or descriptors that it did
 * not make. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "traced.h"

static volatile int signals;

static void note(int number)
{
    (void)number;
    signals++;
}

static void write_events(long n)
{
    ENTERS(1000);
    for (long i = 0; i < n; i++)
        EVENT(1);
}

/* The number of children that end, of whom it has made one, which is traced. */
static int children_of_reaper(long n)
{
    int ended = 0;
    if (fork() == 0) {
        write_events(n);
        _exit(0);
    }
    while (wait(NULL) > 0 || errno == EINTR)
        ended++;
    return ended;
}

int main(int count, char **arguments)
{
    if (count > 3)
        prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (count > 4)
        return printf("%d ended\n", children_of_reaper(atol(arguments[1]))) < 0;
    signal(SIGCHLD, note);
    write_events(atol(arguments[1]));
    for (long left = atol(arguments[2]); left > 0; left -= 10)
        usleep(10000);
    for (int i = 0; i < 100; i++) /* fails: whoever reads along sees no end */
        execl("/nonexistent", "none", (char *)NULL);
    int status, child = waitpid(-1, &status, WNOHANG);
    printf(child == -1 && errno == ECHILD ? "no child" : "a child: %d", child);
    printf(signals == 0 ? ", no signal, descriptors" : ", %d signals, descriptors", signals);
    for (int i = 0; i < 100; i++)
        if (lseek(i, 0, SEEK_CUR) != -1 || errno != EBADF)
            printf(" %d", i);
    printf("\n");
    return 0;
}
