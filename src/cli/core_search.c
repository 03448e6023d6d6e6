/*
 * The kernel's pattern for names of cores (core(5)) is made a pattern of file names: what it puts in for
 * the process may be anything. A pattern that begins with "|" names a program that takes cores; if that
 * is systemd's, coredumpctl knows them.
 */
#include "cli/core_search.h"
#include "base/buffer.h"
#include "base/memory.h"
#include "decode/crash/core.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* A small file of the kernel, without the end of its line. */
static char *read_setting(const char *path)
{
    char text[512] = "";
    FILE *file = fopen(path, "re");
    if (file) {
        size_t length = fread(text, 1, sizeof text - 1, file);
        text[length] = 0;
        fclose(file);
    }
    text[strcspn(text, "\n")] = 0;
    return memory_string(text);
}

static void add_name_pattern(struct buffer *to, const char *pattern)
{
    for (const char *at = pattern; *at; at++) {
        if (*at == '%' && at[1] == '%')
            buffer_add(to, at++, 1);
        else if (*at == '%' && at[1])
            buffer_add_text(to, "*"), at++;
        else if (strchr("*?[\\", *at))
            buffer_addf(to, "\\%c", *at);
        else
            buffer_add(to, at, 1);
    }
}

struct found {
    char *path;
    struct timespec when;
};

static int newest_first(const void *left, const void *right)
{
    const struct found *a = left, *b = right;
    if (a->when.tv_sec != b->when.tv_sec)
        return a->when.tv_sec > b->when.tv_sec ? -1 : 1;
    return (a->when.tv_nsec < b->when.tv_nsec) - (a->when.tv_nsec > b->when.tv_nsec);
}

/* Is it a core of this very program? */
static bool is_of(const char *path, const char *program, struct error *why)
{
    struct core core;
    if (!core_open(&core, path, program, NULL, why))
        return false;
    bool same = core.modules.items[0].checked ||
                error_set(why, "'%s' does not hold the build id of its program: name it", path);
    core_release(&core);
    return same;
}

/* The newest file of this name pattern that is a core of the program. */
static char *search_files(const char *pattern, const char *program, struct error *error)
{
    glob_t files = {0};
    struct ARRAY_OF(struct found) all = {0};
    struct error why;
    char *result = NULL;
    if (!glob(pattern, GLOB_NOSORT, NULL, &files))
        for (size_t i = 0; i < files.gl_pathc; i++) {
            struct stat s;
            if (!stat(files.gl_pathv[i], &s) && S_ISREG(s.st_mode))
                ARRAY_PUSH(&all, ((struct found){files.gl_pathv[i], s.st_mtim}));
        }
    if (all.count)
        qsort(all.items, all.count, sizeof *all.items, newest_first);
    for (size_t i = 0; i < all.count && !result; i++)
        if (is_of(all.items[i].path, program, &why))
            result = memory_string(all.items[i].path);
        else if (!i)
            error_set(error, "there is no core of '%s': the newest file is none: %s", program, why.text);
    if (!all.count)
        error_set(error, "there is no core of '%s': no file is called '%s'", program, pattern);
    ARRAY_RELEASE(&all);
    globfree(&files);
    return result;
}

/* coredumpctl writes the newest core of a program to a file. */
static char *ask_systemd(const char *program, struct error *error)
{
    char path[] = "/tmp/cotree-core-XXXXXX", *real = realpath(program, NULL);
    int fd = real ? mkstemp(path) : -1, status = -1;
    pid_t child = 0;
    struct error why = {0};
    if (fd < 0) {
        error_set(error, "'%s': %s", program, strerror(errno));
        free(real);
        return NULL;
    }
    close(fd);
    char *words[] = {"coredumpctl", "--no-pager", "--quiet", "-1", "--output", path, "dump", real, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    int failed = posix_spawnp(&child, words[0], &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    while (!failed && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (failed)
        error_set(error, "cores go to another program, and coredumpctl cannot be run: %s", strerror(failed));
    else if (status)
        error_set(error, "coredumpctl has no core of '%s'", real);
    else if (!is_of(path, program, &why))
        error_set(error, "the newest core that coredumpctl has of '%s' is none of it: %s", real, why.text);
    free(real);
    if (!failed && !status && !why.text[0])
        return memory_string(path);
    unlink(path);
    return NULL;
}

char *core_search(const char *program, bool *temporary, struct error *error)
{
    char *pattern = read_setting("/proc/sys/kernel/core_pattern"),
         *numbered = read_setting("/proc/sys/kernel/core_uses_pid"), *result;
    struct buffer names = {0};
    *temporary = pattern[0] == '|';
    if (*temporary) {
        result = ask_systemd(program, error);
    } else {
        add_name_pattern(&names, *pattern ? pattern : "core");
        if (*numbered == '1' && !strstr(pattern, "%p"))
            buffer_add_text(&names, ".*");
        result = search_files(buffer_text(&names), program, error);
        if (!result && strchr(pattern, '/') == NULL && *numbered != '1') {
            /* Cores that were given a name, or were moved here. */
            struct error second;
            result = search_files("core.*", program, &second);
        }
    }
    buffer_release(&names);
    free(pattern);
    free(numbered);
    return result;
}
