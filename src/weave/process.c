#include "weave/process.h"
#include "base/memory.h"
#include "base/status.h"
#include "weave/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

void process_hold_standard(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            return;
}

/* Starts a program whose standard output goes to a pipe; its reading end is put into *output. */
static pid_t start(const struct words *command, int *output, struct error *error)
{
    pid_t child = 0;
    int ends[2] = {-1, -1};
    char **words = ALLOC(char *, command->count + 1);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    memory_copy(words, command->items, command->count * sizeof *words);
    words[command->count] = NULL;
    int why = pipe2(ends, O_CLOEXEC) != 0
                  ? errno
                  : posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    if (!why)
        why = posix_spawnp(&child, words[0], &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (ends[1] >= 0)
        close(ends[1]);
    if (why) {
        error_set(error, "cannot run '%s': %s", words[0], strerror(why));
        if (ends[0] >= 0)
            close(ends[0]);
        child = 0;
    } else {
        *output = ends[0];
    }
    free(words);
    return child;
}

/* In the child. Ends it with the reason on the pipe if the program cannot be run. */
static _Noreturn void become(char **words, const struct process_setting *setting, int reason)
{
    setpgid(0, 0);                    /* what it starts can be found, and ended */
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* it does not outlive a weave that was killed */
    close_range(STDERR_FILENO + 1, ~0u, CLOSE_RANGE_CLOEXEC); /* pipes that others left open, too */
    bool ok = dup2(setting->input, STDIN_FILENO) >= 0 && dup2(setting->output, STDOUT_FILENO) >= 0 &&
              dup2(setting->errors, STDERR_FILENO) >= 0 &&
              (!setting->directory || chdir(setting->directory) == 0) &&
              (!setting->preloaded || setenv("LD_PRELOAD", setting->preloaded, 1) == 0) &&
              (setting->confinement < 0 || confine_enter(setting->confinement));
    int why = errno;
    if (ok) {
        execvp(words[0], words);
        why = errno;
    }
    ssize_t ignored = write(reason, &why, sizeof why);
    (void)ignored;
    _exit(127);
}

pid_t process_start_confined(const struct words *command, const struct process_setting *setting,
                             struct error *error)
{
    int ends[2], why = 0;
    char **words = ALLOC(char *, command->count + 1);
    memory_copy(words, command->items, command->count * sizeof *words);
    words[command->count] = NULL;
    pid_t child = pipe2(ends, O_CLOEXEC) == 0 ? fork() : -1;
    if (child == 0)
        become(words, setting, ends[1]);
    if (child < 0) {
        why = errno;
    } else {
        close(ends[1]);
        while (read(ends[0], &why, sizeof why) < 0 && errno == EINTR)
            continue;
        close(ends[0]);
    }
    if (why) {
        if (child > 0)
            process_wait(child);
        error_set(error, "cannot run '%s': %s", words[0], strerror(why));
        child = 0;
    }
    free(words);
    return child;
}

pid_t process_next_end(void)
{
    siginfo_t end;
    return waitid(P_ALL, 0, &end, WEXITED | WNOWAIT) == 0 ? end.si_pid : -1;
}

int process_wait(pid_t child)
{
    siginfo_t end;
    int status;
    while (waitid(P_PID, (id_t)child, &end, WEXITED | WNOWAIT) != 0)
        if (errno == EINTR) /* a signal that asks for an end */
            kill(child, SIGKILL);
        else
            return 127;
    kill(-child, SIGKILL); /* what it started and left behind */
    return waitpid(child, &status, 0) < 0 ? 127 : status_for_shell(status);
}

/* Reads a pipe to its end, and closes it. */
static void collect(int output, struct buffer *printed)
{
    for (;;) {
        enum { AT_ONCE = 65536 };
        ssize_t n = read(output, buffer_room(printed, AT_ONCE), AT_ONCE);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        printed->length += (size_t)n;
    }
    close(output);
}

int process_read(const struct words *command, struct buffer *printed, struct error *error)
{
    int output;
    pid_t child = start(command, &output, error);
    if (!child)
        return -1;
    collect(output, printed);
    return process_wait(child);
}

char *process_version(const struct words *command)
{
    struct words asking = {0};
    struct buffer printed = {0};
    struct error ignored;
    words_add_all(&asking, command);
    words_add(&asking, "--version");
    process_read(&asking, &printed, &ignored);
    const char *text = buffer_text(&printed);
    char *line = memory_substring(text, strcspn(text, "\n"));
    buffer_release(&printed);
    words_release(&asking);
    return line;
}

char *process_find(const char *first, const char *name)
{
    const char *path = getenv("PATH");
    struct buffer file = {0}, places = {0};
    char *found = NULL;
    buffer_addf(&places, "%s:%s", first, path ? path : "/usr/bin:/bin");
    for (const char *at = buffer_text(&places); !found && *at; at += strcspn(at, ":"), at += *at == ':') {
        size_t length = strcspn(at, ":");
        file.length = 0;
        buffer_add(&file, at, length);
        buffer_addf(&file, "/%s", name);
        if (length && access(buffer_text(&file), X_OK) == 0)
            found = memory_string(buffer_text(&file));
    }
    buffer_release(&file);
    buffer_release(&places);
    return found;
}
