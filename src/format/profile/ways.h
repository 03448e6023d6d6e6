/* Ways of paths that did not end: a chunk of merged files. Private to src/format. */
#ifndef COTREE_FORMAT_PROFILE_WAYS_H
#define COTREE_FORMAT_PROFILE_WAYS_H

#include "format/profile/profile.h"

/* Is there anything to write? There is not without path counts. */
bool profile_ways_exist(const struct profile *p);
void profile_ways_write(struct buffer *b, const struct profile *p);
/* Called when the functions are read. Functions whose ways are in the chunk get ways_known. */
void profile_ways_read(struct cursor *c, struct profile *p);

#endif
