/*
 * Reports: a solved profile, shown. One file a format; each format is one function and one line in
 * the table of report.c.
 *
 * struct report is what every format sees: the functions the user asked for, in the order asked
 * for, and the lines and branches of the files they lie in. All formats take their sums from here,
 * so that they cannot disagree.
 *
 * Invariants:
 *  1. A count below zero is unknown. Formats say so ("?", null, nothing); they never print it as a
 *     number. Zeros of what may have run unseen are unknown, too (profile_least).
 *  2. Names and paths are kept as they came. Each format makes them harmless by its own rules when
 *     it prints them.
 *  3. Function sums count definitions: what has one linkage name, file and line is one function, in
 *     however many units it stands. Functions that lie in no file (the compiler made them) are in
 *     the sums only when none lies in one.
 */
#ifndef COTREE_REPORT_REPORT_H
#define COTREE_REPORT_REPORT_H

#include "base/error.h"
#include "base/memory.h"
#include "decode/lines/lines.h"
#include "format/profile/profile.h"
#include "report/filter.h"
#include "report/line_choice.h"
#include "report/source.h"

#include <stdio.h>

enum report_sort {
    REPORT_SORT_DEFAULT,  /* by count in text; elsewhere the profile's own order: module, file, line, name */
    REPORT_SORT_COUNT,    /* executions of its blocks, most first */
    REPORT_SORT_ENTRIES,  /* most first */
    REPORT_SORT_NAME,     /* as shown */
    REPORT_SORT_LINE,     /* file, line */
    REPORT_SORT_COVERAGE, /* least covered first */
};

struct report_options {
    struct report_filter filter;
    struct line_choice *line_choice; /* NULL: all lines */
    enum report_sort sort;
    size_t top;       /* the first functions only; 0: all */
    size_t top_paths; /* how many paths; 0: a screenful or so */
    bool no_source, no_demangle, no_system, color, branches, paths, neighbours;
    struct source_maps source_maps;
};

struct report_function {
    char *name;                              /* demangled unless that was not wanted */
    const char *file;                        /* where it is defined, or "" */
    int64_t executions;                      /* of its blocks, together; -1 if unknown */
    int64_t executions_least, entries_least; /* what of that is certain */
    uint32_t lines, lines_run;               /* of those that are wanted */
    bool no_line_left;                       /* it has lines, and none is wanted */
};

/* A definition: instances that share name, file and line, added up. */
struct report_definition {
    const char *linkage_name;
    uint32_t line;
    bool name_again; /* an earlier definition in the file has the same linkage name */
    int64_t entries;
    struct report_instances ARRAY_OF(uint32_t) instances; /* indices into view.functions */
};

/* A branch, instances added up. */
struct report_branch {
    uint32_t line, column, way_count; /* column 0: not known */
    int64_t executed;                 /* how often the block ran, in its instances together */
    int64_t *ways;                    /* in the order of the source: true before false */
    const struct map_way *names;      /* of the ways; NULL when not known */
};

struct report_file {
    const struct file_lines *lines;
    struct report_definitions ARRAY_OF(struct report_definition) definitions; /* by line */
    struct report_branches ARRAY_OF(struct report_branch) branches;           /* by line */
    uint64_t lines_known, lines_unknown, lines_run, ways, ways_taken, definitions_run, definitions_unknown;
};

struct report_totals {
    uint64_t functions, functions_run, uncounted, lines, lines_run, ways, ways_taken;
    uint64_t functions_unknown, lines_unknown; /* besides those: they may have run */
    uint64_t lines_marked, lines_excluded;     /* left out by markers in the source; by --exclude-file */
    int64_t executions;
};

struct report {
    const struct report_options *options;
    const struct profile *whole;
    /* `whole` with the functions that were asked for, in that order; owns only their list. */
    struct profile view;
    struct report_function *functions; /* parallel to view.functions; NULL in a part */
    struct file_lines_list lines;
    struct report_files ARRAY_OF(struct report_file) files; /* those asked for, by name */
    struct report_totals totals;
};

