/* Path counts of a function: where they come from, and what each path is. */
#ifndef COTREE_DECODE_MODEL_PATHS_H
#define COTREE_DECODE_MODEL_PATHS_H

#include "decode/model/solve.h"
#include "format/profile/profile.h"
#include "plan/path_decode.h"

/* The counters of the path plan among those of the function, or NULL when it has none. */
const int64_t *paths_counters(const struct map_function *f, const int64_t *counters);

/* Counts by path id from these counters; 0 for paths that are not watched. */
void paths_read(const struct map_function *f, const int64_t *counters, int64_t *path_counts);

/* Edge and block counts that the path counts of a function imply. */
void paths_imply(struct solved *s, const struct map_function *f, const int64_t *path_counts);

/*
 * The edge counts that paths give to the set `rest` (plan/path_rest.h), less what was counted before calls
 * that frames stand in. Sets known and edge_counts of these edges; either may be NULL, and then path_counts
 * and frames are not looked at.
 */
void paths_give(const struct map_function *f, const struct plan *rest, const int64_t *path_counts,
                const struct profile_frames *frames, int64_t *edge_counts, bool *known);

/* What was counted of edges that frames in the last calls of blocks have not taken, or have taken uncounted:
 * adds that, below 0 and above. */
void paths_take_back(const struct map_function *f, const struct profile_frames *frames, int64_t *edge_counts);

/* Was the path of a frame there counted before the call that it stands in: one that nothing but the return
 * follows, or that and one that never returns? */
bool paths_ended_early(const struct map_function *f, const struct profile_frame *frame);
bool paths_counted_before(const struct map_function *f, const struct profile_frame *frame);

/*
 * By how much these may be less than those of edge counters, and more: a path that did not end was not
 * counted, and one that was resumed in the middle is counted as a whole.
 */
void paths_unfinished(const struct map_function *f, const struct profile_frames *frames, int64_t *less,
                      int64_t *more);

/* What paths are, for those who show them. */
struct paths {
    const struct map_function *f;
    struct path_graph graph;
    struct path_numbering numbers;
    uint64_t watched;        /* how many of them are counted */
    uint32_t *arcs, *blocks; /* room for one path */
};
/* False when the function has no path plan. */
bool paths_init(struct paths *p, const struct map_function *f);
void paths_release(struct paths *p);
/* Whether the path is counted; one that is not has count 0, which says nothing. */
bool paths_watches(const struct paths *p, uint64_t id);

struct path_shown {
    uint32_t block_count;
    const uint32_t *blocks; /* in order; until the next path is asked for */
    bool from_entry;        /* starts with the activation, not behind an edge that ended another path */
    uint32_t next;          /* the block it ended on the way to, or GRAPH_NONE: the activation ended */
    bool unfinished;        /* it did not end (decode/paths/cut_paths.h): */
    uint32_t last_lines;    /* of its last block so many entries had begun */
};
struct path_shown paths_show(struct paths *p, uint64_t id);

#endif
