#include "base/unfinished.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The file to remove when a signal ends this process. */
static char *volatile unfinished;

static const int endings[] = {SIGINT, SIGTERM, SIGHUP};
enum { ENDING_COUNT = sizeof endings / sizeof *endings };

static void leave_nothing(int number)
{
    if (unfinished)
        unlink(unfinished);
    raise(number); /* this ends the process: the handler was set for one signal only */
}

static void catch_endings(void)
{
    struct sigaction old, once = {.sa_handler = leave_nothing, .sa_flags = (int)SA_RESETHAND | SA_NODEFER};
    for (size_t i = 0; i < ENDING_COUNT; i++)
        if (sigaction(endings[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
            sigaction(endings[i], &once, NULL);
}

static int create(const char *target, char **name)
{
    enum { ATTEMPTS = 100 };
    size_t room = strlen(target) + 32;
    int fd = -1;
    *name = ALLOC(char, room);
    errno = EEXIST;
    for (unsigned attempt = 0; fd < 0 && errno == EEXIST && attempt < ATTEMPTS; attempt++) {
        snprintf(*name, room, "%s.%ld-%u.tmp", target, (long)getpid(), attempt);
        fd = open(*name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    }
    return fd;
}

int unfinished_create(const char *target, char **name)
{
    sigset_t held, before;
    sigemptyset(&held);
    for (size_t i = 0; i < ENDING_COUNT; i++)
        sigaddset(&held, endings[i]);
    /* A signal between the making of the file and the note of its name would leave the file. */
    sigprocmask(SIG_BLOCK, &held, &before);
    int fd = create(target, name), saved = errno;
    if (fd >= 0) {
        unfinished = *name;
        catch_endings();
    } else {
        free(*name);
        *name = NULL;
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = saved;
    return fd;
}

void unfinished_end(void)
{
    unfinished = NULL;
}
