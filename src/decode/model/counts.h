/*
 * What data files say of one function, and the transaction by which a file is used whole or not at
 * all.
 *
 *     f->file.counters[3] += 5;                  while a file is read, each source fills f->file
 *     profile_frames_add(&f->file.frames, ...);
 *     ...
 *     if (good)
 *         file_counts_commit(f, FILE_EXACT);     f->file is added to f->total
 *     else
 *         file_counts_drop(f);                   as if the file had never been read
 *
 * Nothing but file_counts_commit adds counts of a file to a total, and both functions leave f->file
 * empty. The sources are the counter arrays of a run file, its frame counts, its trace, and merged
 * files.
 */
#ifndef COTREE_DECODE_MODEL_COUNTS_H
#define COTREE_DECODE_MODEL_COUNTS_H

#include "format/profile/profile.h"

struct decode_function;

/* What traces say of a function (decode/profile/trace_profile.h). */
struct trace_counts {
    /* By edge, or NULL: nothing was traced. */
    int64_t *edges;
    /* Activations that were cut or resumed. */
    struct profile_frames frames;
    /* By edge: activations that counters take for ended by it, if the call they stood in was a
     * jump; or NULL. */
    int64_t *tail_unsure;
    /* By how much the counts may be wrong, or MAX_ERROR_UNKNOWN. */
    int64_t error;
    /* An activation was stopped at an unknown place, perhaps not in a call. */
    bool stopped_unseen;
    /* By path id, path_count of them; or NULL. */
    int64_t *paths;
    uint64_t path_count;
    /* Paths that did not end. */
    struct profile_ways ways;
    /* Only of the file being read: decode_function.trace_paths was made for this file. */
    bool plan_is_new;
};

/* What merged files say of a function: counts that were solved when the files were written. */
struct merged_counts {
    /* By edge; of a function without edge counts its entries and then its blocks. Or NULL. */
    int64_t *counts;
    uint64_t count;
    /* By path id, or NULL. */
    int64_t *paths;
    uint64_t path_count;
    struct profile_frames frames;
};

/* What path counters say of paths that did not end. */
struct unended_paths {
    struct profile_ways ways;
    /* Some file has such paths, but their ways are not known. */
    bool missing;
    /* By path id: executions that were counted, but never returned (decode/paths/early_ends.h); or
     * NULL. */
    int64_t *counted;
};

/* What is certain of a function that is not exact (decode/profile/least.h). */
struct certain_counts {
    /* By how much the counts exceed what is certain. By vertex (EXIT: entries): of blocks that
     * began; then by block: of blocks that were left. NULL: by nothing. */
    int64_t *slack;
    /* Nothing is certain, since there is no table of places. */
    bool unknown;
    /* By vertex: it may have run though its count is 0 (decode/profile/maybe.h). Or NULL. */
    bool *may_have_run;
};

/* What the file being read says of a function. All 0: nothing. */
struct file_counts {
    /* By counter: the sums of the file's arrays, with what frame counts correct. Or NULL: zeros. */
    int64_t *counters;
    /* Activations that were cut or resumed. */
    struct profile_frames frames;
    /* Activations of main that were cut where it is not known, less those that were resumed so. */
    int64_t cut_anywhere;
    /* Calls of the function by callers that hand on their counts (decode/profile/derived.h). */
    int64_t entries;
    /* Of these entries, how many are certain, and how often decode/profile/least.c has looked. */
    int64_t least_entries;
    uint32_t looked_at;
    /* The function is in the reader's list of functions with counters or frame counts in
     * this file. */
    bool touched;
    /* The counters, or the entries that callers hand on, are not to be relied on. */
    bool unsure;
    /* The counts may be wrong by `error` (or MAX_ERROR_UNKNOWN); the cause is CAUSE_NONE if it is
     * one of the whole file. */
    bool doubted;
    enum profile_cause cause;
    int64_t error;

    /* Most files fill nothing of what follows, and file_counts_commit then looks no further. */

    /* By counter: how much of `counters` is there only if a frame stood where it is taken to have
     * stood, which is doubted. Or NULL. */
    int64_t *supposed;
    /* By counter: by how much frames that were cut, and frames that were resumed, in loops may have
     * left a moved counter wrong (decode/model/moved.h). Or NULL. */
    int64_t *moved_cut, *moved_resumed;
    struct trace_counts trace;
    struct merged_counts merged;
    struct unended_paths unended;
    struct certain_counts certain;
};

/* What all files that were used say of a function together. */
struct total_counts {
    /* By counter, or NULL: no file had any. */
    int64_t *counters;
    /* By counter: not 0 if it counted in a run file in which some function is not exact. Or NULL. */
    int64_t *doubtful;
    struct profile_frames frames;
    /* Of run files: what callers hand on (decode/profile/derived.h), found when the totals are
     * solved. */
    int64_t entries;

    struct trace_counts trace;
    struct merged_counts merged;
    struct unended_paths unended;
    struct certain_counts certain;

    bool inexact;
    enum profile_cause cause;
    /* By how much the counts may be wrong because of doubts in files so far. */
    int64_t max_error;
};

/* How far the counts of a file are to be relied on. */
enum file_trust {
    FILE_EXACT,
    /* Some functions are not exact, by their own file.error. */
    FILE_DOUBTED,
    /* All counts may be wrong by any amount. The module says so (decode_module.inexact), and the
     * functions' own errors are not added. */
    FILE_UNBOUNDED
};
/* The file is good. */
void file_counts_commit(struct decode_function *f, enum file_trust trust);
/* The file is not used. */
void file_counts_drop(struct decode_function *f);

/* Makes room for the counters, all 0, unless there is room. */
void file_counts_allocate(struct decode_function *f);
void file_counts_release(struct file_counts *file);
void total_counts_release(struct total_counts *total);

#endif
