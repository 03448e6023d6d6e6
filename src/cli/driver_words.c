/* Lists of words, response files, whole files: what the driver needs before it can think. */
#include "cli/driver.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

void words_add(struct words *w, const char *word)
{
    ARRAY_PUSH(w, memory_string(word));
}

void words_release(struct words *w)
{
    for (size_t i = 0; i < w->count; i++)
        free(w->items[i]);
    ARRAY_RELEASE(w);
}

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

/* The rules of LLVM's TokenizeGNUCommandLine: a backslash quotes one character everywhere, quotes of either
 * kind hold white space, and adjacent pieces are one word. */
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
