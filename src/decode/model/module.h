/*
 * What the decoder holds in memory: modules, their functions, and for each function the sums over all files
 * and the counts of the file that is being read. A file is a transaction: its counts join the sums once all
 * of it was read and judged, or not at all.
 */
#ifndef COTREE_DECODE_MODEL_MODULE_H
#define COTREE_DECODE_MODEL_MODULE_H

#include "base/hash.h"
#include "decode/decode.h"
#include "decode/model/solve.h"
#include "decode/model/standing.h"
#include "format/places/index.h"

struct decode_function;
/* A call of a function whose entries follow from its calls (derived.h). */
struct derived_site {
    struct decode_function *callee;
    uint32_t block, call;
};

/* What traces say of a function: of the file that is being read, and of all files. */
struct trace_counts {
    int64_t *edges; /* or NULL: nothing (decode/profile/trace_profile.h) */
    struct profile_frames frames;
    int64_t *tail_unsure; /* per edge: activations that had ended by it, to counters, if a call was a jump; or
                             NULL */
    int64_t error;        /* by how much that may be wrong, or MAX_ERROR_UNKNOWN */
    bool stopped_unseen;  /* something of it was stopped where nobody knows, in a call or not */
    int64_t *paths;       /* by id, path_count of them; or NULL */
    uint64_t path_count;
    struct profile_ways ways; /* of paths that did not end */
    bool plan_is_new;         /* decode_function.trace_paths was made for the file */
};

struct decode_function {
    struct map_function map;
    uint32_t counters;    /* over all sets */
    uint32_t set;         /* whose counts are the profile, or SET_NONE */
    struct solver solver; /* of that set */
    int64_t *total;       /* counters added up over the run files, or NULL */
    int64_t *file;        /* counters of the file being read, or NULL */
    int64_t *supposed; /* by counter: what of `file` is there only if a frame stood where it is taken to have
                          stood, which is doubted; or NULL */
    bool touched;      /* in the list of functions the file has arrays of */
    bool solvable_blocks;     /* some block or edge here can tell that a frame was cut (a hazard or a virtual
                                 edge) */
    struct standing standing; /* once it is needed */
    struct moved_counts *moved; /* counters moved out of loops (decode/model/moved.h), or NULL */
    struct derived_site *sites; /* of its calls; derived_link finds them */
    uint32_t site_count;
    uint32_t callers;                          /* calls of it that hand on entries and are not linked yet */
    int64_t file_entries, total_entries;       /* that its callers hand on: in this file, in all files */
    bool entries_unknown;                      /* it is its own caller, by hostile records */
    bool unsure;                               /* its counts in this file, or its entries, are doubted */
    struct profile_frames frames, file_frames; /* activations cut and resumed: in all files, in this one */
    bool referenced;          /* code or data of the module refers to it, other than by a counted call */
    bool on_cycle;            /* of calls: it may be active several times in one thread (call_cycles.h) */
    bool ends_unsure;         /* a call was made behind the count of its end that is no tail call */
    int64_t most_ends;        /* how often one stretch of code counts activations begun or ended, at most */
    int64_t most_pending;     /* what one stretch of code counts, at most; 1 at least */
    int64_t most_paths;       /* how many paths one block of code counts, at most; 1 at least */
    int64_t file_error;       /* by how much its counts may be wrong because of the file being read */
    bool doubted;             /* in the list of functions with a file_error */
    struct profile_ways ways; /* of paths that did not end: in all files, merged ones, too */
    bool ways_missing;        /* in some file */
    int64_t *not_ended;       /* by path id: counted, but never returned from (early_ends.h); or NULL */
    struct profile_frames merged_frames; /* from merged files */
    int64_t *merged_paths;               /* path counts from merged files, by id; or NULL */
    int64_t *merged; /* counts from merged files: per edge, or entries and then per block; or NULL */
    struct trace_counts file_trace, trace; /* in this file, in all files */
    struct plan trace_paths; /* the paths by which traces are counted (decode/trace/paths.h), if it has no
                                path counters; placement 0: none */
    bool inexact;
    enum profile_cause cause;
    int64_t max_error; /* of what is inexact so far */
    int64_t *slack;    /* decode/profile/least.h: by vertex (EXIT: entries), then by block, how much the counts exceed
                          what    is certain of blocks that began, and that were left; or NULL: nothing */
    bool least_unknown; /* nothing is certain, for want of a table of places */
    int64_t *doubtful;  /* by counter: not 0 if it is not in some run file in which the function is not exact;
                           or NULL */
    bool *may_have_run; /* by vertex (decode/profile/maybe.h), or NULL */
    int64_t least_entries; /* what is certain of its entries in the file being read */
    uint32_t looked_at;    /* how often that was worked out */
    uint32_t call_uses;    /* calls of it by name; all of them are in only_caller, unless that is NULL: */
    uint32_t only_block;   /* if there is one call: its block there */
    struct decode_function *only_caller, *only_callees, *next_only_callee, *same_name;
};

struct decode_module {
    char *path, *build_id;
    bool known; /* its map was read, or came with merged files */
    bool map_damaged;
    bool inexact;     /* some run of it was */
    bool merged_only; /* functions come from merged files: more may follow */
    struct decode_functions ARRAY_OF(struct decode_function *) functions;
    struct hash_map by_key;         /* key -> index + 1 */
    struct decode_function **order; /* derived.h */
    size_t linked;                  /* functions in it */
    int64_t *sink;                  /* for arrays that a damaged map knows nothing of */
    uint64_t sink_count;
    char *problem;             /* why it is not known, or NULL */
    struct place_index places; /* read when the first frame asks for it */
    bool places_tried, places_known, places_damaged;
    bool pending_known;          /* most_pending, most_ends, ends_unsure of its functions */
    bool code_tried, code_known; /* what follows was looked for (call_cycles.c) */
    bool exports_known;
    struct hash_map exports; /* tags of the functions that other modules can find */
    uint64_t cycles_of;      /* the modules with which on_cycle was found */
    uint64_t callers_of;     /* and only_caller */
    bool handlers;           /* one of those modules may install signal handlers */
};

/* From an ELF file; a module without a map is not `known`. */
bool decode_module_load(struct decode_module *m, const char *path, const char *const *debug_paths,
                        struct error *error);
/* From merged files. */
void decode_module_init(struct decode_module *m, const char *path, const char *build_id);
/* Reads the module's table of places, once; false when it has none or it is damaged. */
bool decode_module_places(struct decode_module *m, const char *const *debug_paths);
void decode_module_release(struct decode_module *m);
/* Functions by key, in whatever order they were added. */
void decode_module_sort(struct decode_module *m);
struct decode_function *decode_module_find(const struct decode_module *m, uint64_t key);
struct decode_function *decode_module_add(struct decode_module *m,
                                          struct map_function *map); /* takes the map */

#endif
