/* Which paths to count, as users write it. */
#ifndef COTREE_PLAN_PATH_SELECTOR_H
#define COTREE_PLAN_PATH_SELECTOR_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

enum path_selector_kind {
    PATH_SELECT_FUNCTION, /* NAME: all paths of a function */
    PATH_SELECT_ID,       /* NAME#ID */
    PATH_SELECT_LINE,     /* through:NAME:LINE: all paths that run this line of a file */
    PATH_SELECT_HOT, /* hot:PERCENT:NAME: the fewest paths that make that share of a profile's executions */
    PATH_SELECT_UNCOVERED, /* uncovered:NAME: the paths that did not run according to a profile */
    /* group:I/N: that part of the paths that are selected otherwise; of all paths if none are. */
    PATH_SELECT_GROUP,
};

struct path_selector {
    enum path_selector_kind kind;
    char *name; /* of a function or a source file (patterns), or of a profile; NULL of a group */
    uint64_t id;
    uint32_t line;
    double percent;
    uint32_t group, groups; /* 1 .. groups */
};
#define PATH_GROUPS_MOST 4096

/* The error says what is wrong with the text, without repeating it. */
bool path_selector_parse(struct path_selector *s, const char *text, struct error *error);
void path_selector_release(struct path_selector *s);
/* Is its name that of a profile to be read? */
static inline bool path_selector_reads(const struct path_selector *s)
{
    return s->kind == PATH_SELECT_HOT || s->kind == PATH_SELECT_UNCOVERED;
}

#endif
