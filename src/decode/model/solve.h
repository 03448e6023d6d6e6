/* From the counters of one set to the counts of one function. Pure: a map record and numbers in,
 * numbers out. */
#ifndef COTREE_DECODE_MODEL_SOLVE_H
#define COTREE_DECODE_MODEL_SOLVE_H

#include "format/map/map.h"
#include "format/profile/profile.h"
#include "graph/flow.h"

#define SET_NONE UINT32_MAX

struct solved {
    enum flow_result result;
    /* Where the result is wrong: an edge or a vertex, as graph/flow.h says. */
    uint32_t where;
    bool has_edges;
    int64_t entries;
    int64_t *block_counts; /* what flows into each block */
    int64_t *edge_counts;  /* NULL unless has_edges */
};

/* The set whose counts are the profile: the first that gives edges, else the first that gives
 * blocks, else SET_NONE. */
uint32_t solve_first_set(const struct map_function *f);
/*
 * Solves one set.
 *  - counters: all counters of the function, as they stand in its array. Those that count ahead
 *    were corrected before (decode/model/standing.h).
 *  - entries: for sets that are given them (plan.h, entry_given); others do not look at it.
 *  - frames: the activations that gains (graph/flow.h, or NULL) come from.
 */
void solve_set(struct solved *s, const struct map_function *f, uint32_t set, const int64_t *counters,
               int64_t entries, const struct profile_frames *frames, const int64_t *gains);
void solved_release(struct solved *s);

/*
 * The same for many files: what does not depend on the counters is worked out the first time, and
 * memory is used again. The result belongs to the room and holds until that is used again.
 * Zero-initialise; one solver for each function and set.
 */
struct solver {
    struct flow_order order;
    bool ready;
};
/* Shared by all solvers of one thread. */
struct solver_room {
    int64_t *edge_counts, *block_counts;
    uint64_t *surplus;
    uint32_t edges, vertices;
};
struct solved solver_solve(struct solver *solver, struct solver_room *room, const struct map_function *f,
                           uint32_t set, const int64_t *counters, int64_t entries,
                           const struct profile_frames *frames, const int64_t *gains);
void solver_release(struct solver *solver);
void solver_room_release(struct solver_room *room);

/* How many activations began and ended; false when the function does not count that. */
bool solve_balance(const struct map_function *f, const int64_t *counters, int64_t *begun, int64_t *ended);

#endif
