/*
 * Answers appear whole or not at all: a file is written under another name beside its own and
 * renamed when every byte is in it, and a full disk or a closed pipe is an error. The pager is
 * chosen as git does: COTREE_PAGER, PAGER, less, on a terminal only.
 */
#include "cli/output.h"
#include "base/memory.h"
#include "base/unfinished.h"
#include "decode/profile/inputs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static bool to_standard_output(const char *path)
{
    return !path || strcmp(path, "-") == 0;
}

static bool dumb_terminal(void)
{
    const char *term = getenv("TERM");
    return !term || !*term || strcmp(term, "dumb") == 0;
}

bool output_color(const char *when, const char *path, bool *color, struct error *error)
{
    const char *no_color = getenv("NO_COLOR");
    if (strcmp(when, "always") == 0)
        *color = true;
    else if (strcmp(when, "never") == 0)
        *color = false;
    else if (strcmp(when, "auto") == 0)
        *color =
            to_standard_output(path) && isatty(STDOUT_FILENO) && !(no_color && *no_color) && !dumb_terminal();
    else
        return error_set(error, "--color is auto, always or never, not '%s'", when);
    return true;
}

/* ---- Pager ---- */

/* Starts the pager, which reads from fd; returns 0 when there is none. */
static pid_t start_pager(int fd, int other_end)
{
    const char *command = getenv("COTREE_PAGER");
    if (!command)
        command = getenv("PAGER");
    if (command && (!*command || strcmp(command, "cat") == 0))
        return 0;
    setenv("LESS", "FRX", 0);
    setenv("LV", "-c", 0);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fd, STDIN_FILENO);
    posix_spawn_file_actions_addclose(&actions, fd);
    posix_spawn_file_actions_addclose(&actions, other_end);
    /* The pager must not inherit the signals that this process ignores. */
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    sigaddset(&defaults, SIGINT);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    pid_t pid = 0;
    int failed;
    if (command) {
        char shell[] = "sh", option[] = "-c", *copy = memory_string(command);
        char *argv[] = {shell, option, copy, NULL};
        failed = posix_spawnp(&pid, "sh", &actions, &attributes, argv, environ);
        free(copy);
    } else {
        char less[] = "less";
        char *argv[] = {less, NULL};
        failed = posix_spawnp(&pid, "less", &actions, &attributes, argv, environ);
    }
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return failed ? 0 : pid;
}

static void open_pager(struct output *o)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return;
    o->pager = start_pager(ends[0], ends[1]);
    close(ends[0]);
    FILE *file = o->pager ? fdopen(ends[1], "w") : NULL;
    if (!file) {
        close(ends[1]);
        return;
    }
    o->file = file;
    /* the key belongs to the pager now; leaving the pager ends this process by the closed pipe */
    signal(SIGINT, SIG_IGN);
}

/* ---- Files ---- */

static bool open_file(struct output *o, const char *path, struct error *error)
{
    struct stat st;
    bool exists = stat(path, &st) == 0;
    if (exists && !S_ISREG(st.st_mode)) { /* a device or a pipe: never replaced */
        if (S_ISDIR(st.st_mode))
            return error_set(error, "cannot write '%s': %s", path, strerror(EISDIR));
        o->file = fopen(path, "we");
        return o->file ? true : error_set(error, "cannot write '%s': %s", path, strerror(errno));
    }
    /* A symbolic link stays one: what it names is replaced. */
    char *resolved = exists ? realpath(path, NULL) : NULL;
    o->path = resolved ? resolved : memory_string(path);
    int fd = unfinished_create(o->path, &o->temporary);
    if (fd < 0 || !(o->file = fdopen(fd, "w"))) {
        error_set(error, "cannot write '%s': %s", path, strerror(errno));
        if (fd >= 0) {
            close(fd);
            unlink(o->temporary);
            unfinished_end();
        }
        free(o->path);
        free(o->temporary);
        o->path = o->temporary = NULL;
        return false;
    }
    if (exists && fchmod(fd, st.st_mode & 0777) != 0)
        errno = 0; /* the modes of the old file are a courtesy */
    return true;
}

