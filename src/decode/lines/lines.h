/*
 * Line counts.
 *  1. In one instance of a function a line's count is the largest count of the blocks that hold an
 *     instruction of the line.
 *  2. The counts of instances of one function (templates, inline copies) are added.
 *  3. Of different functions on one line (a lambda and its caller) the largest count is taken.
 *  4. A block that ran only in part, since a frame was left in a call, counts for the lines it
 *     reached.
 *  5. A block without code in the source (MAP_BLOCK_UNWRITTEN) counts for no line.
 */
#ifndef COTREE_DECODE_LINES_LINES_H
#define COTREE_DECODE_LINES_LINES_H

#include "format/profile/profile.h"

/* One instance of a function: its lines, by file and line, each once. */
struct function_line {
    struct map_line at;
    int64_t count;
    int64_t least;     /* how often it ran for certain */
    bool may_have_run; /* if the count is 0, no counter shows that it did not run */
};
struct function_lines ARRAY_OF(struct function_line);
/* Adds the lines of a function that is counted. */
void lines_of_function(const struct profile_function *f, struct function_lines *lines);

/* Line counts of one source file. */
struct line_count {
    uint32_t line;
    bool exact;
    bool may_have_run; /* if the count is 0, no counter shows that it did not run */
    int64_t count;
    int64_t least;       /* how often it ran for certain */
    uint32_t definition; /* the definition whose count it is (decode/lines/definitions.h) */
};
struct line_branch {       /* at the last line of its block */
    uint32_t line, column; /* column 0: not known */
    uint32_t function;     /* index into profile.functions */
    uint32_t definition;   /* of that function */
    uint32_t block;
    uint32_t edge_count;
    uint32_t *edges; /* ids, in the order of the source */
    /* What the map says of it; NULL: nothing, it is just a block with several successors. */
    const struct map_branch *says;
};
struct file_lines {
    char *file;
    struct ARRAY_OF(struct line_count) lines; /* increasing */
    /* By line, column, function, block; only where edge counts are known. */
    struct ARRAY_OF(struct line_branch) branches;
    struct ARRAY_OF(uint32_t) functions; /* functions defined in this file, by line */
};
struct file_lines_list ARRAY_OF(struct file_lines);
void lines_count(const struct profile *p, struct file_lines_list *files); /* sorted by file name */
void lines_release(struct file_lines_list *files);

#endif
