/* The paths of a report's functions, added up: shared by everything that shows paths. */
#ifndef COTREE_REPORT_PATH_LIST_H
#define COTREE_REPORT_PATH_LIST_H

#include "decode/paths/cut_paths.h"
#include "report/report.h"

/* A path that ran to its end. Its weight is its count times its blocks: its part of all that
 * ran. */
struct hot_path {
    uint32_t function; /* index into the view */
    uint32_t id, blocks;
    int64_t count;
};

/* How few paths make 50, 90 and 99 per cent. */
enum { PATH_PARTS = 3 };
extern const unsigned path_parts[PATH_PARTS];

struct path_sums {
    uint64_t total, watched, ran; /* paths; those that are not watched have no counts */
    uint64_t executions;          /* of paths */
    uint64_t blocks;              /* of blocks on paths */
    uint64_t unfinished, unknown; /* executions that were cut short: those whose way is known, and others */
    size_t for_executions[PATH_PARTS], for_blocks[PATH_PARTS];
};

struct path_list {
    struct hot_path *items; /* heaviest first */
    size_t count, capacity;
    struct path_sums sums;
    uint64_t functions, functions_run; /* with paths; of which one ran */
    struct path_sums *of_function;     /* parallel to the view; total is 0 where paths are not counted */
    struct cut_paths *cut;             /* likewise: those that did not end */
    size_t function_count;             /* of the view */
};

void path_list_init(struct path_list *list, const struct report *r);
void path_list_release(struct path_list *list);

static inline uint64_t path_weight(const struct hot_path *p)
{
    return (uint64_t)p->count * p->blocks;
}

/* Returns the lines of a path in order, as far as it got, equal neighbours once. Newly
 * allocated. */
struct map_line *path_lines(const struct map_function *f, const struct path_shown *path, size_t *count);

/* Writes "line 12", where the block is shown (block_place.h), or "block 3". */
void path_put_block(FILE *out, const struct map_function *f, uint32_t block);
/* Writes "from its entry to line 12" and the like. */
void path_put_ends(FILE *out, const struct map_function *f, const struct path_shown *path);

/* A path that goes another way at one branch and is otherwise the same: from the other way on it is
 * the shortest one back to the path (or, where none leads there, to the end of a path). */
struct path_neighbour {
    uint64_t id;
    /* Blocks: of the branch, where the path goes, where this one goes (GRAPH_NONE: the path
     * ends). */
    uint32_t at, instead, to;
};
/* Returns the neighbours of the path that are watched and never ran: at most one for each way of
 * each of its branches. Newly allocated. */
struct path_neighbour *path_neighbours(struct paths *p, const int64_t *path_counts, uint64_t id,
                                       size_t *count);

#endif