static bool is_same_file(const struct stat *file, const char *path)
{
    struct stat other;
    return stat(path, &other) == 0 && file->st_dev == other.st_dev && file->st_ino == other.st_ino;
}

static void ignore_problem(void *context, const char *path, const char *reason)
{
    (void)context, (void)path, (void)reason;
}

/* Whether the file is one of those that are read, or lies in a directory whose data is. */
static bool is_read(const struct stat *file, const char *const *read)
{
    struct input_list list = {0};
    size_t count = 0;
    bool found = false;
    while (read[count])
        count++;
    inputs_find(&list, read, count, ignore_problem, NULL);
    for (size_t i = 0; i < list.count && !found; i++)
        found = is_same_file(file, list.items[i].path);
    inputs_release(&list);
    return found;
}

bool output_check(const char *path, const char *const *read, struct error *error)
{
    struct stat st;
    if (to_standard_output(path))
        return true;
    if (stat(path, &st) != 0) {
        const char *slash = strrchr(path, '/');
        char *directory = slash ? memory_substring(path, (size_t)(slash + 1 - path)) : memory_string(".");
        bool ok = errno != ENOENT || access(directory, W_OK | X_OK) == 0;
        free(directory);
        return (ok && *path) || error_set(error, "cannot write '%s': %s", path, strerror(errno));
    }
    if (S_ISDIR(st.st_mode))
        return error_set(error, "cannot write '%s': %s", path, strerror(EISDIR));
    return !S_ISREG(st.st_mode) || !is_read(&st, read) ||
           error_set(error, "'%s' is read by this command: name another output", path);
}

bool output_is_terminal(const char *path)
{
    return to_standard_output(path) && isatty(STDOUT_FILENO);
}

bool output_open(struct output *o, const char *path, bool want_pager, struct error *error)
{
    *o = (struct output){.file = stdout, .named = path};
    o->pipe_ignored = signal(SIGPIPE, SIG_IGN) == SIG_IGN;
    signal(SIGXFSZ, SIG_IGN);
    if (!to_standard_output(path))
        return open_file(o, path, error);
    if (want_pager && isatty(STDOUT_FILENO) && !dumb_terminal())
        open_pager(o);
    return true;
}

void output_follow_reader(const struct output *o)
{
    struct pollfd p = {.fd = STDOUT_FILENO};
    if (o->file != stdout || o->pipe_ignored || poll(&p, 1, 0) <= 0 || !(p.revents & POLLERR))
        return;
    signal(SIGPIPE, SIG_DFL);
    raise(SIGPIPE);
}

bool output_close(struct output *o, bool keep, struct error *error)
{
    bool failed = fflush(o->file) != 0 || ferror(o->file);
    int reason = errno ? errno : EIO;
    if (o->pager) {
        fclose(o->file);
        int status;
        while (waitpid(o->pager, &status, 0) < 0 && errno == EINTR)
            continue;
        signal(SIGINT, SIG_DFL);
        return true; /* leaving the pager early is no error */
    }
    if (o->file == stdout)
        return failed ? error_set(error, "cannot write standard output: %s", strerror(reason)) : true;
    if (fclose(o->file) != 0 && !failed) {
        failed = true;
        reason = errno;
    }
    if (!failed && keep && o->temporary && rename(o->temporary, o->path) != 0) {
        failed = true;
        reason = errno;
    }
    if (failed)
        error_set(error, "cannot write '%s': %s", o->path ? o->path : o->named, strerror(reason));
    if (o->temporary && (failed || !keep))
        unlink(o->temporary);
    unfinished_end();
    free(o->path);
    free(o->temporary);
    *o = (struct output){0};
    return !failed;
}
