/*
 * Line counts: arrivals at a line from other lines, plus the back edges of loops that lie wholly on it,
 * summed over the instances of a function: what gcov shows.
 */
#ifndef COTREE_DECODE_LINES_H
#define COTREE_DECODE_LINES_H

#include "format/profile.h"

/* Line counts of one source file, as gcov counts them (decode/lines.c says how). */
struct line_count {
    uint32_t line;
    bool exact;
    int64_t count;
};
struct line_branch { /* a block with several successors, at the last line of the block */
    uint32_t line;
    uint32_t function; /* index into profile.functions */
    uint32_t block;
    uint32_t edge_count;
    uint32_t *edges; /* ids of the block's out-edges, in order */
};
struct file_lines {
    char *file;
    struct ARRAY_OF(struct line_count) lines; /* increasing */
    struct ARRAY_OF(
        struct line_branch) branches;    /* by line, function, block; only where edge counts are known */
    struct ARRAY_OF(uint32_t) functions; /* functions defined in this file, by line */
};
struct file_lines_list ARRAY_OF(struct file_lines);
void lines_count(const struct profile *p, struct file_lines_list *files); /* sorted by file name */
void lines_release(struct file_lines_list *files);

#endif
