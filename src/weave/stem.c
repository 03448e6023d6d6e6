#include "weave/stem.h"
#include "stem/layout.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static bool receive_number(int socket, pid_t *number)
{
    ssize_t n;
    do
        n = recv(socket, number, sizeof *number, MSG_WAITALL);
    while (n < 0 && errno == EINTR);
    return n == sizeof *number;
}

/* What is no stem says nothing, and may wait for its standard input. */
static bool is_ready(int socket)
{
    enum { MILLISECONDS = 10000 };
    struct pollfd answer = {.fd = socket, .events = POLLIN};
    pid_t own;
    return poll(&answer, 1, MILLISECONDS) == 1 && receive_number(socket, &own);
}

void stem_start(struct stem *stem, const struct words *compiler, const char *library, int confinement,
                int nothing)
{
    struct error ignored;
    struct buffer preloaded = {0};
    int ends[2];
    *stem = (struct stem){.socket = -1};
    buffer_addf(&preloaded, "%s/stem.so", library);
    if (!strpbrk(buffer_text(&preloaded), ": ") && access(buffer_text(&preloaded), R_OK) == 0 &&
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0) {
        struct process_setting setting = {confinement, ends[1], nothing,
                                          nothing,     NULL,    buffer_text(&preloaded)};
        stem->process = process_start_confined(compiler, &setting, &ignored);
        stem->socket = ends[0];
        close(ends[1]);
        if (!stem->process || !is_ready(ends[0]))
            stem_end(stem);
    }
    buffer_release(&preloaded);
}

/* Sends a request: its first bytes carry the descriptors. */
static bool send_request(int socket, struct buffer *request, int descriptors[STEM_DESCRIPTORS])
{
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(STEM_DESCRIPTORS * sizeof(int))];
    } control = {0};
    struct iovec text = {request->data, request->length};
    struct msghdr message = {
        .msg_iov = &text, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    struct cmsghdr *first = CMSG_FIRSTHDR(&message);
    first->cmsg_level = SOL_SOCKET;
    first->cmsg_type = SCM_RIGHTS;
    first->cmsg_len = CMSG_LEN(STEM_DESCRIPTORS * sizeof(int));
    memcpy(CMSG_DATA(first), descriptors, STEM_DESCRIPTORS * sizeof(int));
    while (text.iov_len) {
        ssize_t n = sendmsg(socket, &message, MSG_NOSIGNAL);
        if (n < 0 && errno != EINTR)
            return false;
        if (n > 0) {
            text = (struct iovec){(char *)text.iov_base + n, text.iov_len - (size_t)n};
            message.msg_controllen = 0;
        }
    }
    return true;
}

pid_t stem_copy(struct stem *stem, const struct words *command, size_t first,
                const struct process_setting *setting)
{
    struct buffer request = {0};
    struct stem_request head = {.count = command->count - first};
    pid_t child = 0;
    int gate[2];
    if (!stem->process || pipe2(gate, O_CLOEXEC) != 0)
        return 0;
    for (size_t i = first; i < command->count; i++)
        head.length += strlen(command->items[i]) + 1;
    buffer_add(&request, &head, sizeof head);
    for (size_t i = first; i < command->count; i++)
        buffer_add(&request, command->items[i], strlen(command->items[i]) + 1);
    int descriptors[STEM_DESCRIPTORS] = {setting->input, setting->output, setting->errors, gate[0]};
    bool ok = send_request(stem->socket, &request, descriptors) && receive_number(stem->socket, &child) &&
              child > 0;
    buffer_release(&request);
    if (ok)
        setpgid(child, child); /* what it starts can be found, and ended */
    else
        stem_end(stem);
    close(gate[0]);
    close(gate[1]);
    return ok ? child : 0;
}

void stem_end(struct stem *stem)
{
    if (stem->socket >= 0)
        close(stem->socket);
    if (stem->process) {
        kill(stem->process, SIGKILL);
        process_wait(stem->process);
    }
    *stem = (struct stem){.socket = -1};
}
