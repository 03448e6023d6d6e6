/* Response files and whole files. */
#include "cli/driver.h"
#include "base/whole.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

char *driver_read_file(const char *path, size_t *length)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    struct buffer content = {0};
    char chunk[65536];
    ssize_t n;
    while ((n = read(fd, chunk, sizeof chunk)) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            int why = errno;
            close(fd);
            buffer_release(&content);
            errno = why;
            return NULL;
        }
        buffer_add(&content, chunk, (size_t)n);
    }
    close(fd);
    *length = content.length;
    char *text = memory_substring(content.data ? (const char *)content.data : "", content.length);
    buffer_release(&content);
    return text;
}

/* The rules of LLVM's TokenizeGNUCommandLine: a backslash quotes one character everywhere, quotes
 * of either kind hold white space, and adjacent pieces are one word. */
void driver_split(const char *s, struct words *words)
{
    struct buffer word = {0};
    bool in_word = false;
    char quote = 0;
    for (; *s; s++) {
        if (*s == '\\' && s[1]) {
            buffer_add(&word, ++s, 1);
            in_word = true;
        } else if (quote) {
            if (*s == quote)
                quote = 0;
            else
                buffer_add(&word, s, 1);
        } else if (*s == '\'' || *s == '"') {
            quote = *s;
            in_word = true;
        } else if (isspace((unsigned char)*s)) {
            if (in_word)
                words_add(words, buffer_text(&word));
            word.length = 0;
            in_word = false;
        } else {
            buffer_add(&word, s, 1);
            in_word = true;
        }
    }
    if (in_word)
        words_add(words, buffer_text(&word));
    buffer_release(&word);
}

static void add_quoted(struct buffer *text, const char *word)
{
    buffer_add_text(text, "\"");
    for (; *word; word++) {
        if (*word == '"' || *word == '\\')
            buffer_add_text(text, "\\");
        buffer_add(text, word, 1);
    }
    buffer_add_text(text, "\"\n");
}

/* Linux takes no word beyond 128 KiB, and about ARG_MAX for all of them and the environment. */
static bool is_too_long(const struct words *command)
{
    size_t size = 0, limit = (size_t)sysconf(_SC_ARG_MAX) / 4 * 3;
    for (size_t i = 0; i < command->count; i++) {
        size_t length = strlen(command->items[i]) + 1;
        if (length > 120 * 1024)
            return true;
        size += length + sizeof(char *);
    }
    for (char **variable = environ; *variable; variable++)
        size += strlen(*variable) + 1 + sizeof(char *);
    return size > limit;
}

bool words_fit(struct words *command, size_t first, struct error *error)
{
    if (!is_too_long(command))
        return true;
    /* The response file has no name and is inherited by clang: there is nothing to clean up. */
    struct buffer text = {0};
    for (size_t i = first; i < command->count; i++)
        add_quoted(&text, command->items[i]);
    int fd = memfd_create("cotree-words", 0);
    bool ok = fd >= 0 && write_whole(fd, text.data, text.length);
    buffer_release(&text);
    if (!ok)
        return error_set(error, "cannot pass on a long command line: %s", strerror(errno));
    while (command->count > first)
        free(command->items[--command->count]);
    char name[40];
    snprintf(name, sizeof name, "@/proc/self/fd/%d", fd);
    words_add(command, name);
    return true;
}
