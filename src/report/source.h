/* Source files: where they are now, and their lines made harmless for a terminal. */
#ifndef COTREE_REPORT_SOURCE_H
#define COTREE_REPORT_SOURCE_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"

#include <stdbool.h>
#include <stdio.h>

struct source_map {
    const char *from, *to;
    size_t from_length;
};
struct source_maps ARRAY_OF(struct source_map);

/* Adds "OLD=NEW": paths that begin with OLD begin with NEW here. The text must stay alive. */
bool source_maps_add(struct source_maps *maps, const char *old_and_new, struct error *error);
/* The path after the last map that applies (later options win); newly allocated. */
char *source_maps_apply(const struct source_maps *maps, const char *path);

/* Whether the file belongs to the system's headers, /usr/include and /usr/lib, however the path
 * gets there. */
bool source_of_system(const char *path);

struct source {
    FILE *file;
    char *line;
    size_t capacity;
    char *shown;
    size_t shown_capacity;
    /* of source_part: what was read, of which `taken` bytes were given out; lines that are not
     * plain */
    struct buffer raw, lines;
    size_t taken;
};
/* Returns false, with the reason in words, when the file is missing or is no regular file. */
bool source_open(struct source *s, const char *path, const char **reason);
/* Returns the next line without its end, tabs expanded, nothing in it that a terminal would obey;
 * NULL at the end. */
const char *source_next(struct source *s);
/* Returns how many columns of the line that source_next gave come before a byte of it (from 1, as
 * compilers count). */
size_t source_column(const struct source *s, uint32_t byte);
/* Returns many lines at once, each as source_next gives it and ended by '\n', valid until the next
 * call; NULL at the end. */
const char *source_part(struct source *s, size_t *length);
void source_close(struct source *s);
/* Whether the file was changed later than the other one; false when either is missing. than may be
 * NULL. */
bool source_newer(const char *path, const char *than);

/* The path without "." and "..", where that names the same file; newly allocated. */
char *source_short_path(const char *path);
/* The path as people want to see it: relative to the current directory when it is near; newly
 * allocated, printable. */
char *source_shown_path(const char *path);

#endif