/* p and options must live as long as the report. text_order: REPORT_SORT_DEFAULT means by count. */
void report_init(struct report *r, const struct profile *p, const struct report_options *options,
                 bool text_order);
void report_release(struct report *r);
/* Makes a report of some functions of the view: what they did to their files, by themselves. view
 * and files of the part are theirs, its functions are NULL. r must live as long. */
void report_part_init(struct report *part, const struct report *r, const uint32_t *functions, size_t count);
/* Returns the lines that ran in per cent of the lines with code, including lines of which it is not
 * known; 100 when there are none. */
double report_line_coverage(const struct report *r);

struct report_format {
    const char *name, *description;
    bool for_people;      /* colour, pager, and sorted by count */
    bool tells_exactness; /* the format itself says which counts are not exact */
    bool tells_paths;     /* it shows paths, where they were counted */
    void (*write)(const struct report *r, FILE *out);
};
const struct report_format *report_format_by_name(const char *name); /* NULL if there is none */
extern const struct report_format report_formats[];                  /* ends with a NULL name */

void report_write_text(const struct report *r, FILE *out);
void report_write_paths(const struct report *r, FILE *out); /* text: the hottest paths */
bool report_has_paths(const struct report *r);
/* Returns the paths that ran in per cent of those that are watched; 100 when there are none. */
double report_path_coverage(const struct report *r);
void report_write_json(const struct report *r, FILE *out);
void report_write_lcov(const struct report *r, FILE *out);
void report_write_cobertura(const struct report *r, FILE *out);
void report_write_callgrind(const struct report *r, FILE *out);
void report_write_llvm_samples(const struct report *r, FILE *out);
void report_write_folded(const struct report *r, FILE *out);
void report_write_html(const struct report *r, FILE *out);

/* Whether the options ask for this source file. */
bool report_wants_file(const struct report_options *o, const char *file);

/* The counts of a function as they are shown: -1 where there is none, or where a 0 is not
 * certain. */
int64_t shown_block_count(const struct profile_function *f, uint32_t block);
int64_t shown_edge_count(const struct profile_function *f, uint32_t edge);

int64_t count_add(int64_t a, int64_t b); /* stays at INT64_MAX; unknown if either is */
/* The count with a comma between thousands, or "?" when unknown. Returns text. */
#define COUNT_TEXT 32
const char *count_text(char text[COUNT_TEXT], int64_t count);
/* "97.3%"; "100%" means all and "0%" none: what is nearly so is ">99.9%" and "<0.1%". Nothing of
 * nothing is all. */
const char *percent_text(char text[COUNT_TEXT], uint64_t part, uint64_t whole);
/* Returns s without anything a terminal would obey; newly allocated. */
char *printable(const char *s);
/* Returns a reason as people read it: printable, linkage names of C++ functions replaced by their
 * names. Newly allocated. */
char *report_reason(const struct report *r, const char *reason);
/* Returns what was counted, as people ask for it: the sets of a profile's mode, with one name for
 * sets that differ only in how they are placed: "edges,paths". Newly allocated. */
char *report_counters(const struct profile *p);

/* A function's graph; counts are shown only when with_counts. placement: whose counters to mark, 0
 * for the first. */
struct graph_view {
    const struct profile *profile;
    const struct profile_function *function;
    const char *name; /* as shown */
    bool with_counts, color;
    enum placement placement;
    const struct source_maps *source_maps;
};
/* The counter of a plan on each edge and in each vertex, or GRAPH_NO_COUNTER. plan: NULL when there
 * is no such plan. */
struct graph_counters {
    const struct plan *plan;
    uint32_t *edge, *vertex;
};
#define GRAPH_NO_COUNTER UINT32_MAX
/* placement 0: the first that counts edges or blocks. */
struct graph_counters graph_counters_of(const struct map_function *f, enum placement placement);
void graph_counters_release(struct graph_counters *c);
void graph_view_text(const struct graph_view *v, FILE *out);
void graph_view_dot(const struct graph_view *v, FILE *out);

#endif
