#include "cli/variants.h"
#include "base/memory.h"
#include "format/data/data.h"
#include "weave/program.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The build id of the program that wrote a run file, hexadecimal; empty if it has none, or the file cannot
 * be read. */
static void read_build(const char *path, char id[DATA_BUILD_ID_TEXT])
{
    struct error ignored;
    struct data_file file;
    uint32_t kind;
    uint64_t size;
    *id = 0;
    int fd = data_open(path, &kind, &size, &ignored);
    if (fd >= 0 && kind != DATA_KIND_RUN)
        close(fd);
    else if (fd >= 0 && data_file_read(&file, fd, &ignored)) {
        if (file.modules.count)
            data_module_build_id(&file.modules.items[0], id);
        data_file_release(&file);
    }
}

/* The one build that all data is of. */
static bool find_build(const struct input_words *in, char build[DATA_BUILD_ID_TEXT])
{
    *build = 0;
    for (size_t i = 0; i < in->count; i++) {
        char id[DATA_BUILD_ID_TEXT];
        read_build(in->data[i], id);
        if (!*id || (*build && strcmp(build, id)))
            return false;
        strcpy(build, id);
    }
    return *build;
}

/* What all variants of a program have in common: the build id of the first of them. */
static const char *first_build(const struct carrying_program *p)
{
    return *p->link.origin ? p->link.origin : p->build_id;
}

/* Is the file this build, and a variant of the program? */
static bool is_variant(const char *path, const char *build, const struct carrying_program *of)
{
    struct carrying_program p;
    struct error ignored;
    if (!input_is_program(path) || !carrying_program_open(&p, path, &ignored))
        return false;
    bool result = !strcmp(p.build_id, build) && *first_build(&p) && !strcmp(first_build(&p), first_build(of));
    carrying_program_close(&p);
    return result;
}

/* The variant at this place, a file or a directory; NULL if it is not there. */
static char *find_at(const char *place, const char *build, const struct carrying_program *of)
{
    DIR *directory = opendir(place);
    if (!directory)
        return is_variant(place, build, of) ? memory_string(place) : NULL;
    char *found = NULL;
    for (const struct dirent *entry; !found && (entry = readdir(directory));) {
        struct buffer path = {0};
        buffer_addf(&path, "%s/%s", place, entry->d_name);
        if (is_variant(buffer_text(&path), build, of))
            found = memory_string(buffer_text(&path));
        buffer_release(&path);
    }
    closedir(directory);
    return found;
}

/* The variant beside the program. */
static char *find_beside(const char *build, const struct carrying_program *of)
{
    const char *slash = strrchr(of->path, '/');
    char *place = slash ? memory_substring(of->path, (size_t)(slash - of->path) + 1) : memory_string(".");
    char *found = find_at(place, build, of);
    free(place);
    return found;
}

char *variant_of_data(const struct input_words *in, const char *const *debug_paths)
{
    struct carrying_program program;
    struct error ignored;
    char build[DATA_BUILD_ID_TEXT], *found = NULL;
    if (!in->program || !carrying_program_open(&program, in->program, &ignored))
        return NULL;
    if (find_build(in, build) && strcmp(build, program.build_id)) {
        found = find_beside(build, &program);
        for (; !found && debug_paths && *debug_paths; debug_paths++)
            found = find_at(*debug_paths, build, &program);
    }
    carrying_program_close(&program);
    return found;
}
