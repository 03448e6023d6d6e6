/* Path counts of a function: where they come from, and what each path is. */
#ifndef COTREE_DECODE_MODEL_PATHS_H
#define COTREE_DECODE_MODEL_PATHS_H

#include "decode/model/solve.h"
#include "format/profile/profile.h"
#include "plan/path_decode.h"

/* The counters of the path plan among those of the function; NULL when it has no path plan. */
const int64_t *paths_counters(const struct map_function *f, const int64_t *counters);

/* Reads the counts by path id from these counters; 0 for paths that are not watched. */
void paths_read(const struct map_function *f, const int64_t *counters, int64_t *path_counts);

/* Sets the edge and block counts that the path counts of a function imply. */
void paths_imply(struct solved *s, const struct map_function *f, const int64_t *path_counts);

/*
 * Sets the edge counts that paths give to the set `rest` (plan/path_rest.h), less what was counted
 * before calls that frames stand in, and marks these edges as known. edge_counts or known may be
 * NULL; without edge_counts, path_counts and frames are not looked at.
 */
void paths_give(const struct map_function *f, const struct plan *rest, const int64_t *path_counts,
                const struct profile_frames *frames, int64_t *edge_counts, bool *known);

/* Corrects the edge counts for frames in the last call of a block where paths end early
 * (MAP_PATH_ENDS_EARLY). A frame that was cut there has counted the ways out, which it has not
 * taken: they are taken back. One that was resumed there takes them uncounted: they are added. */
void paths_take_back(const struct map_function *f, const struct profile_frames *frames, int64_t *edge_counts);

/* Was the path of a frame there counted before the call that it stands in? ended_early: since
 * nothing but the return follows that call. counted_before: for this reason, or since the call
 * never returns. */
bool paths_ended_early(const struct map_function *f, const struct profile_frame *frame);
bool paths_counted_before(const struct map_function *f, const struct profile_frame *frame);

/*
 * By how much path counts may say less than edge counters, and more: a path that did not end was
 * not counted, and one that was resumed in the middle is counted as a whole.
 */
void paths_unfinished(const struct map_function *f, const struct profile_frames *frames, int64_t *less,
                      int64_t *more);

/* The paths of a function, numbered, for showing them. */
struct paths {
    const struct map_function *f;
    struct path_graph graph;
    struct path_numbering numbers;
    uint64_t watched;        /* how many paths are counted */
    uint32_t *arcs, *blocks; /* room for one path */
};
/* False when the function has no path plan. */
bool paths_init(struct paths *p, const struct map_function *f);
void paths_release(struct paths *p);
/* Is the path counted? The count 0 of a path that is not says nothing. */
bool paths_watches(const struct paths *p, uint64_t id);

struct path_shown {
    uint32_t block_count;
    /* In order; they hold until the next path is asked for. */
    const uint32_t *blocks;
    /* It starts with the activation, not after an edge that ended another path. */
    bool from_entry;
    /* The block that it ended on the way to, or GRAPH_NONE: the activation ended. */
    uint32_t next;
    /* It did not end (decode/paths/cut_paths.h), and so many lines of its last block had begun. */
    bool unfinished;
    uint32_t last_lines;
};
struct path_shown paths_show(struct paths *p, uint64_t id);

#endif
