#include "cli/changed_lines.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* A git that runs, and what it writes. What it says on standard error is seen unless `quiet`. */
struct git {
    pid_t process;
    FILE *output;
};

static bool git_begin(struct git *git, char *const *words, bool quiet, struct error *error)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return error_set(error, "no pipe: %s", strerror(errno));
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    if (quiet)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    int failed = posix_spawnp(&git->process, "git", &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    git->output = failed ? NULL : fdopen(ends[0], "r");
    if (!git->output)
        close(ends[0]);
    return !failed || error_set(error, "git cannot be run: %s", strerror(failed));
}

static bool git_end(struct git *git)
{
    int status = -1;
    if (git->output)
        fclose(git->output);
    while (waitpid(git->process, &status, 0) < 0 && errno == EINTR)
        ;
    return status == 0;
}

/* Returns the top of the work tree, newly allocated; NULL if there is none. */
static char *top_of_work_tree(struct error *error)
{
    char *words[] = {"git", "rev-parse", "--show-toplevel", NULL}, *top = NULL;
    struct git git;
    size_t room = 0;
    if (!git_begin(&git, words, true, error))
        return NULL;
    ssize_t length = git.output ? getline(&top, &room, git.output) : -1;
    if (length > 0 && top[length - 1] == '\n')
        top[length - 1] = '\0';
    if (git_end(&git) && length > 1)
        return top;
    free(top);
    error_set(error, "the current directory is in no work tree of git");
    return NULL;
}

bool changed_since(struct changes *changes, const char *revision, struct error *error)
{
    /* Paths, prefixes and colours are these, whatever the user's configuration says. */
    char *words[] = {"git",
                     "-c",
                     "core.quotePath=true",
                     "diff",
                     "--merge-base",
                     "--no-color",
                     "--no-ext-diff",
                     "-M",
                     "--no-textconv",
                     "--unified=0",
                     "--no-relative",
                     "--src-prefix=a/",
                     "--dst-prefix=b/",
                     "--ignore-submodules",
                     (char *)(uintptr_t)revision,
                     "--",
                     NULL};
    struct git git;
    if (!*revision || *revision == '-')
        return error_set(error, "--changed-since takes a revision of git, not '%s'", revision);
    char *top = top_of_work_tree(error);
    if (!top || !git_begin(&git, words, false, error)) {
        free(top);
        return false;
    }
    bool good = git.output && changes_read(changes, git.output, "git diff", top, error);
    if (!git_end(&git) && good)
        good = error_set(error, "git does not say what was changed since '%s'", revision);
    free(top);
    return good;
}

bool changed_by_diff(struct changes *changes, const char *path, struct error *error)
{
    bool is_input = !strcmp(path, "-");
    struct error none;
    FILE *diff = is_input ? stdin : fopen(path, "re");
    if (!diff)
        return error_set(error, "'%s': %s", path, strerror(errno));
    char *top = top_of_work_tree(&none);
    bool good = changes_read(changes, diff, is_input ? "standard input" : path, top ? top : ".", error);
    free(top);
    if (!is_input)
        fclose(diff);
    return good;
}
