/*
 * Which lines of the source a report is about.
 *
 * Markers in the source leave lines out (report/markers.h). Where changes are given, only lines that were
 * changed are wanted. What a line left out says is in no sum, and a function of which no line is left is
 * left out.
 */
#ifndef COTREE_REPORT_LINE_CHOICE_H
#define COTREE_REPORT_LINE_CHOICE_H

#include "base/hash.h"
#include "report/changes.h"
#include "report/markers.h"
#include "report/source.h"

struct file_choice {
    char *file;                        /* as the profile has it */
    bool all_lines;                    /* changes do not matter */
    const struct line_ranges *changed; /* NULL: no line was */
    struct marked_lines marked;
};

/* Files are looked at when they are asked for first. Zero-initialise; set the first members. */
struct line_choice {
    const struct changes *changes; /* NULL: all lines are wanted */
    bool ignore_markers;
    const struct source_maps *maps;
    struct hash_map places; /* of files, by name */
    struct file_choices ARRAY_OF(struct file_choice *) files;
};

enum line_wish {
    LINE_WANTED,
    LINE_UNCHANGED,
    LINE_MARKED, /* it would be wanted but for a marker */
};

enum line_wish line_choice_of(struct line_choice *choice, const char *file, uint32_t line);
bool line_choice_wants_branch(struct line_choice *choice, const char *file, uint32_t line);
/* Whether there are markers in the files that were looked at. */
bool line_choice_has_marks(const struct line_choice *choice);
void line_choice_release(struct line_choice *choice);

#endif
