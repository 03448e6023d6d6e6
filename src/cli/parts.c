/* The united run file exists in memory alone: readers open it by its descriptor. */
#include "cli/parts.h"
#include "cli/input.h"
#include "format/data/join.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

bool parts_are_run_files(char *const *names, size_t count)
{
    bool any = false;
    for (size_t i = 0; i < count && !any; i++) {
        uint32_t kind;
        uint64_t size;
        int fd = data_open(names[i], &kind, &size, NULL);
        any = fd >= 0 && kind == DATA_KIND_RUN;
        if (fd >= 0)
            close(fd);
    }
    return any;
}

static bool join(int to, char *const *paths, char *const *called, size_t count, struct error *error)
{
    struct data_file *files = ZALLOC(struct data_file, count + 1);
    size_t read = 0;
    bool ok = true;
    while (ok && read < count) {
        uint32_t kind;
        uint64_t size;
        int fd = data_open(paths[read], &kind, &size, error);
        if (fd >= 0 && kind != DATA_KIND_RUN) {
            error_set(error, "is no run file");
            close(fd);
            fd = -1;
        }
        ok = fd >= 0 && data_file_read(&files[read], fd, error);
        if (ok)
            read++;
        else
            error_prefix(error, "'%s'", called[read]);
    }
    ok = ok && data_join(to, files, (const char *const *)called, count, error);
    for (size_t i = 0; i < read; i++)
        data_file_release(&files[i]);
    free(files);
    return ok;
}

int parts_decode(struct profile *profile, const char *who, const char *program, char *const *files,
                 char *const *called, size_t count, const struct decode_options *options)
{
    struct error error = {0};
    struct buffer path = {0};
    int to = memfd_create("united", MFD_CLOEXEC), status = EXIT_CANNOT;
    if (to < 0)
        error_set(&error, "no memory for what the parts are united to");
    else if (!count)
        error_set(&error, "nothing to unite: name the parts of a run");
    else if (join(to, files, called, count, &error)) {
        buffer_addf(&path, "/proc/self/fd/%d", to);
        char *words[] = {memory_string(program), memory_string(buffer_text(&path))};
        status = input_decode_words(profile, who, words, 2, options, NULL);
        free(words[0]);
        free(words[1]);
    }
    if (error.text[0])
        fprintf(stderr, "%s: %s\n", who, error.text);
    if (to >= 0)
        close(to);
    buffer_release(&path);
    return status;
}
