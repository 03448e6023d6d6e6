/*
 * Where a block is shown: at its first line. A block without lines only leads on (after a loop
 * without braces, say, to the next round of the loop around it). It is shown where it leads, if
 * there is one way; it does not count for that line.
 */
#ifndef COTREE_REPORT_BLOCK_PLACE_H
#define COTREE_REPORT_BLOCK_PLACE_H

#include "format/map/map.h"

/* The places of all blocks; line 0: nowhere. Newly allocated. */
struct map_line *block_places(const struct map_function *f);
/* The place of one block. */
struct map_line block_place(const struct map_function *f, uint32_t block);

#endif
