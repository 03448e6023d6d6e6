// serve DIRECTORY CLIENT SERVER.so CLANG... -- COMMAND...: runs COMMAND with clients of these names
// (client.c) in the new DIRECTORY, the first of its PATH, and ends as it ends. The clang behind them
// is loaded when the first client comes (server.c), and is ended after COMMAND.
#include "message.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

// The server: CLANG of PATH, after the first client came.
static void become_server(int listening, const char *directory, const char *library, const char *clang)
{
    struct pollfd waits = {listening, POLLIN, 0};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (poll(&waits, 1, -1) <= 0) {
    }
    dup2(listening, 3);
    setenv("CLANG_SERVER", directory, 1);
    setenv("LD_PRELOAD", library, 1);
    setenv("LD_BIND_NOW", "1", 1);                         // once for all commands
    setenv("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1", 1); // 4 % of compiling small units are page faults
    execlp(clang, clang, (char *)NULL);
    _exit(127);
}

static int listen_at(const char *directory)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int listening = socket(AF_UNIX, SOCK_STREAM, 0);
    if (snprintf(address.sun_path, sizeof address.sun_path, "%s/%s", directory, SOCKET_NAME) >=
        (int)sizeof address.sun_path)
        return -1;
    if (bind(listening, (struct sockaddr *)&address, sizeof address))
        return -1;
    return listen(listening, 100) ? -1 : listening;
}

static pid_t start_command(char **command, const char *directory)
{
    pid_t process = fork();
    if (process)
        return process;
    char path[65536];
    snprintf(path, sizeof path, "%s:%s", directory, getenv("PATH"));
    setenv("PATH", path, 1);
    execvp(command[0], command);
    perror(command[0]);
    _exit(127);
}

int main(int count, char **words)
{
    int last = 4, status;
    while (last < count && strcmp(words[last], "--") != 0)
        last++;
    if (last == 4 || last + 1 >= count) {
        fprintf(stderr, "usage: serve DIRECTORY CLIENT SERVER.so CLANG... -- COMMAND...\n");
        return 2;
    }
    const char *directory = words[1];
    int listening = mkdir(directory, 0777) ? -1 : listen_at(directory);
    pid_t server = listening < 0 ? -1 : fork();
    if (server == 0)
        become_server(listening, directory, words[3], words[4]);
    close(listening);
    for (int i = 4; server > 0 && i < last; i++) {
        char name[4096];
        snprintf(name, sizeof name, "%s/%s", directory, words[i]);
        if (symlink(words[2], name))
            perror(name);
    }
    pid_t command = start_command(words + last + 1, directory);
    while (waitpid(command, &status, 0) != command) {
    }
    if (server > 0) {
        kill(server, SIGTERM);
        waitpid(server, NULL, 0);
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
