/*
 * The few words the runtime says, and only when asked with COTREE=verbose: one line on standard
 * error, written with one system call. Also the text helpers that other chapters need, since the
 * program's own string functions must not be called (they may be counted).
 */
#include <errno.h>
#include <stdarg.h>
#include "runtime/runtime.h"

size_t cotree_length(const char *text)
{
    size_t n = 0;
    while (text[n] != '\0')
        n++;
    return n;
}

bool cotree_starts_with(const char *text, const char *start)
{
    while (*start != '\0')
        if (*text++ != *start++)
            return false;
    return true;
}

bool cotree_same_text(const char *a, const char *b)
{
    while (*a == *b && *a != '\0')
        a++, b++;
    return *a == *b;
}

/* Appends TEXT at position AT of OUT; returns the new end, which is SIZE when it did not fit. OUT
 * stays terminated. */
size_t cotree_append(char *out, size_t size, size_t at, const char *text)
{
    while (*text != '\0') {
        if (at + 1 >= size)
            return size;
        out[at++] = *text++;
    }
    if (at < size)
        out[at] = '\0';
    return at;
}

size_t cotree_append_number(char *out, size_t size, size_t at, uint64_t number)
{
    char digits[21];
    size_t i = sizeof digits;
    digits[--i] = '\0';
    do {
        digits[--i] = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    return cotree_append(out, size, at, digits + i);
}

/* Copies TEXT into OUT, cut if it is longer. */
void cotree_put(char *out, size_t size, const char *text)
{
    size_t n = 0;
    while (n + 1 < size && text[n] != '\0') {
        out[n] = text[n];
        n++;
    }
    out[n] = '\0';
}

static void say_line(const char *line, size_t length)
{
    (void)COTREE_CALL(SYS_write, 2, line, length, 0, 0, 0);
}

void cotree_say(const char *first, ...)
{
    char line[1024];
    va_list parts;
    if (!cotree_process.verbose)
        return;
    size_t at = cotree_append(line, sizeof line - 1, 0, "cotree: ");
    va_start(parts, first);
    for (const char *part = first; part != NULL; part = va_arg(parts, const char *))
        at = cotree_append(line, sizeof line - 1, at, part);
    va_end(parts);
    if (at > sizeof line - 2)
        at = sizeof line - 2;
    line[at++] = '\n';
    say_line(line, at);
}

static const char *reason(long error)
{
    switch (error < 0 ? -error : error) {
    case EACCES:
        return "permission denied";
    case EPERM:
        return "operation not permitted";
    case ENOENT:
        return "no such file or directory";
    case EEXIST:
        return "file exists";
    case ENOSPC:
        return "no space left";
    case EDQUOT:
        return "quota exceeded";
    case EFBIG:
        return "larger than the file size limit";
    case EROFS:
        return "read-only file system";
    case ELOOP:
        return "it is a symbolic link";
    case ENOTDIR:
        return "not a directory";
    case EISDIR:
        return "it is a directory";
    case ENAMETOOLONG:
        return "name too long";
    case ENOMEM:
        return "out of address space";
    case ENODEV:
        return "the file system cannot map files";
    case ESTALE:
        return "the file was replaced";
    case EMFILE:
    case ENFILE:
        return "too many open files";
    case ESPIPE:
        return "it is no regular file";
    case EINVAL:
        return "invalid argument";
    case EFAULT:
        return "no space left (or no such page)";
    default:
        return NULL;
    }
}

void cotree_say_error(const char *what, const char *subject, long error)
{
    char number[32];
    const char *text = reason(error);
    if (text == NULL) {
        size_t at = cotree_append(number, sizeof number, 0, "error ");
        cotree_append_number(number, sizeof number, at, (uint64_t)(error < 0 ? -error : error));
        text = number;
    }
    cotree_say(what, " '", subject, "': ", text, (const char *)NULL);
}
