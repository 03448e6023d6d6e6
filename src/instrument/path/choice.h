/* Which paths of a unit are counted (-fcotree-paths=): selectors, matched with its functions. */
#ifndef COTREE_INSTRUMENT_PATH_CHOICE_H
#define COTREE_INSTRUMENT_PATH_CHOICE_H

#include "instrument/graph/unit_function.h"
#include "instrument/options.h"
#include "instrument/use/use_profile.h"
#include "plan/path_selector.h"

struct chosen_selector {
    struct path_selector selector;
    struct used_profile profile; /* if the selector reads one */
    bool **hot;                  /* function of the profile -> path id -> is it hot? */
};

struct path_choices {
    struct path_choice_selectors ARRAY_OF(struct chosen_selector) selectors;
    const char *source; /* the unit's file */
    enum path_code_kind numbering;
};

/* Parses the selectors and reads their profiles. source: the unit's file; it must stay. */
bool path_choices_init(struct path_choices *c, const struct instrument_options *options, const char *source,
                       struct error *error);
void path_choices_release(struct path_choices *c);

/*
 * Gives every plan of paths its choice. Ids of a profile mean paths of the same graph that end at
 * the same edges: so a function that a profile knows takes these edges from it. A function that
 * does not fit is named on stderr, and its profile ignored: none of its paths is hot, and all are
 * uncovered.
 */
bool path_choices_apply(struct path_choices *c, struct unit_functions *functions, struct error *error);

#endif
