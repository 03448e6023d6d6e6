/*
 * Where a block is shown: at its first line. One that has none only leads on (what comes behind a loop
 * without braces, before the next round of the loop around it) and is shown where it goes, if there is one
 * way; it does not count for that line.
 */
#ifndef COTREE_REPORT_BLOCK_PLACE_H
#define COTREE_REPORT_BLOCK_PLACE_H

#include "format/map/map.h"

/* By block; line 0: nowhere. Newly allocated. */
struct map_line *block_places(const struct map_function *f);
/* That of one block. */
struct map_line block_place(const struct map_function *f, uint32_t block);

#endif
