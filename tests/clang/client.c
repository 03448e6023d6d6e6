// Stands in front of clang in the PATH of a test, by clang's names: lets the clang that stands ready
// do the command (server.c), and ends as it ends. What a forked process cannot do as clang itself
// does it, clang does: if something is preloaded, a standard stream is closed, or nothing listens.
#include "message.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

// How this program was called, with its directory.
static const char *own_path(void)
{
    return (const char *)getauxval(AT_EXECFN);
}

// Becomes the first program of this name that PATH has after the client's own directory.
static void become_clang(char **words)
{
    const char *own = own_path(), *name = strrchr(own, '/') + 1, *path = getenv("PATH");
    size_t own_length = (size_t)(name - 1 - own);
    for (size_t length; path && *path; path += length + (path[length] == ':')) {
        char candidate[4096];
        length = strcspn(path, ":");
        if (length == own_length && !memcmp(path, own, length))
            continue;
        snprintf(candidate, sizeof candidate, "%.*s/%s", (int)length, path, name);
        execv(candidate, words);
    }
    fprintf(stderr, "%s: no other program of this name in PATH\n", own);
    exit(127);
}

static int connection(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char *own = own_path();
    int length = (int)(strrchr(own, '/') - own);
    if (snprintf(address.sun_path, sizeof address.sun_path, "%.*s/%s", length, own, SOCKET_NAME) >=
        (int)sizeof address.sun_path)
        return -1;
    int to = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return to >= 0 && connect(to, (struct sockaddr *)&address, sizeof address) == 0 ? to : -1;
}

static size_t strings_size(char **strings, unsigned *count)
{
    size_t size = 0;
    for (*count = 0; strings[*count]; ++*count)
        size += strlen(strings[*count]) + 1;
    return size;
}

static char *append(char *to, char **strings)
{
    for (; *strings; strings++)
        to = stpcpy(to, *strings) + 1;
    return to;
}

static bool send_all(int to, const char *bytes, size_t size)
{
    for (ssize_t sent; size > 0; bytes += sent, size -= (size_t)sent) {
        sent = send(to, bytes, size, MSG_NOSIGNAL);
        if (sent <= 0)
            return false;
    }
    return true;
}

static bool send_head(int to, const struct message_head *head, const int *passed)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(PASSED * sizeof(int))];
    } control = {0};
    struct iovec part = {(void *)head, sizeof *head};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    control.header = (struct cmsghdr){CMSG_LEN(PASSED * sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
    memcpy(CMSG_DATA(&control.header), passed, PASSED * sizeof(int));
    return sendmsg(to, &message, MSG_NOSIGNAL) == (ssize_t)sizeof *head;
}

// Sends the command. Nothing of it has been done when this fails.
static bool ask(int to, char **words)
{
    struct message_head head = {.mask = umask(0)};
    int passed[PASSED] = {0, 1, 2, open(".", O_PATH | O_DIRECTORY | O_CLOEXEC)};
    umask(head.mask);
    for (unsigned i = 0; i < RLIM_NLIMITS; i++)
        getrlimit(i, &head.limits[i]);
    head.bytes = (unsigned)(strings_size(words, &head.words) + strings_size(environ, &head.variables));
    char *bytes = malloc(head.bytes);
    if (!bytes || passed[PASSED_DIRECTORY] < 0)
        return false;
    append(append(bytes, words), environ);
    return send_head(to, &head, passed) && send_all(to, bytes, head.bytes);
}

// The loader does something of its own, or a standard stream is closed.
static bool is_special(void)
{
    struct stat status;
    for (char **variable = environ; *variable; variable++) {
        if (!strncmp(*variable, "LD_", 3))
            return true;
    }
    for (int i = 0; i < 3; i++) {
        if (fstat(i, &status))
            return true;
    }
    return false;
}

int main(int count, char **words)
{
    int to = is_special() ? -1 : connection(), status;
    (void)count;
    if (to < 0 || !ask(to, words))
        become_clang(words);
    if (recv(to, &status, sizeof status, MSG_WAITALL) != sizeof status) {
        fprintf(stderr, "%s: the clang that stood ready is gone\n", own_path());
        return 125;
    }
    if (WIFSIGNALED(status)) {
        struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        signal(WTERMSIG(status), SIG_DFL);
        raise(WTERMSIG(status));
    }
    return WEXITSTATUS(status);
}
