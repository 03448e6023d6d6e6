/*
 * Preprocessing when files decide what the object will be: -fcotree-use=FILE, lists of patterns.
 *
 * `ccache cotree-cc` knows an object by its command line, its preprocessed text and the files named
 * there. So that a changed profile is a changed object, the text ends with line markers that name
 * those files, as if they had been included, and the hash of all of cotree's own options. They mean
 * nothing to a compiler. (COTREE_CLANG="ccache clang" does not need this: there ccache sees clang's
 * own command line.) tests/driver/ccache.test.sh fails without it.
 */
#include "base/hash.h"
#include "base/whole.h"
#include "base/status.h"
#include "cli/driver.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void add_marker(struct buffer *text, const char *file)
{
    char *path = realpath(file, NULL);
    buffer_add_text(text, "# 1 \"");
    for (const char *s = path ? path : file; *s; s++) {
        if (*s == '"' || *s == '\\')
            buffer_add_text(text, "\\");
        buffer_add(text, s, 1);
    }
    buffer_add_text(text, "\"\n");
    free(path);
}

static bool append(const char *output, const struct buffer *text)
{
    bool to_stdout = !output || strcmp(output, "-") == 0;
    int fd = to_stdout ? STDOUT_FILENO : open(output, O_WRONLY | O_APPEND | O_CLOEXEC);
    bool ok = fd >= 0 && write_whole(fd, text->data, text->length);
    if (!to_stdout && fd >= 0)
        ok &= close(fd) == 0;
    return ok;
}

int driver_preprocess(const struct request *r, const struct buffer *options, const struct words *command,
                      struct error *error)
{
    pid_t child;
    int status, why = posix_spawnp(&child, command->items[0], NULL, NULL, command->items, environ);
    if (why) {
        error_set(error, "cannot run '%s': %s", command->items[0], strerror(why));
        return EXIT_CANNOT;
    }
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) {
            error_set(error, "cannot wait for '%s': %s", command->items[0], strerror(errno));
            return EXIT_CANNOT;
        }
    error->text[0] = 0;
    if (WIFSIGNALED(status)) {
        signal(WTERMSIG(status), SIG_DFL);
        raise(WTERMSIG(status));
        return status_for_shell(status);
    }
    if (WEXITSTATUS(status) != 0)
        return WEXITSTATUS(status);
    struct buffer text = {0};
    buffer_addf(&text, "# 1 \"<cotree %016" PRIx64 ">\"\n", hash_bytes(options->data, options->length));
    for (size_t i = 0; i < r->files_read.count; i++)
        add_marker(&text, r->files_read.items[i]);
    bool ok = append(r->output, &text);
    if (!ok)
        error_set(error, "cannot write '%s': %s", r->output ? r->output : "standard output", strerror(errno));
    buffer_release(&text);
    return ok ? EXIT_OK : EXIT_CANNOT;
}
