/*
 * Options that several commands have, defined once: rows for their tables (cli/options.h).
 *
 * FILTER_OPTIONS chooses what is shown, VIEW_OPTIONS says where it goes and how it looks. merge,
 * which shows nothing, has two of the latter.
 */
#ifndef COTREE_CLI_SHARED_OPTIONS_H
#define COTREE_CLI_SHARED_OPTIONS_H

#include "cli/options.h"
#include "plan/path_graph.h"
#include "report/report.h"

struct view_options {
    const char *output; /* a file, or NULL */
    const char *when;   /* to use colour; NULL: "auto" */
    bool no_pager, no_demangle;
    struct source_maps source_maps;
    struct option_words debug_paths; /* ends with NULL after view_options_finish */
    bool color;                      /* made of `when` */
};

/* Ends the list with NULL. Fails if one of the paths is not there. */
bool debug_paths_finish(struct option_words *paths, struct error *error);
/* Looks at what the options say together. */
bool view_options_finish(struct view_options *view, struct error *error);
void view_options_release(struct view_options *view);
/* Copies what a report needs of them; the source maps stay the view's. */
void view_options_apply(const struct view_options *view, struct report_options *options);

/* For rows: targets are struct globs, struct source_maps and enum path_ends. */
bool take_glob(void *target, const char *word, struct error *error);
bool take_source_map(void *target, const char *word, struct error *error);
bool take_path_ends(void *target, const char *word, struct error *error);

#define OUTPUT_OPTION(to)                                                                                    \
    {"output", 'o', .word = (to), .value = "FILE", .help = "write FILE, complete or not at all"}

#define DEBUG_PATH_OPTION(to)                                                                                \
    {"debug-path", .words = (to), .value = "PATH",                                                           \
     .help = "a file or directory with the maps of stripped programs (repeatable)"}

#define PATH_ENDS_OPTION(to)                                                                                 \
    {"path-ends", .parse = take_path_ends, .target = (to), .value = "WHERE",                                 \
     .help = "what ends the paths of traces: mixed (default), back or loops"}

#define VIEW_OPTIONS(view)                                                                                   \
    OUTPUT_OPTION(&(view)->output), DEBUG_PATH_OPTION(&(view)->debug_paths),                                 \
        {"source-map", .parse = take_source_map, .target = &(view)->source_maps, .value = "OLD=NEW",         \
         .help = "sources whose path begins with OLD are at NEW now (repeatable)"},                          \
        {"no-demangle", .flag = &(view)->no_demangle, .help = "linkage names of C++ functions"},             \
        {"color", .word = &(view)->when, .value = "WHEN",                                                    \
         .help = "auto (a terminal, and NO_COLOR is not set), always, never"},                               \
        {"no-pager", .flag = &(view)->no_pager, .help = "do not run COTREE_PAGER, PAGER or less"}

#define FILTER_OPTIONS(filter)                                                                               \
    {"function", .parse = take_glob, .target = &(filter)->functions, .value = "GLOB",                        \
     .help = "only functions whose name matches (repeatable)"},                                              \
        {"file", .parse = take_glob, .target = &(filter)->files, .value = "GLOB",                            \
         .help = "only source files whose path, or the end of it, matches (repeatable)"},                    \
        {"exclude-function", .parse = take_glob, .target = &(filter)->excluded_functions, .value = "GLOB",   \
         .help = "leave out functions whose name matches (repeatable)"},                                     \
        {"exclude-file", .parse = take_glob, .target = &(filter)->excluded_files, .value = "GLOB",           \
         .help = "leave out source files that match and their functions (repeatable)"}

#endif
