/*
 * reaper PROGRAM...: runs it as the one who inherits all orphans (PR_SET_CHILD_SUBREAPER), and waits for
 * children of every kind (__WALL). Prints the status of each that ends, whether others are left when the
 * program's own is there, and how often SIGCHLD came.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t told;
static void note(int number)
{
    (void)number;
    told++;
}

int main(int argc, char **argv)
{
    struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESTART};
    int status;
    pid_t pid, ended;
    if (argc < 2 || prctl(PR_SET_CHILD_SUBREAPER, 1) != 0 || sigaction(SIGCHLD, &action, NULL) != 0)
        return 9;
    if ((pid = fork()) == 0) {
        execv(argv[1], argv + 1);
        _exit(99);
    }
    do {
        ended = waitpid(-1, &status, __WALL);
        printf("%s %d%s\n", ended == pid ? "program" : "stranger", status, WCOREDUMP(status) ? " core" : "");
    } while (ended != pid);
    /* With a stranger left it would be 0. */
    printf("left %d %d\n", waitpid(-1, &status, __WALL | WNOHANG), errno);
    usleep(50000);
    printf("left %d %d\n", waitpid(-1, &status, __WALL | WNOHANG), errno);
    printf("told %d\n", (int)told);
    return 0;
}
