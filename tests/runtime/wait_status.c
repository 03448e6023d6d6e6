/* wait_status [-s SIGNAL] PROGRAM...: runs it, sends it the signal when it has printed its first line, and
 * prints its output and the status that its parent sees, as a number. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int number = 0, ends[2], status;
    if (argc > 2 && strcmp(argv[1], "-s") == 0) {
        number = atoi(argv[2]);
        argv += 2;
    }
    if (pipe(ends) != 0)
        return 9;
    pid_t pid = fork();
    if (pid == 0) {
        dup2(ends[1], 1);
        close(ends[0]);
        close(ends[1]);
        execvp(argv[1], argv + 1);
        _exit(99);
    }
    close(ends[1]);
    char c;
    while (read(ends[0], &c, 1) == 1) {
        putchar(c);
        if (c == '\n' && number != 0) {
            usleep(20000);
            kill(pid, number);
            number = 0;
        }
    }
    waitpid(pid, &status, 0);
    printf("status %d\n", status);
    return 0;
}
