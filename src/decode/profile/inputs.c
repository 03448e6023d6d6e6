/* Links inside directories are not followed, so a search ends; the list of directories to visit
 * lies on the heap. */
#include "decode/profile/inputs.h"
#include "base/buffer.h"
#include "base/hash.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>

static int by_path(const void *left, const void *right)
{
    return strcmp(((const struct input *)left)->path, ((const struct input *)right)->path);
}

void inputs_find(struct input_list *list, const char *const *names, size_t count,
                 void (*problem)(void *context, const char *path, const char *reason), void *context)
{
    struct ARRAY_OF(char *) directories = {0};
    struct stat st;
    for (size_t i = 0; i < count; i++) {
        if (stat(names[i], &st) == 0 && S_ISDIR(st.st_mode))
            ARRAY_PUSH(&directories, memory_string(names[i]));
        else
            ARRAY_PUSH(list, ((struct input){.path = memory_string(names[i]), .named = true}));
    }
    size_t named = list->count;
    struct buffer path = {0};
    while (directories.count) {
        char *directory = directories.items[--directories.count];
        DIR *stream = opendir(directory);
        if (!stream)
            problem(context, directory, strerror(errno));
        for (struct dirent *entry; stream && (entry = readdir(stream));) {
            if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
                continue;
            path.length = 0;
            buffer_addf(&path, "%s/%s", directory, entry->d_name);
            unsigned char type = entry->d_type;
            if (type == DT_UNKNOWN && lstat(buffer_text(&path), &st) == 0)
                type = S_ISDIR(st.st_mode) ? DT_DIR : S_ISREG(st.st_mode) ? DT_REG : DT_UNKNOWN;
            if (type == DT_DIR)
                ARRAY_PUSH(&directories, memory_string(buffer_text(&path)));
            else if (type == DT_REG && text_ends_with(entry->d_name, ".cotree"))
                ARRAY_PUSH(list, ((struct input){.path = memory_string(buffer_text(&path))}));
        }
        if (stream)
            closedir(stream);
        free(directory);
    }
    buffer_release(&path);
    ARRAY_RELEASE(&directories);
    if (list->count > named)
        qsort(list->items + named, list->count - named, sizeof *list->items, by_path);
}

void inputs_release(struct input_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i].path);
    ARRAY_RELEASE(list);
}

bool input_seen_before(struct hash_map *seen, const struct stat *file)
{
    const uint64_t name[2] = {(uint64_t)file->st_dev, (uint64_t)file->st_ino};
    bool added;
    hash_map_put(seen, hash_bytes(name, sizeof name), &added);
    return !added;
}

size_t inputs_once(char **names, size_t count)
{
    struct hash_map seen = {0};
    struct stat st;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (stat(names[i], &st) < 0 || !input_seen_before(&seen, &st))
            names[kept++] = names[i];
    hash_map_release(&seen);
    return kept;
}
