/*
 * Which functions and files a report is about.
 *
 * A name is wanted if one of the patterns for it matches, or if there are none, and no excluding
 * pattern matches. Sums, percentages and thresholds are those of what is wanted.
 *
 * A function is wanted by file if code of it lies in a wanted file; it is left out if the file in
 * which it is defined is excluded.
 */
#ifndef COTREE_REPORT_FILTER_H
#define COTREE_REPORT_FILTER_H

#include "base/error.h"
#include "base/memory.h"
#include "format/map/map.h"

struct globs ARRAY_OF(const char *);

struct report_filter {
    struct globs functions, excluded_functions; /* see decode/lines/demangle.h */
    struct globs files, excluded_files;         /* see path_matches */
};

void filter_release(struct report_filter *filter);
/* Functions or files were asked for by name, not only excluded. */
bool filter_chooses(const struct report_filter *filter);
bool filter_is_empty(const struct report_filter *filter);
bool filter_wants_function(const struct report_filter *filter, const struct map_function *f,
                           const char *shown_name);
bool filter_wants_file(const struct report_filter *filter, const char *path);
/* Sets the error for a filter that leaves nothing; returns false. */
bool filter_explain_nothing(const struct report_filter *filter, struct error *error);

/* The glob matches the path, or its last components: "a.c" and "src/a.c" both match
 * "/home/me/src/a.c". */
bool path_matches(const char *glob, const char *path);

#endif
