// Preloaded into clang: a clang that is loaded once takes commands of clients (client.c) at a
// socket, and runs clang's main() for each in a process that it forks.
//
// To load clang takes 25 ms of processor time (half a million relocations, a thousand constructors),
// as much as to compile a program of a test; to fork it takes one. A forked process is in the state
// in which main() begins, and has the words, the environment, the directory, the mask, the limits
// and the standard streams of its command. Its parent, its addresses and what confines it are the
// server's: tests of such things use clang itself (tests/run).
#include "message.h"

#include <dlfcn.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int main_function(int, char **, char **);
static main_function *clang_main;
static char clang[4096], client[4096];

struct command {
    pid_t process;
    int connection;
};
enum { COMMANDS_MOST = 256 };

// Programs that clang starts. Where it starts itself anew (-cc1), that is a command, too.
__attribute__((visibility("default"))) int posix_spawn(pid_t *process, const char *path,
                                                       const posix_spawn_file_actions_t *actions,
                                                       const posix_spawnattr_t *attributes,
                                                       char *const *words, char *const *environment)
{
    static __typeof__(posix_spawn) *real;
    if (!real)
        real = (__typeof__(real))dlsym(RTLD_NEXT, "posix_spawn");
    return real(process, strcmp(path, clang) ? path : client, actions, attributes, words, environment);
}

static bool receive_head(int from, struct message_head *head, int *passed)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(PASSED * sizeof(int))];
    } control;
    struct iovec part = {head, sizeof *head};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    if (recvmsg(from, &message, MSG_WAITALL) != (ssize_t)sizeof *head)
        return false;
    if (message.msg_controllen < CMSG_LEN(PASSED * sizeof(int)))
        return false;
    memcpy(passed, CMSG_DATA(&control.header), PASSED * sizeof(int));
    return true;
}

// COUNT strings from BYTES on, as a vector; BYTES is then after them.
static char **vector(char **bytes, unsigned count)
{
    char **strings = calloc(count + 1, sizeof *strings);
    for (unsigned i = 0; strings && i < count; i++) {
        strings[i] = *bytes;
        *bytes += strlen(*bytes) + 1;
    }
    return strings;
}

// Does the command that a client sends. Does not return.
static void run_command(int connection)
{
    struct message_head head;
    int passed[PASSED];
    if (!receive_head(connection, &head, passed))
        _exit(125);
    char *bytes = malloc(head.bytes);
    if (!bytes || recv(connection, bytes, head.bytes, MSG_WAITALL) != (ssize_t)head.bytes)
        _exit(125);
    char **words = vector(&bytes, head.words), **environment = vector(&bytes, head.variables);
    if (!words || !environment || fchdir(passed[PASSED_DIRECTORY]))
        _exit(125);
    close(passed[PASSED_DIRECTORY]);
    close(connection);
    for (int i = 0; i < PASSED_DIRECTORY; i++) {
        dup2(passed[i], i);
        close(passed[i]);
    }
    umask(head.mask);
    for (unsigned i = 0; i < RLIM_NLIMITS; i++)
        setrlimit(i, &head.limits[i]);
    environ = environment;
    exit(clang_main((int)head.words, words, environment));
}

// Accepts a command and starts it.
static void accept_command(int listening, struct command *commands, unsigned *count)
{
    int connection = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
    if (connection < 0)
        return;
    pid_t process = fork();
    if (process == 0) {
        sigset_t none;
        sigemptyset(&none);
        signal(SIGCHLD, SIG_DFL);
        sigprocmask(SIG_SETMASK, &none, NULL);
        close(listening);
        run_command(connection);
    }
    if (process < 0) {
        close(connection);
        return;
    }
    commands[(*count)++] = (struct command){process, connection};
}

// Tells clients of commands that have ended.
static void answer_ended(struct command *commands, unsigned *count)
{
    int status;
    for (pid_t ended; (ended = waitpid(-1, &status, WNOHANG)) > 0;) {
        for (unsigned i = 0; i < *count; i++) {
            if (commands[i].process != ended)
                continue;
            send(commands[i].connection, &status, sizeof status, MSG_NOSIGNAL);
            close(commands[i].connection);
            commands[i] = commands[--*count];
            break;
        }
    }
}

static void wake(int number)
{
    (void)number;
}

// Serves until it is killed.
static void serve(int listening)
{
    struct command commands[COMMANDS_MOST];
    unsigned count = 0;
    sigset_t child, none;
    sigemptyset(&none);
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, NULL);
    signal(SIGCHLD, wake);
    for (;;) {
        struct pollfd waits[1 + COMMANDS_MOST];
        waits[0] = (struct pollfd){count < COMMANDS_MOST ? listening : -1, POLLIN, 0};
        for (unsigned i = 0; i < count; i++)
            waits[1 + i] = (struct pollfd){commands[i].connection, 0, 0};
        if (ppoll(waits, 1 + count, NULL, &none) > 0) {
            // A client that was killed takes its command with it.
            for (unsigned i = 0; i < count; i++) {
                if (waits[1 + i].revents)
                    kill(commands[i].process, SIGTERM);
            }
            if (waits[0].revents)
                accept_command(listening, commands, &count);
        }
        answer_ended(commands, &count);
    }
}

// What main() becomes: serve.c says where the server is.
static int server_main(int count, char **words, char **environment)
{
    const char *directory = getenv("CLANG_SERVER");
    ssize_t length = readlink("/proc/self/exe", clang, sizeof clang - 1);
    (void)count, (void)environment;
    if (!directory || length < 0)
        return 125;
    snprintf(client, sizeof client, "%s/%s", directory, words[0]);
    serve(3);
    return 0;
}

__attribute__((visibility("default"))) int __libc_start_main(main_function *program, int count, char **words,
                                                             void (*init)(void), void (*fini)(void),
                                                             void (*loader_fini)(void), void *stack_end)
{
    int (*real)(main_function *, int, char **, void (*)(void), void (*)(void), void (*)(void), void *) =
        (__typeof__(real))dlsym(RTLD_NEXT, "__libc_start_main");
    clang_main = program;
    return real(server_main, count, words, init, fini, loader_fini, stack_end);
}
