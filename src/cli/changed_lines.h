/* The changes that a report is about (report/changes.h): from git, or from a file with a diff. */
#ifndef COTREE_CLI_CHANGED_LINES_H
#define COTREE_CLI_CHANGED_LINES_H

#include "report/changes.h"

/* What git says of the work tree that the current directory lies in: changed since it and the revision had a
 * last commit in common. */
bool changed_since(struct changes *changes, const char *revision, struct error *error);
/* "-" is standard input. Paths are relative to the work tree of git that the current directory lies in,
 * or else to the current directory. */
bool changed_by_diff(struct changes *changes, const char *path, struct error *error);

#endif
