/*
 * A stem: a compiler that has been loaded, and becomes a compiler of one unit as often as it is asked to.
 *
 * Loading clang takes as long as compiling a small unit: the dynamic linker relocates a hundred megabytes,
 * and LLVM registers its options. This library is preloaded to a compiler that weaving starts. It stands in
 * front of the C library's __libc_start_main, so that all of that is done when it takes over, and main has
 * not run. Then it copies its process for each request: the copy calls main with the words that the stem was
 * started with and those of the request. The stem itself sees nothing of any program.
 */
#include "stem/layout.h"

#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef int main_function(int count, char **words, char **environment);
typedef int start_function(main_function *main, int count, char **words, void (*init)(void),
                           void (*fini)(void), void (*linker_fini)(void), void *stack_end);

static main_function *compiler;

static bool receive_all(void *to, size_t length)
{
    for (size_t done = 0; done < length;) {
        ssize_t n = recv(STDIN_FILENO, (char *)to + done, length - done, 0);
        if (n <= 0 && !(n < 0 && errno == EINTR))
            return false;
        done += n > 0 ? (size_t)n : 0;
    }
    return true;
}

static bool receive_request(struct stem_request *request, int descriptors[STEM_DESCRIPTORS])
{
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(STEM_DESCRIPTORS * sizeof(int))];
    } control;
    struct iovec text = {request, sizeof *request};
    struct msghdr message = {
        .msg_iov = &text, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    ssize_t n = recvmsg(STDIN_FILENO, &message, MSG_CMSG_CLOEXEC);
    struct cmsghdr *first = CMSG_FIRSTHDR(&message);
    if (n <= 0 || !first || first->cmsg_len != CMSG_LEN(STEM_DESCRIPTORS * sizeof(int)))
        return false;
    memcpy(descriptors, CMSG_DATA(first), STEM_DESCRIPTORS * sizeof(int));
    return receive_all((char *)request + n, sizeof *request - (size_t)n);
}

/* The words of main: those that the stem was started with, and those of the request, which stay in its
 * text. NULL if they do not come. */
static char **receive_words(const struct stem_request *request, int count, char **own)
{
    char *text = malloc(request->length + 1);
    char **words = calloc((size_t)count + request->count + 1, sizeof *words);
    if (!text || !words || !receive_all(text, request->length))
        return NULL;
    text[request->length] = 0;
    memcpy(words, own, (size_t)count * sizeof *words);
    for (size_t i = 0; i < request->count; i++, text += strlen(text) + 1)
        words[(size_t)count + i] = text;
    return words;
}

/* A child of the stem's parent, which waits for it as for those that it starts. (The C library's fork has no
 * such thing. There is one thread, and nobody has asked the C library for its number yet.) */
static pid_t copy(void)
{
    return (pid_t)syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
}

/* In the copy. */
static void become(const int descriptors[STEM_DESCRIPTORS], pid_t parent)
{
    char byte;
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* it does not outlive a weave that was killed */
    while (read(descriptors[STEM_GATE], &byte, 1) < 0 && errno == EINTR)
        continue;
    if (getppid() != parent)
        _exit(127);
    for (int i = STEM_INPUT; i <= STEM_ERRORS; i++)
        dup2(descriptors[i], i);
    for (int i = 0; i < STEM_DESCRIPTORS; i++)
        close(descriptors[i]);
}

static bool answer(pid_t number)
{
    return send(STDIN_FILENO, &number, sizeof number, MSG_NOSIGNAL) == sizeof number;
}

/* What copies start is no stem. (Shells have an unsetenv of their own, which does something else.) */
static void forget_preloading(char **environment)
{
    char **kept = environment;
    for (; *environment; environment++)
        if (strncmp(*environment, "LD_PRELOAD=", strlen("LD_PRELOAD=")) != 0)
            *kept++ = *environment;
    *kept = NULL;
}

static int serve(int count, char **own, char **environment)
{
    struct stem_request request;
    int descriptors[STEM_DESCRIPTORS];
    pid_t parent = getppid();
    forget_preloading(environment);
    if (!answer(getpid())) /* nobody asks for copies */
        return compiler(count, own, environment);
    for (bool goes_on = true; goes_on && receive_request(&request, descriptors);) {
        char **words = receive_words(&request, count, own);
        pid_t child = words ? copy() : -1;
        if (child == 0) {
            become(descriptors, parent);
            return compiler(count + (int)request.count, words, environment);
        }
        goes_on = answer(child > 0 ? child : -errno) && words;
        for (int i = 0; i < STEM_DESCRIPTORS; i++)
            close(descriptors[i]);
        if (words)
            free(words[count]);
        free(words);
    }
    _exit(0); /* its memory is not looked at again */
}

__attribute__((visibility("default"))) int __libc_start_main(main_function *main, int count, char **words,
                                                             void (*init)(void), void (*fini)(void),
                                                             void (*linker_fini)(void), void *stack_end)
{
    start_function *start = (start_function *)dlsym(RTLD_NEXT, "__libc_start_main");
    compiler = main;
    return start(serve, count, words, init, fini, linker_fini, stack_end);
}
