/* Archives of objects (ar): reads their members, and writes ones that linkers can search. */
#ifndef COTREE_WEAVE_ARCHIVE_H
#define COTREE_WEAVE_ARCHIVE_H

#include "base/buffer.h"
#include "base/error.h"

struct archive_member {
    char *name;
    const uint8_t *bytes; /* NULL in a thin archive: the name is a path, from the archive's directory */
    size_t length;
};
struct archive {
    struct archive_member *items;
    size_t count, capacity;
};

/* Reads the members of an archive, thin or not; the bytes must stay. */
bool archive_read(struct archive *archive, const uint8_t *bytes, size_t length, struct error *error);
void archive_release(struct archive *archive);
/* Appends an archive of these members, which are relocatable objects, with an index of their
 * symbols. */
void archive_write(struct buffer *out, const struct archive *archive);

#endif
