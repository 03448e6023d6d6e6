#include "base/memory.h"
#include "base/whole.h"
#include "weave/building.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* The woven program carries what the first one did, and names it. */
static bool carry_again(const struct build *b, const char *path, struct error *error)
{
    struct carry_link link = b->program->link;
    struct buffer units = {0}, record = {0};
    if (!*link.origin)
        link.origin = b->program->build_id;
    buffer_add(&units, b->program->units_section.bytes, b->program->units_section.length);
    carry_link_write(&record, &link);
    const struct new_section sections[] = {{CARRY_UNITS_SECTION, &units}, {CARRY_LINK_SECTION, &record}};
    bool ok = object_append(path, sections, 2, error);
    buffer_release(&units);
    buffer_release(&record);
    return ok;
}

/* What a symbolic link names, be it there or not; NULL if the path is no such link. */
static char *link_target(const char *path)
{
    char target[PATH_MAX];
    struct buffer place = {0};
    ssize_t length = readlink(path, target, sizeof target - 1);
    if (length <= 0)
        return NULL;
    target[length] = 0;
    const char *slash = strrchr(path, '/');
    buffer_addf(&place, "%.*s%s", *target != '/' && slash ? (int)(slash + 1 - path) : 0, path, target);
    char *result = memory_string(buffer_text(&place));
    buffer_release(&place);
    return result;
}

char *output_place(const char *output, struct error *error)
{
    struct stat st;
    if (stat(output, &st) != 0 && errno == ELOOP) {
        error_set(error, "cannot write '%s': %s", output, strerror(ELOOP));
        return NULL;
    }
    if (stat(output, &st) != 0) {
        enum { MOST_LINKS = 40 }; /* as the kernel allows */
        char *place = memory_string(output), *target;
        for (unsigned links = 0; links < MOST_LINKS && (target = link_target(place)); links++) {
            free(place);
            place = target;
        }
        return place;
    }
    if (!S_ISREG(st.st_mode)) {
        error_set(error, "cannot write '%s': it is no file", output);
        return NULL;
    }
    char *resolved = realpath(output, NULL);
    return resolved ? resolved : memory_string(output);
}

/* Makes a new file beside the output; nobody else's. Its name is no longer than names may be. */
static int make_beside(const char *output, struct buffer *path, struct error *error)
{
    enum { ATTEMPTS = 100, OWN_PART = 40 };
    const char *slash = strrchr(output, '/'), *name = slash ? slash + 1 : output;
    int fd = -1;
    errno = EEXIST;
    for (unsigned attempt = 0; fd < 0 && errno == EEXIST && attempt < ATTEMPTS; attempt++) {
        path->length = 0;
        buffer_addf(path, "%.*s.%.*s.weaving-%d-%u", (int)(name - output), output, NAME_MAX - OWN_PART, name,
                    (int)getpid(), attempt);
        fd = open(buffer_text(path), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    }
    if (fd < 0)
        error_set(error, "cannot write '%s': %s", output, strerror(errno));
    return fd;
}

/* As linkers make programs. */
static mode_t mode_of_programs(void)
{
    mode_t mask = umask(0);
    umask(mask);
    return 0777 & ~mask;
}

/* Fills the file beside the output. */
static bool fill(const struct build *b, int fd, const char *path, const struct mapped_file *program,
                 struct error *error)
{
    return (write_whole(fd, program->bytes, program->length) ||
            error_set(error, "cannot write '%s': %s", path, strerror(errno))) &&
           carry_again(b, path, error) &&
           ((fchmod(fd, mode_of_programs()) == 0 && fsync(fd) == 0) ||
            error_set(error, "cannot write '%s': %s", path, strerror(errno)));
}

bool output_put(const struct build *b, const char *linked, const char *output, struct error *error)
{
    struct mapped_file program;
    struct buffer path = {0};
    if (!scratch_is_file(linked) || !mapped_file_open(&program, linked, error))
        return error_set(error, "the linker made no program");
    int fd = make_beside(output, &path, error);
    bool ok = fd >= 0 && fill(b, fd, buffer_text(&path), &program, error);
    if (fd >= 0 && close(fd) != 0 && ok)
        ok = error_set(error, "cannot write '%s': %s", output, strerror(errno));
    ok = ok && (!build_stopped || error_set(error, "stopped"));
    if (ok && rename(buffer_text(&path), output) != 0)
        ok = error_set(error, "cannot rename '%s' to '%s': %s", buffer_text(&path), output, strerror(errno));
    if (fd >= 0 && !ok)
        unlink(buffer_text(&path));
    mapped_file_close(&program);
    buffer_release(&path);
    return ok;
}
