/*
 * What decides between the successors of a block, as the source has it: conditions, cases, labels.
 * Part of struct map_function (format/map/map.h). A block may have several successors for other
 * reasons, and then has no branch here: a call that may throw, a condition that is a constant, or a
 * question that clang asks by itself (was it initialised, is it null).
 */
#ifndef COTREE_FORMAT_MAP_BRANCHES_H
#define COTREE_FORMAT_MAP_BRANCHES_H

#include "base/buffer.h"

struct map_function;

/* Written into maps: never renumber. */
enum map_way_kind {
    MAP_WAY_TRUE = 0,
    MAP_WAY_FALSE = 1,
    MAP_WAY_CASE = 2,    /* of a switch */
    MAP_WAY_DEFAULT = 3, /* of a switch; the source may have none */
    MAP_WAY_LABEL = 4,   /* of a goto that has several */
};

struct map_way {
    uint32_t edge; /* out of the block */
    enum map_way_kind kind;
    int64_t value; /* MAP_WAY_CASE: of the first case that leads there */
    uint32_t more; /* how many further cases lead there */
};

#define MAP_BRANCH_NOWHERE UINT32_MAX
struct map_branch {
    uint32_t block;
    uint32_t entry;  /* of the block's lines: where the deciding expression begins, or MAP_BRANCH_NOWHERE */
    uint32_t column; /* its column there, in bytes from 1; 0: not known */
    uint32_t way_count;
    struct map_way *ways; /* as the source has them: true before false, cases from line to line */
};

/* Says what a way is: "True", "case 7 and 2 more". Returns `text`. */
#define MAP_WAY_TEXT 64
const char *map_way_text(const struct map_way *way, char text[MAP_WAY_TEXT]);

/* Writes and reads this part of a function's record; the reader is given the parts before it. */
void map_branches_write(struct buffer *out, const struct map_function *f);
void map_branches_read(struct cursor *c, struct map_function *f);
void map_branches_release(struct map_function *f);

#endif
