#include "weave/scratch.h"
#include "base/whole.h"
#include "base/memory.h"
#include "base/temporary.h"
#include "base/text.h"
#include "weave/object.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

char *scratch_path(const char *directory, const char *format, ...)
{
    char *name, *path;
    va_list values;
    va_start(values, format);
    int length = vasprintf(&name, format, values);
    va_end(values);
    if (length < 0 || asprintf(&path, "%s/%s", directory, name) < 0)
        abort();
    free(name);
    return path;
}

static char *make_part(const struct scratch *s, const char *name, bool *ok)
{
    char *path = scratch_path(s->path, "%s", name);
    *ok = *ok && mkdir(path, 0700) == 0;
    return path;
}

bool scratch_make(struct scratch *s, struct error *error)
{
    char *found = realpath(temporary_directory(), NULL);
    if (!found)
        return error_set(error, "cannot use the directory '%s' (TMPDIR): %s", temporary_directory(),
                         strerror(errno));
    *s = (struct scratch){.path = scratch_path(found, "cotree-weave.XXXXXX")};
    free(found);
    bool ok = mkdtemp(s->path) != NULL;
    s->made = make_part(s, "made", &ok);
    s->work = make_part(s, "work", &ok);
    s->linked = make_part(s, "linked", &ok);
    s->said = make_part(s, "said", &ok);
    if (ok)
        return true;
    error_set(error, "cannot make the directory '%s': %s", s->path, strerror(errno));
    scratch_remove(s);
    return false;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *walk)
{
    (void)st, (void)type, (void)walk;
    remove(path);
    return 0;
}

void scratch_remove(struct scratch *s)
{
    nftw(s->path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(s->path);
    free(s->made);
    free(s->work);
    free(s->linked);
    free(s->said);
    *s = (struct scratch){0};
}

/* ---- Files ---- */

bool scratch_is_file(const char *path)
{
    struct stat st;
    char *resolved = realpath(path, NULL);
    bool ok = resolved && !strcmp(resolved, path) && lstat(path, &st) == 0 && S_ISREG(st.st_mode);
    free(resolved);
    return ok;
}

char *scratch_read(const char *path)
{
    struct mapped_file file;
    struct error ignored;
    if (!scratch_is_file(path) || !mapped_file_open(&file, path, &ignored))
        return memory_string("");
    char *text = memory_substring((const char *)file.bytes, file.length);
    mapped_file_close(&file);
    return text;
}

bool scratch_link(const char *path, const char *name, struct error *error)
{
    if (!scratch_is_file(path))
        return error_set(error, "'%s' is no file that the compiler or the linker made", path);
    return link(path, name) == 0 || error_set(error, "cannot make '%s': %s", name, strerror(errno));
}

/* Never a descriptor that is standard input, output or error: they may be closed. */
static int open_high(const char *path, int flags, struct error *error)
{
    int low = open(path, flags | O_CLOEXEC, 0600);
    int fd = low >= 0 ? fcntl(low, F_DUPFD_CLOEXEC, STDERR_FILENO + 1) : -1;
    if (fd < 0)
        error_set(error, "cannot open '%s': %s", path, strerror(errno));
    if (low >= 0)
        close(low);
    return fd;
}

int scratch_open_said(const char *path, struct error *error)
{
    return open_high(path, O_WRONLY | O_APPEND | O_CREAT | O_EXCL, error);
}

int scratch_open_nothing(const struct scratch *s, struct error *error)
{
    char *path = scratch_path(s->said, "nothing");
    int fd = open_high(path, O_RDONLY | O_CREAT, error);
    free(path);
    return fd;
}

void scratch_print_said(const char *path)
{
    enum { MOST = 1 << 18 };
    struct mapped_file file;
    struct error ignored;
    if (!mapped_file_open(&file, path, &ignored))
        return;
    size_t length = file.length < MOST ? file.length : MOST;
    char *text = memory_substring((const char *)file.bytes, length);
    for (size_t i = 0; i < length; i++)
        if (!text[i])
            text[i] = '?';
    text_make_lines_printable(text);
    fputs(text, stderr);
    if (length < file.length)
        fprintf(stderr, "\n... and %zu bytes more\n", file.length - length);
    free(text);
    mapped_file_close(&file);
    unlink(path);
}

bool file_write_new(const char *path, const void *bytes, size_t length, struct error *error)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool ok = fd >= 0 && write_whole(fd, bytes, length);
    int why = errno;
    if (fd >= 0 && close(fd) != 0 && ok) {
        ok = false;
        why = errno;
    }
    return ok || error_set(error, "cannot write '%s': %s", path, strerror(why));
}
