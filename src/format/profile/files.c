#include "format/profile/files.h"

enum { MOST = 100 }; /* of those that are kept, which have the smallest names */

static int compare(const struct profile_file *a, const struct profile_file *b)
{
    int order = strcmp(a->path, b->path);
    if (!order && a->pid != b->pid)
        order = a->pid < b->pid ? -1 : 1;
    return order ? order : strcmp(a->why, b->why);
}

static void release(struct profile_file *file)
{
    free(file->path);
    free(file->why);
}

void profile_files_add(struct profile_files *files, const char *path, uint64_t pid, const char *why)
{
    struct profile_file file = {.path = memory_string(path), .pid = pid, .why = memory_string(why)};
    size_t at = files->count;
    (void)ARRAY_ADD(files);
    for (; at > 0 && compare(&files->items[at - 1], &file) > 0; at--)
        files->items[at] = files->items[at - 1];
    files->items[at] = file;
    files->all++;
    if (files->count > MOST)
        release(&files->items[--files->count]);
}

void profile_files_join(struct profile_files *files, const struct profile_files *others)
{
    uint64_t left_out = others->all - others->count;
    for (size_t i = 0; i < others->count; i++)
        profile_files_add(files, others->items[i].path, others->items[i].pid, others->items[i].why);
    files->all += left_out;
}

void profile_files_release(struct profile_files *files)
{
    for (size_t i = 0; i < files->count; i++)
        release(&files->items[i]);
    free(files->items);
    *files = (struct profile_files){0};
}

void profile_files_write(struct buffer *b, const struct profile_files *files)
{
    buffer_add_varint(b, files->all);
    buffer_add_varint(b, files->count);
    for (size_t i = 0; i < files->count; i++) {
        buffer_add_string(b, files->items[i].path);
        buffer_add_varint(b, files->items[i].pid);
        buffer_add_string(b, files->items[i].why);
    }
}

void profile_files_read(struct cursor *c, struct profile_files *files)
{
    uint64_t all = cursor_varint(c);
    size_t count = cursor_count(c, 3);
    if (count > MOST || all < count)
        c->failed = true;
    for (size_t i = 0; i < count && !c->failed; i++) {
        char *path = cursor_string(c);
        uint64_t pid = cursor_varint(c);
        char *why = cursor_string(c);
        if (!c->failed)
            profile_files_add(files, path, pid, why);
        free(path);
        free(why);
    }
    files->all = c->failed ? files->count : all;
}
