/* What linkers print of the files that they load (-t). */
#ifndef COTREE_WEAVE_LOADED_H
#define COTREE_WEAVE_LOADED_H

#include <stdbool.h>

struct loaded_line {
    const char *path, *member; /* in the line; member: of an archive, or NULL */
};

/* Reads a line: FILE, ARCHIVE(MEMBER) or (ARCHIVE)MEMBER, where the file is there. The line is changed if
 * it is one of those, and stays as it is if it says something else. */
bool loaded_line_read(char *line, struct loaded_line *loaded);
/* Is it a regular file? */
bool loaded_is_file(const char *path);

#endif
