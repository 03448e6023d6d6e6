/* Ways of paths that did not end, in merged files: a chunk of its own. Private to src/format. */
#ifndef COTREE_FORMAT_PROFILE_WAYS_H
#define COTREE_FORMAT_PROFILE_WAYS_H

#include "format/profile/profile.h"

/* Is there something to write? Without paths there is nothing. */
bool profile_ways_exist(const struct profile *p);
void profile_ways_write(struct buffer *b, const struct profile *p);
/* The functions are there; those whose ways are in the chunk get ways_known. */
void profile_ways_read(struct cursor *c, struct profile *p);

#endif
