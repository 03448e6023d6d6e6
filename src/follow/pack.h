/*
 * Packs an events file into chunks of its data file: while the program runs (a follower), or
 * afterwards. What is packed is replayed on the way, since chunks begin with where control stands.
 * What has been packed is taken out of the events file; when the program has ended and all of it is
 * packed, the file is removed.
 */
#ifndef COTREE_FOLLOW_PACK_H
#define COTREE_FOLLOW_PACK_H

#include "base/error.h"

/* data: the data file. Returns when its program has ended and all is packed; false when it cannot
 * be done: then the events file stays as it is. */
bool trace_pack(const char *data, struct error *error);

#endif
