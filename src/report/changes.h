/*
 * What a unified diff says was changed: of each file the lines that are new there. Lines that were
 * only taken out are no lines of the new file.
 */
#ifndef COTREE_REPORT_CHANGES_H
#define COTREE_REPORT_CHANGES_H

#include "base/error.h"
#include "report/line_ranges.h"

#include <stdio.h>

struct changed_file {
    char *path; /* absolute, links followed where the file is there */
    struct line_ranges lines;
};
struct changes {
    struct ARRAY_OF(struct changed_file) files;
};

/* Adds what a diff says. name: of the diff, for errors. Paths in it are relative to `base`, a directory;
 * the first component is left out (a/, b/) where the file is there without it, or not there with it. */
bool changes_read(struct changes *changes, FILE *diff, const char *name, const char *base,
                  struct error *error);
void changes_release(struct changes *changes);
/* The new lines of a file; NULL if it was not changed. */
const struct line_ranges *changes_of(const struct changes *changes, const char *path);

#endif
