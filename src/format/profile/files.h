/* The list of files that made a profile inexact: their names, processes, and why. Part of
 * format/profile/profile.h. */
#ifndef COTREE_FORMAT_PROFILE_FILES_H
#define COTREE_FORMAT_PROFILE_FILES_H

#include "format/profile/profile.h"

/* Adds one. Of very many only some are kept, the same ones in whatever order they come; all are
 * counted. */
void profile_files_add(struct profile_files *files, const char *path, uint64_t pid, const char *why);
/* Adds all of them. */
void profile_files_join(struct profile_files *files, const struct profile_files *others);
void profile_files_release(struct profile_files *files);
void profile_files_write(struct buffer *b, const struct profile_files *files);
/* Sets c->failed where the bytes make no sense. */
void profile_files_read(struct cursor *c, struct profile_files *files);

#endif
