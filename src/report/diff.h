/*
 * Two profiles, compared: of one build or of two. Functions are matched by linkage name and by the
 * hash of their graphs; where the graphs are equal, blocks and lines correspond, whatever lines
 * have moved to.
 */
#ifndef COTREE_REPORT_DIFF_H
#define COTREE_REPORT_DIFF_H

#include "decode/paths/cut_paths.h"
#include "report/report.h"

enum diff_match {
    DIFF_SAME,     /* equal graphs */
    DIFF_CHANGED,  /* the same function with another graph: its counts are compared, its lines are not */
    DIFF_ONLY_OLD, /* not in the new profile */
    DIFF_ONLY_NEW,
};

#define DIFF_NONE UINT32_MAX

struct diff_function {
    enum diff_match match;
    uint32_t old_index, new_index;    /* into the functions of the reports, or DIFF_NONE */
    int64_t old_runs, new_runs;       /* executions of its blocks; -1: not known; 0 where it is not there */
    int64_t old_entries, new_entries; /* likewise */
    bool old_exact, new_exact;        /* true where it is not there */
};

/* A line of the new profile that is known in the old one, too; counts as in
 * decode/lines/lines.h. */
struct diff_line {
    const char *file; /* of the new profile */
    uint32_t line, old_line;
    int64_t old_count, new_count;
    bool old_exact, new_exact;
};

/* A path of a function that has the same paths on both sides, and is watched on both; or an
 * unfinished path, where both sides know all that were left in the same block. */
struct diff_path {
    uint32_t function; /* index into functions */
    uint32_t id, blocks;
    const struct profile_way *cut; /* unfinished: it has no id. NULL: finished */
    int64_t old_count, new_count;
};

struct diff {
    const struct report *old_report, *new_report;
    bool one_build;
    struct diff_functions ARRAY_OF(struct diff_function) functions; /* largest difference first */
    struct diff_lines ARRAY_OF(struct diff_line) lines;             /* likewise */
    /* The paths that differ, if paths were asked for; largest difference first, by blocks. */
    struct diff_paths ARRAY_OF(struct diff_path) paths;
    struct diff_cuts ARRAY_OF(struct cut_paths) cuts; /* what they refer to */
    uint64_t paths_compared, paths_not_compared;      /* functions: the same paths on both sides, others */
    uint64_t matches[4];                              /* functions, by enum diff_match */
    /* With another count; what is only on one side and never ran does not differ. */
    uint64_t differing, lines_differing;
    uint64_t not_compared;      /* functions with equal graphs whose lines do not correspond */
    int64_t old_runs, new_runs; /* over all functions whose counts are known */
};

/* The reports must live as long as the diff. */
void diff_init(struct diff *d, const struct report *old_report, const struct report *new_report);
void diff_release(struct diff *d);
/* Fills paths. Asked for when both reports have path counts. */
void diff_add_paths(struct diff *d);
/* p: of its function. */
struct path_shown diff_path_show(const struct diff_path *path, struct paths *p);

static inline bool diff_function_differs(const struct diff_function *f)
{
    return f->old_runs != f->new_runs || f->old_entries != f->new_entries;
}
static inline bool diff_line_differs(const struct diff_line *l)
{
    return l->old_count != l->new_count;
}
/* Returns the profile function that is there, of the new side if both are; its name as shown. */
const struct profile_function *diff_function_shown(const struct diff *d, const struct diff_function *f);
const char *diff_function_name(const struct diff *d, const struct diff_function *f);
const char *diff_match_name(enum diff_match match);

/* top: how many functions and how many lines at most; 0: those that differ, all of them. */
void diff_write_text(const struct diff *d, size_t top, FILE *out);
void diff_write_json(const struct diff *d, size_t top, FILE *out);
void diff_write_html(const struct diff *d, size_t top, FILE *out);

#endif
